/// A name of a fixed number of bytes, written in small hexadecimal digits wherever it is text.
package protocol FixedBytes: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// How many bytes such a name has.
    static var byteCount: Int { get }
    /// The bytes, `byteCount` of them.
    var bytes: [UInt8] { get }
    /// Takes bytes that are known to be as many as such a name has.
    init(unchecked bytes: [UInt8])
}

extension FixedBytes {
    /// - Returns: Nil where there are not exactly `byteCount` bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(unchecked: Array(bytes))
    }

    /// Reads twice `byteCount` digits.
    ///
    /// - Returns: Nil for any other text. Capital letters are others: a name is written in one way only.
    package init?(hexadecimal text: some StringProtocol) {
        guard text.utf8.count == 2 * Self.byteCount, let bytes = HexadecimalText.bytes(of: text) else {
            return nil
        }
        self.init(unchecked: bytes)
    }

    /// The name in hexadecimal digits.
    package var description: String { HexadecimalText.text(of: bytes) }

    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let name = Self(hexadecimal: text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "Not \(2 * Self.byteCount) digits of 0-9 and a-f."
            )
        }
        self = name
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Bytes as text, two small digits each.
package enum HexadecimalText {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func text(of bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digits[Int(byte >> 4)]
                text[2 * index + 1] = digits[Int(byte & 15)]
            }
            return 2 * bytes.count
        }
    }

    /// The bytes that a text says; nil for one that is not two small digits for each.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        text.utf8.withContiguousStorageIfAvailable(bytes(ofDigits:))
            ?? bytes(ofDigits: ContiguousArray(text.utf8))
    }

    static func bytes(ofDigits digits: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var index = digits.startIndex
        while index < digits.endIndex {
            let next = digits.index(after: index)
            guard let high = value(digits[index]), let low = value(digits[next]) else { return nil }
            bytes.append(high << 4 | low)
            index = digits.index(after: next)
        }
        return bytes
    }

    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
