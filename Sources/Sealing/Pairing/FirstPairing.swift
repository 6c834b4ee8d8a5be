package import Cryptography

/// The side of a pairing that has the keys. Pure.
///
/// 1. The keys go out only after both people said that the phrases are the same: this device's by an event, the other's by
///    the introduction, which that device sends only then.
/// 2. Messages come in one order, each once; what was said already may come again, to the byte. Anything else ends it.
package struct FirstPairing: Sendable {
    private enum State: Sendable {
        case waiting
        case answered(commitment: [UInt8])
        /// Both phrases are shown.
        case comparing(PairingKeys, isSame: Bool, other: PublicIdentity?)
        case adding(PairingKeys)
        case given(PairingKeys)
        case over
    }

    package let code: PairingCode
    private let key: AgreementKey
    private let share: PairingWords.Share
    private var state = State.waiting
    /// What the other side has said.
    private var heard: [[UInt8]] = []

    /// Begins a pairing: show the code.
    package init(_ code: PairingCode, random: RandomSource) throws(SealingError) {
        self.code = code
        (key, share) = try PairingWords.newShare(random)
    }

    /// - Throws: `outOfMemory`.
    package mutating func handle(_ event: PairingEvent) throws(SealingError) -> [PairingAction] {
        if case .over = state { return [] }
        switch event {
        case .message(let message): return try hear(message)
        case .same: return compared()
        case .different: return end(.differentPhrases)
        case .cancel: return end(.cancelled)
        case .time(let seconds): return seconds >= PairingLimits.seconds ? end(.timedOut) : []
        }
    }

    /// What was asked for by `add`.
    ///
    /// - Throws: `beyondLimit`, `outOfMemory`.
    package mutating func give(_ gift: PairingGift) throws(SealingError) -> [PairingAction] {
        guard case .adding(let keys) = state else { return [] }
        let message = try PairingWords.seal(try gift.encoded(), keys.gift, .gift)
        state = .given(keys)
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
        case (.end, _):
            // Who types the code once more is to hear that it is over: the relay has all messages for as long as it lives.
            return end(PairingEnd(byte: contents.first ?? 0))
        case (.commitment, .waiting):
            state = .answered(commitment: contents)
            return [.send(PairingWords.encode(.answer, share.bytes))]
        case (.opening, .answered(let commitment)):
            return try opened(contents, commitment)
        case (.introduction, .comparing(let keys, let isSame, nil)):
            let plain = try PairingWords.open(contents, keys.introduction, step)
            var reader = ByteReader(plain, "An introduction")
            let other = try PublicIdentity(from: &reader)
            try reader.finish()
            state = .comparing(keys, isSame: isSame, other: other)
            return add()
        case (.receipt, .given(let keys)):
            _ = try PairingWords.open(contents, keys.receipt, step)
            state = .over
            return [.finished]
        default: return end(.interfered)
        }
    }

    private mutating func opened(
        _ contents: [UInt8],
        _ commitment: [UInt8]
    ) throws(SealingError) -> [PairingAction] {
        var reader = ByteReader(contents, "The second device's share")
        let other = try PairingWords.Share(from: &reader)
        let confirmation = try reader.raw(PairingWords.tagByteCount)
        try reader.finish()
        guard RandomBytes.areEqual(try PairingWords.commitment(to: other), commitment) else {
            return end(.interfered)
        }
        let keys = try PairingKeys(own: key, other: other.key, code: code, first: share, second: other)
        guard let keys else { return end(.interfered) }
        guard RandomBytes.areEqual(confirmation, keys.confirmation) else { return end(.wrongCode) }
        state = .comparing(keys, isSame: false, other: nil)
        return [.show(phrase: keys.phrase)]
    }

    private mutating func compared() -> [PairingAction] {
        guard case .comparing(let keys, _, let other) = state else { return [] }
        state = .comparing(keys, isSame: true, other: other)
        return add()
    }

    private mutating func add() -> [PairingAction] {
        guard case .comparing(let keys, true, let other?) = state else { return [] }
        state = .adding(keys)
        return [.add(other)]
    }

    private mutating func end(_ end: PairingEnd) -> [PairingAction] {
        state = .over
        return [.send(PairingWords.encode(.end, [end.byte])), .ended(end)]
    }
}
