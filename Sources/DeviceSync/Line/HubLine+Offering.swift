internal import HubProtocol
internal import Locks
internal import Sync
internal import SyncMessages
internal import Vault

// What goes into the log. Nothing does that refers to contents which the hub may be about to delete.
extension HubLine {
    /// By a clock that goes on while the device sleeps.
    static var seconds: Double {
        let (seconds, attoseconds) = (ContinuousClock.now - beginning).components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    private static let beginning = ContinuousClock.now

    /// - Returns: Whether the hub has no room for some of them.
    @discardableResult
    func offer(_ offered: [LogDesk.Offer]) -> Bool {
        var (good, isFull): ([LogDesk.Offer], Bool) = ([], false)
        attempt {
            good = try withoutLacking(offered)
            guard !good.isEmpty else { return }
            try makeLast(good)
            let standing = desk.standing(of: good.map(\.commit))
            let up = upCount
            let answers = try hub.offer(try desk.seal(good))
            guard answers.answers.count == good.count else {
                throw HubFailure(.malformed, "The hub answered another number of commits than it was asked.")
            }
            note(answers.answers, to: good.map(\.commit.id), since: up)
            // Should one have been refused, what it needs is asked for again.
            asked.withLock { asked in
                for offer in good { for name in offer.unsure { asked.remove(name) } }
            }
            let refused = zip(good, answers.answers).compactMap { offer, answer in
                if case .refused(let position) = answer { (offer.commit.id, readTo: position) } else { nil }
            }
            for (id, position) in refused
            where position <= standing.position && standing.latest.contains(id) {
                throw Self.contradiction(position)
            }
            if !refused.isEmpty { receiver(.refused(refused)) }
        } then: {
        } or: { error in
            let refusal = Self.refusal(error)
            let isOfRequest = (error as? LineFailure)?.isOfRequest == true && !good.isEmpty
            guard refusal.code == .quota || isOfRequest else { return lose(error) }
            guard good.count > 1 else {
                isFull = refusal.code == .quota
                return receiver(.declined(good.map(\.commit), refusal))
            }
            // One of them may be what is not let through, or all together are too much. Where there is no room for some it is not asked
            // for what comes after them: a record is about as large as any other.
            let rest = Array(good.suffix(good.count - good.count / 2))
            isFull = offer(Array(good.prefix(good.count / 2)))
            if isFull { receiver(.declined(rest.map(\.commit), refusal)) } else { isFull = offer(rest) }
        }
        return isFull
    }

    /// A commit was refused for what had been read before, where nothing of the kind is: the hub was put back, which is about to
    /// be read, or it is another one that is behind. Made anew it would be the same again, and refused as fast.
    private static func contradiction(_ position: LogPosition) -> LineFailure {
        LineFailure(
            """
            the hub refused a commit for entry \(position) of its log, which is not as it was read: it was put back, or gave an \
            old answer
            """
        )
    }

    /// Nothing is at the hub that this device's disk may lose.
    ///
    /// - Throws: `LineFailure`: a disk that fails now may not the next time.
    private func makeLast(_ offered: [LogDesk.Offer]) throws {
        guard var places = offered.first?.places else { return }
        for offer in offered.dropFirst() { places.formUnion(offer.places) }
        do { try places.sync() } catch {
            throw LineFailure("what is to be sent cannot be made to last on this device's disk: \(error)")
        }
    }

    /// Those commits of which the hub keeps all that they need.
    ///
    /// What is wrong with contents keeps those commits that need them, and no other: on a hub that is full, removals least of all.
    ///
    /// - Throws: What is wrong with the line.
    private func withoutLacking(_ offered: [LogDesk.Offer]) throws -> [LogDesk.Offer] {
        var good: [LogDesk.Offer] = []
        var lacks: [(Commit.ID, lacking: ContentName)] = []
        var errors: [(name: ContentName, error: any Error)] = []
        for offer in offered {
            guard let (name, error) = try lack(of: offer) else {
                good.append(offer)
                continue
            }
            lacks.append((offer.commit.id, lacking: name))
            errors.append((name, error))
        }
        if !lacks.isEmpty { receiver(.withheld(lacks)) }
        // By now somebody waits for them, whom it can be said of.
        for (name, error) in errors { receiver(Self.failed(name, error)) }
        return good
    }

    /// Contents that a commit needs and the hub does not keep, and why; nil for none: it was asked a moment ago, mostly, else it
    /// is now.
    private func lack(of offer: LogDesk.Offer) throws -> (ContentName, any Error)? {
        for name in offer.unsure {
            let (now, up) = (Self.seconds, upCount)
            if asked.withLock({ $0.isKept(name, on: offer.base, now: now) }) { continue }
            let opener = try desk.blobOpener()
            do {
                do {
                    try contents.upload([ContentStore.Upload(name)], to: hub, try desk.blobSealer())
                } catch let error as VaultError where error.code == .damaged {
                    // What is not here can only be kept there.
                    try contents.keep(name, at: hub, opener)
                }
            } catch {
                guard let own = ownError(in: error) else { throw error }
                return (name, own)
            }
            note(ContentStore.Upload(name), askedAt: now, since: up)
        }
        return nil
    }

    /// Notes what the hub was asked for, if the line has been up all the while: one that was put back meanwhile need not have it.
    ///
    /// - Parameter up: How often it had come up when the asking began.
    func note(_ upload: ContentStore.Upload, askedAt seconds: Double, since up: Int) {
        asked.withLock { asked in
            // What is noted before the line is lost is forgotten then.
            guard state.withLock({ $0.isUp && $0.upCount == up }) else { return }
            asked.note(upload.name, on: upload.base, at: seconds)
        }
    }

    /// Sends contents, or has the hub keep them as it has them, where the vault lacks some.
    ///
    /// - Throws: As sending does. That the hub does not have what it may never have been sent is no fault of its own.
    func sendOrKeep(_ upload: ContentStore.Upload) throws {
        let opener = try desk.blobOpener()
        do {
            try contents.upload([upload], to: hub, try desk.blobSealer()) { [receiver] in
                receiver(.sent($0, $1))
            }
        } catch let error as VaultError where error.code == .damaged {
            do { try contents.keep(upload.name, at: hub, opener) } catch is FalseBlob { throw error }
        }
    }
}
