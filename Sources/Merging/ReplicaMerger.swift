public import ChangeSets

/// Merges files that hold the state of a replica, as `Replica.encodedState()` gives it. Needs no ancestor.
///
/// What is in conflict stays in the state, too, until an edit takes its place that has seen it. Two states in which a device has
/// given one number to two changes, as after its file was put back, are a conflict as a whole; so is what is no state.
public struct ReplicaMerger: Merger {
    private let deletionRules: [String: DeletionRule]

    /// - Parameter deletionRules: Those of the app's replicas; only what is told as a conflict depends on them.
    public init(deletionRules: [String: DeletionRule] = [:]) {
        self.deletionRules = deletionRules
    }

    /// That it does not: a state says itself who had seen what.
    public var needsBase: Bool { false }

    /// The joined state.
    ///
    /// Conflicts have no ranges. Their parts are values in the format of change sets: a property's, or a list of an
    /// object's property names and values in turn.
    public func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
        if let merged = MergedFile.ofUnchanged(base: base, mine: mine, theirs: theirs) { return merged }
        do {
            let merged = try Replica.mergedState(mine, theirs)
            let versions = Versions(
                merged: try replica(merged),
                base: try base.map(replica),
                mine: try replica(mine),
                theirs: try replica(theirs)
            )
            return MergedFile(
                contents: merged,
                conflicts: versions.merged.conflicts.compactMap(versions.conflict)
            )
        } catch {
            // One of them is no state, or they do not go together: both are kept as they are.
            return .inConflict(base: base, mine: mine, theirs: theirs)
        }
    }

    private func replica(_ state: [UInt8]) throws(ChangeSetError) -> Replica {
        try Replica(reading: state, deletionRules: deletionRules)
    }
}

private struct Versions {
    let merged: Replica
    let base: Replica?
    let mine: Replica
    let theirs: Replica

    /// A conflict of the two; nil for one that both had before.
    func conflict(_ conflict: ChangeConflict) -> MergeConflict? {
        let (type, id) = (conflict.objectType, conflict.objectID)
        var place: [MergeConflict.Step] = [.object(type: type, id: id)]
        let value: (Replica) -> ChangeValue?
        if case .values(let property, _) = conflict.kind {
            place.append(.key(property))
            value = { $0.value(of: property, type, id) }
        } else {
            value = { replica in replica.object(type, id).map(Self.list) }
        }
        let (own, other) = (value(mine), value(theirs))
        guard own != other else { return nil }
        return MergeConflict(
            place: place,
            base: base.flatMap(value).map(part),
            mine: own.map(part),
            theirs: other.map(part),
            standing: value(merged) == own ? .mine : .theirs
        )
    }

    private static func list(_ properties: [String: ChangeValue]) -> ChangeValue {
        .list(properties.sorted { $0.key < $1.key }.flatMap { [.text($0.key), $0.value] })
    }

    private func part(_ value: ChangeValue) -> MergeConflict.Part {
        MergeConflict.Part(range: nil, bytes: ChangeSetCoding.encode(value))
    }
}
