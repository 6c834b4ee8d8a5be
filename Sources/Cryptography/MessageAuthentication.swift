internal import CLibcrypto
package import Foundation

/// Tells whether bytes are what somebody with the key made of them: HMAC with SHA-256.
///
/// Any thread; pure but for `newKey()`.
package enum MessageAuthentication {
    /// How many bytes a key has.
    package static let keyByteCount = 32
    /// How many bytes a code has.
    package static let codeByteCount = 32

    /// The code of a message.
    ///
    /// - Throws: `CryptographyError` when the library refuses, which it does for want of memory.
    package static func code(of message: Data, key: Data) throws(CryptographyError) -> Data {
        var code = [UInt8](repeating: 0, count: codeByteCount)
        var byteCount: UInt32 = 0
        let (keyBytes, bytes) = ([UInt8](key), [UInt8](message))
        let done = HMAC(
            EVP_sha256(),
            keyBytes,
            Int32(keyBytes.count),
            bytes,
            bytes.count,
            &code,
            &byteCount
        )
        guard done != nil, byteCount == codeByteCount else { throw CryptographyError(call: "HMAC") }
        return Data(code)
    }

    /// Whether a code is that of a message; takes as long for a wrong one as for the right one.
    package static func isCode(
        _ code: Data,
        of message: Data,
        key: Data
    ) throws(CryptographyError) -> Bool {
        let (expected, found) = ([UInt8](try self.code(of: message, key: key)), [UInt8](code))
        return expected.count == found.count && CRYPTO_memcmp(expected, found, expected.count) == 0
    }

    /// A new random key.
    ///
    /// - Throws: `CryptographyError` when the system gives no randomness.
    package static func newKey() throws(CryptographyError) -> Data {
        var bytes = [UInt8](repeating: 0, count: keyByteCount)
        guard RAND_bytes(&bytes, Int32(keyByteCount)) == 1 else {
            throw CryptographyError(call: "RAND_bytes")
        }
        return Data(bytes)
    }
}

/// The library refused what cannot fail while there are memory and randomness.
package struct CryptographyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The function of libcrypto.
    package var call: String

    package var description: String { "\(call)(3) failed. Free some memory and try again." }
}
