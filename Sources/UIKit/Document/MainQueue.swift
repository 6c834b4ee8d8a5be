internal import Foundation

/// The main queue, on which the main actor runs.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let marked: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    /// Whether the caller is on the main actor. The main thread alone does not tell: under an asynchronous
    /// `main` the main queue is served by another one.
    static var isCurrent: Bool {
        _ = marked
        return Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true
    }

    /// Runs `body` on the main actor and waits for it; at once where the caller is there already.
    ///
    /// The one place where a queue waits for the main actor. Hold no lock.
    static func sync<Result: Sendable>(_ body: @MainActor @Sendable () throws -> Result) rethrows -> Result {
        if isCurrent {
            return try MainActor.assumeIsolated(body)
        }
        return try DispatchQueue.main.sync { try MainActor.assumeIsolated(body) }
    }
}

/// A value handed from one queue to another, which alone has it from then on.
struct Transferred<Value>: @unchecked Sendable {
    // Sendable because the giver does not touch the value after handing it over.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A callback that lives on the main actor and is carried through other queues on its way back.
struct MainActorCallback<Argument: Sendable>: @unchecked Sendable {
    // Sendable because the closure is made on the main actor and is only called there.
    private let body: (Argument) -> Void

    @MainActor
    init(_ body: @escaping (Argument) -> Void) {
        self.body = body
    }

    /// Must be called on the main queue.
    func callAsFunction(_ argument: Argument) {
        MainActor.assumeIsolated { body(argument) }
    }
}
