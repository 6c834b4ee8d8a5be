internal import CLibcrypto

/// Signs messages: the private half of a pair of Ed25519 (RFC 8032).
///
/// Any thread: the library only reads it.
package struct SigningKey: Sendable {
    /// How many bytes a private key, a public key and a signature have.
    package static let (seedByteCount, publicByteCount, signatureByteCount) = (32, 32, 64)

    /// Whoever has these can sign as this key does.
    package let seed: [UInt8]
    /// What others tell its signatures by.
    package let publicBytes: [UInt8]
    private let handle: RawKey

    /// - Parameter seed: `seedByteCount` random bytes.
    /// - Throws: `CryptographyError` for want of memory.
    package init(seed: [UInt8]) throws(CryptographyError) {
        precondition(seed.count == Self.seedByteCount, "a signing key of \(seed.count) bytes")
        handle = try RawKey(privateBytes: seed, .signing)
        publicBytes = try handle.publicBytes()
        self.seed = seed
    }

    /// The signature of a message.
    package func signature(of message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw CryptographyError(call: "EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, nil, nil, handle.pointer) == 1 else {
            throw CryptographyError(call: "EVP_DigestSignInit")
        }
        var signature = [UInt8](repeating: 0, count: Self.signatureByteCount)
        var byteCount = signature.count
        guard EVP_DigestSign(context, &signature, &byteCount, message, message.count) == 1,
            byteCount == Self.signatureByteCount
        else { throw CryptographyError(call: "EVP_DigestSign") }
        return signature
    }
}

/// Tells whether a message was signed by the key whose public half this is. Any thread.
package struct VerifyingKey: Sendable {
    private let handle: RawKey

    /// - Parameter publicBytes: `SigningKey.publicByteCount` bytes; anything may be in them.
    /// - Throws: `CryptographyError` for want of memory.
    package init(publicBytes: [UInt8]) throws(CryptographyError) {
        precondition(publicBytes.count == SigningKey.publicByteCount, "\(publicBytes.count) bytes of a key")
        handle = try RawKey(publicBytes: publicBytes, .signing)
    }

    /// Whether these bytes, however many, are a signature of the message.
    package func isSignature(
        _ signature: [UInt8],
        of message: [UInt8]
    ) throws(CryptographyError) -> Bool {
        guard let context = EVP_MD_CTX_new() else { throw CryptographyError(call: "EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, nil, nil, handle.pointer) == 1 else {
            throw CryptographyError(call: "EVP_DigestVerifyInit")
        }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
