extension AccessArbiter {
    /// Works out what each presenter is asked before the access runs.
    mutating func planQuestions(for id: AccessID) {
        guard !presentersByPath.isEmpty, var access = accesses[id] else { return }
        var plan: [PresenterID: [PresenterMessage]] = [:]
        for claim in access.claims {
            let canBeSaved = !isInUse(claim, by: access.request.purpose)
            for (presenter, messages) in questions(for: claim) where presenter != access.request.presenter {
                for message in messages where message != .saveChanges || canBeSaved {
                    if plan[presenter]?.contains(message) != true {
                        plan[presenter, default: []].append(message)
                    }
                }
            }
        }
        leaveOutAnswered(&plan, of: &access)
        guard !plan.isEmpty || !access.dealings.reliances.isEmpty else { return }
        access.dealings.questions = plan.mapValues { messages in
            // Who makes way for a writer has made way for a reader.
            let isForWriter = messages.contains(.relinquishToWriter)
            return messages.filter { !isForWriter || $0 != .relinquishToReader }
                .sorted { Self.rank($0) < Self.rank($1) }.reversed()
        }
        accesses[id] = access
    }

    /// Whether any presenter but the owner is asked about an access.
    func concernsPresenters(_ request: AccessRequest) -> Bool {
        guard !presentersByPath.isEmpty else { return false }
        return request.claims.contains { claim in
            questions(for: claim).contains { $0.key != request.presenter }
        }
    }

    /// Asks every presenter its first question, in the order of their ids.
    mutating func askAll(for id: AccessID) {
        guard let presenters = accesses[id]?.dealings.questions.keys, !presenters.isEmpty else { return }
        for presenter in presenters.sorted(by: Self.precedes) { ask(presenter, for: id) }
    }

    /// Asks a presenter the next question of an access, if there is one.
    mutating func ask(_ presenter: PresenterID, for id: AccessID) {
        guard let message = accesses[id]?.dealings.questions[presenter]?.popLast() else { return }
        ticketCount += 1
        let ticket = Ticket(number: ticketCount)
        questions[ticket] = Question(access: id, presenter: presenter, message: message)
        accesses[id]?.dealings.outstanding[presenter] = ticket
        accesses[id]?.dealings.asked[presenter, default: []].insert(message)
        effects.append(.send(message, to: presenter, for: id, ticket))
    }

    static func precedes(_ first: PresenterID, _ second: PresenterID) -> Bool {
        (first.client.rawValue, first.number) < (second.client.rawValue, second.number)
    }

    private func questions(for claim: AccessClaim) -> [PresenterID: [PresenterMessage]] {
        var plan: [PresenterID: [PresenterMessage]] = [:]
        func add(_ presenters: [PresenterID], _ messages: [PresenterMessage]) {
            for presenter in presenters { plan[presenter, default: []] += messages }
        }
        switch claim.use {
        case .reading(let savesFirst):
            let messages: [PresenterMessage] =
                savesFirst ? [.relinquishToReader, .saveChanges] : [.relinquishToReader]
            for path in [claim.item] + claim.packages { add(presenters(of: path), messages) }
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
        return plan
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
        presenterPaths.filter { item.isAncestor(of: $0.value) }.map(\.key)
    }

    /// Drops what presenters have already answered to running accesses of the same purpose.
    private func leaveOutAnswered(_ plan: inout [PresenterID: [PresenterMessage]], of access: inout Access) {
        for id in admitted {
            guard let other = accesses[id], other.stage == .running,
                other.request.purpose == access.request.purpose
            else { continue }
            for (presenter, messages) in plan {
                guard let answered = other.dealings.asked[presenter] else { continue }
                let rest = messages.filter { !Self.isCovered($0, by: answered) }
                if rest.count < messages.count { access.dealings.reliances.insert(id) }
                plan[presenter] = rest.isEmpty ? nil : rest
            }
        }
    }

    /// Whether asking would be asking again.
    ///
    /// Who made way for a writer cannot save before it has ended.
    private static func isCovered(_ message: PresenterMessage, by answered: Set<PresenterMessage>) -> Bool {
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
