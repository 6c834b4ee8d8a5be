/// What is wrong with a document's markup.
struct MarkupFaults: OptionSet, Hashable, Sendable {
    let rawValue: Int

    /// Tags that are not closed in the order in which they were opened, or one without its end.
    static let tags = MarkupFaults(rawValue: 1)
    /// None or several elements that are in no other, or text outside of them. Nothing of that is a fault in HTML.
    static let roots = MarkupFaults(rawValue: 2)
    /// A tag that has an attribute twice.
    static let attributes = MarkupFaults(rawValue: 4)
}

/// Goes through markup once, for its faults; gives up behind the first tag that is one.
struct MarkupReader {
    private let source: [UInt8]
    private let isHTML: Bool
    private var position = 0
    /// The names of the elements that are open, the outermost one first.
    private var openNames: [[UInt8]] = []
    private var rootCount = 0
    private var faults: MarkupFaults = []

    static func faults(of source: [UInt8], _ language: MarkupMerger.Language) -> MarkupFaults {
        var reader = MarkupReader(source, language)
        reader.read()
        return reader.faults
    }

    private init(_ source: [UInt8], _ language: MarkupMerger.Language) {
        self.source = source
        isHTML = language == .html
    }

    private mutating func read() {
        if source.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        while position < source.count {
            if source[position] != UInt8(ascii: "<") {
                if openNames.isEmpty, !Self.isSpace(source[position]) { faultAtRoot() }
                position += 1
            } else if !markup() {
                faults.insert(.tags)
                return
            }
        }
        if isHTML { dropUnclosed(until: nil) }
        if !openNames.isEmpty { faults.insert(.tags) }
        if rootCount != 1 { faultAtRoot() }
    }

    private mutating func faultAtRoot() {
        if !isHTML { faults.insert(.roots) }
    }

    // MARK: Markup

    /// Goes behind what begins with a bracket; false where it is torn.
    private mutating func markup() -> Bool {
        if starts(with: "<!--") { return comment() }
        if starts(with: "<![CDATA["), !isHTML {
            if openNames.isEmpty { faultAtRoot() }
            return skip(past: "]]>")
        }
        if starts(with: "<?") { return skip(past: isHTML ? ">" : "?>") }
        if starts(with: "<!") { return isHTML ? skip(past: ">") : declaration() }
        if starts(with: "</") { return closing() }
        if position + 1 < source.count, Self.beginsName(source[position + 1]) { return opening() }
        // In HTML it is a sign like others.
        position += 1
        return isHTML
    }

    /// In XML no comment has two hyphens in it: one that begins in another is seen by that.
    private mutating func comment() -> Bool {
        position += 4
        if isHTML { return skip(past: "-->") }
        guard skip(past: "--"), position < source.count, source[position] == UInt8(ascii: ">") else {
            return false
        }
        position += 1
        return true
    }

    /// The document's type, whose rules may be in it in brackets.
    private mutating func declaration() -> Bool {
        position += 2
        var depth = 0
        while position < source.count {
            switch source[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard quoted() else { return false }
            case UInt8(ascii: "<") where starts(with: "<!--"):
                guard comment() else { return false }
            case UInt8(ascii: "<") where starts(with: "<?"):
                guard skip(past: "?>") else { return false }
            case UInt8(ascii: ">") where depth == 0:
                position += 1
                return true
            case UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "]"):
                depth -= 1
                position += 1
            default: position += 1
            }
        }
        return false
    }

    private mutating func closing() -> Bool {
        position += 2
        let name = self.name()
        skipSpace()
        guard position < source.count, source[position] == UInt8(ascii: ">") else { return false }
        position += 1
        if isHTML {
            if HTMLElements.empty.contains(name) { return true }
            dropUnclosed(until: name)
        }
        return openNames.popLast() == name
    }

    /// Elements of HTML that end where what they are in does.
    private mutating func dropUnclosed(until name: [UInt8]?) {
        while let last = openNames.last, last != name, HTMLElements.unclosed.contains(last) {
            openNames.removeLast()
        }
    }

    private mutating func opening() -> Bool {
        position += 1
        let name = self.name()
        var attributes: Set<[UInt8]> = []
        while true {
            skipSpace()
            guard position < source.count else { return false }
            if source[position] == UInt8(ascii: ">") {
                position += 1
                return opened(name, isEmpty: false)
            }
            if starts(with: "/>") {
                position += 2
                return opened(name, isEmpty: true)
            }
            if isHTML, source[position] == UInt8(ascii: "/") {
                position += 1
            } else if !attribute(&attributes) {
                return false
            }
        }
    }

    private mutating func opened(_ name: [UInt8], isEmpty: Bool) -> Bool {
        if openNames.isEmpty { rootCount += 1 }
        if isEmpty || isHTML && HTMLElements.empty.contains(name) { return true }
        openNames.append(name)
        return !(isHTML && HTMLElements.raw.contains(name)) || skipRaw(name)
    }

    /// To the tag that ends what is no markup.
    private mutating func skipRaw(_ name: [UInt8]) -> Bool {
        while position < source.count {
            if starts(with: "</") {
                let start = position
                position += 2
                let isEnd = self.name() == name
                position = isEnd ? start : start + 2
                if isEnd { return true }
            } else {
                position += 1
            }
        }
        return false
    }

    // MARK: Attributes

    private mutating func attribute(_ names: inout Set<[UInt8]>) -> Bool {
        let name = self.name()
        guard !name.isEmpty else { return false }
        if !names.insert(name).inserted { faults.insert(.attributes) }
        skipSpace()
        guard position < source.count, source[position] == UInt8(ascii: "=") else { return isHTML }
        position += 1
        skipSpace()
        guard position < source.count else { return false }
        if [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(source[position]) {
            let start = position
            // In XML a bracket is in no value: it shows that a quotation mark is missing.
            return quoted() && (isHTML || !source[start..<position].contains(UInt8(ascii: "<")))
        }
        guard isHTML else { return false }
        while position < source.count, source[position] != UInt8(ascii: ">"), !Self.isSpace(source[position])
        {
            position += 1
        }
        return true
    }

    // MARK: Signs

    /// What stands up to the next sign that is in no name; in HTML in small letters.
    private mutating func name() -> [UInt8] {
        let start = position
        while position < source.count, !Self.endsName(source[position]) { position += 1 }
        let name = source[start..<position]
        return isHTML ? name.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } : Array(name)
    }

    /// Goes behind the end of what is in quotation marks.
    private mutating func quoted() -> Bool {
        let mark = source[position]
        position += 1
        while position < source.count {
            position += 1
            if source[position - 1] == mark { return true }
        }
        return false
    }

    private mutating func skipSpace() {
        while position < source.count, Self.isSpace(source[position]) { position += 1 }
    }

    private func starts(with text: StaticString) -> Bool {
        guard position + text.utf8CodeUnitCount <= source.count else { return false }
        return text.withUTF8Buffer { wanted in
            wanted.indices.allSatisfy { source[position + $0] == wanted[$0] }
        }
    }

    /// Goes behind the next place where a text stands.
    private mutating func skip(past text: StaticString) -> Bool {
        while position < source.count {
            if starts(with: text) {
                position += text.utf8CodeUnitCount
                return true
            }
            position += 1
        }
        return false
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(byte) }

    private static func beginsName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...: true
        default: false
        }
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: isSpace(byte)
        }
    }
}

/// Elements of HTML that are not closed as others are.
private enum HTMLElements {
    /// They have nothing in them, and no end.
    static let empty = names(
        "area base br col embed hr img input link meta param source track wbr"
    )
    /// Their end may be left out.
    static let unclosed = names(
        "html head body p li dt dd rt rp optgroup option colgroup caption thead tbody tfoot tr td th"
    )
    /// What is in them is no markup.
    static let raw = names("script style textarea title")

    private static func names(_ text: String) -> Set<[UInt8]> {
        Set(text.utf8.split(separator: UInt8(ascii: " ")).map { Array($0) })
    }
}
