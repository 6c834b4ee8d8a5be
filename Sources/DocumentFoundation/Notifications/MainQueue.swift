internal import Foundation
internal import Locks

/// The main queue, on which the main actor runs.
package enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let marked: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    /// Whether the caller is on the main actor. The main thread alone does not tell: under an asynchronous
    /// `main`, as of Swift Testing, the main queue is served by another one.
    package static var isCurrent: Bool {
        _ = marked
        return Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }

    /// Runs `body` on the main actor and waits for it; at once where the caller is there already.
    ///
    /// Where the main actor waits for access, it runs `body` meanwhile: the caller may be in an access that is waited for.
    ///
    /// Beside observers on `OperationQueue.main`, the one place where a queue waits for the main actor. Hold no lock.
    package static func sync<Value: Sendable>(
        _ body: @escaping @MainActor @Sendable () throws -> Value
    ) throws -> Value {
        if isCurrent {
            return try MainActor.assumeIsolated(body)
        }
        let outcome = Locked<Result<Value, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        FileAccessRegistry.shared.performOnMain {
            let result = Result { try body() }
            outcome.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        guard let result = outcome.withLock({ $0 }) else {
            preconditionFailure("signalled before it was done")
        }
        return try result.get()
    }
}
