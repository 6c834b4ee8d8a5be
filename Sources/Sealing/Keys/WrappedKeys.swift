package import Cryptography
package import HubProtocol
package import Sync

/// A container's keys, sealed for one device by another: for the hub to hand over.
///
/// Only who has the receiver's private key can open them, and the sender's signature says that no hub has made them up.
package struct WrappedKeys: Hashable, Sendable {
    private static let version: UInt8 = 1
    /// How many bytes there are at most; a hub takes 4,096.
    package static let byteCountMax = 4096

    package let container: ContainerName
    package let sender: DeviceID
    package let receiver: DeviceID
    private let ephemeral: [UInt8]
    private let sealed: [UInt8]
    private let signature: [UInt8]

    /// Seals keys for a device.
    ///
    /// - Parameters:
    ///   - keys: All that it is to have.
    ///   - receiver: Must be of the container's list of devices, unless pairing or a recovery key vouches for it.
    package init(
        _ keys: ContainerKeys,
        for receiver: PublicIdentity,
        by sender: DeviceIdentity,
        random: RandomSource
    ) throws(SealingError) {
        (container, self.sender, self.receiver) = (keys.container, sender.id, receiver.id)
        let bound = Self.bound(container, sender.id, receiver.id)
        let box = try SealedBox.seal(keys.encoded, for: receiver.agreementKey, bound: bound, random: random)
        (ephemeral, sealed) = (box.ephemeral, box.sealed)
        let message = Self.signed(bound, box.ephemeral, box.sealed)
        signature = try SealingError.calling { () throws(CryptographyError) in
            try sender.signing.signature(of: message)
        }
    }

    /// Opens keys that were sealed for this device.
    ///
    /// - Parameter list: The container's devices: the sender has to be one of them, or to have left by itself, as it then made
    ///   the key for those who stay.
    /// - Throws: `signerUnknown`, `signerRevoked`, `signatureWrong`, `damagedOrExchanged`, `keyExchanged`.
    package func open(
        as receiver: DeviceIdentity,
        _ list: DeviceList
    ) throws(SealingError) -> ContainerKeys {
        let subject = "The sealed keys"
        guard self.receiver == receiver.id, container == list.container else {
            throw .damagedOrExchanged(subject)
        }
        let left = list.members[sender].flatMap { $0.revokedBy == sender ? $0.revokedAt : nil }
        let senderKey = try list.signingKey(of: sender, at: left ?? .max, subject)
        let bound = Self.bound(container, sender, self.receiver)
        let message = Self.signed(bound, ephemeral, sealed)
        let isSigned = try SealingError.calling { () throws(CryptographyError) in
            try VerifyingKey(publicBytes: senderKey).isSignature(signature, of: message)
        }
        guard isSigned else { throw SealingError(.signatureWrong, "\(subject) are forged. Fetch them anew.") }
        let box = SealedBox(ephemeral: ephemeral, sealed: sealed)
        let keys = try ContainerKeys(encoded: try box.open(with: receiver.agreement, bound: bound, subject))
        guard keys.container == container, keys.anchor == list.anchor else {
            throw SealingError(.keyExchanged, "\(subject) are another container's. Pair the device again.")
        }
        return keys
    }

    private static func bound(_ container: ContainerName, _ sender: DeviceID, _ receiver: DeviceID) -> [UInt8]
    {
        var writer = ByteWriter("sheaf keys 1")
        writer.raw(container.bytes)
        writer.integer(sender.number)
        writer.integer(receiver.number)
        return writer.bytes
    }

    private static func signed(_ bound: [UInt8], _ ephemeral: [UInt8], _ sealed: [UInt8]) -> [UInt8] {
        bound + ephemeral + sealed
    }

    /// For the hub.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.integer(Self.version)
        writer.raw(container.bytes)
        writer.integer(sender.number)
        writer.integer(receiver.number)
        writer.raw(ephemeral)
        writer.raw(signature)
        writer.raw(sealed)
        return writer.bytes
    }

    /// - Throws: `versionUnknown`, `malformed`, `beyondLimit`.
    package init(encoded bytes: [UInt8]) throws(SealingError) {
        guard bytes.count <= Self.byteCountMax else {
            throw .beyondLimit("bytes of sealed keys", Self.byteCountMax)
        }
        var reader = ByteReader(bytes, "A device's sealed keys")
        try reader.version(Self.version)
        container = ContainerName(unchecked: try reader.raw(ContainerName.byteCount))
        (sender, receiver) = (DeviceID(try reader.integer()), DeviceID(try reader.integer()))
        ephemeral = try reader.raw(AgreementKey.byteCount)
        signature = try reader.raw(SigningKey.signatureByteCount)
        guard reader.remainingCount >= OneTimeCipher.tagByteCount else {
            throw reader.malformed("they end too early")
        }
        sealed = try reader.raw(reader.remainingCount)
    }
}
