internal import CLibcrypto

/// Owns a key of the library's.
///
/// `@unchecked Sendable`: the library counts references atomically, and nothing of ours changes a key once it is made.
final class RawKey: @unchecked Sendable {
    enum Purpose {
        case signing
        case agreement

        var type: Int32 { self == .signing ? EVP_PKEY_ED25519 : EVP_PKEY_X25519 }
    }

    let pointer: OpaquePointer

    init(privateBytes: [UInt8], _ purpose: Purpose) throws(CryptographyError) {
        guard
            let key = EVP_PKEY_new_raw_private_key(purpose.type, nil, privateBytes, privateBytes.count)
        else { throw CryptographyError(call: "EVP_PKEY_new_raw_private_key") }
        pointer = key
    }

    init(publicBytes: [UInt8], _ purpose: Purpose) throws(CryptographyError) {
        guard let key = EVP_PKEY_new_raw_public_key(purpose.type, nil, publicBytes, publicBytes.count) else {
            throw CryptographyError(call: "EVP_PKEY_new_raw_public_key")
        }
        pointer = key
    }

    deinit { EVP_PKEY_free(pointer) }

    func publicBytes() throws(CryptographyError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        var byteCount = bytes.count
        guard EVP_PKEY_get_raw_public_key(pointer, &bytes, &byteCount) == 1, byteCount == bytes.count else {
            throw CryptographyError(call: "EVP_PKEY_get_raw_public_key")
        }
        return bytes
    }
}
