internal import CLibcrypto

/// Comes to a secret with the owner of another such key: the private half of a pair of X25519 (RFC 7748).
///
/// Any thread: the library only reads it.
package struct AgreementKey: Sendable {
    /// How many bytes a private key, a public key and a secret have.
    package static let byteCount = 32

    /// Whoever has these can open what is meant for this key.
    package let privateBytes: [UInt8]
    /// What others seal for it with.
    package let publicBytes: [UInt8]
    private let handle: RawKey

    /// - Parameter privateBytes: `byteCount` random bytes.
    /// - Throws: `CryptographyError` for want of memory.
    package init(privateBytes: [UInt8]) throws(CryptographyError) {
        precondition(privateBytes.count == Self.byteCount, "an agreement key of \(privateBytes.count) bytes")
        handle = try RawKey(privateBytes: privateBytes, .agreement)
        publicBytes = try handle.publicBytes()
        self.privateBytes = privateBytes
    }

    /// What this key and another one have in common, as the other one with this one's public bytes. Not a key yet: keys
    /// are derived from it.
    ///
    /// - Parameter publicBytes: `byteCount` bytes; anything may be in them.
    /// - Returns: Nil when the bytes are a key with which every other comes to the same: nobody honest has it.
    package func secret(with publicBytes: [UInt8]) throws(CryptographyError) -> [UInt8]? {
        precondition(publicBytes.count == Self.byteCount, "\(publicBytes.count) bytes of a key")
        let other = try RawKey(publicBytes: publicBytes, .agreement)
        guard let context = EVP_PKEY_CTX_new(handle.pointer, nil) else {
            throw CryptographyError(call: "EVP_PKEY_CTX_new")
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_derive_init(context) == 1 else {
            throw CryptographyError(call: "EVP_PKEY_derive_init")
        }
        guard EVP_PKEY_derive_set_peer(context, other.pointer) == 1 else { return nil }
        var secret = [UInt8](repeating: 0, count: Self.byteCount)
        var byteCount = secret.count
        guard EVP_PKEY_derive(context, &secret, &byteCount) == 1, byteCount == Self.byteCount else {
            return nil
        }
        return secret
    }
}
