package import Foundation

/// A message that may have thousands of entries, and nothing in it that would have to be escaped: numbers, digits, base64. To
/// have each value of each entry boxed for `JSONEncoder` or `JSONDecoder` would take a hub and devices more time than all else
/// that they do for them.
package protocol PlainMessage: Codable {
    /// Writes what `JSONEncoder` would.
    func write(to writer: inout PlainWriter)
    /// Reads what `write` writes.
    init(from reader: inout PlainReader) throws(NotPlain)
}

/// Writes JSON.
package struct PlainWriter {
    package private(set) var bytes: [UInt8] = []

    /// Writes an object, its members one after another.
    package mutating func object(_ members: (inout PlainWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes an array.
    package mutating func array<Element>(_ elements: [Element], _ write: (inout PlainWriter, Element) -> Void)
    {
        bytes.append(UInt8(ascii: "["))
        for element in elements {
            separate()
            write(&self, element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a member's key; its value comes next.
    package mutating func key(_ key: StaticString) {
        separate()
        text(key.description)
        bytes.append(UInt8(ascii: ":"))
    }

    package mutating func number(_ number: UInt64) { bytes.append(contentsOf: String(number).utf8) }

    package mutating func name(_ name: some FixedBytes) { text(name.description) }

    package mutating func name(_ name: CommitName) { text(name.text) }

    package mutating func base64(_ data: Data) {
        bytes.append(UInt8(ascii: "\""))
        bytes += data.base64EncodedData()
        bytes.append(UInt8(ascii: "\""))
    }

    /// Nothing in it has to be escaped.
    private mutating func text(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: text.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Between two members or elements.
    private mutating func separate() {
        guard let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else { return }
        bytes.append(UInt8(ascii: ","))
    }
}
