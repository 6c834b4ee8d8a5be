internal import CLibcrypto
package import Foundation

/// SHA-256: what tells bytes from all others, without a key.
///
/// Any thread; pure.
package enum SHA256Digest {
    /// How many bytes a digest has.
    package static let byteCount = 32

    /// The digest of parts, one behind the other.
    ///
    /// - Throws: `CryptographyError` when the library refuses, which it does for want of memory.
    package static func hash(of parts: [[UInt8]]) throws(CryptographyError) -> [UInt8] {
        try hash { (update) throws(CryptographyError) in
            for part in parts { try part.withBytes(update) }
        }
    }

    /// The digest of two parts, one behind the other, without a copy of either.
    ///
    /// - Throws: `CryptographyError` when the library refuses, which it does for want of memory.
    package static func hash(of first: [UInt8], _ second: Data) throws(CryptographyError) -> [UInt8] {
        try hash { (update) throws(CryptographyError) in
            try first.withBytes(update)
            try second.withBytes(update)
        }
    }

    private typealias Update = (UnsafeRawBufferPointer) throws(CryptographyError) -> Void

    private static func hash(
        _ feed: (Update) throws(CryptographyError) -> Void
    ) throws(CryptographyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw CryptographyError(call: "EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
            throw CryptographyError(call: "EVP_DigestInit_ex")
        }
        try feed { (bytes) throws(CryptographyError) in
            guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
                throw CryptographyError(call: "EVP_DigestUpdate")
            }
        }
        var digest = [UInt8](repeating: 0, count: byteCount)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else {
            throw CryptographyError(call: "EVP_DigestFinal_ex")
        }
        return digest
    }
}

extension [UInt8] {
    fileprivate func withBytes(
        _ body: (UnsafeRawBufferPointer) throws(CryptographyError) -> Void
    ) throws(CryptographyError) {
        let result = withUnsafeBytes { bytes in
            Result { () throws(CryptographyError) in try body(bytes) }
        }
        try result.get()
    }
}

extension Data {
    fileprivate func withBytes(
        _ body: (UnsafeRawBufferPointer) throws(CryptographyError) -> Void
    ) throws(CryptographyError) {
        let result = withUnsafeBytes { bytes in
            Result { () throws(CryptographyError) in try body(bytes) }
        }
        try result.get()
    }
}
