internal import CLibcrypto

/// Makes many codes under one key, HMAC with SHA-256, without preparing the key for each.
///
/// Not for two threads at a time: each has its own.
package final class KeyedHasher {
    private let context: OpaquePointer

    /// - Parameter key: Any bytes; `MessageAuthentication.keyByteCount` are enough.
    /// - Throws: `CryptographyError` when the library refuses, which it does for want of memory.
    package init(key: [UInt8]) throws(CryptographyError) {
        guard let algorithm = EVP_MAC_fetch(nil, "HMAC", nil) else {
            throw CryptographyError(call: "EVP_MAC_fetch")
        }
        defer { EVP_MAC_free(algorithm) }
        guard let context = EVP_MAC_CTX_new(algorithm) else {
            throw CryptographyError(call: "EVP_MAC_CTX_new")
        }
        self.context = context
        var digest = Array("SHA256".utf8CString)
        let isReady = digest.withUnsafeMutableBufferPointer { name in
            // The parameter holds on to the address of its name: that has to be there until it has been read.
            "digest".withCString { parameter in
                let parameters = [
                    OSSL_PARAM_construct_utf8_string(parameter, name.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ]
                return EVP_MAC_init(context, key, key.count, parameters) == 1
            }
        }
        guard isReady else { throw CryptographyError(call: "EVP_MAC_init") }
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// The code of a message that is in three parts.
    ///
    /// - Parameter code: Gets the first bytes of the code, `MessageAuthentication.codeByteCount` at most.
    package func code(
        of first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        _ third: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        into code: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) {
        guard EVP_MAC_init(context, nil, 0, nil) == 1 else { throw CryptographyError(call: "EVP_MAC_init") }
        for part in [first, second, third] where part.count > 0 {
            let bytes = part.assumingMemoryBound(to: UInt8.self)
            guard EVP_MAC_update(context, bytes.baseAddress, bytes.count) == 1 else {
                throw CryptographyError(call: "EVP_MAC_update")
            }
        }
        var byteCount = 0
        var whole = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        try withUnsafeMutableBytes(of: &whole) { (bytes) throws(CryptographyError) in
            let raw = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            guard EVP_MAC_final(context, raw, &byteCount, bytes.count) == 1 else {
                throw CryptographyError(call: "EVP_MAC_final")
            }
            code.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<min(code.count, byteCount)]))
        }
    }
}
