internal import Locks

/// Lets a few large answers be put together at a time, in the order in which they were asked for: what each takes until its length is
/// known, and it counts, nobody has counted.
///
/// Its state is in one struct under one lock.
final class AnswerDesk: Sendable {
    private struct State {
        var free = seatCount
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// An answer takes some tens of megabytes meanwhile at most, and no more are read or written out at a time than there are
    /// readers of a database, and two processors.
    private static let seatCount = 4

    private let state = Locked(State())

    /// Returns what comes of `body`, which has its turn when one of those before it has been done.
    func perform<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
