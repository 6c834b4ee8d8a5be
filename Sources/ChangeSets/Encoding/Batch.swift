/// Change sets as they come in: read, and held against every limit, but not applied.
struct Batch {
    struct Run {
        var device: Int
        var first: UInt64
        var changes: Range<Int>
    }

    struct Change {
        var time: UInt64
        /// Where the object's id lies in the bytes.
        var idStart: Int32
        var idCount: Int32
        var type: Int32
        var editsEnd: Int32
        var seenEnd: Int32
        var action: ChangeSet.Action
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
    private(set) var changes: [Change] = []
    private(set) var edits: [StoredEdit] = []
    private(set) var seen: [SeenUpTo] = []

    static let version: UInt8 = 1

    func edits(of index: Int) -> ArraySlice<StoredEdit> {
        edits[(index == 0 ? 0 : Int(changes[index - 1].editsEnd))..<Int(changes[index].editsEnd)]
    }

    func seen(of index: Int) -> ArraySlice<SeenUpTo> {
        seen[(index == 0 ? 0 : Int(changes[index - 1].seenEnd))..<Int(changes[index].seenEnd)]
    }

    func name(_ index: Int32) -> String { String(decoding: bytes[names[Int(index)]], as: UTF8.self) }

    func id(_ change: Change) -> String {
        String(decoding: bytes[Int(change.idStart)..<Int(change.idStart + change.idCount)], as: UTF8.self)
    }

    /// Gives the edits' properties a replica's numbers in place of the batch's.
    mutating func rename(_ numbers: [Int32]) {
        for index in edits.indices { edits[index].property = numbers[Int(edits[index].property)] }
    }

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
        let start = changes.count
        changes.reserveCapacity(start + count)
        edits.reserveCapacity(edits.count + count)
        var time: UInt64 = 0
        for _ in 0..<count { time = try readChange(&reader, after: time) }
        runs.append(Run(device: device, first: first, changes: start..<changes.count))
    }

    private mutating func readChange(
        _ reader: inout ByteReader,
        after last: UInt64
    ) throws(ChangeSetError) -> UInt64 {
        let head = try reader.byte()
        guard head & ~7 == 0, let action = ChangeSet.Action(rawValue: head & 3) else {
            throw .malformed("an action that is not known")
        }
        let time = try reader.time(after: last)
        let type = try reader.index(below: names.count)
        let id = try reader.name()
        if head & 4 != 0 { try readSeen(&reader, into: &seen) }
        if action != .delete { try readEdits(&reader) }
        changes.append(
            Change(
                time: time,
                idStart: Int32(id.lowerBound),
                idCount: Int32(id.count),
                type: Int32(type),
                editsEnd: Int32(edits.count),
                seenEnd: Int32(seen.count),
                action: action
            )
        )
        return time
    }

    private mutating func readEdits(_ reader: inout ByteReader) throws(ChangeSetError) {
        let count = try reader.count(ofAtLeast: 3)
        guard count <= ChangeLimits.editCountMax else {
            throw .beyondLimit("changed properties of a change set", ChangeLimits.editCountMax)
        }
        for _ in 0..<count {
            let property = Int32(try reader.index(below: names.count))
            guard let kind = PropertyChange.Edit.Kind(rawValue: try reader.byte()) else {
                throw .malformed("a kind of edit that is not known")
            }
            let value = try reader.value()
            if kind == .increment, case .integer = value {
            } else if kind == .increment {
                throw .malformed("an increment that is no whole number")
            }
            edits.append(StoredEdit(value: value, property: property, kind: kind))
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
        guard !overflow, time >= 0 else { throw .malformed("a time out of range") }
        return UInt64(time)
    }
}
