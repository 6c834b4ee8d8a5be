internal import CLibcrypto

/// Makes many digests, SHA-256, without looking the algorithm up for each.
///
/// Not for two threads at a time: each has its own.
package final class SHA256Hasher {
    private let algorithm: OpaquePointer
    private let context: OpaquePointer

    /// - Throws: `CryptographyError` for want of memory.
    package init() throws(CryptographyError) {
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
            throw CryptographyError(call: "EVP_MD_fetch")
        }
        guard let context = EVP_MD_CTX_new() else {
            EVP_MD_free(algorithm)
            throw CryptographyError(call: "EVP_MD_CTX_new")
        }
        (self.algorithm, self.context) = (algorithm, context)
    }

    deinit {
        EVP_MD_CTX_free(context)
        EVP_MD_free(algorithm)
    }

    /// The digest of bytes: 32 of them.
    package func digest(of bytes: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestInit_ex(context, algorithm, nil) == 1,
            EVP_DigestUpdate(context, bytes, bytes.count) == 1,
            EVP_DigestFinal_ex(context, &digest, nil) == 1
        else { throw CryptographyError(call: "EVP_DigestFinal_ex") }
        return digest
    }
}
