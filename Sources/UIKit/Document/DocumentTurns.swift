internal import Locks

/// What a document does on the disk, in turn: one thing at a time is under way, from its request for access to its end.
///
/// Whoever begins a turn never waits for access, so that it can always make way for others. Any thread.
final class DocumentTurns: Sendable {
    /// Begins something and calls back when it has ended.
    typealias Turn = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    private struct Line {
        var isBusy = false
        var waiting: [Turn] = []
    }

    private let line = Locked(Line())

    /// Has something done when everything before it has ended.
    func enqueue(_ turn: @escaping Turn) {
        let isNext = line.withLock { line in
            defer { line.isBusy = true }
            if line.isBusy { line.waiting.append(turn) }
            return !line.isBusy
        }
        if isNext { begin(turn) }
    }

    /// Has something done as the next turn, before all that waits. Called inside a turn.
    func performNext(_ turn: @escaping Turn) {
        line.withLock { $0.waiting.insert(turn, at: 0) }
    }

    private func begin(_ turn: Turn) {
        turn { [self] in
            let next = line.withLock { line -> Turn? in
                line.isBusy = !line.waiting.isEmpty
                return line.waiting.isEmpty ? nil : line.waiting.removeFirst()
            }
            if let next { begin(next) }
        }
    }
}
