package import Sync

/// What of an item's state there is more of than a record has room for; Docs/formats/sealing.md has the limits.
package struct RecordExcess: Hashable, Sendable {
    package enum Subject: Hashable, Sendable {
        /// Bytes of its name.
        case name
        /// Bytes of the name of its contents, in which its own attributes are, or what a link says.
        case contents
        /// Bytes of the name of contents that are in conflict with it.
        case conflict
        /// Contents that are in conflict with it.
        case conflictCount
        /// Bytes of all of it together.
        case all
    }

    package let subject: Subject
    package let count: Int
    package let countMax: Int

    private init(_ subject: Subject, _ count: Int, _ countMax: Int) {
        (self.subject, self.count, self.countMax) = (subject, count, countMax)
    }

    /// Nil for a state that a record has room for.
    package init?(of state: ItemState) {
        let name = state.place.name.utf8.count
        let contents = state.content?.valueByteCount ?? 0
        let conflicts = state.conflicts.map(\.valueByteCount)
        let all = RecordCoding.stateByteCount(name: name, contents: contents, conflicts: conflicts)
        let found = [
            RecordExcess(.name, name, RecordCoding.nameByteCountMax),
            RecordExcess(.contents, contents, RecordCoding.contentByteCountMax),
            RecordExcess(.conflictCount, conflicts.count, RecordCoding.conflictCountMax),
            RecordExcess(.conflict, conflicts.max() ?? 0, RecordCoding.contentByteCountMax),
            RecordExcess(.all, all, RecordCoding.stateByteCountMax),
        ].first { $0.count > $0.countMax }
        guard let found else { return nil }
        self = found
    }

    /// The error of sealing it all the same.
    var error: SealingError {
        switch subject {
        case .name: .beyondLimit("bytes of the name of an item", countMax)
        case .contents, .conflict: .beyondLimit("bytes of the name of contents", countMax)
        case .conflictCount: .beyondLimit("contents of an item that are in conflict", countMax)
        case .all: .beyondLimit("bytes of what an item is", countMax)
        }
    }
}
