/// Binary property lists ("bplist00"), read into JSON in which every value keeps its type and its bits, and written
/// from it.
///
/// Foundation's writer puts a dictionary's keys in another order in each process, and its XML has no parts of a second:
/// neither would give two devices the same bytes, and the same values.
///
/// Texts are `"s"` and hexadecimal UTF-8; whole numbers `"i"` and digits, or `"j"` and 16 bytes; reals `"r"` and their
/// bytes, dates `"d"`, data `"x"`, unique identifiers `"u"`; yes, no and null are themselves.
enum BinaryPropertyList {
    static let magic = Array("bplist00".utf8)

    /// - Returns: JSON; nil for what is broken, too deep, or far larger than its bytes.
    static func json(_ bytes: [UInt8]) -> [UInt8]? {
        var room = treeNodeCountMax
        return json(bytes, &room)
    }

    /// - Parameter room: How many values there may be; those that are read are taken off. One that is referred to again
    ///   counts again.
    /// - Returns: JSON; nil as above, and where there are more values.
    static func json(_ bytes: [UInt8], _ room: inout Int) -> [UInt8]? {
        guard var reader = BinaryReader(bytes, room: room) else { return nil }
        defer { room = reader.room }
        return reader.append(reader.top, depth: 0) ? reader.json : nil
    }

    /// - Parameter json: What ``json(_:)`` gave, or a part of it.
    static func binary(_ json: [UInt8]) -> [UInt8]? {
        var numbers = NumberedValues()
        guard let tree = JSONSyntax.parse(json, &numbers) else { return nil }
        var writer = BinaryWriter(tree)
        return writer.write()
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: digits.startIndex, to: digits.endIndex, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}

/// The JSON that binary property lists are read into: the same, but for the types of values.
enum TaggedJSONSyntax: TreeSyntax {
    static var separator: [UInt8] { JSONSyntax.separator }

    static func brackets(_ kind: SourceNode.Kind) -> (open: [UInt8], close: [UInt8]) {
        JSONSyntax.brackets(kind)
    }

    static func isNumber(_ scalar: ArraySlice<UInt8>) -> Bool {
        ["\"i", "\"j", "\"r", "\"d"].contains { scalar.starts(with: $0.utf8) }
    }

    static func remarks(in source: [UInt8], _ range: Range<Int>) -> [Range<Int>] { [] }

    static func parse(_ source: [UInt8], _ numbers: inout NumberedValues) -> SourceTree? {
        JSONSyntax.parse(source, &numbers)
    }
}

private struct BinaryReader {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let tableStart: Int
    let top: Int
    private(set) var json: [UInt8] = []
    /// References to one object again and again must not make it larger without end.
    private let jsonCountMax: Int
    private(set) var room: Int

    init?(_ bytes: [UInt8], room: Int) {
        guard bytes.count >= 40, bytes.starts(with: BinaryPropertyList.magic) else { return nil }
        self.bytes = bytes
        self.room = room
        jsonCountMax = min(bytes.count * 16 + 65_536, max(bytes.count * 3, 64 << 20))
        let trailer = bytes.count - 32
        (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes, trailer + 8, 8), let top = Self.number(bytes, trailer + 16, 8),
            let table = Self.number(bytes, trailer + 24, 8), top < count, table >= 8, table <= trailer,
            count <= (trailer - table) / offsetSize
        else { return nil }
        (objectCount, self.top, tableStart) = (count, top, table)
    }

    /// A number of the format's kind, the highest byte first; nil when it is not there, or beyond all places.
    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
        guard start >= 0, size <= bytes.count, start <= bytes.count - size else { return nil }
        let value = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value <= UInt64(Int32.max) ? Int(value) : nil
    }

    private mutating func append(text: String) { json += text.utf8 }

    private mutating func appendTagged(_ tag: String, _ digits: some Sequence<UInt8>) {
        append(text: "\"\(tag)")
        json += digits
        append(text: "\"")
    }

    /// Puts an object behind the JSON there is.
    mutating func append(_ object: Int, depth: Int) -> Bool {
        room -= 1
        guard room >= 0, depth < treeDepthMax, json.count <= jsonCountMax, object < objectCount,
            let place = Self.number(bytes, tableStart + object * offsetSize, offsetSize), place >= 8,
            place < tableStart
        else { return false }
        let (kind, low) = (bytes[place] >> 4, Int(bytes[place] & 15))
        switch kind {
        case 0: return appendSimple(bytes[place])
        case 1: return appendInteger(place + 1, 1 << low)
        case 2 where low == 2 || low == 3: return appendBytes("r", place + 1, 1 << low)
        case 3 where low == 3: return appendBytes("d", place + 1, 8)
        case 8: return appendBytes("u", place + 1, low + 1)
        case 4, 5, 6, 0xA, 0xD:
            guard let (start, count) = extent(place, low) else { return false }
            return appendSized(kind, start, count, depth)
        default: return false
        }
    }

    private mutating func appendSimple(_ byte: UInt8) -> Bool {
        switch byte {
        case 0: append(text: "null")
        case 8: append(text: "false")
        case 9: append(text: "true")
        default: return false
        }
        return true
    }

    /// Where an object's contents begin, and how many there are.
    private func extent(_ place: Int, _ low: Int) -> (start: Int, count: Int)? {
        guard low == 15 else { return (place + 1, low) }
        guard place + 1 < tableStart, bytes[place + 1] >> 4 == 1 else { return nil }
        let size = 1 << Int(bytes[place + 1] & 15)
        guard size <= 8, let count = Self.number(bytes, place + 2, size) else { return nil }
        return (place + 2 + size, count)
    }

    private mutating func appendSized(_ kind: UInt8, _ start: Int, _ count: Int, _ depth: Int) -> Bool {
        switch kind {
        case 4: return appendBytes("x", start, count)
        case 5, 6:
            guard let text = text(kind, start, count) else { return false }
            guard json.count + text.count * 2 <= jsonCountMax else { return false }
            appendTagged("s", BinaryPropertyList.hexadecimal(text))
            return true
        case 0xA: return appendList(start, count, depth)
        default: return appendDictionary(start, count, depth)
        }
    }

    private mutating func appendBytes(_ tag: String, _ start: Int, _ count: Int) -> Bool {
        guard count <= tableStart, start <= tableStart - count, json.count + count * 2 <= jsonCountMax else {
            return false
        }
        appendTagged(tag, BinaryPropertyList.hexadecimal(bytes[start..<start + count]))
        return true
    }

    private mutating func appendInteger(_ start: Int, _ size: Int) -> Bool {
        guard size <= 16, start <= tableStart - size else { return false }
        if size == 16 { return appendBytes("j", start, 16) }
        let value = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // Shorter ones have no sign.
        appendTagged("i", "\(Int64(bitPattern: value))".utf8)
        return true
    }

    private func text(_ kind: UInt8, _ start: Int, _ count: Int) -> [UInt8]? {
        let size = kind == 5 ? 1 : 2
        guard count <= tableStart / size, start <= tableStart - count * size else { return nil }
        let range = start..<start + count * size
        if kind == 5 { return bytes[range].allSatisfy { $0 < 0x80 } ? Array(bytes[range]) : nil }
        let units = stride(from: start, to: range.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
    }

    private func reference(_ start: Int, _ index: Int) -> Int? {
        let place = start + index * referenceSize
        return place <= tableStart - referenceSize ? Self.number(bytes, place, referenceSize) : nil
    }

    private mutating func appendList(_ start: Int, _ count: Int, _ depth: Int) -> Bool {
        append(text: "[")
        for index in 0..<count {
            if index > 0 { append(text: ",") }
            guard let object = reference(start, index), append(object, depth: depth + 1) else { return false }
        }
        append(text: "]")
        return true
    }

    private mutating func appendDictionary(_ start: Int, _ count: Int, _ depth: Int) -> Bool {
        append(text: "{")
        for index in 0..<count {
            if index > 0 { append(text: ",") }
            guard let key = reference(start, index), key < objectCount,
                let place = Self.number(bytes, tableStart + key * offsetSize, offsetSize), place >= 8,
                place < tableStart, bytes[place] >> 4 == 5 || bytes[place] >> 4 == 6,
                let (textStart, textCount) = extent(place, Int(bytes[place] & 15)),
                let text = text(bytes[place] >> 4, textStart, textCount),
                json.count + text.count * 6 <= jsonCountMax
            else { return false }
            append(key: text)
            guard let value = reference(start, count + index), append(value, depth: depth + 1) else {
                return false
            }
        }
        append(text: "}")
        return true
    }

    private mutating func append(key: [UInt8]) {
        append(text: "\"")
        for byte in key {
            switch byte {
            case 0x22, 0x5C: json += [0x5C, byte]
            case 0..<0x20: json += Array("\\u00".utf8) + BinaryPropertyList.hexadecimal([byte])
            default: json.append(byte)
            }
        }
        append(text: "\":")
    }
}

/// Writes objects in the order in which they are met, equal scalars once.
private struct BinaryWriter {
    private let tree: SourceTree
    private var objects: [Object] = []
    private var scalars: [[UInt8]: Int] = [:]

    private enum Object {
        case scalar([UInt8])
        case container(kind: UInt8, references: [Int])
    }

    init(_ tree: SourceTree) {
        self.tree = tree
    }

    mutating func write() -> [UInt8]? {
        guard add(tree.root) != nil else { return nil }
        let referenceSize = Self.size(objects.count)
        var (bytes, offsets) = (BinaryPropertyList.magic, [Int]())
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .scalar(let scalar): bytes += scalar
            case .container(let kind, let references):
                bytes += Self.head(kind, kind == 0xD ? references.count / 2 : references.count)
                for reference in references { bytes += Self.number(reference, referenceSize) }
            }
        }
        let (table, offsetSize) = (bytes.count, Self.size(bytes.count))
        for offset in offsets { bytes += Self.number(offset, offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, 0, table] { bytes += Self.number(number, 8) }
        return bytes
    }

    private static func size(_ number: Int) -> Int {
        number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
    }

    private static func number(_ number: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) }
    }

    private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        if count < 15 { return [kind << 4 | UInt8(count)] }
        let size = size(count)
        return [kind << 4 | 15, 0x10 | UInt8(size.trailingZeroBitCount)] + number(count, size)
    }

    /// An object's number; nil when it is none of the format's.
    private mutating func add(_ node: SourceNode) -> Int? {
        guard node.kind != .scalar else { return scalar(tree.text(node)).map { addScalar($0) } }
        let number = objects.count
        // Its place is taken before those of its members.
        objects.append(.container(kind: 0, references: []))
        var (keys, values) = ([Int](), [Int]())
        for member in node.members {
            if node.kind == .dictionary { keys.append(addScalar(Self.text(member.key))) }
        }
        for member in node.members {
            guard let value = add(member.value) else { return nil }
            values.append(value)
        }
        objects[number] = .container(kind: node.kind == .dictionary ? 0xD : 0xA, references: keys + values)
        return number
    }

    private mutating func addScalar(_ scalar: [UInt8]) -> Int {
        if let known = scalars[scalar] { return known }
        scalars[scalar] = objects.count
        objects.append(.scalar(scalar))
        return objects.count - 1
    }

    private static func text(_ utf8: [UInt8]) -> [UInt8] {
        if utf8.allSatisfy({ $0 < 0x80 }) { return head(5, utf8.count) + utf8 }
        let units = Array(String(decoding: utf8, as: UTF8.self).utf16)
        return head(6, units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    private func scalar(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        switch String(decoding: text, as: UTF8.self) {
        case "null": return [0]
        case "false": return [8]
        case "true": return [9]
        default: break
        }
        guard text.count >= 3, text.first == 0x22, text.last == 0x22 else { return nil }
        let digits = text.dropFirst(2).dropLast()
        let tag = text[text.startIndex + 1]
        if tag == UInt8(ascii: "i") {
            return Int64(String(decoding: digits, as: UTF8.self)).map(Self.integer)
        }
        guard let bytes = BinaryPropertyList.bytes(digits) else { return nil }
        switch tag {
        case UInt8(ascii: "s"): return Self.text(bytes)
        case UInt8(ascii: "x"): return Self.head(4, bytes.count) + bytes
        case UInt8(ascii: "j") where bytes.count == 16: return [0x14] + bytes
        case UInt8(ascii: "r") where bytes.count == 4: return [0x22] + bytes
        case UInt8(ascii: "r") where bytes.count == 8: return [0x23] + bytes
        case UInt8(ascii: "d") where bytes.count == 8: return [0x33] + bytes
        case UInt8(ascii: "u") where (1...16).contains(bytes.count):
            return [0x80 | UInt8(bytes.count - 1)] + bytes
        default: return nil
        }
    }

    private static func integer(_ value: Int64) -> [UInt8] {
        let size = value < 0 ? 8 : size(Int(value))
        return [0x10 | UInt8(size.trailingZeroBitCount)] + number(Int(value), size)
    }
}
