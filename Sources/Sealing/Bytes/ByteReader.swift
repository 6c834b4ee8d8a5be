/// Takes numbers and texts out of bytes that may be anything; never reads beyond their end.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var offset = 0
    /// What the bytes should be, for errors.
    private let subject: String

    init(_ bytes: [UInt8], _ subject: String) { (self.bytes, self.subject) = (bytes, subject) }

    var remainingCount: Int { bytes.count - offset }

    mutating func integer<Number: FixedWidthInteger>(
        _: Number.Type = Number.self
    ) throws(SealingError) -> Number {
        try raw(MemoryLayout<Number>.size).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    mutating func raw(_ byteCount: Int) throws(SealingError) -> [UInt8] {
        guard byteCount >= 0, byteCount <= remainingCount else { throw malformed("they end too early") }
        defer { offset += byteCount }
        return Array(bytes[offset..<offset + byteCount])
    }

    /// A text with its count in two bytes.
    mutating func text(byteCountMax: Int) throws(SealingError) -> String {
        let byteCount = Int(try integer(UInt16.self))
        guard byteCount <= byteCountMax else { throw malformed("a text of \(byteCount) bytes") }
        guard let text = String(validating: try raw(byteCount), as: UTF8.self) else {
            throw malformed("a text that is not UTF-8")
        }
        return text
    }

    /// Bytes with their count in four.
    mutating func sized(byteCountMax: Int) throws(SealingError) -> [UInt8] {
        let byteCount = Int(try integer(UInt32.self))
        guard byteCount <= byteCountMax else { throw malformed("a part of \(byteCount) bytes") }
        return try raw(byteCount)
    }

    /// What is to be first.
    mutating func version(_ known: UInt8) throws(SealingError) {
        let version = try integer(UInt8.self)
        guard version == known else { throw .versionUnknown(version, subject) }
    }

    /// What is to be at the end: nothing more.
    func finish() throws(SealingError) {
        guard remainingCount == 0 else { throw malformed("\(remainingCount) bytes too many") }
    }

    func malformed(_ what: String) -> SealingError { .malformed(subject, what) }
}
