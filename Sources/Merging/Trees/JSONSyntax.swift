/// JSON as RFC 8259 has it. Numbers are texts here: no digit of them is lost.
enum JSONSyntax: TreeSyntax {
    static var separator: [UInt8] { [0x2C] }

    static func brackets(_ kind: SourceNode.Kind) -> (open: [UInt8], close: [UInt8]) {
        kind == .list ? ([0x5B], [0x5D]) : ([0x7B], [0x7D])
    }

    static func isNumber(_ scalar: ArraySlice<UInt8>) -> Bool {
        scalar.first.map { $0 == 0x2D || (0x30...0x39).contains($0) } ?? false
    }

    /// None: JSON has no comments.
    static func remarks(in source: [UInt8], _ range: Range<Int>) -> [Range<Int>] { [] }

    static func parse(_ source: [UInt8], _ numbers: inout NumberedValues) -> SourceTree? {
        guard source.count <= Int(Int32.max), String(validating: source, as: UTF8.self) != nil else {
            return nil
        }
        var reader = JSONReader(source, numbers)
        let root = reader.document()
        numbers = reader.numbers
        return root.map { SourceTree(source: source, root: $0) }
    }
}

private struct JSONReader {
    private let source: [UInt8]
    var numbers: NumberedValues
    private var position = 0

    init(_ source: [UInt8], _ numbers: NumberedValues) {
        self.source = source
        self.numbers = numbers
    }

    mutating func document() -> SourceNode? {
        // A byte order mark is not part of the value.
        if source.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipSpace()
        guard let root = value(depth: 0) else { return nil }
        skipSpace()
        return position == source.count ? root : nil
    }

    private var next: UInt8? { position < source.count ? source[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value(depth: Int) -> SourceNode? {
        guard depth < treeDepthMax, let byte = next else { return nil }
        switch byte {
        case 0x7B: return container(.dictionary, 0x7D, depth)
        case 0x5B: return container(.list, 0x5D, depth)
        case 0x22:
            let start = position
            guard let text = string() else { return nil }
            return numbers.scalar([0x22] + text, start..<position)
        case 0x2D, 0x30...0x39: return number()
        default: return literal()
        }
    }

    private mutating func container(_ kind: SourceNode.Kind, _ close: UInt8, _ depth: Int) -> SourceNode? {
        let start = position
        position += 1
        var members: [SourceNode.Member] = []
        var leadStart = position
        skipSpace()
        while next != close {
            guard let member = member(kind, from: leadStart, depth) else { return nil }
            members.append(member)
            if next == 0x2C {
                position += 1
                leadStart = position
                skipSpace()
                guard next != close else { return nil }
            } else {
                guard next == close else { return nil }
                // What stands before the end is the container's, so that it stays there when members come or go.
                leadStart = members[members.count - 1].trail.lowerBound
                members[members.count - 1].trail = leadStart..<leadStart
            }
        }
        let closingSpace = leadStart..<position
        position += 1
        return numbers.container(kind, start..<position, members, closingSpace)
    }

    private mutating func member(_ kind: SourceNode.Kind, from start: Int, _ depth: Int) -> SourceNode.Member?
    {
        var key: [UInt8] = []
        if kind == .dictionary {
            guard next == 0x22, let text = string() else { return nil }
            key = text
            skipSpace()
            guard next == 0x3A else { return nil }
            position += 1
            skipSpace()
        }
        let lead = start..<position
        guard let value = value(depth: depth + 1) else { return nil }
        skipSpace()
        return SourceNode.Member(key: key, lead: lead, value: value, trail: value.range.upperBound..<position)
    }

    private mutating func literal() -> SourceNode? {
        for text in ["true", "false", "null"] where source[position...].starts(with: text.utf8) {
            let start = position
            position += text.utf8.count
            return numbers.scalar(Array(text.utf8), start..<position)
        }
        return nil
    }

    private mutating func number() -> SourceNode? {
        let start = position
        if next == 0x2D { position += 1 }
        if next == 0x30 { position += 1 } else if !skipDigits() { return nil }
        if next == 0x2E {
            position += 1
            guard skipDigits() else { return nil }
        }
        if next == 0x65 || next == 0x45 {
            position += 1
            if next == 0x2B || next == 0x2D { position += 1 }
            guard skipDigits() else { return nil }
        }
        return numbers.scalar(Array(source[start..<position]), start..<position)
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }

    /// A text without its escapes. A surrogate without its other half is three bytes, as if it were a scalar.
    private mutating func string() -> [UInt8]? {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case 0x22: return text
            case 0x5C:
                guard escape(&text) else { return nil }
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape(_ text: inout [UInt8]) -> Bool {
        guard let byte = next else { return false }
        position += 1
        switch byte {
        case 0x22, 0x5C, 0x2F: text.append(byte)
        case 0x62: text.append(0x08)
        case 0x66: text.append(0x0C)
        case 0x6E: text.append(0x0A)
        case 0x72: text.append(0x0D)
        case 0x74: text.append(0x09)
        case 0x75:
            guard let unit = hexadecimal() else { return false }
            append(unit, &text)
        default: return false
        }
        return true
    }

    private mutating func append(_ unit: UInt32, _ text: inout [UInt8]) {
        var scalar = unit
        if (0xD800..<0xDC00).contains(unit), next == 0x5C, position + 1 < source.count,
            source[position + 1] == 0x75
        {
            let before = position
            position += 2
            if let low = hexadecimal(), (0xDC00..<0xE000).contains(low) {
                scalar = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            } else {
                position = before
            }
        }
        switch scalar {
        case 0..<0x80: text.append(UInt8(scalar))
        case 0x80..<0x800: text += [0xC0 | UInt8(scalar >> 6), 0x80 | UInt8(scalar & 0x3F)]
        case 0x800..<0x10000:
            text += [
                0xE0 | UInt8(scalar >> 12), 0x80 | UInt8(scalar >> 6 & 0x3F), 0x80 | UInt8(scalar & 0x3F),
            ]
        default:
            text += [0xF0 | UInt8(scalar >> 18), 0x80 | UInt8(scalar >> 12 & 0x3F)]
            text += [0x80 | UInt8(scalar >> 6 & 0x3F), 0x80 | UInt8(scalar & 0x3F)]
        }
    }

    private mutating func hexadecimal() -> UInt32? {
        guard source.count - position >= 4 else { return nil }
        var unit: UInt32 = 0
        for byte in source[position..<position + 4] {
            switch byte {
            case 0x30...0x39: unit = unit << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: unit = unit << 4 | UInt32(byte - 0x37)
            case 0x61...0x66: unit = unit << 4 | UInt32(byte - 0x57)
            default: return nil
            }
        }
        position += 4
        return unit
    }
}
