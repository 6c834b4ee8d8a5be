internal import Foundation

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
    /// Beside observers on `OperationQueue.main`, the one place where a queue waits for the main actor. Hold no lock.
    package static func sync<Result: Sendable>(
        _ body: @MainActor @Sendable () throws -> Result
    ) rethrows -> Result {
        if isCurrent {
            return try MainActor.assumeIsolated(body)
        }
        return try DispatchQueue.main.sync { try MainActor.assumeIsolated(body) }
    }
}
