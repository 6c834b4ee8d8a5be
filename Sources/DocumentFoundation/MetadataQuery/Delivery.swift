internal import Foundation
internal import Locks

/// What a query does on its operation queue: one turn of telling.
///
/// The queue is the app's, which may cancel all that waits on it. What is cancelled is never run; the run of the query is to hear of
/// that as well, as it asks for no other turn before.
final class Delivery: BlockOperation, @unchecked Sendable {
    // Sendable because what it adds is locked, and it is Sendable itself.
    private let hasBegun = Locked(false)

    /// - Parameters:
    ///   - deliver: What is done.
    ///   - dropped: Called in its place when the operation has been cancelled before; on any thread.
    convenience init(_ deliver: @escaping @Sendable () -> Void, dropped: @escaping @Sendable () -> Void) {
        self.init()
        addExecutionBlock { [hasBegun] in
            hasBegun.withLock { $0 = true }
            deliver()
        }
        completionBlock = { [hasBegun] in
            if !hasBegun.withLock({ $0 }) { dropped() }
        }
    }
}
