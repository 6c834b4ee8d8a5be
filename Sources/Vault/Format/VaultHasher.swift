internal import Cryptography

/// The vault's keyed hash, for one thread at a time.
final class VaultHasher {
    private let hasher: KeyedHasher
    private let noted: (checks: ChunkChecks, checksum: SecretChecksum)?

    /// - Parameter checks: Where the checksums of chunks are noted that are named.
    init(key: [UInt8], noting checks: ChunkChecks? = nil) throws {
        hasher = try KeyedHasher(key: key)
        noted = try checks.map { ($0, try $0.checksum()) }
    }

    /// What a chunk is called.
    func name(ofChunk plain: UnsafeRawBufferPointer) throws(CryptographyError) -> ObjectName {
        let name = try name(.chunk, plain)
        if let noted { noted.checks.note(name, try noted.checksum.value(of: plain)) }
        return name
    }

    /// What an object is called.
    func name(_ kind: ObjectKind, _ plain: UnsafeRawBufferPointer) throws(CryptographyError) -> ObjectName {
        var name = ObjectName()
        var purpose = kind.rawValue
        try name.fill { (code) throws(CryptographyError) in
            try withUnsafeBytes(of: &purpose) { (first) throws(CryptographyError) in
                try hasher.code(of: first, plain, into: code)
            }
        }
        return name
    }

    /// Sixteen bytes that tell whether others were altered.
    func check(_ purpose: UInt8, _ bytes: [UInt8]) throws -> [UInt8] {
        try check([purpose], bytes, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    func check(_ first: [UInt8], _ second: [UInt8], _ third: UnsafeRawBufferPointer) throws -> [UInt8] {
        var code = [UInt8](repeating: 0, count: PackFormat.checkByteCount)
        try first.withUnsafeBytes { first in
            try second.withUnsafeBytes { second in
                try code.withUnsafeMutableBytes { try hasher.code(of: first, second, third, into: $0) }
            }
        }
        return code
    }

    /// The numbers by which chunks are cut; others than another vault's, so that the sizes of chunks tell nothing.
    func gear() throws -> [UInt64] {
        try (0..<256).map { byte in
            var name = ObjectName()
            try name.fill { code in
                try [PackFormat.Purpose.gear, UInt8(byte)].withUnsafeBytes {
                    try hasher.code(of: $0, into: code)
                }
            }
            return name.withBytes { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
        }
    }
}
