extension Replica {
    /// The change sets that another copy lacks, with word of what this one has seen.
    ///
    /// - Parameters:
    ///   - vector: What the other one has.
    ///   - onlyOwn: Whether to leave out what other devices made, as where each device has a file of its own.
    /// - Returns: A batch for `apply(_:)`; nil when changes that the other lacks are no longer in the log: then it
    ///   needs ``encodedState()``, and ``merge(state:)`` keeps what it has itself.
    public func encodedChanges(since vector: VersionVector, onlyOwn: Bool = false) -> [UInt8]? {
        var encoder = BatchEncoder()
        // Of global names, by number; -1 before their first use.
        var names = [Int32](repeating: -1, count: contents.names.count)
        for (number, device) in contents.matrix.devices.enumerated() where number == own || !onlyOwn {
            let first = vector[device] + 1
            guard first <= contents.matrix.applied[number] else { continue }
            guard logs[number].first <= first else { return nil }
            let log = logs[number]
            let range = Int(first - log.first)..<log.changes.count
            encoder.reserve(range.count * 32)
            encoder.beginRun(device, first, range.count)
            for index in range { encode(log, index, &encoder, &names) }
        }
        return encoder.finish((device, clock.last.bits, self.vector))
    }

    /// The change sets that another copy lacks; nil as of ``encodedChanges(since:onlyOwn:)``.
    public func changeSets(since vector: VersionVector) -> [ChangeSet]? {
        var list: [ChangeSet] = []
        for (number, device) in contents.matrix.devices.enumerated() {
            let first = vector[device] + 1
            guard first <= contents.matrix.applied[number] else { continue }
            guard logs[number].first <= first else { return nil }
            list += (first...contents.matrix.applied[number]).map { changeSet(number, $0) }
        }
        return list
    }

    private func encode(
        _ log: borrowing ChangeLog,
        _ index: Int,
        _ encoder: inout BatchEncoder,
        _ names: inout [Int32]
    ) {
        let change = log.changes[index]
        let object = Int(change.object)
        let type = name(Int(contents.objectNames.salt(of: object)), &encoder, &names)
        let seen = log.seenRange(of: index)
        contents.objectNames.withBytes(of: object) { id in
            encoder.head(change.action, change.time, type, id, seenCount: seen.count)
        }
        for place in seen {
            let item = log.seen[place]
            encoder.seen(contents.matrix.devices[Int(item.device)], item.sequence)
        }
        guard change.action != .delete else { return }
        let edits = log.editRange(of: index)
        encoder.editCount(edits.count)
        for place in edits {
            let property = name(Int(log.edits[place].property), &encoder, &names)
            encoder.edit(property, log.edits[place].kind, log.edits[place].value)
        }
    }

    private func name(_ global: Int, _ encoder: inout BatchEncoder, _ names: inout [Int32]) -> Int {
        if names[global] < 0 { names[global] = Int32(encoder.number(ofName: contents.names[global])) }
        return Int(names[global])
    }
}
