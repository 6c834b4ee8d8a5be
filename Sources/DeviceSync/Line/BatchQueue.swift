internal import Dispatch
internal import Locks

/// Hands what comes in to one piece of work after another: all that came while the last was under way, together.
final class BatchQueue<Element: Sendable>: Sendable {
    private struct State {
        var pending: [Element] = []
        var isRunning = false
        var isClosed = false
    }

    private let state = Locked(State())
    private let queue: DispatchQueue
    private let countMax: Int
    private let weightMax: Int
    private let weight: @Sendable (Element) -> Int
    private let work: @Sendable ([Element]) -> Void

    /// - Parameters:
    ///   - countMax: How many are handed over at a time.
    ///   - weightMax: How heavy they are together at most, unless one is by itself.
    ///   - work: Runs on a queue of its own, and may block.
    init(
        _ label: String,
        countMax: Int,
        weightMax: Int = .max,
        weight: @escaping @Sendable (Element) -> Int = { _ in 0 },
        _ work: @escaping @Sendable ([Element]) -> Void
    ) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        (self.countMax, self.weightMax, self.weight, self.work) = (countMax, weightMax, weight, work)
    }

    func add(_ elements: [Element]) {
        guard !elements.isEmpty else { return }
        let begins = state.withLock { state in
            guard !state.isClosed else { return false }
            state.pending += elements
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if begins { queue.async { [self] in run() } }
    }

    /// Drops what waits, and takes nothing more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.pending = []
        }
    }

    /// Drops what waits.
    func clear() { state.withLock { $0.pending = [] } }

    private func run() {
        while true {
            let batch = state.withLock { state -> [Element] in
                var sum = 0
                let batch = Array(
                    state.pending.prefix(countMax).prefix { element in
                        let weight = min(weight(element), weightMax)
                        defer { sum += weight }
                        return sum == 0 || weight <= weightMax - sum
                    }
                )
                state.pending.removeFirst(batch.count)
                if batch.isEmpty { state.isRunning = false }
                return batch
            }
            guard !batch.isEmpty else { return }
            work(batch)
        }
    }
}
