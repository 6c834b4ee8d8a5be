/// Makes keys of a secret, each for one purpose: HKDF with SHA-256 (RFC 5869).
///
/// Not for two threads at a time: each has its own.
package final class KeyDerivation {
    private let hasher: KeyedHasher
    /// How many bytes can be had for one purpose.
    package static let byteCountMax = 255 * MessageAuthentication.codeByteCount

    /// - Parameters:
    ///   - secret: As hard to guess as the keys are to be.
    ///   - salt: Anything; the same secret with another salt gives other keys.
    /// - Throws: `CryptographyError` for want of memory.
    package init(secret: [UInt8], salt: [UInt8]) throws(CryptographyError) {
        // A key of zeros is what HMAC makes of no key, too.
        let extractor = try KeyedHasher(key: salt.isEmpty ? [0] : salt)
        hasher = try KeyedHasher(key: try extractor.code(of: secret))
    }

    /// Bytes for a purpose.
    ///
    /// - Parameters:
    ///   - info: The purpose.
    ///   - byteCount: `byteCountMax` at most.
    package func key(for info: [UInt8], byteCount: Int = 32) throws(CryptographyError) -> [UInt8] {
        precondition(byteCount <= Self.byteCountMax, "\(byteCount) bytes of keys")
        var (keys, block, number) = ([UInt8](), [UInt8](), UInt8(0))
        while keys.count < byteCount {
            number += 1
            block = try hasher.code(of: block + info + [number])
            keys += block
        }
        return Array(keys.prefix(byteCount))
    }

    /// Bytes for a purpose that is named by a text.
    package func key(for info: String, byteCount: Int = 32) throws(CryptographyError) -> [UInt8] {
        try key(for: Array(info.utf8), byteCount: byteCount)
    }
}

extension KeyedHasher {
    /// The code of bytes, as bytes.
    package func code(of bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: MessageAuthentication.codeByteCount)
        let outcome = bytes.withUnsafeBytes { bytes in
            code.withUnsafeMutableBytes { code in
                Result { () throws(CryptographyError) in try self.code(of: bytes, into: code) }
            }
        }
        try outcome.get()
        return code
    }
}
