internal import Dispatch
internal import Locks

/// Hands what comes in to pieces of work, each with all that came while those before were under way: one after another, or a few at
/// a time, so that one is on the line while another is at the disk. What waits already is not taken once more.
final class BatchQueue<Element: Sendable, Key: Hashable & Sendable>: Sendable {
    private struct State {
        var pending: ArraySlice<Element> = []
        var pendingKeys: Set<Key> = []
        /// The queues on which nothing is under way.
        var free: [DispatchQueue]
        /// How heavy what is under way is together.
        var runningWeight = 0
        var isClosed = false
    }
    private struct Batch: Sendable {
        let queue: DispatchQueue
        var elements: [Element] = []
        var weight = 0
    }

    private let state: Locked<State>
    private let widthMax: Int
    private let countMax: Int
    private let weightMax: Int
    private let weight: @Sendable (Element) -> Int
    private let key: @Sendable (Element) -> Key
    private let work: @Sendable ([Element]) -> Void

    /// - Parameters:
    ///   - widthMax: How many pieces of work are under way at a time. Of more than one nothing says which ends first.
    ///   - countMax: How many elements a piece has.
    ///   - weightMax: How heavy all that are under way are together at most, unless one is by itself.
    ///   - key: What is the same work.
    ///   - work: Runs on a queue of its own, and may block.
    init(
        _ label: String,
        widthMax: Int = 1,
        countMax: Int,
        weightMax: Int = .max,
        weight: @escaping @Sendable (Element) -> Int = { _ in 0 },
        key: @escaping @Sendable (Element) -> Key,
        _ work: @escaping @Sendable ([Element]) -> Void
    ) {
        // As many serial ones: nobody looks after them all the time.
        let queues = (0..<widthMax).map { _ in DispatchQueue(label: label, qos: .userInitiated) }
        state = Locked(State(free: queues))
        (self.widthMax, self.countMax, self.weightMax) = (widthMax, countMax, weightMax)
        (self.weight, self.key, self.work) = (weight, key, work)
    }

    func add(_ elements: [Element]) {
        guard !elements.isEmpty else { return }
        state.withLock { state in
            guard !state.isClosed else { return }
            state.pending += elements.filter { state.pendingKeys.insert(key($0)).inserted }
        }
        begin()
    }

    /// Drops what waits, and takes nothing more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            (state.pending, state.pendingKeys) = ([], [])
        }
    }

    /// Drops what waits.
    func clear() { state.withLock { ($0.pending, $0.pendingKeys) = ([], []) } }

    /// Begins as many pieces as may be.
    private func begin() {
        while let batch = state.withLock({ next(&$0) }) {
            batch.queue.async { [self] in
                work(batch.elements)
                state.withLock { state in
                    state.free.append(batch.queue)
                    state.runningWeight -= batch.weight
                }
                begin()
            }
        }
    }

    private func next(_ state: inout State) -> Batch? {
        guard let queue = state.free.last else { return nil }
        let isAlone = state.free.count == widthMax
        var batch = Batch(queue: queue)
        for element in state.pending.prefix(countMax) {
            let weight = min(weight(element), weightMax)
            let isFirst = isAlone && batch.elements.isEmpty
            guard isFirst || weight <= weightMax - state.runningWeight - batch.weight else { break }
            batch.elements.append(element)
            batch.weight += weight
        }
        guard !batch.elements.isEmpty else { return nil }
        state.pending = state.pending.dropFirst(batch.elements.count)
        for element in batch.elements { state.pendingKeys.remove(key(element)) }
        if state.pending.isEmpty { (state.pending, state.pendingKeys) = ([], []) }
        state.free.removeLast()
        state.runningWeight += batch.weight
        return batch
    }
}
