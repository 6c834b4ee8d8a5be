internal import Locks

/// What is kept of bodies that have broken off, each by a task of its own: nobody waits for an answer any more.
///
/// Its state is under one lock.
final class BrokenOffBodies: Sendable {
    private struct State {
        var lastNumber = 0
        var tasks: [Int: Task<Void, Never>] = [:]
        var isEnded = false
    }

    private let state = Locked(State())

    /// Begins to keep what has come of one.
    ///
    /// - Returns: False once they have ended: then nothing is done.
    func keep(_ body: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            state.lastNumber += 1
            let number = state.lastNumber
            state.tasks[number] = Task {
                await body()
                self.state.withLock { $0.tasks[number] = nil }
            }
            return true
        }
    }

    /// Returns when all that has begun is done; nothing more begins.
    func end() async {
        let tasks = state.withLock { state in
            state.isEnded = true
            return Array(state.tasks.values)
        }
        for task in tasks { await task.value }
    }
}
