public import Foundation

extension NotificationCenter {
    /// Has a block called for notifications, on a queue if one is given, whose end whoever posts waits for.
    ///
    /// On `OperationQueue.main` it is called at once by who posts on the main actor, in whichever way that is run. Foundation's
    /// method of this name knows the main thread alone: under Swift Testing, where another one serves the main queue, who posts
    /// there would wait for himself, and for ever.
    ///
    /// - Parameters:
    ///   - name: Which notifications; nil for all.
    ///   - obj: Whose; nil for everybody's. (The compiler prefers this method to Foundation's as an object is asked for here, which
    ///     is there anything at all.)
    ///   - queue: Where the block is called; nil for where a notification is posted.
    ///   - block: Gets the notification.
    /// - Returns: What ends it: give it to `removeObserver(_:)`.
    /// - Source: Apple's addObserver(forName:object:queue:using:).
    public func addObserver(
        forName name: NSNotification.Name?,
        object obj: AnyObject?,
        queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        // What is anything is for Foundation's method.
        let anything: Any? = obj
        guard let queue, queue === OperationQueue.main else {
            return addObserver(forName: name, object: anything, queue: queue, using: block)
        }
        return addObserver(forName: name, object: anything, queue: nil) { notification in
            if MainQueue.isCurrent { return block(notification) }
            // Who posts waits until it has been taken in.
            let (moved, context) = (Transferred(notification), DeviceContext.current())
            queue.addOperations(
                [BlockOperation { context.run { block(moved.value) } }],
                waitUntilFinished: true
            )
        }
    }
}
