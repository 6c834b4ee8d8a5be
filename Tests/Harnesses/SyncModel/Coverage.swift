package import Sync

/// Which faults have met which states of an engine: what a run has really tried.
package struct Coverage: Sendable {
    package var worldCount = 0
    package var deedCount = 0
    package var faultCount = 0
    package private(set) var meetings: [String: [String: Int]] = [:]

    package init() {}

    /// The states that an engine can be in, by why its items differ.
    package static let states = [
        "at rest", "sending", "getting", "committing", "refused", "placing", "merging", "name taken",
        "name left",
        "folder missing", "loop", "members", "conflict", "aside", "braked", "evicted", "contents lost",
        "paused", "look alike", "uniting",
    ]

    package mutating func note(_ fault: String, _ engine: SyncEngine) {
        for state in Self.states(of: engine) { meetings[fault, default: [:]][state, default: 0] += 1 }
    }

    /// The states that an engine is in.
    static func states(of engine: SyncEngine) -> Set<String> {
        var states: Set<String> = []
        for item in engine.differing {
            for reason in engine.reasons(for: item) {
                if let name = name(reason) { states.insert(name) }
            }
        }
        if states.isEmpty { states.insert("at rest") }
        if !engine.dataless.isEmpty { states.insert("evicted") }
        if !engine.unitingItems.isEmpty { states.insert("uniting") }
        let places = engine.disk.values.map(\.place.exact)
        // Strings of one look are one to Swift.
        let looks = Set(engine.disk.values.map { Look(parent: $0.parent, name: $0.place.name) })
        if looks.count < Set(places).count { states.insert("look alike") }
        for state in engine.disk.values {
            if !state.conflicts.isEmpty { states.insert("conflict") }
            if state.place.name.hasPrefix(".") { states.insert("aside") }
        }
        return states
    }

    private struct Look: Hashable {
        let parent: ItemID
        let name: String
    }

    private static func name(_ reason: SyncEngine.Reason) -> String? {
        switch reason {
        case .sending: "sending"
        case .getting: "getting"
        case .contentsLost: "contents lost"
        case .committing: "committing"
        case .readingLog: "refused"
        case .placing: "placing"
        case .merging: "merging"
        case .nameTaken: "name taken"
        case .nameLeft: "name left"
        case .folderMissing: "folder missing"
        case .loop: "loop"
        case .braked: "braked"
        case .members: "members"
        case .paused: "paused"
        case .uniting, .due: nil
        }
    }

    package mutating func add(_ other: Coverage) {
        worldCount += other.worldCount
        deedCount += other.deedCount
        faultCount += other.faultCount
        for (fault, states) in other.meetings {
            meetings[fault, default: [:]].merge(states, uniquingKeysWith: +)
        }
    }

    /// Faults that have never met a state, as "fault / state".
    package var gaps: [String] {
        Deed.faults.flatMap { fault in
            Self.states.filter { meetings[fault]?[$0] == nil }.map { "\(fault) / \($0)" }
        }
    }

    /// One line for each state, one column for each fault.
    package var table: String {
        let width = (Self.states.map(\.count).max() ?? 0) + 2
        func cell(_ text: String, _ count: Int) -> String {
            text + String(repeating: " ", count: max(1, count - text.count))
        }
        let head = cell("", width) + Deed.faults.map { cell($0, $0.count + 2) }.joined()
        let lines = Self.states.map { state in
            cell(state, width)
                + Deed.faults.map { cell("\(meetings[$0]?[state] ?? 0)", $0.count + 2) }.joined()
        }
        return ([head] + lines).joined(separator: "\n")
    }
}
