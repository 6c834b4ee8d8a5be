package import Cryptography
internal import HubProtocol
package import Sync

/// A device's own keys: with one it signs, with the other it is sent what only it may read.
///
/// Its identifier is made of the public halves, so that nobody can pretend to have it with other keys.
package struct DeviceIdentity: Sendable, CustomStringConvertible {
    package let signing: SigningKey
    package let agreement: AgreementKey
    package let id: DeviceID

    package init(signing: SigningKey, agreement: AgreementKey) throws(SealingError) {
        (self.signing, self.agreement) = (signing, agreement)
        id = try PublicIdentity.id(signing: signing.publicBytes, agreement: agreement.publicBytes)
    }

    /// New keys.
    package init(random: RandomSource) throws(SealingError) {
        let (signing, agreement) = try SealingError.calling { () throws(CryptographyError) in
            (
                try SigningKey(seed: try random(SigningKey.seedByteCount)),
                try AgreementKey(privateBytes: try random(AgreementKey.byteCount))
            )
        }
        try self.init(signing: signing, agreement: agreement)
    }

    /// What others may know.
    package func publicIdentity(named name: String) -> PublicIdentity {
        PublicIdentity(
            id: id,
            signingKey: signing.publicBytes,
            agreementKey: agreement.publicBytes,
            name: name
        )
    }

    /// Without the keys, which are to be in no log.
    package var description: String { "device \(HexadecimalText.text(of: id.bytes))" }

    private static let version: UInt8 = 1

    /// Both keys in the clear: for a file that only the user can read (mode 0600).
    package var encoded: [UInt8] { [Self.version] + signing.seed + agreement.privateBytes }

    /// - Throws: `versionUnknown`, `malformed`.
    package init(encoded bytes: [UInt8]) throws(SealingError) {
        var reader = ByteReader(bytes, "A device's identity")
        try reader.version(Self.version)
        let (seed, secret) = (
            try reader.raw(SigningKey.seedByteCount), try reader.raw(AgreementKey.byteCount)
        )
        try reader.finish()
        let (signing, agreement) = try SealingError.calling { () throws(CryptographyError) in
            (try SigningKey(seed: seed), try AgreementKey(privateBytes: secret))
        }
        try self.init(signing: signing, agreement: agreement)
    }
}

/// What others know of a device.
package struct PublicIdentity: Hashable, Sendable {
    /// How many bytes a device's name has at most.
    package static let nameByteCountMax = 255

    package let id: DeviceID
    package let signingKey: [UInt8]
    package let agreementKey: [UInt8]
    /// For people; only those who have the container's keys see it.
    package let name: String

    init(id: DeviceID, signingKey: [UInt8], agreementKey: [UInt8], name: String) {
        (self.id, self.signingKey, self.agreementKey) = (id, signingKey, agreementKey)
        var name = name
        while name.utf8.count > Self.nameByteCountMax { name.removeLast() }
        self.name = name
    }

    static func id(signing: [UInt8], agreement: [UInt8]) throws(SealingError) -> DeviceID {
        let digest = try SealingError.calling { () throws(CryptographyError) in
            try SHA256Digest.hash(of: [Array("sheaf device 1".utf8), signing, agreement])
        }
        return DeviceID(digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// For what a device remembers.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// - Throws: `malformed`.
    package init(encoded bytes: [UInt8]) throws(SealingError) {
        var reader = ByteReader(bytes, "What is known of a device")
        try self.init(from: &reader)
        try reader.finish()
    }

    func encode(into writer: inout ByteWriter) {
        writer.raw(signingKey)
        writer.raw(agreementKey)
        writer.text(name)
    }

    init(from reader: inout ByteReader) throws(SealingError) {
        let signing = try reader.raw(SigningKey.publicByteCount)
        let agreement = try reader.raw(AgreementKey.byteCount)
        let name = try reader.text(byteCountMax: Self.nameByteCountMax)
        let id = try Self.id(signing: signing, agreement: agreement)
        self.init(id: id, signingKey: signing, agreementKey: agreement, name: name)
    }
}

extension DeviceID {
    /// As statements and wrapped keys have it.
    package var bytes: [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
