extension AccessArbiter {
    /// Works out what each presenter is asked before an access runs; nil when the access concerns none.
    func dealings(for access: Access) -> Dealings? {
        guard !presented.isEmpty else { return nil }
        var wishes: [Dealings.Party] = []
        for claim in access.claims {
            let first = wishes.count
            forEachPresenter(concernedBy: claim) { presenter, messages in
                guard presenter != access.request.presenter else { return }
                wishes.append(Dealings.Party(presenter: presenter, messages: messages))
            }
            // What a claim asks of one it asks of all.
            guard first < wishes.count, wishes[first].messages.contains(.saveChanges),
                isInUse(claim, by: access.request.purpose)
            else { continue }
            for index in first..<wishes.count { wishes[index].messages.removeAll { $0 == .saveChanges } }
        }
        var parties = Self.merged(wishes)
        let reliances = leaveOutAnswered(&parties, of: access.request)
        for index in parties.indices where parties[index].messages.count > 1 {
            // Who makes way for a writer has made way for a reader.
            if parties[index].messages.contains(.relinquishToWriter) {
                parties[index].messages.removeAll { $0 == .relinquishToReader }
            }
            parties[index].messages.sort { Self.rank($0) < Self.rank($1) }
        }
        return parties.isEmpty && reliances.isEmpty ? nil : Dealings(parties, relyingOn: reliances)
    }

    /// Whether any presenter but the owner is asked about an access.
    func concernsPresenters(_ request: AccessRequest) -> Bool {
        guard !presented.isEmpty else { return false }
        var isConcerned = false
        for claim in request.claims where !isConcerned {
            forEachPresenter(concernedBy: claim) { presenter, _ in
                isConcerned = isConcerned || presenter != request.presenter
            }
        }
        return isConcerned
    }

    /// Asks a presenter the next question of an access, if there is one.
    ///
    /// - Parameters:
    ///   - party: The presenter's place in the access's dealings.
    ///   - place: The access's.
    mutating func ask(_ party: Int, _ place: Int) {
        let ticket = Ticket(number: ticketCount + 1)
        guard let message = accesses[at: place].dealings.askNext(party, ticket) else { return }
        ticketCount += 1
        let (id, presenter) = (accesses.key(at: place), accesses[at: place].dealings.parties[party].presenter)
        questions[ticket] = Question(access: id, presenter: presenter, message: message)
        effects.append(.send(message, to: presenter, for: id, ticket))
    }

    /// Each presenter once, in the order of their ids, with all that it is to be asked.
    private static func merged(_ wishes: [Dealings.Party]) -> [Dealings.Party] {
        guard wishes.count > 1 else { return wishes.filter { !$0.messages.isEmpty } }
        var parties: [Dealings.Party] = []
        for wish in wishes.sorted(by: { $0.presenter.precedes($1.presenter) }) where !wish.messages.isEmpty {
            if let last = parties.last, last.presenter == wish.presenter {
                parties[parties.count - 1].messages += wish.messages.filter { !last.messages.contains($0) }
            } else {
                parties.append(wish)
            }
        }
        return parties
    }

    /// Calls with every presenter that a claim concerns, and what it is to be asked; more than once with one that it
    /// concerns for several reasons.
    private func forEachPresenter(
        concernedBy claim: AccessClaim,
        _ body: (PresenterID, [PresenterMessage]) -> Void
    ) {
        func add(_ presenters: [PresenterID], _ messages: [PresenterMessage]) {
            for presenter in presenters { body(presenter, messages) }
        }
        switch claim.use {
        case .reading(let savesFirst):
            let messages: [PresenterMessage] =
                savesFirst ? [.relinquishToReader, .saveChanges] : [.relinquishToReader]
            add(presenters(of: claim.item), messages)
            for package in claim.packages { add(presenters(of: package), messages) }
        case .writing(let writing):
            let common: [PresenterMessage] =
                writing == .merging ? [.relinquishToWriter, .saveChanges] : [.relinquishToWriter]
            let own: [PresenterMessage] =
                claim.removesItem
                ? common + [.accommodateItemDeletion]
                : writing == .evicting ? common + [.accommodateItemEviction] : common
            let above = claim.removesItem ? common + [.accommodateSubitemDeletion(claim.item)] : common
            add(presenters(of: claim.item), own)
            for package in claim.packages { add(presenters(of: package), above) }
            if claim.coversContents { add(presenters(inside: claim.item), own) }
        }
    }

    /// Whether an access of the purpose uses a claim's item now: no one can save it before that has ended.
    private func isInUse(_ claim: AccessClaim, by purpose: Purpose) -> Bool {
        let saving = AccessClaim(claim.item, inside: claim.packages, use: .writing(.updating))
        return admitted.contains { id in
            guard let other = accesses[id], Self.isInUse(other) else { return false }
            return other.request.purpose == purpose && other.claims.contains { $0.conflicts(with: saving) }
        }
    }

    /// The presenters of what is inside a folder.
    package func presenters(inside item: ItemPath) -> [PresenterID] {
        presented.presenters(inside: item)
    }

    /// Drops what presenters have already answered to running accesses of the same purpose.
    ///
    /// - Returns: Those accesses.
    private func leaveOutAnswered(
        _ parties: inout [Dealings.Party],
        of request: AccessRequest
    ) -> Set<AccessID> {
        var reliances: Set<AccessID> = []
        for id in admitted {
            guard let other = accesses[id], other.stage == .running, other.hasDealings,
                other.request.purpose == request.purpose
            else { continue }
            for index in parties.indices {
                guard let answered = other.dealings.asked(parties[index].presenter) else { continue }
                let rest = parties[index].messages.filter { !Self.isCovered($0, by: answered) }
                if rest.count < parties[index].messages.count { reliances.insert(id) }
                parties[index].messages = rest
            }
            parties.removeAll { $0.messages.isEmpty }
        }
        return reliances
    }

    /// Whether asking would be asking again.
    ///
    /// Who made way for a writer cannot save before it has ended.
    private static func isCovered(
        _ message: PresenterMessage,
        by answered: ArraySlice<PresenterMessage>
    ) -> Bool {
        if answered.contains(message) { return true }
        return (message == .relinquishToReader || message == .saveChanges)
            && answered.contains(.relinquishToWriter)
    }

    private static func rank(_ message: PresenterMessage) -> Int {
        switch message {
        case .relinquishToReader: 0
        case .relinquishToWriter: 1
        case .saveChanges: 2
        case .accommodateItemDeletion: 3
        case .accommodateSubitemDeletion: 4
        case .accommodateItemEviction: 5
        }
    }
}
