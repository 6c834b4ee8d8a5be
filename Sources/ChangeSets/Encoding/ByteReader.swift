/// Takes the fields of the format one after the other, and believes none of them.
struct ByteReader {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8], at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    var remainingCount: Int { bytes.count - position }

    /// Goes on from a place among the bytes.
    mutating func go(to position: Int) {
        self.position = position
    }

    @inline(__always)
    mutating func byte() throws(ChangeSetError) -> UInt8 {
        guard position < bytes.count else { throw .malformed("they end too early") }
        defer { position += 1 }
        return bytes[position]
    }

    /// A number in its shortest form: what is read is written again as the same bytes.
    @inline(__always)
    mutating func number() throws(ChangeSetError) -> UInt64 {
        // Most have one byte.
        let first = try byte()
        return first < 0x80 ? UInt64(first) : try longNumber(first)
    }

    private mutating func longNumber(_ first: UInt8) throws(ChangeSetError) -> UInt64 {
        var (result, shift) = (UInt64(first & 0x7F), UInt64(7))
        while true {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw .malformed("a number of more than 64 bits") }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                guard byte > 0 else { throw .malformed("a number longer than it need be") }
                return result
            }
            shift += 7
        }
    }

    @inline(__always)
    mutating func signed() throws(ChangeSetError) -> Int64 {
        let bits = try number()
        return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
    }

    /// How many things follow, each of at least so many bytes.
    @inline(__always)
    mutating func count(ofAtLeast byteCount: Int) throws(ChangeSetError) -> Int {
        let count = try number()
        guard count <= UInt64(remainingCount / byteCount) else {
            throw .malformed("a count of more than there is")
        }
        return Int(count)
    }

    /// One of so many things that were named before.
    @inline(__always)
    mutating func index(below count: Int) throws(ChangeSetError) -> Int {
        let index = try number()
        guard index < UInt64(count) else { throw .malformed("a number of what was not named") }
        return Int(index)
    }

    mutating func fixed() throws(ChangeSetError) -> UInt64 {
        guard remainingCount >= 8 else { throw .malformed("they end too early") }
        defer { position += 8 }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: position, as: UInt64.self) }
            .littleEndian
    }

    mutating func device() throws(ChangeSetError) -> DeviceID {
        DeviceID(high: try fixed().byteSwapped, low: try fixed().byteSwapped)
    }

    mutating func sequence() throws(ChangeSetError) -> UInt64 {
        let number = try number()
        guard number <= ChangeLimits.sequenceMax else { throw .malformed("a change's number out of range") }
        return number
    }

    /// Where bytes of a stated length lie.
    @inline(__always)
    mutating func blob() throws(ChangeSetError) -> Range<Int> {
        let count = try count(ofAtLeast: 1)
        defer { position += count }
        return position..<position + count
    }

    /// Where a name lies: not empty, not too long, UTF-8.
    mutating func name() throws(ChangeSetError) -> Range<Int> {
        let range = try blob()
        guard (1...ChangeLimits.nameByteCountMax).contains(range.count) else {
            throw .malformed("a name that is empty or too long")
        }
        guard isASCII(range) || String(validating: bytes[range], as: UTF8.self) != nil else {
            throw .malformed("a name that is no UTF-8")
        }
        return range
    }

    private func isASCII(_ range: Range<Int>) -> Bool {
        var all: UInt8 = 0
        bytes.withUnsafeBufferPointer { for index in range { all |= $0[index] } }
        return all < 0x80
    }

    mutating func text() throws(ChangeSetError) -> String {
        let range = try blob()
        // By far the most are, and the library's own check costs ten times as much.
        if isASCII(range) {
            return bytes.withUnsafeBufferPointer {
                String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
            }
        }
        let text = bytes.withUnsafeBufferPointer { String(validating: $0[range], as: UTF8.self) }
        guard let text else { throw .malformed("a text that is no UTF-8") }
        return text
    }

    mutating func value(depth: Int = 0) throws(ChangeSetError) -> ChangeValue {
        switch try byte() {
        case 0: return .none
        case 1: return .flag(false)
        case 2: return .flag(true)
        case 3: return .integer(try signed())
        case 4: return .real(Double(bitPattern: try fixed()))
        case 5: return .text(try text())
        case 6: return .bytes(Array(bytes[try blob()]))
        case 7:
            guard depth < ChangeValue.depthMax else { throw .malformed("lists too deep in each other") }
            var values: [ChangeValue] = []
            for _ in 0..<(try count(ofAtLeast: 1)) { values.append(try value(depth: depth + 1)) }
            return .list(values)
        default: throw .malformed("a kind of value that is not known")
        }
    }

    /// Passes over a value, having held it against the format.
    mutating func skipValue(depth: Int = 0) throws(ChangeSetError) -> UInt8 {
        let kind = try byte()
        switch kind {
        case 0, 1, 2: break
        case 3: _ = try number()
        case 4: _ = try fixed()
        case 5:
            let range = try blob()
            guard isASCII(range) || String(validating: bytes[range], as: UTF8.self) != nil else {
                throw .malformed("a text that is no UTF-8")
            }
        case 6: _ = try blob()
        case 7:
            guard depth < ChangeValue.depthMax else { throw .malformed("lists too deep in each other") }
            for _ in 0..<(try count(ofAtLeast: 1)) { _ = try skipValue(depth: depth + 1) }
        default: throw .malformed("a kind of value that is not known")
        }
        return kind
    }

    func end() throws(ChangeSetError) {
        guard remainingCount == 0 else { throw .malformed("more follows after their end") }
    }
}
