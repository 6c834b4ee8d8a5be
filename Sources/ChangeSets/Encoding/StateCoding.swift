/// The contents as bytes: the same data, whatever it came from, is the same bytes.
struct StateEncoder {
    private let contents: Contents
    private var writer = ByteWriter()
    private let deviceOrder: [Int]
    /// By number: the place in the state's table.
    private var devicePlaces: [Int]
    private var namePlaces: [Int]
    private let nameOrder: [Int]

    init(_ contents: Contents) {
        self.contents = contents
        let devices = contents.matrix.devices
        // A device that only looked on may be gone; it says nothing.
        deviceOrder = devices.indices.sorted { devices[$0] < devices[$1] }
        devicePlaces = Array(repeating: 0, count: devices.count)
        for (place, number) in deviceOrder.enumerated() { devicePlaces[number] = place }
        nameOrder = Self.usedNames(contents).sorted { left, right in
            contents.names.bytes(of: left).lexicographicallyPrecedes(contents.names.bytes(of: right))
        }
        namePlaces = Array(repeating: 0, count: contents.names.count)
        for (place, number) in nameOrder.enumerated() { namePlaces[number] = place }
    }

    private static func usedNames(_ contents: Contents) -> [Int] {
        var isUsed = [Bool](repeating: false, count: contents.names.count)
        for object in contents.objects.indices where contents.exists(object) {
            isUsed[Int(contents.objectNames.salt(of: object))] = true
        }
        for (number, register) in contents.registers.enumerated() where !contents.isEmpty(number) {
            isUsed[Int(register.property)] = true
        }
        return isUsed.indices.filter { isUsed[$0] }
    }

    mutating func encode() -> [UInt8] {
        writer.byte(State.version)
        writeDevices()
        writer.number(nameOrder.count)
        for name in nameOrder { writer.blob(contents.names.bytes(of: name)) }
        let objects = contents.objects.indices.filter(contents.exists).sorted { left, right in
            let (first, second) = (type(of: left), type(of: right))
            return first != second
                ? first < second
                : contents.objectNames.bytes(of: left)
                    .lexicographicallyPrecedes(contents.objectNames.bytes(of: right))
        }
        writer.number(objects.count)
        for object in objects { write(object) }
        return writer.bytes
    }

    private func type(of object: Int) -> Int { namePlaces[Int(contents.objectNames.salt(of: object))] }

    private mutating func writeDevices() {
        let matrix = contents.matrix
        writer.number(deviceOrder.count)
        for number in deviceOrder { writer.device(matrix.devices[number]) }
        for number in deviceOrder {
            writer.number(matrix.applied[number])
            writer.number(matrix.heard[number])
            let row = matrix.rows[number]
            let seen = deviceOrder.filter { $0 < row.count && row[$0] > 0 }
            writer.number(seen.count)
            for other in seen {
                writer.number(devicePlaces[other])
                writer.number(row[other])
            }
        }
    }

    private mutating func write(_ object: Int) {
        writer.number(type(of: object))
        writer.blob(contents.objectNames.bytes(of: object))
        write(contents.marks.list(from: contents.objects[object].edits))
        write(contents.marks.list(from: contents.objects[object].deletions))
        var registers: [Int] = []
        contents.forEachRegister(of: object) { if !contents.isEmpty($0) { registers.append($0) } }
        registers.sort { property(of: $0) < property(of: $1) }
        writer.number(registers.count)
        for register in registers {
            writer.number(property(of: register))
            let entries = contents.entries.list(from: contents.registers[register].entries)
            write(entries.count < 2 ? entries : entries.sorted(by: precedes))
            write(contents.texts[Int32(register)])
        }
    }

    private func property(of register: Int) -> Int { namePlaces[Int(contents.registers[register].property)] }

    private mutating func write(_ marks: [Mark]) {
        writer.number(marks.count)
        for mark in marks.sorted(by: { devicePlaces[Int($0.device)] < devicePlaces[Int($1.device)] }) {
            writer.number(devicePlaces[Int(mark.device)])
            writer.number(mark.sequence)
            writer.number(mark.time)
            writer.byte(mark.isCovered ? 1 : 0)
        }
    }

    private func precedes(_ left: Entry, _ right: Entry) -> Bool {
        let first = (devicePlaces[Int(left.device)], left.sequence, Int(left.kind.rawValue))
        let second = (devicePlaces[Int(right.device)], right.sequence, Int(right.kind.rawValue))
        return first != second ? first < second : ChangeValue.precedes(left.value, right.value)
    }

    private mutating func write(_ entries: [Entry]) {
        writer.number(entries.count)
        for entry in entries {
            writer.number(devicePlaces[Int(entry.device)])
            writer.number(entry.sequence)
            writer.number(entry.time)
            writer.byte(entry.kind.rawValue)
            writer.value(entry.value)
        }
    }
}

extension StateEncoder {
    /// Runs of scalars of one change, each behind the one before it, ascending by device, change and place.
    private mutating func write(_ text: WovenText?) {
        guard let text else { return writer.number(0) }
        let scalars = text.scalars
        let key = { [devicePlaces] (number: Int) in
            let name = scalars[number].name
            return (devicePlaces[Int(name.device)], name.sequence, name.offset)
        }
        let sorted = scalars.indices.sorted { key($0) < key($1) }
        var runs: [[Int]] = []
        for number in sorted {
            if let last = runs.last?.last, isContinued(scalars[last], last, by: scalars[number]) {
                runs[runs.count - 1].append(number)
            } else {
                runs.append([number])
            }
        }
        writer.number(runs.count)
        for run in runs { write(run, of: scalars) }
    }

    private func isContinued(_ scalar: WovenText.Scalar, _ number: Int, by next: WovenText.Scalar) -> Bool {
        scalar.name.device == next.name.device && scalar.name.sequence == next.name.sequence
            && scalar.name.offset + 1 == next.name.offset && next.before == number
            && scalar.isDeleted == next.isDeleted
    }

    private mutating func write(_ run: [Int], of scalars: [WovenText.Scalar]) {
        let first = scalars[run[0]]
        writer.number(devicePlaces[Int(first.name.device)])
        writer.number(first.name.sequence)
        writer.number(Int(first.name.offset))
        writer.number(first.time)
        writer.byte((first.isDeleted ? 1 : 0) | (first.before < 0 ? 0 : 2))
        if first.before >= 0 {
            let before = scalars[Int(first.before)].name
            writer.number(devicePlaces[Int(before.device)])
            writer.number(before.sequence)
            writer.number(Int(before.offset))
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: run.map { scalars[$0].scalar })
        writer.text(String(text))
    }
}

extension Contents {
    /// Whether anything was ever done to an object, as far as is remembered.
    func exists(_ object: Int) -> Bool { objects[object].edits >= 0 || objects[object].deletions >= 0 }
}

/// Reads contents from bytes, and believes none of them.
enum State {
    static let version: UInt8 = 1

    static func decode(_ encoded: [UInt8]) throws(ChangeSetError) -> Contents {
        guard encoded.count <= ChangeLimits.itemCountMax else {
            throw .beyondLimit("bytes of a state", ChangeLimits.itemCountMax)
        }
        var reader = ByteReader(encoded)
        let version = try reader.byte()
        guard version == Self.version else { throw .versionUnknown(version) }
        var contents = Contents()
        try readDevices(&reader, &contents)
        for number in 0..<(try reader.count(ofAtLeast: 2)) {
            guard contents.names.intern(text(try reader.name(), encoded)) == number else {
                throw .malformed("a name that is there twice")
            }
        }
        for number in 0..<(try reader.count(ofAtLeast: 6)) { try readObject(&reader, &contents, number) }
        try reader.end()
        return contents
    }

    private static func text(_ range: Range<Int>, _ bytes: [UInt8]) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private static func readDevices(
        _ reader: inout ByteReader,
        _ contents: inout Contents
    ) throws(ChangeSetError) {
        let count = try reader.count(ofAtLeast: 16)
        for number in 0..<count {
            guard try contents.matrix.intern(try reader.device()) == number else {
                throw .malformed("a device that is named twice")
            }
        }
        for number in 0..<count {
            let applied = try reader.sequence()
            contents.matrix.noteApplied(number, applied, try reader.time())
            for _ in 0..<(try reader.count(ofAtLeast: 2)) {
                let other = try reader.index(below: count)
                contents.matrix.note(number, saw: other, try reader.sequence())
            }
        }
    }

    private static func readObject(
        _ reader: inout ByteReader,
        _ contents: inout Contents,
        _ number: Int
    ) throws(ChangeSetError) {
        let type = try reader.index(below: contents.names.count)
        let name = try reader.name()
        guard contents.objectNames.intern(text(name, reader.bytes), salt: Int32(type)) == number else {
            throw .malformed("an object that is there twice")
        }
        contents.makeObject(number)
        for mark in try readMarks(&reader, contents) {
            contents.marks.push(mark, on: &contents.objects[number].edits)
        }
        for mark in try readMarks(&reader, contents) {
            contents.marks.push(mark, on: &contents.objects[number].deletions)
        }
        guard contents.exists(number) else { throw .malformed("an object that nothing was done to") }
        for _ in 0..<(try reader.count(ofAtLeast: 3)) {
            let property = try reader.index(below: contents.names.count)
            let register = contents.register(Int32(number), Int32(property))
            guard contents.registers[register].entries < 0 else {
                throw .malformed("a property that is there twice")
            }
            for _ in 0..<(try reader.count(ofAtLeast: 5)) {
                contents.entries.push(
                    try readEntry(&reader, contents),
                    on: &contents.registers[register].entries
                )
            }
            if let text = try readText(&reader, contents) { contents.texts[Int32(register)] = text }
        }
    }

    private static func readMarks(
        _ reader: inout ByteReader,
        _ contents: Contents
    ) throws(ChangeSetError) -> [Mark] {
        var marks: [Mark] = []
        for _ in 0..<(try reader.count(ofAtLeast: 4)) {
            let dot = try readDot(&reader, contents)
            let flag = try reader.byte()
            guard flag < 2 else { throw .malformed("a flag that is neither 0 nor 1") }
            guard !marks.contains(where: { $0.device == dot.device }) else {
                throw .malformed("two edits of one device that know nothing of each other")
            }
            marks.append(
                Mark(time: dot.time, sequence: dot.sequence, device: dot.device, isCovered: flag == 1)
            )
        }
        return marks
    }

    private static func readEntry(
        _ reader: inout ByteReader,
        _ contents: Contents
    ) throws(ChangeSetError) -> Entry {
        let dot = try readDot(&reader, contents)
        guard let kind = PropertyChange.Edit.Kind(rawValue: try reader.byte()), kind != .remove,
            kind != .splice
        else {
            throw .malformed("a kind of edit that is not known")
        }
        let value = try reader.value()
        if kind == .increment, case .integer = value {
        } else if kind == .increment {
            throw .malformed("an increment that is no whole number")
        }
        return Entry(time: dot.time, sequence: dot.sequence, value: value, kind: kind, device: dot.device)
    }

    private static func readDot(
        _ reader: inout ByteReader,
        _ contents: Contents
    ) throws(ChangeSetError) -> Dot {
        let device = try reader.index(below: contents.matrix.devices.count)
        let sequence = try reader.sequence()
        guard sequence > 0, sequence <= contents.matrix.applied[device] else {
            throw .malformed("a change's number out of range")
        }
        return Dot(time: try reader.time(), sequence: sequence, device: UInt16(device))
    }

    private struct TextRun {
        var name: WovenText.Name
        var time: UInt64
        var isDeleted: Bool
        var before: WovenText.Name?
        var text: String
    }

    /// Runs may lie before what they were put behind: they are put together in the order of times, as nothing is put
    /// behind what is later.
    private static func readText(
        _ reader: inout ByteReader,
        _ contents: Contents
    ) throws(ChangeSetError) -> WovenText? {
        var runs: [TextRun] = []
        for _ in 0..<(try reader.count(ofAtLeast: 7)) { runs.append(try readRun(&reader, contents)) }
        guard !runs.isEmpty else { return nil }
        let devices = contents.matrix.devices
        runs.sort { left, right in
            if left.time != right.time { return left.time < right.time }
            let (first, second) = (devices[Int(left.name.device)], devices[Int(right.name.device)])
            return first != second ? first < second : left.name.offset < right.name.offset
        }
        var text = WovenText()
        for run in runs {
            var before: Int32 = -1
            if let name = run.before {
                guard let number = text.number(name) else {
                    throw .malformed("a text put behind what is not there")
                }
                before = number
            }
            for (index, scalar) in run.text.unicodeScalars.enumerated() {
                var name = run.name
                name.offset += Int32(index)
                guard text.number(name) == nil else { throw .malformed("a scalar that is there twice") }
                text.append(
                    WovenText.Scalar(
                        name: name,
                        time: run.time,
                        before: before,
                        scalar: scalar,
                        isDeleted: run.isDeleted
                    )
                )
                before = Int32(text.scalars.count - 1)
            }
        }
        return text
    }

    private static func readRun(
        _ reader: inout ByteReader,
        _ contents: Contents
    ) throws(ChangeSetError) -> TextRun {
        let name = try readName(&reader, contents)
        let (time, flags) = (try reader.time(), try reader.byte())
        guard flags < 4 else { throw .malformed("flags that are not known") }
        let before = flags & 2 == 0 ? nil : try readName(&reader, contents)
        let text = try reader.text()
        guard !text.isEmpty, Int(name.offset) + text.utf8.count <= ChangeLimits.itemCountMax else {
            throw .malformed("an insertion of nothing, or of too much")
        }
        return TextRun(name: name, time: time, isDeleted: flags & 1 == 1, before: before, text: text)
    }

    private static func readName(
        _ reader: inout ByteReader,
        _ contents: Contents
    ) throws(ChangeSetError) -> WovenText.Name {
        let device = try reader.index(below: contents.matrix.devices.count)
        let (sequence, offset) = (try reader.sequence(), try reader.number())
        guard sequence > 0, sequence <= contents.matrix.applied[device],
            offset < UInt64(ChangeLimits.itemCountMax)
        else { throw .malformed("a place in a text out of range") }
        return WovenText.Name(device: UInt16(device), sequence: sequence, offset: Int32(offset))
    }
}
