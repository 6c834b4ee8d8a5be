internal import Foundation

/// What is read is not as `PlainWriter` writes it. It may be JSON all the same.
package struct NotPlain: Error {}

/// Reads the JSON that `PlainWriter` writes, and no other: the same members in the same order, without a space or an escape. What
/// else there is, `JSONDecoder` is for.
package struct PlainReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// A message; nil for what is not plain.
    static func read<Message: PlainMessage>(_ data: Data) -> Message? {
        data.withUnsafeBytes { bytes in
            var reader = PlainReader(bytes: bytes)
            guard let message = try? Message(from: &reader), reader.offset == bytes.count else { return nil }
            return message
        }
    }

    private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads an object, its members one after another.
    mutating func object<Value>(
        _ members: (inout PlainReader) throws(NotPlain) -> Value
    ) throws(NotPlain) -> Value {
        try take(UInt8(ascii: "{"))
        let value = try members(&self)
        try take(UInt8(ascii: "}"))
        return value
    }

    /// Reads an array.
    mutating func array<Element>(
        _ element: (inout PlainReader) throws(NotPlain) -> Element
    ) throws(NotPlain) -> [Element] {
        try take(UInt8(ascii: "["))
        var elements: [Element] = []
        if next == UInt8(ascii: "]") {
            offset += 1
            return elements
        }
        while true {
            elements.append(try element(&self))
            if next != UInt8(ascii: ",") { break }
            offset += 1
        }
        try take(UInt8(ascii: "]"))
        return elements
    }

    /// Reads a member's key; its value comes next.
    mutating func key(_ key: StaticString) throws(NotPlain) {
        if offset > 0, bytes[offset - 1] != UInt8(ascii: "{") { try take(UInt8(ascii: ",")) }
        guard
            try text().elementsEqual(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        else { throw NotPlain() }
        try take(UInt8(ascii: ":"))
    }

    /// Whether this key comes next in an object that begins here.
    func begins(with key: StaticString) -> Bool {
        var ahead = self
        do throws(NotPlain) { try ahead.key(key) } catch { return false }
        return true
    }

    mutating func number() throws(NotPlain) -> UInt64 {
        let start = offset
        var number: UInt64 = 0
        while let digit = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeThen) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !isTooLarge, !isTooLargeThen else { throw NotPlain() }
            number = sum
            offset += 1
        }
        // A number that begins with a zero is no other.
        guard offset > start, offset == start + 1 || bytes[start] != UInt8(ascii: "0") else {
            throw NotPlain()
        }
        return number
    }

    mutating func name<Name: FixedBytes>() throws(NotPlain) -> Name {
        guard let bytes = HexadecimalText.bytes(ofDigits: try text()), bytes.count == Name.byteCount else {
            throw NotPlain()
        }
        return Name(unchecked: bytes)
    }

    mutating func name() throws(NotPlain) -> CommitName {
        guard let name = CommitName(String(decoding: try text(), as: UTF8.self)) else { throw NotPlain() }
        return name
    }

    mutating func base64() throws(NotPlain) -> Data {
        guard let data = Data(base64Encoded: Data(try text())) else { throw NotPlain() }
        return data
    }

    /// The bytes between two quotation marks, of which none is escaped.
    private mutating func text() throws(NotPlain) -> UnsafeRawBufferPointer {
        try take(UInt8(ascii: "\""))
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { throw NotPlain() }
        let text = UnsafeRawBufferPointer(rebasing: rest[..<end])
        offset += end + 1
        return text
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ byte: UInt8) throws(NotPlain) {
        guard next == byte else { throw NotPlain() }
        offset += 1
    }
}
