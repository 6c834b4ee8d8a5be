internal import SyncMessages

// Who waits for the process that keeps folders in step may keep a queue from running that has messages for presenters: the process
// may wait for just these.
extension SyncConversation {
    /// So long the thread waits before it looks for messages.
    private static let lookMilliseconds: Int32 = 20

    /// The next answer, however long it takes.
    ///
    /// - Parameter handleMessages: What the thread does meanwhile, again and again, for the queue that it keeps from running; nil
    ///   for one that keeps none.
    /// - Throws: `SyncServiceError.ended`.
    func next(_ handleMessages: (() -> Void)?) throws -> SyncAnswer {
        let milliseconds = handleMessages == nil ? -1 : Self.lookMilliseconds
        while true {
            handleMessages?()
            if let answer = try next(milliseconds: milliseconds) { return answer }
        }
    }
}

extension FileAccessRegistry {
    /// Handles the messages for the queue that the current thread keeps from running; nil where it keeps none.
    var messagesMeanwhile: (() -> Void)? {
        BlockedCaller().queueID.map { id in { [self] in handleMessages(for: id) } }
    }
}
