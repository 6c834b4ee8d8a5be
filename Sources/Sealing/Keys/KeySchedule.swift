internal import Cryptography
internal import HubProtocol

/// The keys that are derived from one of a container, each for one purpose.
struct KeySchedule {
    /// One key for each blob is made with this.
    let blobs: [UInt8]
    /// One key for each record is made with this.
    let records: [UInt8]
    /// Tells that somebody means the same key without saying it.
    let check: [UInt8]

    init(_ key: ContainerKey, of container: ContainerName) throws(SealingError) {
        (blobs, records, check) = try SealingError.calling { () throws(CryptographyError) in
            let derivation = try KeyDerivation(secret: key.bytes, salt: Self.salt(container))
            return (
                try derivation.key(for: "blobs"), try derivation.key(for: "records"),
                try derivation.key(for: "check", byteCount: ContainerKey.checkByteCount)
            )
        }
    }

    fileprivate static func salt(_ container: ContainerName) -> [UInt8] {
        var writer = ByteWriter("sheaf sealing 1")
        writer.raw(container.bytes)
        return writer.bytes
    }
}

/// The keys that are derived from a container's naming key: what they make never changes.
struct NamingSchedule {
    /// Makes the hub's names of blobs.
    let addresses: [UInt8]
    /// Tells apart what was pressed together in different ways.
    let salts: [UInt8]

    init(_ keys: ContainerKeys) throws(SealingError) {
        (addresses, salts) = try SealingError.calling { () throws(CryptographyError) in
            let derivation = try KeyDerivation(
                secret: keys.namingKey,
                salt: KeySchedule.salt(keys.container)
            )
            return (try derivation.key(for: "addresses"), try derivation.key(for: "salts"))
        }
    }
}

extension ContainerKeys {
    /// What tells that a key is this one.
    package func check(of key: ContainerKey) throws(SealingError) -> [UInt8] {
        try KeySchedule(key, of: container).check
    }
}
