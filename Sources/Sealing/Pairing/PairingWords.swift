internal import Cryptography

/// What the two sides of a pairing say to each other; Docs/formats/pairing.md says it in words.
enum PairingWords {
    static let version: UInt8 = 1
    static let nonceByteCount = 32
    static let tagByteCount = 32

    /// Which message it is, in the order in which they are said. Odd ones are the second device's.
    enum Step: UInt8 {
        case commitment = 1
        case answer = 2
        case opening = 3
        case introduction = 4
        case gift = 5
        case receipt = 6
        /// Instead of any other.
        case end = 7
    }

    static func encode(_ step: Step, _ contents: [UInt8]) -> [UInt8] { [version, step.rawValue] + contents }

    static func decode(_ message: [UInt8]) throws(SealingError) -> (step: Step, contents: [UInt8]) {
        var reader = ByteReader(message, "A message of a pairing")
        try reader.version(version)
        guard let step = Step(rawValue: try reader.integer()) else { throw reader.malformed("no step is so") }
        return (step, try reader.raw(reader.remainingCount))
    }

    /// What a side shows the other: a public key made for this pairing, and random bytes.
    struct Share: Hashable {
        var key: [UInt8]
        var nonce: [UInt8]

        var bytes: [UInt8] { key + nonce }

        init(key: [UInt8], nonce: [UInt8]) { (self.key, self.nonce) = (key, nonce) }

        init(from reader: inout ByteReader) throws(SealingError) {
            self.init(key: try reader.raw(AgreementKey.byteCount), nonce: try reader.raw(nonceByteCount))
        }
    }

    static func newShare(_ random: RandomSource) throws(SealingError) -> (AgreementKey, Share) {
        try SealingError.calling { () throws(CryptographyError) in
            let key = try AgreementKey(privateBytes: try random(AgreementKey.byteCount))
            return (key, Share(key: key.publicBytes, nonce: try random(nonceByteCount)))
        }
    }

    /// What the second device says first: it binds it to its share without showing it. Who is in between has to choose
    /// a share without knowing what phrase comes of it.
    static func commitment(to share: Share) throws(SealingError) -> [UInt8] {
        try SealingError.calling { () throws(CryptographyError) in
            try SHA256Digest.hash(of: [Array("sheaf pairing 1".utf8), share.bytes])
        }
    }

    static func seal(_ plain: [UInt8], _ key: [UInt8], _ step: Step) throws(SealingError) -> [UInt8] {
        encode(step, try OneTimeSeal.seal(plain, key, [version, step.rawValue]))
    }

    static func open(_ sealed: [UInt8], _ key: [UInt8], _ step: Step) throws(SealingError) -> [UInt8] {
        try OneTimeSeal.open(sealed, key, [version, step.rawValue], "A message of a pairing")
    }
}

/// What both sides come to, if nobody is in between.
struct PairingKeys: Hashable {
    static let phraseByteCount = 4

    /// For both people to compare: 32 bits.
    let phrase: [String]
    /// That the second device has typed the code.
    let confirmation: [UInt8]
    /// Each seals the one message that it is named after.
    let introduction, gift, receipt: [UInt8]

    /// - Returns: Nil when the other's key is one that nobody honest has.
    init?(
        own: AgreementKey,
        other: [UInt8],
        code: PairingCode,
        first: PairingWords.Share,
        second: PairingWords.Share
    ) throws(SealingError) {
        let keys = try SealingError.calling { () throws(CryptographyError) -> [[UInt8]]? in
            guard let secret = try own.secret(with: other) else { return nil }
            let said = Array("sheaf pairing 1".utf8) + code.signs + first.bytes + second.bytes
            let derivation = try KeyDerivation(secret: secret, salt: try SHA256Digest.hash(of: [said]))
            return [
                try derivation.key(for: "phrase", byteCount: Self.phraseByteCount),
                try derivation.key(for: "confirmation", byteCount: PairingWords.tagByteCount),
                try derivation.key(for: "introduction"), try derivation.key(for: "gift"),
                try derivation.key(for: "receipt"),
            ]
        }
        guard let keys else { return nil }
        phrase = PhraseWords.phrase(of: keys[0])
        (confirmation, introduction, gift, receipt) = (keys[1], keys[2], keys[3], keys[4])
    }
}
