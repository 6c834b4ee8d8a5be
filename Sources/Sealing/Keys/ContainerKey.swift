package import Cryptography

/// One of the keys that seal a container, and which one in their row.
package struct ContainerKey: Hashable, Sendable, CustomStringConvertible {
    package static let byteCount = 32
    /// How many bytes ``check(of:)`` gives.
    package static let checkByteCount = 16

    /// From 1 on, one more each time that a device is shut out.
    package let generation: UInt32
    let bytes: [UInt8]

    package init(generation: UInt32, bytes: [UInt8]) {
        precondition(generation > 0, "generations begin with 1")
        precondition(bytes.count == Self.byteCount, "a key of \(bytes.count) bytes")
        (self.generation, self.bytes) = (generation, bytes)
    }

    /// A random key.
    package init(generation: UInt32, random: RandomSource) throws(SealingError) {
        self.init(
            generation: generation,
            bytes: try SealingError.calling { () throws(CryptographyError) in try random(Self.byteCount) }
        )
    }

    /// Without the key itself, which is to be in no log.
    package var description: String { "key \(generation)" }
}
