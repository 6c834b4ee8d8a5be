/// Puts numbers and texts into bytes, the highest byte of a number first.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func integer<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    mutating func name(_ name: ObjectName) {
        name.withBytes { bytes.append(contentsOf: $0) }
    }

    /// A text with its byte count before it, in two bytes; the caller has seen to it that it fits.
    mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            precondition(utf8.count <= UInt16.max, "a text of \(utf8.count) bytes")
            integer(UInt16(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// Bytes with their count before them, in four bytes.
    mutating func sized(_ more: some Collection<UInt8>) {
        integer(UInt32(more.count))
        bytes.append(contentsOf: more)
    }
}

/// What is no object of ours, or a damaged one.
struct MalformedBytes: Error, Hashable {
    var what: String
}

/// Takes numbers and texts out of bytes that may be anything; never reads beyond their end.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset = 0

    /// The bytes must stay where they are while the reader is used.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var remainingCount: Int { bytes.count - offset }

    @inline(__always)
    mutating func integer<Number: FixedWidthInteger>(
        _: Number.Type = Number.self
    ) throws(MalformedBytes) -> Number {
        let raw = try raw(MemoryLayout<Number>.size)
        return Number(bigEndian: raw.loadUnaligned(as: Number.self))
    }

    /// The next bytes, without a copy.
    @inline(__always)
    mutating func raw(_ byteCount: Int) throws(MalformedBytes) -> UnsafeRawBufferPointer {
        guard byteCount >= 0, byteCount <= remainingCount else { throw MalformedBytes(what: "too short") }
        defer { offset += byteCount }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + byteCount])
    }

    mutating func name() throws(MalformedBytes) -> ObjectName {
        ObjectName(try raw(ObjectName.byteCount))
    }

    mutating func text() throws(MalformedBytes) -> String {
        let byteCount = Int(try integer(UInt16.self))
        let bytes = try raw(byteCount)
        // By far the most are, and the library's own check costs ten times as much.
        if Self.isASCII(bytes) { return String(decoding: bytes, as: UTF8.self) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw MalformedBytes(what: "a text that is not UTF-8")
        }
        return text
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80
    }

    mutating func sized(countMax: Int) throws(MalformedBytes) -> UnsafeRawBufferPointer {
        let byteCount = Int(try integer(UInt32.self))
        guard byteCount <= countMax else { throw MalformedBytes(what: "too long") }
        return try raw(byteCount)
    }

    /// What is to be at the end: nothing more.
    func finish() throws(MalformedBytes) {
        guard remainingCount == 0 else { throw MalformedBytes(what: "\(remainingCount) bytes too many") }
    }
}
