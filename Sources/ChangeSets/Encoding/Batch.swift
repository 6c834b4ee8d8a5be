/// Change sets as they come in: read, and held against every limit, but not applied.
struct Batch {
    struct Run {
        var device: Int
        var first: UInt64
        var changes: Range<Int>
    }

    struct Change {
        var action = ChangeSet.Action.add
        var time: UInt64 = 0
        var type = 0
        /// Where the object's id lies in the bytes.
        var id = 0..<0
        /// By the batch's names.
        var edits: [StoredEdit] = []
        /// By the batch's devices.
        var seen: [SeenUpTo] = []
    }

    /// How far the sender had seen the others when it wrote the batch.
    struct Report {
        var device: Int
        var time: UInt64
        var seen: [SeenUpTo]
    }

    let bytes: [UInt8]
    private(set) var devices: [DeviceID] = []
    private(set) var names: [Range<Int>] = []
    private(set) var report: Report?
    private(set) var runs: [Run] = []
    /// Where each change lies in the bytes, and its time. Changes are read again when they are applied: all at once
    /// they would take several times the room of their bytes.
    private var starts: [Int32] = []
    private(set) var times: [UInt64] = []
    private(set) var editCount = 0

    static let version: UInt8 = 1

    var changeCount: Int { times.count }

    func name(_ index: Int) -> String { String(decoding: bytes[names[index]], as: UTF8.self) }

    init(_ encoded: [UInt8]) throws(ChangeSetError) {
        guard encoded.count <= ChangeLimits.itemCountMax else {
            throw .beyondLimit("bytes of a batch", ChangeLimits.itemCountMax)
        }
        bytes = encoded
        var reader = ByteReader(encoded)
        let version = try reader.byte()
        guard version == Self.version else { throw .versionUnknown(version) }
        try readTables(&reader)
        try readReport(&reader)
        for _ in 0..<(try reader.count(ofAtLeast: 3)) { try readRun(&reader) }
        try reader.end()
    }

    private mutating func readTables(_ reader: inout ByteReader) throws(ChangeSetError) {
        let deviceCount = try reader.count(ofAtLeast: 16)
        guard deviceCount <= ChangeLimits.deviceCountMax else {
            throw .beyondLimit("devices of a batch", ChangeLimits.deviceCountMax)
        }
        for _ in 0..<deviceCount { devices.append(try reader.device()) }
        guard Set(devices).count == devices.count else { throw .malformed("a device that is named twice") }
        for _ in 0..<(try reader.count(ofAtLeast: 2)) { names.append(try reader.name()) }
    }

    private mutating func readReport(_ reader: inout ByteReader) throws(ChangeSetError) {
        switch try reader.byte() {
        case 0: return
        case 1:
            let device = try reader.index(below: devices.count)
            let time = try reader.time()
            var seen: [SeenUpTo] = []
            try readSeen(&reader, into: &seen)
            report = Report(device: device, time: time, seen: seen)
        default: throw .malformed("a flag that is neither 0 nor 1")
        }
    }

    private func readSeen(_ reader: inout ByteReader, into seen: inout [SeenUpTo]) throws(ChangeSetError) {
        for _ in 0..<(try reader.count(ofAtLeast: 2)) {
            let device = Int32(try reader.index(below: devices.count))
            seen.append(SeenUpTo(device: device, sequence: try reader.sequence()))
        }
    }

    private mutating func readRun(_ reader: inout ByteReader) throws(ChangeSetError) {
        let device = try reader.index(below: devices.count)
        let first = try reader.sequence()
        guard first > 0 else { throw .malformed("a change's number out of range") }
        let count = try reader.count(ofAtLeast: 5)
        guard first + UInt64(count) <= ChangeLimits.sequenceMax + 1 else {
            throw .malformed("a change's number out of range")
        }
        let start = times.count
        starts.reserveCapacity(start + count)
        times.reserveCapacity(start + count)
        var time: UInt64 = 0
        var seen: [SeenUpTo] = []
        for _ in 0..<count {
            starts.append(Int32(reader.position))
            let head = try reader.byte()
            let action = try Self.action(head)
            time = try reader.time(after: time)
            times.append(time)
            _ = try reader.index(below: names.count)
            _ = try reader.name()
            if head & 4 != 0 { try readSeen(&reader, into: &seen) }
            seen.removeAll(keepingCapacity: true)
            if action != .delete { try checkEdits(&reader) }
        }
        runs.append(Run(device: device, first: first, changes: start..<times.count))
    }

    private static func action(_ head: UInt8) throws(ChangeSetError) -> ChangeSet.Action {
        guard head & ~7 == 0, let action = ChangeSet.Action(rawValue: head & 3) else {
            throw .malformed("an action that is not known")
        }
        return action
    }

    private mutating func checkEdits(_ reader: inout ByteReader) throws(ChangeSetError) {
        let count = try reader.count(ofAtLeast: 3)
        guard count <= ChangeLimits.editCountMax else {
            throw .beyondLimit("changed properties of a change set", ChangeLimits.editCountMax)
        }
        editCount += count
        for _ in 0..<count {
            _ = try reader.index(below: names.count)
            guard let kind = PropertyChange.Edit.Kind(rawValue: try reader.byte()) else {
                throw .malformed("a kind of edit that is not known")
            }
            let start = reader.position
            let isInteger = try reader.skipValue() == 3
            if kind == .splice {
                var again = ByteReader(bytes, at: start)
                _ = try TextSplice(again.value())
            }
            guard kind != .increment || isInteger else {
                throw .malformed("an increment that is no whole number")
            }
        }
    }

    /// Reads a change whose bytes were checked when the batch was made.
    ///
    /// - Parameter reader: Of the batch's bytes, anywhere in them.
    func read(
        _ index: Int,
        by reader: inout ByteReader,
        into change: inout Change
    ) throws(ChangeSetError) {
        reader.go(to: Int(starts[index]))
        let head = try reader.byte()
        change.action = try Self.action(head)
        change.time = times[index]
        _ = try reader.signed()
        change.type = try reader.index(below: names.count)
        change.id = try reader.name()
        change.seen.removeAll(keepingCapacity: true)
        if head & 4 != 0 { try readSeen(&reader, into: &change.seen) }
        change.edits.removeAll(keepingCapacity: true)
        guard change.action != .delete else { return }
        for _ in 0..<(try reader.count(ofAtLeast: 3)) {
            let property = Int32(try reader.index(below: names.count))
            guard let kind = PropertyChange.Edit.Kind(rawValue: try reader.byte()) else {
                throw .malformed("a kind of edit that is not known")
            }
            change.edits.append(StoredEdit(value: try reader.value(), kind: kind, property: property))
        }
    }
}

extension ByteReader {
    mutating func time() throws(ChangeSetError) -> UInt64 {
        let time = try number()
        guard time <= HybridTime.bitsMax else { throw .malformed("a time out of range") }
        return time
    }

    /// A time that is told by its distance from another one.
    mutating func time(after last: UInt64) throws(ChangeSetError) -> UInt64 {
        let (time, overflow) = Int64(last).addingReportingOverflow(try signed())
        guard !overflow, time >= 0, time <= Int64(HybridTime.bitsMax) else {
            throw .malformed("a time out of range")
        }
        return UInt64(time)
    }
}
