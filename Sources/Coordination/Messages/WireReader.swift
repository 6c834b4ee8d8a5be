/// Reads one frame's bytes; whatever they are, it ends with a value or an error.
package struct WireReader {
    private let bytes: [UInt8]
    private var position = 0
    /// The client that ids of client 0 belong to.
    let own: ClientID
    /// The version of the format that the bytes are in.
    let version: UInt64

    /// - Parameters:
    ///   - bytes: A frame without its head.
    ///   - own: The client that ids of client 0 belong to.
    ///   - version: The version of the format that the bytes are in.
    package init(
        _ bytes: [UInt8],
        own: ClientID = ClientID(0),
        version: UInt64 = ClientHello.versions.upperBound
    ) {
        self.bytes = bytes
        self.own = own
        self.version = version
    }

    /// A message that nothing follows.
    mutating func whole<Message>(
        _ read: (inout WireReader) throws(WireError) -> Message
    ) throws(WireError) -> Message {
        let message = try read(&self)
        guard position == bytes.count else { throw .trailingBytes }
        return message
    }

    mutating func byte() throws(WireError) -> UInt8 {
        guard position < bytes.count else { throw .cutOff }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func flag() throws(WireError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw .unknownValue
        }
    }

    mutating func number() throws(WireError) -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try byte()
            let group = UInt64(byte & 0x7F)
            // The tenth group has room for one bit.
            guard shift < 63 || group <= 1 else { throw .numberTooLarge }
            number |= group << shift
            if byte & 0x80 == 0 { return number }
        }
        throw .numberTooLarge
    }

    mutating func signed() throws(WireError) -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    mutating func text() throws(WireError) -> String {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw .cutOff }
        let end = position + Int(count)
        defer { position = end }
        // What is no UTF-8 is repaired, and not the same then; `String(validating:as:)` takes twice as long to say so.
        let text = String(unsafeUninitializedCapacity: end - position) { target in
            target.initialize(fromContentsOf: bytes[position..<end])
        }
        let isSame = text.utf8.withContiguousStorageIfAvailable { text in
            bytes[position..<end].withUnsafeBytes { $0.isEqual(to: UnsafeRawBufferPointer(text)) }
        }
        guard isSame ?? text.utf8.elementsEqual(bytes[position..<end]) else { throw .notText }
        return text
    }

    mutating func blob() throws(WireError) -> [UInt8] {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw .cutOff }
        defer { position += Int(count) }
        return Array(bytes[position..<(position + Int(count))])
    }

    /// A list; its count is no promise, so that nothing is made room for before it is there.
    mutating func list<Element>(
        _ read: (inout WireReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw .cutOff }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }

    mutating func optional<Value>(
        _ read: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try flag() ? try read(&self) : nil
    }
}

/// Why bytes are no message.
package enum WireError: Error, Hashable, Sendable {
    /// They end inside a value.
    case cutOff
    /// More follows than belongs to the message.
    case trailingBytes
    /// A number has more than 64 bits.
    case numberTooLarge
    /// A text is not UTF-8.
    case notText
    /// A path is not absolute.
    case notAPath
    /// A frame is empty or longer than any may be.
    case frameTooLong
    /// A kind or flag that this version does not know.
    case unknownValue
}
