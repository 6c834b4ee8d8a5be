/// Writes messages as bytes, one frame after another.
///
/// Numbers are little-endian groups of seven bits, the last with a clear top bit; texts are their length in
/// bytes and UTF-8; lists are their count and elements. `Docs/formats/agent.md` has the whole format.
package struct WireWriter: Sendable {
    /// The frames written so far.
    package private(set) var bytes: [UInt8] = []
    /// The client whose ids are written as those of client 0.
    package var own: ClientID
    /// The version of the format to write in.
    package var version: UInt64

    package init(own: ClientID = ClientID(0), version: UInt64 = ClientHello.versions.upperBound) {
        self.own = own
        self.version = version
    }

    /// Writes one frame.
    ///
    /// Nothing is written when the frame would be longer than `WireFrame.byteCountMax`.
    ///
    /// - Returns: Whether it was written.
    @discardableResult
    package mutating func frame(_ type: UInt8, _ body: (inout WireWriter) -> Void) -> Bool {
        let start = bytes.count
        bytes.append(contentsOf: [0, 0, 0, 0, type])
        body(&self)
        let byteCount = bytes.count - start - WireFrame.headByteCount
        guard byteCount <= WireFrame.byteCountMax else {
            bytes.removeSubrange(start...)
            return false
        }
        for index in 0..<WireFrame.headByteCount {
            bytes[start + index] = UInt8(truncatingIfNeeded: byteCount >> (8 * index))
        }
        return true
    }

    /// Forgets what has been written, and keeps the room for what comes.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func byte(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func flag(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    mutating func number(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// A number that may be negative: small ones of either sign are short.
    mutating func signed(_ number: Int64) {
        self.number(UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }

    mutating func text(_ text: String) {
        number(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func blob(_ blob: [UInt8]) {
        number(UInt64(blob.count))
        bytes.append(contentsOf: blob)
    }

    mutating func list<Element>(_ elements: [Element], _ write: (inout WireWriter, Element) -> Void) {
        number(UInt64(elements.count))
        for element in elements { write(&self, element) }
    }

    mutating func optional<Value>(_ value: Value?, _ write: (inout WireWriter, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }
}

/// How frames are cut.
package enum WireFrame {
    /// The bytes before a frame that say how many follow.
    package static let headByteCount = 4
    /// The longest frame, its head not counted; whoever announces a longer one is not listened to further.
    package static let byteCountMax = 1 << 20

    /// How many bytes follow the head that begins at `start`; nil when no frame has so many.
    static func byteCount(_ bytes: [UInt8], at start: Int) -> Int? {
        var byteCount = 0
        for index in 0..<headByteCount { byteCount |= Int(bytes[start + index]) << (8 * index) }
        return byteCount >= 1 && byteCount <= byteCountMax ? byteCount : nil
    }
}
