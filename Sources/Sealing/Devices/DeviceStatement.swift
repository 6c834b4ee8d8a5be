internal import Cryptography
package import HubProtocol
package import Sync

/// What a statement about devices comes to: the next one names it, and the first one's is the container's anchor.
package struct DeviceListHash: FixedBytes {
    package static let byteCount = 32
    package let bytes: [UInt8]
    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// What the first statement follows.
    static let none = DeviceListHash(unchecked: [UInt8](repeating: 0, count: byteCount))
}

/// One device's word on who shares a container: signed, and bound to the container and to all that was said before.
package struct DeviceStatement: Hashable, Sendable {
    /// What is said.
    package enum Change: Hashable, Sendable {
        /// A device shares the container from now on.
        case added(PublicIdentity)
        /// A device shares it no more. What is sealed from now on is so under a key of this generation, or a later one.
        case revoked(DeviceID, generation: UInt32, keyCheck: [UInt8])
    }

    package let container: ContainerName
    /// From 1 on.
    package let number: UInt32
    package let previous: DeviceListHash
    /// Who says so.
    package let author: DeviceID
    package let change: Change
    package let signature: [UInt8]

    private static let version: UInt8 = 1
    /// How many bytes an encoded one has at most.
    package static let byteCountMax = 1024

    /// Says something, in this device's name.
    ///
    /// - Parameters:
    ///   - change: What.
    ///   - list: All that was said before; nil to begin a container's list.
    init(
        _ change: Change,
        in container: ContainerName,
        after last: (number: UInt32, hash: DeviceListHash)?,
        by author: DeviceIdentity
    ) throws(SealingError) {
        self.container = container
        (number, previous) = ((last?.number ?? 0) + 1, last?.hash ?? .none)
        (self.author, self.change) = (author.id, change)
        let message = Self.message(container, number, previous, author.id, change)
        signature = try SealingError.calling { () throws(CryptographyError) in
            try author.signing.signature(of: Array("sheaf devices 1".utf8) + message)
        }
    }

    /// The statement that a container's list begins with: its first device adds itself. No key of the container is
    /// needed for it: they hold its hash, as their anchor.
    package static func founding(
        _ container: ContainerName,
        by founder: DeviceIdentity,
        named name: String
    ) throws(SealingError) -> DeviceStatement {
        try DeviceStatement(
            .added(founder.publicIdentity(named: name)),
            in: container,
            after: nil,
            by: founder
        )
    }

    package func hash() throws(SealingError) -> DeviceListHash {
        let bytes = encoded
        return DeviceListHash(
            unchecked: try SealingError.calling { () throws(CryptographyError) in
                try SHA256Digest.hash(of: [Array("sheaf devices 1".utf8), bytes])
            }
        )
    }

    package func isSigned(by signingKey: [UInt8]) throws(SealingError) -> Bool {
        let message = Self.message(container, number, previous, author, change)
        return try SealingError.calling { () throws(CryptographyError) in
            try VerifyingKey(publicBytes: signingKey)
                .isSignature(signature, of: Array("sheaf devices 1".utf8) + message)
        }
    }

    package var encoded: [UInt8] {
        Self.message(container, number, previous, author, change) + signature
    }

    /// All but the signature.
    private static func message(
        _ container: ContainerName,
        _ number: UInt32,
        _ previous: DeviceListHash,
        _ author: DeviceID,
        _ change: Change
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(version)
        writer.raw(container.bytes)
        writer.integer(number)
        writer.raw(previous.bytes)
        writer.integer(author.number)
        switch change {
        case .added(let device):
            writer.integer(UInt8(1))
            device.encode(into: &writer)
        case .revoked(let device, let generation, let keyCheck):
            writer.integer(UInt8(2))
            writer.integer(device.number)
            writer.integer(generation)
            writer.raw(keyCheck)
        }
        return writer.bytes
    }

    /// Reads a statement; whether it is true is for the list to say.
    ///
    /// - Throws: `versionUnknown`, `malformed`.
    package init(encoded bytes: [UInt8]) throws(SealingError) {
        var reader = ByteReader(bytes, "A statement about devices")
        try reader.version(Self.version)
        container = ContainerName(unchecked: try reader.raw(ContainerName.byteCount))
        number = try reader.integer()
        previous = DeviceListHash(unchecked: try reader.raw(DeviceListHash.byteCount))
        author = DeviceID(try reader.integer())
        switch try reader.integer(UInt8.self) {
        case 1: change = .added(try PublicIdentity(from: &reader))
        case 2:
            change = .revoked(
                DeviceID(try reader.integer()),
                generation: try reader.integer(),
                keyCheck: try reader.raw(ContainerKey.checkByteCount)
            )
        case let kind: throw .versionUnknown(kind, "The kind of a statement about devices")
        }
        signature = try reader.raw(SigningKey.signatureByteCount)
        try reader.finish()
    }
}
