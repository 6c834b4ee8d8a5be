internal import Cryptography

/// Makes each blob's own key; for one thread at a time.
final class BlobKeys {
    private let hashers: [UInt32: KeyedHasher]
    private let addresses: KeyedHasher
    private let salts: KeyedHasher

    init(_ keys: ContainerKeys) throws(SealingError) {
        let naming = try NamingSchedule(keys)
        var hashers: [UInt32: KeyedHasher] = [:]
        for key in keys.keys {
            let schedule = try KeySchedule(key, of: keys.container)
            hashers[key.generation] = try SealingError.calling { () throws(CryptographyError) in
                try KeyedHasher(key: schedule.blobs)
            }
        }
        self.hashers = hashers
        (addresses, salts) = try SealingError.calling { () throws(CryptographyError) in
            (try KeyedHasher(key: naming.addresses), try KeyedHasher(key: naming.salts))
        }
    }

    /// What the hub calls the blob.
    func address(
        of name: UnsafeRawBufferPointer,
        into address: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) {
        try addresses.code(of: name, into: address)
    }

    /// What tells the stored bytes from all others that have the same name: nothing more than the name for plain ones,
    /// which it determines; all of them for those that were pressed together, as another library does it another way.
    func salt(
        of name: UnsafeRawBufferPointer,
        _ encoding: BlobContents.Encoding,
        _ stored: UnsafeRawBufferPointer,
        into salt: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) {
        let covered = encoding == .plain ? UnsafeRawBufferPointer(start: nil, count: 0) : stored
        var encoding = encoding.rawValue
        try withUnsafeBytes(of: &encoding) { (encoding) throws(CryptographyError) in
            try salts.code(of: encoding, name, covered, into: salt)
        }
    }

    /// The blob's key: HKDF-Expand of the generation's key for kind, name and salt, which is one block.
    ///
    /// - Returns: Whether the generation is known.
    func key(
        _ generation: UInt32,
        _ kind: UInt8,
        _ name: UnsafeRawBufferPointer,
        _ salt: UnsafeRawBufferPointer,
        into key: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) -> Bool {
        guard let hasher = hashers[generation] else { return false }
        var info = BlobInfo()
        try withUnsafeMutableBytes(of: &info) { (info) throws(CryptographyError) in
            info[0] = kind
            UnsafeMutableRawBufferPointer(rebasing: info[1...]).copyMemory(from: name)
            UnsafeMutableRawBufferPointer(rebasing: info[33...]).copyMemory(from: salt)
            info[49] = 1
            try hasher.code(of: UnsafeRawBufferPointer(info), into: key)
        }
        return true
    }

    /// Kind, name, salt, and the number of HKDF's block.
    private struct BlobInfo {
        var name: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
        var rest: (UInt8, UInt8) = (0, 0)
    }
}
