internal import CLibcrypto

/// Checksums of many messages under one key, by which a message is known again that has not changed: GMAC with AES-128, several
/// times faster than a hash.
///
/// As the nonce is always the same, they are no proof to anybody: who has seen some could make up others. They stay in the
/// process that has made them, and so does the key.
///
/// Not for two threads at a time: each has its own.
package final class SecretChecksum {
    /// How many bytes a key has.
    package static let keyByteCount = 16

    /// A message's checksum.
    package struct Value: Equatable, Sendable {
        fileprivate var words = SIMD2<UInt64>()

        /// Sixteen of them.
        package var bytes: [UInt8] { withUnsafeBytes(of: words) { [UInt8]($0) } }
    }

    private let context: OpaquePointer
    private static let nonce = [UInt8](repeating: 0, count: 12)

    /// - Parameter key: `keyByteCount` random bytes.
    /// - Throws: `CryptographyError` when the library refuses, which it does for want of memory.
    package init(key: [UInt8]) throws(CryptographyError) {
        precondition(key.count == Self.keyByteCount, "a key of \(key.count) bytes")
        guard let context = EVP_CIPHER_CTX_new() else { throw CryptographyError(call: "EVP_CIPHER_CTX_new") }
        self.context = context
        guard EVP_EncryptInit_ex2(context, EVP_aes_128_gcm(), key, Self.nonce, nil) == 1 else {
            throw CryptographyError(call: "EVP_EncryptInit_ex2")
        }
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// - Parameter message: Less than a gibibyte.
    package func value(of message: UnsafeRawBufferPointer) throws(CryptographyError) -> Value {
        precondition(message.count <= OneTimeCipher.partByteCountMax, "a message of \(message.count) bytes")
        guard EVP_EncryptInit_ex2(context, nil, nil, Self.nonce, nil) == 1 else {
            throw CryptographyError(call: "EVP_EncryptInit_ex2")
        }
        var written: Int32 = 0
        if let bytes = message.assumingMemoryBound(to: UInt8.self).baseAddress, !message.isEmpty {
            // Without an output it is bound only, and not encrypted.
            guard EVP_EncryptUpdate(context, nil, &written, bytes, Int32(message.count)) == 1 else {
                throw CryptographyError(call: "EVP_EncryptUpdate")
            }
        }
        var (value, none) = (Value(), UInt8(0))
        let isMade = withUnsafeMutableBytes(of: &value.words) { tag in
            EVP_EncryptFinal_ex(context, &none, &written) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), tag.baseAddress) == 1
        }
        guard isMade else { throw CryptographyError(call: "EVP_EncryptFinal_ex") }
        return value
    }
}
