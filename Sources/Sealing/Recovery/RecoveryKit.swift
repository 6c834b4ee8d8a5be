package import Cryptography
package import HubProtocol

/// A container's keys, sealed under a recovery key: for the hub, or for a file beside the paper.
///
/// Made when the paper is, as nobody has the recovery key later. It says which container is meant and what its list of
/// devices begins with, which no hub can forge; keys that come later are sealed for the recovery key as for a device.
package struct RecoveryKit: Hashable, Sendable {
    private static let version: UInt8 = 1
    private static let saltByteCount = 24

    package let encoded: [UInt8]

    package init(
        _ keys: ContainerKeys,
        under key: RecoveryKey,
        random: RandomSource
    ) throws(SealingError) {
        let salt = try SealingError.calling { () throws(CryptographyError) in try random(Self.saltByteCount) }
        let head = [Self.version] + keys.container.bytes + salt
        encoded = head + (try OneTimeSeal.seal(keys.encoded, try Self.key(key, salt), Self.bound(head)))
    }

    /// What was read from somewhere.
    package init(encoded: [UInt8]) { self.encoded = encoded }

    /// Whether it says that it is of a container; anybody may say so.
    package func isMeant(for container: ContainerName) -> Bool {
        encoded.starts(with: [Self.version] + container.bytes)
    }

    /// Opens it with what was typed from the paper.
    ///
    /// - Throws: `versionUnknown`, `malformed`; `damagedOrExchanged`, also when the paper is another container's.
    package func open(with key: RecoveryKey) throws(SealingError) -> ContainerKeys {
        let subject = "The recovery kit"
        var reader = ByteReader(encoded, subject)
        try reader.version(Self.version)
        let container = ContainerName(unchecked: try reader.raw(ContainerName.byteCount))
        let salt = try reader.raw(Self.saltByteCount)
        let head = Array(encoded[..<reader.offset])
        let sealed = try reader.raw(reader.remainingCount)
        let plain = try OneTimeSeal.open(sealed, try Self.key(key, salt), Self.bound(head), subject)
        let keys = try ContainerKeys(encoded: plain)
        guard keys.container == container else { throw .damagedOrExchanged(subject) }
        return keys
    }

    private static func bound(_ head: [UInt8]) -> [UInt8] { Array("sheaf kit 1".utf8) + head }

    private static func key(_ key: RecoveryKey, _ salt: [UInt8]) throws(SealingError) -> [UInt8] {
        let kitKey = try key.derived("kit")
        return try SealingError.calling { () throws(CryptographyError) in
            try KeyDerivation(secret: kitKey, salt: salt).key(for: "kit")
        }
    }
}
