/// Change sets as bytes, and back: the batches of Docs/formats/change-sets.md.
public enum ChangeSetCoding {
    /// Change sets of a batch.
    ///
    /// - Parameter encoded: What ``Replica/encodedChanges(since:onlyOwn:)`` or `encode(_:)` gave.
    /// - Throws: `malformed`, `versionUnknown`, `beyondLimit`.
    public static func decode(_ encoded: some Collection<UInt8>) throws(ChangeSetError) -> [ChangeSet] {
        let batch = try Batch(Array(encoded))
        var changeSets: [ChangeSet] = []
        for run in batch.runs {
            for index in run.changes { changeSets.append(try changeSet(index, of: run, in: batch)) }
        }
        return changeSets
    }

    /// A batch of change sets.
    ///
    /// - Parameter changeSets: In any order. Neighbours of one device whose numbers follow each other share a head.
    /// - Throws: `beyondLimit` when a name or a value is larger than the format lets be.
    public static func encode(_ changeSets: [ChangeSet]) throws(ChangeSetError) -> [UInt8] {
        var encoder = BatchEncoder()
        var start = 0
        while start < changeSets.count {
            var end = start + 1
            while end < changeSets.count, changeSets[end].device == changeSets[start].device,
                changeSets[end].sequence == changeSets[end - 1].sequence + 1
            {
                end += 1
            }
            encoder.beginRun(changeSets[start].device, changeSets[start].sequence, end - start)
            for change in changeSets[start..<end] { encoder.append(change) }
            start = end
        }
        let encoded = encoder.finish(nil)
        // What an app has put together may break a limit; reading holds it against all of them.
        _ = try Batch(encoded)
        return encoded
    }

    /// A value by itself.
    public static func encode(_ value: ChangeValue) -> [UInt8] {
        var writer = ByteWriter()
        writer.value(value)
        return writer.bytes
    }

    static func changeSet(
        _ index: Int,
        of run: Batch.Run,
        in batch: Batch
    ) throws(ChangeSetError) -> ChangeSet {
        var change = Batch.Change()
        var reader = ByteReader(batch.bytes)
        try batch.read(index, by: &reader, into: &change)
        var seen = VersionVector()
        for item in change.seen { seen[batch.devices[Int(item.device)]] = item.sequence }
        return ChangeSet(
            action: change.action,
            objectType: batch.name(change.type),
            objectID: String(decoding: batch.bytes[change.id], as: UTF8.self),
            changes: change.edits.map { edit in
                PropertyChange(batch.name(Int(edit.property)), PropertyChange.Edit(edit))
            },
            device: batch.devices[run.device],
            sequence: run.first + UInt64(index - run.changes.lowerBound),
            time: HybridTime(bits: change.time),
            seen: seen
        )
    }
}

/// Writes a batch. Tables come first in a batch, and are known last.
struct BatchEncoder {
    private var body = ByteWriter()
    private var runCount = 0
    private var devices: [DeviceID] = []
    private var deviceNumbers: [DeviceID: Int] = [:]
    private var names = NameTable()
    private var lastTime: UInt64 = 0

    mutating func reserve(_ byteCount: Int) {
        body.reserve(byteCount)
    }

    mutating func number(of device: DeviceID) -> Int {
        if let number = deviceNumbers[device] { return number }
        deviceNumbers[device] = devices.count
        devices.append(device)
        return devices.count - 1
    }

    mutating func number(ofName name: String) -> Int { names.intern(name) }

    mutating func beginRun(_ device: DeviceID, _ first: UInt64, _ changeCount: Int) {
        body.number(number(of: device))
        body.number(first)
        body.number(changeCount)
        runCount += 1
        lastTime = 0
    }

    mutating func append(_ change: ChangeSet) {
        let (type, seen) = (number(ofName: change.objectType), change.seen.devices)
        var id = change.objectID
        id.withUTF8 { head(change.action, change.time.bits, type, $0, seenCount: seen.count) }
        for device in seen { self.seen(device, change.seen[device]) }
        guard change.action != .delete else { return }
        body.number(change.changes.count)
        for property in change.changes {
            let (kind, value) = property.edit.parts
            edit(number(ofName: property.property), kind, value)
        }
    }

    mutating func head(
        _ action: ChangeSet.Action,
        _ time: UInt64,
        _ type: Int,
        _ id: UnsafeBufferPointer<UInt8>,
        seenCount: Int
    ) {
        body.byte(action.rawValue | (seenCount == 0 ? 0 : 4))
        body.signed(Int64(time) - Int64(lastTime))
        lastTime = time
        body.number(type)
        body.blob(id)
        if seenCount > 0 { body.number(seenCount) }
    }

    /// One of those that the head has counted.
    mutating func seen(_ device: DeviceID, _ sequence: UInt64) {
        body.number(number(of: device))
        body.number(sequence)
    }

    mutating func editCount(_ count: Int) {
        body.number(count)
    }

    mutating func edit(_ property: Int, _ kind: PropertyChange.Edit.Kind, _ value: ChangeValue) {
        body.number(property)
        body.byte(kind.rawValue)
        body.value(value)
    }

    /// - Parameter report: Who sends the batch, when, and what it has seen.
    mutating func finish(_ report: (device: DeviceID, time: UInt64, seen: VersionVector)?) -> [UInt8] {
        var reportWriter = ByteWriter()
        if let report {
            reportWriter.byte(1)
            reportWriter.number(number(of: report.device))
            reportWriter.number(report.time)
            reportWriter.number(report.seen.devices.count)
            for device in report.seen.devices {
                reportWriter.number(number(of: device))
                reportWriter.number(report.seen[device])
            }
        } else {
            reportWriter.byte(0)
        }
        var writer = ByteWriter()
        writer.reserve(body.bytes.count + 64)
        writer.byte(Batch.version)
        writer.number(devices.count)
        for device in devices { writer.device(device) }
        writer.number(names.count)
        for index in 0..<names.count { writer.blob(names.bytes(of: index)) }
        writer.raw(reportWriter.bytes)
        writer.number(runCount)
        writer.raw(body.bytes)
        return writer.bytes
    }
}
