internal import HubProtocol
internal import Locks
internal import Sync
internal import Vault

// What goes into the log. Nothing does that refers to contents which the hub may be about to delete.
extension HubLine {
    /// By a clock that goes on while the device sleeps.
    static var seconds: Double {
        let (seconds, attoseconds) = (ContinuousClock.now - beginning).components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    private static let beginning = ContinuousClock.now

    func offer(_ offered: [LogDesk.Offer]) {
        attempt {
            let good = try offered.filter(areKept)
            guard !good.isEmpty else { return }
            try makeLast(good)
            let answers = try hub.offer(try desk.seal(good))
            guard answers.answers.count == good.count else {
                throw HubFailure(.malformed, "The hub answered another number of commits than it was asked.")
            }
            // Should one have been refused, what it needs is asked for again.
            asked.withLock { asked in
                for offer in good { for name in offer.unsure { asked.remove(name) } }
            }
            let refused = zip(good, answers.answers).compactMap { offer, answer in
                if case .refused(let position) = answer { (offer.commit.id, readTo: position) } else { nil }
            }
            if !refused.isEmpty { receiver(.refused(refused)) }
        } then: {
        } or: { error in
            lose(error)
        }
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

    /// Whether the hub keeps all that a commit needs: it was asked a moment ago, mostly, else it is now.
    private func areKept(_ offer: LogDesk.Offer) throws -> Bool {
        for name in offer.unsure {
            let now = Self.seconds
            if asked.withLock({ $0.isKept(name, on: offer.base, now: now) }) { continue }
            do {
                do {
                    try contents.upload([ContentStore.Upload(name)], to: hub, try desk.blobSealer())
                } catch let error as VaultError where error.code == .damaged {
                    // What is not here can only be kept there.
                    try contents.keep(name, at: hub, try desk.blobOpener())
                }
            } catch let error as FalseBlob {
                // Until a device sends it that has it, others would look for it in vain.
                receiver(Self.failed(name, error))
                return false
            }
            asked.withLock { $0.note(name, on: nil, at: now) }
        }
        return true
    }
}
