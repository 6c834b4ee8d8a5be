/// The name of contents that are kept elsewhere; equal contents have equal names.
///
/// A text. One of lower-case hexadecimal digits, as those of real contents are, takes half the room, and zeros in a row take
/// that of two.
package struct ContentName: Hashable, Comparable, Sendable {
    /// What is in the first of the bytes.
    private enum Form {
        static let text: UInt8 = 0
        static let digits: UInt8 = 1
        /// As `digits`, but zeros are folded. In memory only.
        static let folded: UInt8 = 2
    }

    /// Its form, and then the text in UTF-8 or the bytes that the digits stand for. Each name has one form.
    let stored: [UInt8]

    package init(_ value: String) {
        if let bytes = Self.bytes(ofDigits: value) {
            self.init(digitsOf: bytes)
        } else {
            self.init(whole: [Form.text] + value.utf8)
        }
    }

    /// The name whose text is the hexadecimal digits of bytes.
    package init(digitsOf bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { ContentName(digitsOf: $0) }
    }

    private init(digitsOf bytes: UnsafeRawBufferPointer) {
        let folded = ZeroFolding.folded(bytes, after: Form.folded)
        let isShorter = folded.count <= bytes.count
        self.init(whole: bytes.isEmpty ? [Form.text] : isShorter ? folded : [Form.digits] + bytes)
    }

    /// Reads what `packed` gave; nil for anything else.
    package init?(packed: UnsafeRawBufferPointer) {
        let rest = UnsafeRawBufferPointer(rebasing: packed.dropFirst())
        switch packed.first {
        case Form.text:
            guard let text = String(validating: rest, as: UTF8.self) else { return nil }
            self.init(text)
        case Form.digits where !rest.isEmpty: self.init(digitsOf: rest)
        default: return nil
        }
    }

    /// Whether a name is the one that `packed` gave.
    ///
    /// - Parameter stored: What is stored of it.
    static func isStored(_ stored: UnsafeRawBufferPointer, of packed: UnsafeRawBufferPointer) -> Bool {
        guard stored.first == Form.folded else { return stored.isEqual(to: packed) }
        return packed.first == Form.digits
            && ZeroFolding.isFolded(
                UnsafeRawBufferPointer(rebasing: packed.dropFirst()),
                to: UnsafeRawBufferPointer(rebasing: stored.dropFirst())
            )
    }

    /// What is stored of some name.
    init(stored: UnsafeRawBufferPointer) { self.init(whole: [UInt8](stored)) }

    private init(whole stored: [UInt8]) { self.stored = stored }

    /// To be written down: its form, and then the text in UTF-8 or the bytes that the digits stand for.
    package var packed: [UInt8] { bytes.map { [Form.digits] + $0 } ?? stored }

    /// The text.
    package var value: String {
        guard let bytes else { return String(decoding: stored.dropFirst(), as: UTF8.self) }
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = Self.digit(byte >> 4)
                text[2 * index + 1] = Self.digit(byte & 15)
            }
            return 2 * bytes.count
        }
    }

    /// How many bytes the text has.
    package var valueByteCount: Int { bytes.map { 2 * $0.count } ?? stored.count - 1 }

    /// What the text stands for, if it is of digits.
    package var bytes: [UInt8]? {
        switch stored.first {
        case Form.folded: ZeroFolding.unfolded(stored.dropFirst())
        case Form.digits: Array(stored.dropFirst())
        default: nil
        }
    }

    /// All bytes at once: an array of bytes puts them in one by one.
    package func hash(into hasher: inout Hasher) { stored.withUnsafeBytes { hasher.combine(bytes: $0) } }

    /// As what is packed of them.
    package static func < (left: ContentName, right: ContentName) -> Bool {
        // Names by the thousand are put in order: nothing is unfolded for that.
        guard left.stored.first == Form.folded, right.stored.first == Form.folded else {
            return left.packed.lexicographicallyPrecedes(right.packed)
        }
        return left.stored.withUnsafeBytes { left in
            right.stored.withUnsafeBytes { right in
                ZeroFolding.precedes(
                    UnsafeRawBufferPointer(rebasing: left.dropFirst()),
                    UnsafeRawBufferPointer(rebasing: right.dropFirst())
                )
            }
        }
    }

    private static func bytes(ofDigits value: String) -> [UInt8]? {
        let digits = value.utf8
        guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = number(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
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
