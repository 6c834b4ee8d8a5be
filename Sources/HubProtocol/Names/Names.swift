/// A container: sixteen random bytes.
package struct ContainerName: FixedBytes {
    package static let byteCount = 16
    package let bytes: [UInt8]
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// An item of a container, for as long as it exists: sixteen bytes that no other has, and that say nothing of it.
package struct ItemName: FixedBytes {
    package static let byteCount = 16
    package let bytes: [UInt8]
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// Sealed contents: thirty-two bytes that only those who have the container's key can connect with what is in them.
package struct BlobName: FixedBytes {
    package static let byteCount = 32
    package let bytes: [UInt8]
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// A device that has been registered: eight bytes that the hub made up.
package struct DeviceName: FixedBytes {
    package static let byteCount = 8
    package let bytes: [UInt8]
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// A device's public key, for signing or for agreeing: thirty-two bytes.
package struct PublicKeyBytes: FixedBytes {
    package static let byteCount = 32
    package let bytes: [UInt8]
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// A device's signature, of Ed25519: sixty-four bytes.
package struct SignatureBytes: FixedBytes {
    package static let byteCount = 64
    package let bytes: [UInt8]
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

/// What a log came to, up to some entry: a SHA-256 over all of them.
///
/// A value without memory of its own: a device reads one for each entry of its log at a start, and small pieces of memory that
/// come and go among those that stay leave holes.
package struct LogHash: FixedBytes {
    package static let byteCount = 32
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    package var bytes: [UInt8] { withUnsafeBytes(of: words) { [UInt8]($0) } }

    package init(unchecked bytes: [UInt8]) {
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes.prefix(Self.byteCount)) }
    }

    package static func == (left: LogHash, right: LogHash) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        withUnsafeBytes(of: words) { hasher.combine(bytes: $0) }
    }
}

/// What tells a commit from all others of its container: 1 to 64 characters of `0-9 a-f . -`, which devices choose.
package struct CommitName: Hashable, Codable, Sendable, CustomStringConvertible {
    /// How long one is at most, in characters.
    package static let characterCountMax = 64

    package let text: String

    /// - Returns: Nil for a text that is no such name.
    package init?(_ text: String) {
        let isPlain = text.utf8.allSatisfy { character in
            HexadecimalText.value(character) != nil || character == UInt8(ascii: ".")
                || character == UInt8(ascii: "-")
        }
        guard isPlain, (1...Self.characterCountMax).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    package var description: String { text }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let name = CommitName(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "Not 1 to \(Self.characterCountMax) characters of 0-9, a-f, dot and dash."
            )
        }
        self = name
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
