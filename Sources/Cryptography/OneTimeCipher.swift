internal import CLibcrypto

/// Seals messages by AES-256-GCM, each under a key of its own.
///
/// As a key serves for one message only, the nonce is always zero: none can be used twice by mistake. Who derives a key
/// has to see to it that no other message gets the same.
///
/// Not for two threads at a time: each has its own.
package final class OneTimeCipher {
    /// How many bytes a key has.
    package static let keyByteCount = 32
    /// How many bytes longer a sealed message is.
    package static let tagByteCount = 16
    /// How many bytes a part of a message has at most.
    package static let partByteCountMax = 1 << 30

    private let cipher: OpaquePointer
    private let context: OpaquePointer
    private static let nonce = [UInt8](repeating: 0, count: 12)

    /// - Throws: `CryptographyError` when the library refuses, which it does for want of memory.
    package init() throws(CryptographyError) {
        guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
            throw CryptographyError(call: "EVP_CIPHER_fetch")
        }
        guard let context = EVP_CIPHER_CTX_new() else {
            EVP_CIPHER_free(cipher)
            throw CryptographyError(call: "EVP_CIPHER_CTX_new")
        }
        (self.cipher, self.context) = (cipher, context)
    }

    deinit {
        EVP_CIPHER_CTX_free(context)
        EVP_CIPHER_free(cipher)
    }

    /// Seals a message that is in two parts.
    ///
    /// - Parameters:
    ///   - key: `keyByteCount` bytes that seal no other message.
    ///   - bound: What is not in the message and has to be the same when it is opened.
    ///   - sealed: Gets both parts and the tag: exactly as many bytes. May not overlap the parts.
    package func seal(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        bound: UnsafeRawBufferPointer,
        into sealed: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) {
        let byteCount = first.count + second.count
        precondition(key.count == Self.keyByteCount, "a key of \(key.count) bytes")
        precondition(sealed.count == byteCount + Self.tagByteCount, "room for \(sealed.count) bytes")
        let keyBytes = key.assumingMemoryBound(to: UInt8.self).baseAddress
        guard EVP_EncryptInit_ex2(context, cipher, keyBytes, Self.nonce, nil) == 1 else {
            throw CryptographyError(call: "EVP_EncryptInit_ex2")
        }
        let output = sealed.assumingMemoryBound(to: UInt8.self).baseAddress
        var written: Int32 = 0
        for (part, place) in [(bound, nil), (first, output), (second, output?.advanced(by: first.count))]
        where part.count > 0 {
            precondition(part.count <= Self.partByteCountMax, "a part of \(part.count) bytes")
            let bytes = part.assumingMemoryBound(to: UInt8.self).baseAddress
            guard EVP_EncryptUpdate(context, place, &written, bytes, Int32(part.count)) == 1 else {
                throw CryptographyError(call: "EVP_EncryptUpdate")
            }
        }
        let tag = output?.advanced(by: byteCount)
        guard EVP_EncryptFinal_ex(context, tag, &written) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagByteCount), tag) == 1
        else { throw CryptographyError(call: "EVP_EncryptFinal_ex") }
    }

    /// Opens a sealed message in two parts.
    ///
    /// - Parameters:
    ///   - sealed: What `seal` made.
    ///   - first: Gets the first part: as many bytes as it has room for.
    ///   - second: Gets the rest, which has to fit exactly.
    /// - Returns: Whether it is what was sealed under this key with the same `bound`. If not, nothing is left in the parts.
    package func open(
        _ sealed: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        bound: UnsafeRawBufferPointer,
        into first: UnsafeMutableRawBufferPointer,
        _ second: UnsafeMutableRawBufferPointer
    ) throws(CryptographyError) -> Bool {
        let byteCount = first.count + second.count
        precondition(key.count == Self.keyByteCount, "a key of \(key.count) bytes")
        precondition(sealed.count == byteCount + Self.tagByteCount, "\(sealed.count) sealed bytes")
        let keyBytes = key.assumingMemoryBound(to: UInt8.self).baseAddress
        guard EVP_DecryptInit_ex2(context, cipher, keyBytes, Self.nonce, nil) == 1 else {
            throw CryptographyError(call: "EVP_DecryptInit_ex2")
        }
        let input = sealed.assumingMemoryBound(to: UInt8.self).baseAddress
        try update(nil, bound.assumingMemoryBound(to: UInt8.self).baseAddress, bound.count)
        try update(first.assumingMemoryBound(to: UInt8.self).baseAddress, input, first.count)
        let rest = input?.advanced(by: first.count)
        try update(second.assumingMemoryBound(to: UInt8.self).baseAddress, rest, second.count)
        // The library does not write to what it calls a pointer to change.
        let tag = UnsafeMutablePointer(mutating: input?.advanced(by: byteCount))
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagByteCount), tag) == 1 else {
            throw CryptographyError(call: "EVP_CIPHER_CTX_ctrl")
        }
        var written: Int32 = 0
        var none: UInt8 = 0
        if EVP_DecryptFinal_ex(context, &none, &written) == 1 { return true }
        for part in [first, second] where part.count > 0 {
            part.initializeMemory(as: UInt8.self, repeating: 0)
        }
        return false
    }

    private func update(
        _ output: UnsafeMutablePointer<UInt8>?,
        _ input: UnsafePointer<UInt8>?,
        _ byteCount: Int
    ) throws(CryptographyError) {
        guard byteCount > 0 else { return }
        precondition(byteCount <= Self.partByteCountMax, "a part of \(byteCount) bytes")
        var written: Int32 = 0
        guard EVP_DecryptUpdate(context, output, &written, input, Int32(byteCount)) == 1 else {
            throw CryptographyError(call: "EVP_DecryptUpdate")
        }
    }
}
