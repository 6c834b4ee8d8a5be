import Locks

/// A while that ends when a test says so.
final class While: Sendable {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    /// How many things are to be done when it ends.
    var count: Int { waiting.withLock { $0.count } }

    func later(_ body: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(body) } }

    func end() {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for body in all { body() }
    }
}
