/// Property lists in XML. Numbers are texts here: no digit of them is lost.
enum XMLPropertyListSyntax: TreeSyntax {
    static var separator: [UInt8] { [] }

    static func brackets(_ kind: SourceNode.Kind) -> (open: [UInt8], close: [UInt8]) {
        kind == .list
            ? (Array("<array>".utf8), Array("</array>".utf8)) : (Array("<dict>".utf8), Array("</dict>".utf8))
    }

    static func isNumber(_ scalar: ArraySlice<UInt8>) -> Bool {
        ["<integer", "<real", "<date"].contains { scalar.starts(with: $0.utf8) }
    }

    static func parse(_ source: [UInt8], _ numbers: inout NumberedValues) -> SourceTree? {
        guard source.count <= Int(Int32.max), String(validating: source, as: UTF8.self) != nil else {
            return nil
        }
        var reader = XMLReader(source, numbers)
        let root = reader.document()
        numbers = reader.numbers
        return root.map { SourceTree(source: source, root: $0) }
    }

    /// Comments and instructions. The declaration that a text begins with is none, and no more is what only looks like
    /// one in a key's text.
    static func remarks(in source: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
        var (remarks, position) = ([Range<Int>](), range.lowerBound)
        while position < range.upperBound {
            let start = position
            let rest = source[start..<range.upperBound]
            if source[start] != 0x3C {
                position += 1
            } else if rest.starts(with: "<!--".utf8) {
                position = end(of: "-->", in: rest.dropFirst(4))
                remarks.append(start..<position)
            } else if rest.starts(with: "<?".utf8) {
                position = end(of: "?>", in: rest.dropFirst())
                if !rest.starts(with: "<?xml ".utf8) { remarks.append(start..<position) }
            } else if rest.starts(with: "<![CDATA[".utf8) {
                position = end(of: "]]>", in: rest.dropFirst(9))
            } else {
                position += 1
            }
        }
        return remarks
    }

    /// Behind the first place where a text stands.
    private static func end(of text: String, in rest: ArraySlice<UInt8>) -> Int {
        var position = rest.startIndex
        while position < rest.endIndex {
            if rest[position...].starts(with: text.utf8) { return position + text.utf8.count }
            position += 1
        }
        return rest.endIndex
    }
}

private struct XMLReader {
    private let source: [UInt8]
    var numbers: NumberedValues
    private var position = 0

    private struct Tag {
        var name: [UInt8]
        var isClosing: Bool
        /// It opens and closes at once.
        var isEmpty: Bool
    }

    init(_ source: [UInt8], _ numbers: NumberedValues) {
        self.source = source
        self.numbers = numbers
    }

    mutating func document() -> SourceNode? {
        if source.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        guard skipMisc(), let opening = tag(), opening.name == Array("plist".utf8), !opening.isClosing,
            !opening.isEmpty, skipMisc(), let root = value(depth: 0), skipMisc(), isClosing("plist"),
            skipMisc()
        else { return nil }
        return position == source.count ? root : nil
    }

    private func starts(with text: String) -> Bool { source[position...].starts(with: text.utf8) }

    /// Goes behind the next place where a text stands.
    private mutating func skip(past text: String) -> Bool {
        let wanted = Array(text.utf8)
        while position + wanted.count <= source.count {
            if source[position] == wanted[0], starts(with: text) {
                position += wanted.count
                return true
            }
            position += 1
        }
        return false
    }

    /// White space, comments, instructions, the document type.
    private mutating func skipMisc() -> Bool {
        while position < source.count {
            if [0x20, 0x09, 0x0A, 0x0D].contains(source[position]) {
                position += 1
            } else if starts(with: "<!--") {
                position += 4
                guard skip(past: "-->") else { return false }
            } else if starts(with: "<?") {
                guard skip(past: "?>") else { return false }
            } else if starts(with: "<!DOCTYPE") {
                // One with rules of its own could say what texts mean.
                let start = position
                guard skip(past: ">"), !source[start..<position].contains(0x5B) else { return false }
            } else {
                return true
            }
        }
        return true
    }

    private mutating func tag() -> Tag? {
        guard position < source.count, source[position] == 0x3C else { return nil }
        position += 1
        var tag = Tag(name: [], isClosing: false, isEmpty: false)
        if position < source.count, source[position] == 0x2F {
            tag.isClosing = true
            position += 1
        }
        let start = position
        while position < source.count, (0x61...0x7A).contains(source[position]) { position += 1 }
        tag.name = Array(source[start..<position])
        let end = position
        guard skip(past: ">") else { return nil }
        // What stands between the name and the end are attributes, which mean nothing.
        let rest = source[end..<position - 1]
        tag.isEmpty = rest.last == 0x2F
        guard rest.isEmpty || rest.first == 0x2F || rest.first == 0x20, !rest.contains(0x3C) else {
            return nil
        }
        return tag
    }

    private mutating func isClosing(_ name: String) -> Bool {
        guard let closing = tag() else { return false }
        return closing.isClosing && closing.name == Array(name.utf8)
    }

    private mutating func value(depth: Int) -> SourceNode? {
        let start = position
        guard depth < treeDepthMax, let opening = tag(), !opening.isClosing else { return nil }
        let name = String(decoding: opening.name, as: UTF8.self)
        switch name {
        case "dict", "array": return container(name, opening.isEmpty, start, depth)
        case "true", "false":
            guard opening.isEmpty || isClosing(name) else { return nil }
            return scalar(name, [], start)
        case "string", "integer", "real", "date", "data":
            guard let text = opening.isEmpty ? [] : text(until: name) else { return nil }
            return scalar(name, name == "string" ? text : Self.trimmed(text, all: name == "data"), start)
        default: return nil
        }
    }

    private mutating func scalar(_ name: String, _ text: [UInt8], _ start: Int) -> SourceNode? {
        numbers.scalar(Array(name.utf8) + [0x3A] + text, start..<position)
    }

    private static func trimmed(_ text: [UInt8], all: Bool) -> [UInt8] {
        let isSpace = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        if all { return text.filter { !isSpace($0) } }
        return Array(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }

    private mutating func container(
        _ name: String,
        _ isEmpty: Bool,
        _ start: Int,
        _ depth: Int
    ) -> SourceNode? {
        let kind: SourceNode.Kind = name == "dict" ? .dictionary : .list
        var (members, leadStart) = ([SourceNode.Member](), position)
        if !isEmpty {
            guard skipMisc() else { return nil }
            while !starts(with: "</") {
                guard let member = member(kind, from: leadStart, depth) else { return nil }
                members.append(member)
                leadStart = position
                guard skipMisc() else { return nil }
            }
        }
        let closingSpace = leadStart..<position
        guard isEmpty || isClosing(name) else { return nil }
        let (range, closingRemarks) = (start..<position, remarks(closingSpace))
        return numbers.container(kind, range, members, closingSpace, closingRemarks: closingRemarks)
    }

    private func remarks(_ range: Range<Int>) -> [UInt8] {
        XMLPropertyListSyntax.remarks(in: source, range).flatMap { source[$0] }
    }

    private mutating func member(_ kind: SourceNode.Kind, from start: Int, _ depth: Int) -> SourceNode.Member?
    {
        var key: [UInt8] = []
        if kind == .dictionary {
            guard let opening = tag(), opening.name == Array("key".utf8), !opening.isClosing else {
                return nil
            }
            guard let text = opening.isEmpty ? [] : text(until: "key"), skipMisc() else { return nil }
            key = text
        }
        let lead = start..<position
        guard let value = value(depth: depth + 1) else { return nil }
        let end = value.range.upperBound
        return SourceNode.Member(
            key: key,
            lead: lead,
            remarks: remarks(lead),
            value: value,
            trail: end..<end
        )
    }

    /// A text up to its closing tag, without escapes.
    private mutating func text(until name: String) -> [UInt8]? {
        var text: [UInt8] = []
        while position < source.count {
            switch source[position] {
            case 0x3C where starts(with: "<![CDATA["):
                let start = position + 9
                guard skip(past: "]]>") else { return nil }
                text += source[start..<position - 3]
            case 0x3C: return isClosing(name) ? text : nil
            case 0x26:
                guard let entity = entity() else { return nil }
                text += entity
            default:
                text.append(source[position])
                position += 1
            }
        }
        return nil
    }

    private mutating func entity() -> [UInt8]? {
        let start = position + 1
        guard skip(past: ";"), position - start <= 12 else { return nil }
        let name = String(decoding: source[start..<position - 1], as: UTF8.self)
        switch name {
        case "amp": return [0x26]
        case "lt": return [0x3C]
        case "gt": return [0x3E]
        case "quot": return [0x22]
        case "apos": return [0x27]
        default:
            guard name.hasPrefix("#") else { return nil }
            let isHexadecimal = name.hasPrefix("#x")
            let number = UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
            return number.flatMap(Unicode.Scalar.init).map { Array(String($0).utf8) }
        }
    }
}
