import Cryptography
import Foundation
import Testing

/// What the standards give as examples, so that we and others mean the same.
@Suite("Known answers")
struct KnownAnswerTests {
    @Test("HKDF gives what RFC 5869 says")
    func derivation() throws {
        let secret = [UInt8](repeating: 0x0b, count: 22)
        let salted = try KeyDerivation(secret: secret, salt: Array(0...12))
        let first = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        #expect(try salted.key(for: Array(0xf0...0xf9), byteCount: 42) == bytes(first))
        let plain = try KeyDerivation(secret: secret, salt: [])
        let third = "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        #expect(try plain.key(for: [UInt8](), byteCount: 42) == bytes(third))
    }

    @Test(
        "A secret checksum is GMAC, as the specification of GCM gives it, and tells messages and keys apart"
    )
    func checksum() throws {
        let zero = [UInt8](repeating: 0, count: SecretChecksum.keyByteCount)
        let checksum = try SecretChecksum(key: zero)
        func value(_ message: [UInt8]) throws -> SecretChecksum.Value {
            try message.withUnsafeBytes { try checksum.value(of: $0) }
        }
        #expect(try value([]).bytes == bytes("58e2fccefa7e3061367f1d57a4e7455a"))
        let message = [UInt8](repeating: 1, count: 70_000)
        let first = try value(message)
        var other = message
        other[69_999] ^= 0x80
        #expect(try value(other) != first && value(Array(message.dropLast())) != first)
        #expect(try value(message) == first)
        let elsewhere = try SecretChecksum(key: zero.map { _ in 1 })
        #expect(try message.withUnsafeBytes { try elsewhere.value(of: $0) } != first)
    }

    @Test("Ed25519 gives what RFC 8032 says, and takes nothing else for a signature")
    func signing() throws {
        let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
        let key = try SigningKey(seed: bytes(seed))
        #expect(
            key.publicBytes == bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        )
        let signature = bytes(
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd2"
                + "5bf5f0595bbe24655141438e7a100b"
        )
        #expect(try key.signature(of: []) == signature)
        let verifying = try VerifyingKey(publicBytes: key.publicBytes)
        #expect(try verifying.isSignature(signature, of: []))
        #expect(try !verifying.isSignature(signature, of: [0]))
        #expect(try !verifying.isSignature(Array(signature.dropLast()), of: []))
        #expect(try !verifying.isSignature([], of: []))
        #expect(
            try !VerifyingKey(publicBytes: [UInt8](repeating: 255, count: 32)).isSignature(signature, of: [])
        )
    }

    @Test("X25519 gives what RFC 7748 says, and no secret for a key that nobody honest has")
    func agreement() throws {
        let own = try AgreementKey(privateBytes: [UInt8](repeating: 5, count: 32))
        let other = try AgreementKey(
            privateBytes: bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        )
        #expect(
            other.publicBytes == bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        )
        let secret = try own.secret(with: other.publicBytes)
        #expect(try secret == other.secret(with: own.publicBytes))
        #expect(secret != nil)
        // RFC 7748, 5.2: once from nine.
        let nine = [9] + [UInt8](repeating: 0, count: 31)
        let once = "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
        #expect(try AgreementKey(privateBytes: nine).secret(with: nine) == bytes(once))
        #expect(try own.secret(with: [UInt8](repeating: 0, count: 32)) == nil)
        #expect(try own.secret(with: [1] + [UInt8](repeating: 0, count: 31)) == nil)
    }

    @Test("AES-256-GCM gives what its specification says, in one part or two")
    func sealing() throws {
        let cipher = try OneTimeCipher()
        let key = [UInt8](repeating: 0, count: 32)
        // McGrew and Viega, test case 14: sixteen zeros.
        let expected = bytes("cea7403d4d606b6e074ec5d3baf39d18" + "d0d1c8a799996bf0265b98b5d48ab919")
        for cut in [0, 1, 5, 16] {
            #expect(try seal(cipher, [UInt8](repeating: 0, count: 16), cut, key, []) == expected)
        }
    }

    @Test("A changed bit anywhere, another key or another bond opens nothing and leaves nothing")
    func damage() throws {
        let cipher = try OneTimeCipher()
        let (key, bound) = ([UInt8](repeating: 3, count: 32), Array("bound".utf8))
        let plain = Array("The sea is calm tonight.".utf8)
        let sealed = try seal(cipher, plain, 5, key, bound)
        #expect(try open(cipher, sealed, 5, key, bound) == plain)
        #expect(try open(cipher, sealed, 0, key, bound) == plain)
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(try open(cipher, damaged, 5, key, bound) == nil)
        }
        #expect(try open(cipher, sealed, 5, [UInt8](repeating: 4, count: 32), bound) == nil)
        #expect(try open(cipher, sealed, 5, key, Array("bounds".utf8)) == nil)
        #expect(try open(cipher, sealed, 5, key, []) == nil)
    }

    private func seal(
        _ cipher: OneTimeCipher,
        _ plain: [UInt8],
        _ cut: Int,
        _ key: [UInt8],
        _ bound: [UInt8]
    ) throws -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: plain.count + OneTimeCipher.tagByteCount)
        try plain.withUnsafeBytes { plain in
            try key.withUnsafeBytes { key in
                try bound.withUnsafeBytes { bound in
                    try sealed.withUnsafeMutableBytes { sealed in
                        try cipher.seal(
                            UnsafeRawBufferPointer(rebasing: plain[..<cut]),
                            UnsafeRawBufferPointer(rebasing: plain[cut...]),
                            key: key,
                            bound: bound,
                            into: sealed
                        )
                    }
                }
            }
        }
        return sealed
    }

    /// - Returns: Nil when it was refused, and nothing of it was left behind.
    private func open(
        _ cipher: OneTimeCipher,
        _ sealed: [UInt8],
        _ cut: Int,
        _ key: [UInt8],
        _ bound: [UInt8]
    ) throws -> [UInt8]? {
        var plain = [UInt8](repeating: 0xAA, count: sealed.count - OneTimeCipher.tagByteCount)
        let isWhole = try sealed.withUnsafeBytes { sealed in
            try key.withUnsafeBytes { key in
                try bound.withUnsafeBytes { bound in
                    try plain.withUnsafeMutableBytes { plain in
                        try cipher.open(
                            sealed,
                            key: key,
                            bound: bound,
                            into: UnsafeMutableRawBufferPointer(rebasing: plain[..<cut]),
                            UnsafeMutableRawBufferPointer(rebasing: plain[cut...])
                        )
                    }
                }
            }
        }
        if !isWhole { #expect(plain.allSatisfy { $0 == 0 }) }
        return isWhole ? plain : nil
    }

    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
    }
}
