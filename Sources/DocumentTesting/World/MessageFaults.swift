internal import Locks

/// What goes wrong with the messages of one line, and which are late. Any thread: one struct under one lock.
final class MessageFaults: Sendable {
    private struct State {
        /// Goes on where it was when it is begun again.
        var numbers: SeededGenerator
        var line: FaultyLine?
        var late: [Late] = []
        var counts: [LineFault: Int] = [:]
    }

    private struct Late {
        /// How many messages come before it yet.
        var overtakingCount: Int
        let arrive: @Sendable () throws -> Void
    }

    private let state: Locked<State>

    init(_ numbers: SeededGenerator) { state = Locked(State(numbers: numbers)) }

    var areOn: Bool { state.withLock { $0.line != nil } }
    var hasLate: Bool { state.withLock { !$0.late.isEmpty } }
    var counts: [LineFault: Int] { state.withLock { $0.counts } }

    func begin(_ faults: LineFaults) {
        state.withLock { state in
            state.line = FaultyLine(faults, SeededGenerator(seed: state.numbers.next()))
        }
    }

    func end() {
        state.withLock { $0.line = nil }
        bringLate()
    }

    /// What befalls the next message; nil where nothing is to. What is late and was overtaken often enough has arrived then.
    ///
    /// - Parameter mayBeRepeated: Whether it changes something at the hub: what only asks is neither doubled nor late.
    func next(mayBeRepeated: Bool) -> FaultyLine.Fate? {
        let (fate, due) = state.withLock { state -> (FaultyLine.Fate?, [Late]) in
            for index in state.late.indices { state.late[index].overtakingCount -= 1 }
            let due = state.late.filter { $0.overtakingCount < 0 }
            state.late.removeAll { $0.overtakingCount < 0 }
            guard var fate = state.line?.next() else { return (nil, due) }
            if !mayBeRepeated, fate.fault == .doubled || fate.fault == .late { fate.fault = nil }
            if let fault = fate.fault { state.counts[fault, default: 0] += 1 }
            return (fate, due)
        }
        arrive(due)
        return fate
    }

    func hold(_ message: @escaping @Sendable () throws -> Void, until overtakingCount: Int) {
        state.withLock { $0.late.append(Late(overtakingCount: overtakingCount, arrive: message)) }
    }

    func bringLate() {
        arrive(
            state.withLock { state in
                defer { state.late = [] }
                return state.late
            }
        )
    }

    private func arrive(_ late: [Late]) {
        for message in late {
            // What the hub answers is for nobody: the device has given it up.
            _ = try? message.arrive()
        }
    }
}
