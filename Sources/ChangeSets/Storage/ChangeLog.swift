/// One device's changes, from some number on, as they are handed on to others.
struct ChangeLog: Sendable {
    struct Change {
        var time: UInt64
        var object: Int32
        /// Where its edits end; they begin where those of the change before end.
        var editsEnd: Int32
        var seenEnd: Int32
        var action: ChangeSet.Action
    }

    /// The number of the first change that is here, or would be.
    private(set) var first: UInt64 = 1
    private(set) var changes: [Change] = []
    private(set) var edits: [StoredEdit] = []
    private(set) var seen: [SeenUpTo] = []

    /// The number of the next change.
    var next: UInt64 { first + UInt64(changes.count) }

    mutating func reserve(changes more: Int, edits moreEdits: Int) {
        changes.reserveCapacity(changes.count + more)
        edits.reserveCapacity(edits.count + moreEdits)
    }

    mutating func append(
        _ action: ChangeSet.Action,
        _ object: Int,
        time: UInt64,
        _ newEdits: [StoredEdit],
        seen newSeen: [SeenUpTo]
    ) {
        // One by one: there are few, and to append a sequence costs more than to append three elements.
        for edit in newEdits { edits.append(edit) }
        for item in newSeen { seen.append(item) }
        changes.append(
            Change(
                time: time,
                object: Int32(object),
                editsEnd: Int32(edits.count),
                seenEnd: Int32(seen.count),
                action: action
            )
        )
    }

    /// Where a change's edits are.
    func editRange(of index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(changes[index - 1].editsEnd))..<Int(changes[index].editsEnd)
    }

    /// Where that is which a change says that it has seen.
    func seenRange(of index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(changes[index - 1].seenEnd))..<Int(changes[index].seenEnd)
    }

    func edits(of index: Int) -> ArraySlice<StoredEdit> { edits[editRange(of: index)] }

    func seen(of index: Int) -> ArraySlice<SeenUpTo> { seen[seenRange(of: index)] }

    /// The time of a change; nil when it is not here.
    func time(of sequence: UInt64) -> UInt64? {
        sequence >= first && sequence < next ? changes[Int(sequence - first)].time : nil
    }

    /// Drops the changes up to a number.
    mutating func drop(through sequence: UInt64) {
        guard sequence >= first else { return }
        guard sequence + 1 < next else { return restart(at: Swift.max(next, sequence + 1)) }
        let count = Int(sequence + 1 - first)
        let (editCount, seenCount) = (changes[count - 1].editsEnd, changes[count - 1].seenEnd)
        changes = changes[count...].map { change in
            var change = change
            change.editsEnd -= editCount
            change.seenEnd -= seenCount
            return change
        }
        edits = Array(edits[Int(editCount)...])
        seen = Array(seen[Int(seenCount)...])
        first = sequence + 1
    }

    /// Forgets all; what comes next has this number.
    mutating func restart(at sequence: UInt64) {
        self = ChangeLog()
        first = sequence
    }
}

/// A device's changes have been seen up to a number.
struct SeenUpTo {
    /// In memory the device's number, in a batch its place in the batch's table.
    var device: Int32
    var sequence: UInt64
}
