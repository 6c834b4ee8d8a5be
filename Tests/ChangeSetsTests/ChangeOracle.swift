@testable import ChangeSets

/// What the data must be, told from the change sets alone, slowly: every pair of changes is compared.
struct ChangeOracle {
    private let changes: [ChangeSet]
    private let rules: [String: DeletionRule]
    /// What each change's device had seen when it made it.
    private var contexts: [VersionVector] = []

    init(_ all: [ChangeSet], _ rules: [String: DeletionRule]) {
        changes = all.sorted { ($0.device, $0.sequence) < ($1.device, $1.sequence) }
        self.rules = rules
        var context = VersionVector()
        for (index, change) in changes.enumerated() {
            if index == 0 || changes[index - 1].device != change.device { context = VersionVector() }
            for device in change.seen.devices { context[device] = max(context[device], change.seen[device]) }
            context[change.device] = change.sequence - 1
            contexts.append(context)
        }
    }

    private func saw(_ later: Int, _ earlier: Int) -> Bool {
        contexts[later][changes[earlier].device] >= changes[earlier].sequence
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (changes[left].time, changes[left].device) < (changes[right].time, changes[right].device)
    }

    var picture: [String: [String: ChangeValue]] {
        var picture: [String: [String: ChangeValue]] = [:]
        for (name, indices) in objects where isAlive(indices) {
            picture[name] = properties(indices)
        }
        return picture
    }

    private var objects: [String: [Int]] {
        Dictionary(grouping: changes.indices) { "\(changes[$0].objectType) \(changes[$0].objectID)" }
    }

    private func isAlive(_ indices: [Int]) -> Bool {
        let edits = indices.filter { changes[$0].action != .delete }
        let deletions = indices.filter { changes[$0].action == .delete }
        let isCovered = { (edit: Int) in deletions.contains { saw($0, edit) } }
        let open = deletions.filter { deletion in !edits.contains { saw($0, deletion) } }
        if open.isEmpty { return edits.contains { !isCovered($0) } }
        switch rules[changes[indices[0]].objectType] ?? .editWins {
        case .editWins: return edits.contains { !isCovered($0) }
        case .deletionWins: return false
        case .latestWins:
            guard let edit = edits.max(by: isBefore), let deletion = open.max(by: isBefore) else {
                return false
            }
            return isBefore(deletion, edit)
        }
    }

    private func properties(_ indices: [Int]) -> [String: ChangeValue] {
        var properties: [String: ChangeValue] = [:]
        for name in Set(indices.flatMap { changes[$0].changes.map(\.property) }) {
            properties[name] = name == "notes" ? .text(text(indices)) : value(of: name, indices)
        }
        return properties
    }

    /// Every edit of a property, in the order of a change's list: whose, its place, what.
    private func edits(
        of name: String,
        _ indices: [Int]
    ) -> [(index: Int, place: Int, edit: PropertyChange.Edit)] {
        indices.flatMap { index in
            changes[index].changes.enumerated().filter { $0.element.property == name }
                .map { (index, $0.offset, $0.element.edit) }
        }
    }

    private func isOver(_ edit: Int, _ indices: [Int]) -> Bool {
        indices.contains { changes[$0].action == .add && saw($0, edit) }
    }

    private func value(of name: String, _ indices: [Int]) -> ChangeValue? {
        let all = edits(of: name, indices)
        let increments = all.compactMap { if case .increment(let more) = $0.edit { more } else { nil } }
        if !increments.isEmpty { return .integer(increments.reduce(0, &+)) }
        let living = all.filter { !isOver($0.index, indices) }
        var elements: [ChangeValue] = []
        for case (let index, let place, .insert(let value)) in living {
            let isGone = all.contains { later in
                guard case .remove(value) = later.edit else { return false }
                return saw(later.index, index) || later.index == index && later.place > place
            }
            if !isGone, !elements.contains(value) { elements.append(value) }
        }
        if !elements.isEmpty { return .list(elements.sorted(by: ChangeValue.precedes)) }
        let sets = setters(living)
        guard let latest = sets.max(by: { isBefore($0.index, $1.index) }) else { return nil }
        return latest.value
    }

    /// Of each change the last value that it sets.
    private func setters(
        _ edits: [(index: Int, place: Int, edit: PropertyChange.Edit)]
    ) -> [(index: Int, value: ChangeValue)] {
        var last: [Int: (place: Int, value: ChangeValue)] = [:]
        for case (let index, let place, .set(let value)) in edits where place >= (last[index]?.place ?? -1) {
            last[index] = (place, value)
        }
        return last.map { ($0.key, $0.value.value) }
    }

    private struct Letter {
        let change: Int
        let offset: Int
        let scalar: Unicode.Scalar
        var isDeleted = false
    }

    /// A text by the textbook: letter by letter in a list, each behind its forerunner and behind all that is later.
    private func text(_ indices: [Int]) -> String {
        var letters: [Letter] = []
        for index in indices.sorted(by: isBefore) {
            if changes[index].action == .add {
                for place in letters.indices where saw(index, letters[place].change) {
                    letters[place].isDeleted = true
                }
            }
            for case .splice(let splice) in changes[index].changes.map(\.edit) {
                for run in splice.deletions {
                    for offset in run.offsets {
                        if let place = find(run, offset, letters) { letters[place].isDeleted = true }
                    }
                }
                for insertion in splice.insertions {
                    var place =
                        insertion.after.flatMap { find($0, $0.offsets.upperBound - 1, letters) }.map {
                            $0 + 1
                        } ?? 0
                    while place < letters.count, isBefore(index, letters[place].change) { place += 1 }
                    for (offset, scalar) in insertion.text.unicodeScalars.enumerated() {
                        letters.insert(
                            Letter(change: index, offset: offset, scalar: scalar),
                            at: place + offset
                        )
                    }
                }
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: letters.filter { !$0.isDeleted }.map(\.scalar))
        return String(text)
    }

    private func find(_ run: TextSplice.Run, _ offset: Int, _ letters: [Letter]) -> Int? {
        letters.firstIndex {
            changes[$0.change].device == run.device && changes[$0.change].sequence == run.sequence
                && $0.offset == offset
        }
    }

    /// Of every property, the values that nobody has replaced who had seen them.
    var survivors: [String: Set<ChangeValue>] {
        var survivors: [String: Set<ChangeValue>] = [:]
        for (name, indices) in objects where isAlive(indices) {
            for property in ["name", "url"] {
                let sets = setters(edits(of: property, indices).filter { !isOver($0.index, indices) })
                let values = sets.filter { one in !sets.contains { saw($0.index, one.index) } }.map(\.value)
                if !values.isEmpty { survivors["\(name) \(property)"] = Set(values) }
            }
        }
        return survivors
    }
}
