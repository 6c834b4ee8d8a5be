internal import Dispatch
internal import Glibc
internal import Locks

/// Pieces of work on several threads at a time.
///
/// `DispatchQueue.concurrentPerform` would do the same, on threads of the global queues. On Linux libdispatch looks after these
/// once a second from the first of them on, for as long as the process lives, whether or not they have anything to do. So
/// nothing that runs in a process that rests for days uses them, nor queues that are concurrent: a serial queue, were it for one
/// piece alone, has its thread from elsewhere.
package enum SharedWork {
    /// Does pieces on as many threads as there are processors, the caller's among them, and waits for all of them.
    ///
    /// - Parameters:
    ///   - count: How many pieces there are.
    ///   - work: Does one, which it gets the number of. Numbers are given out in order.
    package static func perform(_ count: Int, _ work: @Sendable (Int) -> Void) {
        perform(count, threadCountMax: processorCount, work)
    }

    /// - Parameter threadCountMax: How many threads there are at most.
    static func perform(_ count: Int, threadCountMax: Int, _ work: @Sendable (Int) -> Void) {
        withoutActuallyEscaping(work) { work in
            let pieces = Pieces(count, work)
            for _ in 1..<max(1, min(count, threadCountMax)) {
                DispatchQueue(label: "sheaf.shared-work", qos: .userInitiated).async { pieces.help() }
            }
            pieces.finish()
        }
    }

    private static let processorCount = sysconf(CInt(_SC_NPROCESSORS_ONLN))
}

/// What is left to do, for those who do it. Nobody waits for a helper that has not begun: for want of threads it may never.
private final class Pieces: Sendable {
    private struct State {
        var next = 0
        /// Nil when all pieces have been taken, and their maker may be about to go.
        var work: (@Sendable (Int) -> Void)?
    }

    private let count: Int
    private let state: Locked<State>
    /// The helpers that have begun.
    private let helpers = DispatchGroup()

    init(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
        self.count = count
        state = Locked(State(work: work))
    }

    func help() {
        let isNeeded = state.withLock { state in
            guard state.work != nil else { return false }
            helpers.enter()
            return true
        }
        guard isNeeded else { return }
        perform()
        helpers.leave()
    }

    func finish() {
        perform()
        state.withLock { $0.work = nil }
        helpers.wait()
    }

    private func perform() {
        while let (number, work) = take() { work(number) }
    }

    private func take() -> (number: Int, work: @Sendable (Int) -> Void)? {
        state.withLock { state in
            guard let work = state.work, state.next < count else { return nil }
            defer { state.next += 1 }
            return (state.next, work)
        }
    }
}
