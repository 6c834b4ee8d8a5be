extension Replica {
    /// Records an edit of this device, and applies it.
    ///
    /// - Parameters:
    ///   - action: What is done. An object must be there to be modified or deleted; adding one that is there makes
    ///     a new one in its place.
    ///   - type: The name of the object's type, 1 to 1,000 bytes.
    ///   - id: Which object of its type, 1 to 1,000 bytes.
    ///   - changes: The changed properties; a deletion has none. Lists at most 16 deep; each splice of a text puts in
    ///     at most 2^24 scalars, and takes away as many.
    ///   - milliseconds: The wall clock's, since 1970.
    /// - Returns: The change set, as other devices will see it.
    /// - Throws: `objectMissing`, `beyondLimit`. Nothing was recorded then: what is recorded can be read by all.
    @discardableResult
    public mutating func record(
        _ action: ChangeSet.Action,
        _ type: String,
        _ id: String,
        _ changes: [PropertyChange] = [],
        at milliseconds: UInt64
    ) throws(ChangeSetError) -> ChangeSet {
        try check(action, type, id, changes)
        let seen = unsaid()
        let sequence = contents.matrix.applied[own] + 1
        let time = try clock.next(milliseconds: milliseconds)
        contents.matrix.noteApplied(own, sequence, time.bits)
        for item in seen { contents.matrix.note(own, saw: Int(item.device), item.sequence) }
        told = contents.matrix.applied
        let stored = changes.map { change in
            let (kind, value) = change.edit.parts
            return StoredEdit(
                value: value,
                kind: kind,
                property: Int32(contents.names.intern(change.property))
            )
        }
        let object = contents.objectNames.intern(id, salt: Int32(contents.names.intern(type)))
        contents.makeObject(object)
        let dot = Dot(time: time.bits, sequence: sequence, device: UInt16(own))
        contents.apply(action, to: object, stored, by: dot)
        logs[own].append(action, object, time: time.bits, stored, seen: seen)
        var vector = VersionVector()
        for item in seen { vector[contents.matrix.devices[Int(item.device)]] = item.sequence }
        return ChangeSet(
            action: action,
            objectType: type,
            objectID: id,
            changes: changes,
            device: device,
            sequence: sequence,
            time: time,
            seen: vector
        )
    }

    /// What this device has seen since its last change.
    private func unsaid() -> [SeenUpTo] {
        var seen: [SeenUpTo] = []
        for (number, applied) in contents.matrix.applied.enumerated()
        where number != own && applied > (number < told.count ? told[number] : 0) {
            seen.append(SeenUpTo(device: Int32(number), sequence: applied))
        }
        return seen
    }

    private func check(
        _ action: ChangeSet.Action,
        _ type: String,
        _ id: String,
        _ changes: [PropertyChange]
    ) throws(ChangeSetError) {
        let limit = ChangeLimits.nameByteCountMax
        for name in [type, id] + changes.map(\.property) where !(1...limit).contains(name.utf8.count) {
            throw .beyondLimit("bytes of a name that may not be empty (“\(name.prefix(40))”)", limit)
        }
        guard changes.count <= (action == .delete ? 0 : ChangeLimits.editCountMax) else {
            throw .beyondLimit("changed properties", action == .delete ? 0 : ChangeLimits.editCountMax)
        }
        for change in changes {
            if case .splice(let splice) = change.edit {
                try splice.checkCounts()
            } else if change.edit.parts.value.depth > ChangeValue.depthMax {
                throw .beyondLimit("lists in each other in “\(change.property)”", ChangeValue.depthMax)
            }
        }
        guard contents.matrix.applied[own] < ChangeLimits.sequenceMax else {
            throw .beyondLimit("changes of a device", Int(ChangeLimits.sequenceMax))
        }
        if action != .add, !contains(type, id) { throw .objectMissing(type, id) }
    }

    /// A change of the log.
    func changeSet(_ device: Int, _ sequence: UInt64) -> ChangeSet {
        let log = logs[device]
        let index = Int(sequence - log.first)
        let change = log.changes[index]
        var seen = VersionVector()
        for item in log.seen(of: index) { seen[contents.matrix.devices[Int(item.device)]] = item.sequence }
        return ChangeSet(
            action: change.action,
            objectType: contents.names[Int(contents.objectNames.salt(of: Int(change.object)))],
            objectID: contents.objectNames[Int(change.object)],
            changes: log.edits(of: index).map { edit in
                PropertyChange(contents.names[Int(edit.property)], PropertyChange.Edit(edit))
            },
            device: contents.matrix.devices[device],
            sequence: sequence,
            time: HybridTime(bits: change.time),
            seen: seen
        )
    }
}

extension PropertyChange.Edit {
    init(_ stored: StoredEdit) {
        switch (stored.kind, stored.value) {
        case (.increment, .integer(let number)): self = .increment(number)
        case (.insert, let value): self = .insert(value)
        case (.remove, let value): self = .remove(value)
        case (.splice, let value):
            // What cannot be read is let in nowhere.
            self = (try? TextSplice(value)).map { .splice($0) } ?? .set(value)
        // An increment that is no whole number is let in nowhere.
        case (_, let value): self = .set(value)
        }
    }
}
