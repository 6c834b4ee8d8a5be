internal import Cryptography

/// Bytes that only the owner of an agreement key can read. Says nothing of who sealed them.
///
/// A new pair of keys is made for each box; what the two keys agree on gives the key of the box. Nothing else is ever
/// sealed under that.
struct SealedBox {
    let ephemeral: [UInt8]
    let sealed: [UInt8]

    static func seal(
        _ plain: [UInt8],
        for receiver: [UInt8],
        bound: [UInt8],
        random: RandomSource
    ) throws(SealingError) -> SealedBox {
        let ephemeral = try SealingError.calling { () throws(CryptographyError) in
            try AgreementKey(privateBytes: try random(AgreementKey.byteCount))
        }
        let key = try key(ephemeral, receiver, ephemeral: ephemeral.publicBytes, receiver: receiver)
        guard let key else { throw SealingError(.keyExchanged, "The receiver's key is none. Pair it again.") }
        return SealedBox(ephemeral: ephemeral.publicBytes, sealed: try OneTimeSeal.seal(plain, key, bound))
    }

    func open(
        with receiver: AgreementKey,
        bound: [UInt8],
        _ subject: String
    ) throws(SealingError) -> [UInt8] {
        let key = try Self.key(receiver, ephemeral, ephemeral: ephemeral, receiver: receiver.publicBytes)
        guard let key else { throw .damagedOrExchanged(subject) }
        return try OneTimeSeal.open(sealed, key, bound, subject)
    }

    private static func key(
        _ own: AgreementKey,
        _ other: [UInt8],
        ephemeral: [UInt8],
        receiver: [UInt8]
    ) throws(SealingError) -> [UInt8]? {
        try SealingError.calling { () throws(CryptographyError) in
            guard let secret = try own.secret(with: other) else { return nil }
            return try KeyDerivation(secret: secret, salt: ephemeral + receiver).key(for: "sheaf box 1")
        }
    }
}

/// Seals and opens one message under a key that is for this message only.
enum OneTimeSeal {
    static func seal(_ plain: [UInt8], _ key: [UInt8], _ bound: [UInt8]) throws(SealingError) -> [UInt8] {
        let cipher = try SealingError.calling { () throws(CryptographyError) in try OneTimeCipher() }
        return try seal(plain, key, bound, cipher)
    }

    static func seal(
        _ plain: [UInt8],
        _ key: [UInt8],
        _ bound: [UInt8],
        _ cipher: OneTimeCipher
    ) throws(SealingError) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: plain.count + OneTimeCipher.tagByteCount)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let outcome = plain.withUnsafeBytes { plain in
            key.withUnsafeBytes { key in
                bound.withUnsafeBytes { bound in
                    sealed.withUnsafeMutableBytes { sealed in
                        Result { () throws(CryptographyError) in
                            try cipher.seal(nothing, plain, key: key, bound: bound, into: sealed)
                        }
                    }
                }
            }
        }
        do { try outcome.get() } catch { throw SealingError(error) }
        return sealed
    }

    static func open(
        _ sealed: [UInt8],
        _ key: [UInt8],
        _ bound: [UInt8],
        _ subject: String
    ) throws(SealingError) -> [UInt8] {
        let cipher = try SealingError.calling { () throws(CryptographyError) in try OneTimeCipher() }
        return try open(sealed, key, bound, subject, cipher)
    }

    static func open(
        _ sealed: [UInt8],
        _ key: [UInt8],
        _ bound: [UInt8],
        _ subject: String,
        _ cipher: OneTimeCipher
    ) throws(SealingError) -> [UInt8] {
        guard sealed.count >= OneTimeCipher.tagByteCount else { throw .damagedOrExchanged(subject) }
        var plain = [UInt8](repeating: 0, count: sealed.count - OneTimeCipher.tagByteCount)
        let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        let outcome = sealed.withUnsafeBytes { sealed in
            key.withUnsafeBytes { key in
                bound.withUnsafeBytes { bound in
                    plain.withUnsafeMutableBytes { plain in
                        Result { () throws(CryptographyError) in
                            try cipher.open(sealed, key: key, bound: bound, into: nothing, plain)
                        }
                    }
                }
            }
        }
        do {
            if try outcome.get() { return plain }
        } catch { throw SealingError(error) }
        throw .damagedOrExchanged(subject)
    }
}
