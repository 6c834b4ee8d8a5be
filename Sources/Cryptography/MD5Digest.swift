internal import CLibcrypto

/// MD5: keeps nobody from making others of the same digest. For names that other programs make with it, and nothing else.
///
/// Any thread; pure.
package enum MD5Digest {
    /// The digest of bytes: 16 of them.
    ///
    /// - Throws: `CryptographyError` where the library has no MD5, or for want of memory.
    package static func hash(of bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 16)
        guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil) == 1 else {
            throw CryptographyError(call: "EVP_Digest")
        }
        return digest
    }
}
