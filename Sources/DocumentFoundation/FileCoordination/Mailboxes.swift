/// Messages for presenters that have not been handled yet, by the serial queue on which they are to be.
struct Mailboxes: Sendable {
    typealias Message = @Sendable () -> Void

    private struct Box {
        /// What has been taken is nil: it may hold a presenter that is gone.
        var messages: [Message?]
        private var takenCount = 0

        init(_ messages: [Message?]) { self.messages = messages }

        var count: Int { messages.count - takenCount }

        mutating func takeNext() -> Message? {
            if takenCount >= Self.keptCountMax, takenCount * 2 >= messages.count {
                messages.removeFirst(takenCount)
                takenCount = 0
            }
            defer { takenCount += 1 }
            return messages[takenCount].take()
        }

        /// So many that have been taken are kept in front of those that have not.
        private static let keptCountMax = 64
    }

    private var boxes: [ObjectIdentifier: Box] = [:]

    func hasMessages(for queueID: ObjectIdentifier) -> Bool { !boxes.isEmpty && boxes[queueID] != nil }

    /// How many messages have not been taken.
    func messageCount(for queueID: ObjectIdentifier) -> Int { boxes[queueID]?.count ?? 0 }

    /// Puts messages behind those that are there.
    mutating func put(_ messages: some Sequence<Message>, for queueID: ObjectIdentifier) {
        if let place = boxes.index(forKey: queueID) {
            boxes.values[place].messages.append(contentsOf: messages.lazy.map(Optional.some))
        } else {
            boxes[queueID] = Box(messages.map(Optional.some))
        }
    }

    /// Takes the message that has been there longest.
    mutating func takeNext(for queueID: ObjectIdentifier) -> Message? {
        guard let place = boxes.index(forKey: queueID) else { return nil }
        let message = boxes.values[place].takeNext()
        if boxes.values[place].count == 0 { boxes.remove(at: place) }
        return message
    }
}
