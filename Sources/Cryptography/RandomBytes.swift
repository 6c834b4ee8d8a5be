internal import CLibcrypto

/// Where random bytes come from: the system's, or a test's.
///
/// - Parameter byteCount: How many are wanted.
/// - Throws: `CryptographyError` when there is no randomness.
package typealias RandomSource = (_ byteCount: Int) throws(CryptographyError) -> [UInt8]

/// Random bytes that nobody can guess. Any thread.
package enum RandomBytes {
    /// So many bytes.
    ///
    /// - Throws: `CryptographyError` when the system gives no randomness.
    package static func make(_ byteCount: Int) throws(CryptographyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        guard RAND_bytes(&bytes, Int32(byteCount)) == 1 else { throw CryptographyError(call: "RAND_bytes") }
        return bytes
    }

    /// Whether two secrets are the same; takes as long for any two of one length.
    package static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.count == second.count && CRYPTO_memcmp(first, second, first.count) == 0
    }
}
