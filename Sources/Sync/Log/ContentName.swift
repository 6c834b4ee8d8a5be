/// The name of contents that are kept elsewhere; equal contents have equal names.
///
/// A text. One of lower-case hexadecimal digits, as those of real contents are, takes half the room.
package struct ContentName: Hashable, Comparable, Sendable {
    /// What is in the first of the bytes.
    private enum Form {
        static let text: UInt8 = 0
        static let digits: UInt8 = 1
    }

    /// Its form, and then the text in UTF-8 or the bytes that the digits stand for.
    package let packed: [UInt8]

    package init(_ value: String) {
        packed = Self.packed(value) ?? [Form.text] + value.utf8
    }

    /// The name whose text is the hexadecimal digits of bytes.
    package init(digitsOf bytes: [UInt8]) {
        packed = bytes.isEmpty ? [Form.text] : [Form.digits] + bytes
    }

    /// Reads what `packed` gave; nil for anything else.
    package init?(packed: [UInt8]) {
        switch packed.first {
        case Form.text:
            guard let text = String(validating: packed.dropFirst(), as: UTF8.self) else { return nil }
            self.init(text)
        case Form.digits where packed.count > 1: self.init(whole: packed)
        default: return nil
        }
    }

    private init(whole packed: [UInt8]) { self.packed = packed }

    /// The text.
    package var value: String {
        guard let bytes else { return String(decoding: packed.dropFirst(), as: UTF8.self) }
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = Self.digit(byte >> 4)
                text[2 * index + 1] = Self.digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    /// What the text stands for, if it is of digits.
    package var bytes: ArraySlice<UInt8>? { packed.first == Form.digits ? packed.dropFirst() : nil }

    /// All bytes at once: an array of bytes puts them in one by one.
    package func hash(into hasher: inout Hasher) { packed.withUnsafeBytes { hasher.combine(bytes: $0) } }

    package static func < (left: ContentName, right: ContentName) -> Bool {
        left.packed.lexicographicallyPrecedes(right.packed)
    }

    private static func packed(_ value: String) -> [UInt8]? {
        let digits = value.utf8
        guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
        var packed = [Form.digits]
        packed.reserveCapacity(1 + digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = number(digit) else { return nil }
            if let first = high {
                packed.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return packed
    }

    private static func digit(_ number: UInt8) -> UInt8 {
        number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
    }

    private static func number(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
