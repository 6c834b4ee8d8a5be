/// What is in a sealed blob, beside the bytes.
package struct BlobContents: Hashable, Sendable {
    /// How the bytes are stored.
    package enum Encoding: UInt8, Hashable, Sendable {
        /// As they are.
        case plain = 0
        /// Pressed together by zstd.
        case zstd = 1
    }

    package var encoding: Encoding
    /// How many bytes there are once nothing is pressed together any more.
    package var plainByteCount: Int
    /// How many bytes are stored.
    package var storedByteCount: Int

    package init(_ encoding: Encoding, plainByteCount: Int, storedByteCount: Int) {
        (self.encoding, self.plainByteCount) = (encoding, plainByteCount)
        self.storedByteCount = storedByteCount
    }
}

/// How a sealed blob looks; Docs/formats/sealing.md says it in words.
package enum BlobFormat {
    static let version: UInt8 = 1
    /// Version, generation, salt.
    static let headByteCount = 1 + 4 + saltByteCount
    static let saltByteCount = 16
    /// Encoding and plain byte count, sealed with the bytes.
    static let innerByteCount = 1 + 4
    /// How many bytes a name has.
    package static let nameByteCount = 32
    /// How many bytes longer a sealed blob is than what is stored in it.
    package static let overheadByteCount = headByteCount + innerByteCount + 16
    /// The most bytes that a blob may hold, plain or stored: 16 MiB, as a vault's object.
    package static let byteCountMax = 1 << 24
}
