package import Cryptography

/// The side of a pairing that is to get the keys. Pure.
///
/// 1. It introduces itself only after its person said that the phrases are the same; so the first device knows it.
/// 2. It takes keys only after that: before, they could be anybody's.
package struct SecondPairing: Sendable {
    private enum State: Sendable {
        case committed
        case comparing(PairingKeys)
        case introduced(PairingKeys)
        case keeping(PairingKeys)
        case over
    }

    package let code: PairingCode
    private let identity: PublicIdentity
    private let key: AgreementKey
    private let share: PairingWords.Share
    private var state = State.committed
    /// What the other side has said.
    private var heard: [[UInt8]] = []

    /// Joins a pairing: do what `begin()` says.
    ///
    /// - Parameter identity: This device's.
    package init(
        _ code: PairingCode,
        as identity: PublicIdentity,
        random: RandomSource
    ) throws(SealingError) {
        (self.code, self.identity) = (code, identity)
        (key, share) = try PairingWords.newShare(random)
    }

    /// What is to be done first.
    package func begin() throws(SealingError) -> [PairingAction] {
        [.send(PairingWords.encode(.commitment, try PairingWords.commitment(to: share)))]
    }

    /// - Throws: `outOfMemory`.
    package mutating func handle(_ event: PairingEvent) throws(SealingError) -> [PairingAction] {
        if case .over = state { return [] }
        switch event {
        case .message(let message): return try hear(message)
        case .same: return try compared()
        case .different: return end(.differentPhrases)
        case .cancel: return end(.cancelled)
        case .time(let seconds): return seconds >= PairingLimits.seconds ? end(.timedOut) : []
        }
    }

    /// What was asked for by `keep` is done: the gift is on stable storage.
    ///
    /// - Throws: `outOfMemory`.
    package mutating func received() throws(SealingError) -> [PairingAction] {
        guard case .keeping(let keys) = state else { return [] }
        let message = try PairingWords.seal([], keys.receipt, .receipt)
        state = .over
        return [.send(message)]
    }

    private mutating func hear(_ message: [UInt8]) throws(SealingError) -> [PairingAction] {
        guard !heard.contains(message) else { return [] }
        heard.append(message)
        do {
            let (step, contents) = try PairingWords.decode(message)
            return try said(step, contents)
        } catch {
            guard error.code != .outOfMemory else { throw error }
            return end(error.code == .damagedOrExchanged ? .interfered : .malformed(error))
        }
    }

    private mutating func said(
        _ step: PairingWords.Step,
        _ contents: [UInt8]
    ) throws(SealingError) -> [PairingAction] {
        switch (step, state) {
        // What there was to get is here.
        case (_, .keeping): return []
        case (.end, _):
            state = .over
            return [.ended(PairingEnd(byte: contents.first ?? 0))]
        case (.answer, .committed): return try answered(contents)
        case (.gift, .introduced(let keys)):
            let gift = try PairingGift(encoded: try PairingWords.open(contents, keys.gift, step))
            state = .keeping(keys)
            return [.keep(gift)]
        default: return end(.interfered)
        }
    }

    private mutating func answered(_ contents: [UInt8]) throws(SealingError) -> [PairingAction] {
        var reader = ByteReader(contents, "The first device's share")
        let other = try PairingWords.Share(from: &reader)
        try reader.finish()
        let keys = try PairingKeys(own: key, other: other.key, code: code, first: other, second: share)
        guard let keys else { return end(.interfered) }
        state = .comparing(keys)
        return [
            .send(PairingWords.encode(.opening, share.bytes + keys.confirmation)), .show(phrase: keys.phrase),
        ]
    }

    private mutating func compared() throws(SealingError) -> [PairingAction] {
        guard case .comparing(let keys) = state else { return [] }
        var writer = ByteWriter()
        identity.encode(into: &writer)
        let message = try PairingWords.seal(writer.bytes, keys.introduction, .introduction)
        state = .introduced(keys)
        return [.send(message)]
    }

    private mutating func end(_ end: PairingEnd) -> [PairingAction] {
        state = .over
        return [.send(PairingWords.encode(.end, [end.byte])), .ended(end)]
    }
}
