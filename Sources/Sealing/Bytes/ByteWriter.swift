/// Puts numbers and texts into bytes, the highest byte of a number first.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init() {}

    /// Begins with a label that says what for the bytes are, so that none of one purpose are those of another.
    init(_ label: String) { bytes = Array(label.utf8) }

    mutating func integer<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// A text with its byte count before it, in two bytes; the caller has seen to it that it fits.
    mutating func text(_ text: String) {
        let utf8 = Array(text.utf8)
        precondition(utf8.count <= UInt16.max, "a text of \(utf8.count) bytes")
        integer(UInt16(utf8.count))
        raw(utf8)
    }

    /// Bytes with their count before them, in four bytes.
    mutating func sized(_ more: [UInt8]) {
        integer(UInt32(more.count))
        raw(more)
    }
}
