extension AccessArbiter {
    /// Someone has moved an item and says so.
    ///
    /// Presenters and accesses that do not run yet follow it, except those about to replace the item. If an
    /// access of the announcer's purpose runs, presenters are told when it ends, else at once.
    ///
    /// - Parameters:
    ///   - packages: The packages that hold what is inside `target`: those around it and itself if it is one.
    ///   - presenter: The presenter it is done for, which is not told.
    package mutating func itemMoved(
        from source: ItemPath,
        to target: ItemPath,
        inside packages: [ItemPath] = [],
        purpose: Purpose,
        presenter: PresenterID? = nil
    ) -> [Effect] {
        guard source != target else { return [] }
        let notices = moveNotices(from: source, to: target).filter { $0.presenter != presenter }
        for id in presenters(inside: source) + presenters(of: source) {
            presenterMoved(id, to: presented[id]?.moved(from: source, to: target))
        }
        for id in accesses.keys { moveClaims(of: id, from: source, to: target, inside: packages) }
        reorder()
        if let announcer = announcer(of: source, purpose: purpose) {
            accesses[announcer]?.dealings.moveNotices += notices
        } else {
            effects += notices.map { .notify($0.presenter, $0.notice) }
        }
        settle()
        return takeEffects()
    }

    /// Tells the others, after an access has ended, what it did.
    mutating func tellOfChanges(by access: Access, outcomes: [WriteOutcome]) {
        guard !presented.isEmpty || !access.dealings.moveNotices.isEmpty else { return }
        // One claim alone tells nobody twice.
        let mayRepeat = access.claims.count > 1 || !access.dealings.moveNotices.isEmpty
        var told = Set<Told>()
        for move in access.dealings.moveNotices {
            effects.append(.notify(move.presenter, move.notice))
            told.insert(Told(move.presenter, move.notice.newPlace))
        }
        func tell(_ presenter: PresenterID, _ notice: PresenterNotice, of item: ItemPath) {
            guard presenter != access.request.presenter else { return }
            if mayRepeat, !told.insert(Told(presenter, item)).inserted { return }
            effects.append(.notify(presenter, notice))
        }
        for (index, claim) in access.claims.enumerated() where claim.isWriting {
            let outcome = index < outcomes.count ? outcomes[index] : .changed
            if outcome.existsAfter {
                for presenter in presenters(of: claim.item) {
                    tell(presenter, .itemDidChange, of: claim.item)
                }
            } else if !outcome.existedBefore || !claim.later.isEmpty {
                // Nothing was there, or it is told where that went.
                continue
            }
            let notice: PresenterNotice =
                outcome.existedBefore ? .subitemDidChange(claim.item) : .subitemDidAppear(claim.item)
            for presenter in presented.presenters(above: claim.item) {
                tell(presenter, notice, of: claim.item)
            }
        }
    }

    /// That a presenter knows of the news about an item: a move is not told again as a change.
    private struct Told: Hashable {
        let presenter: PresenterID
        let item: ItemPath?

        init(_ presenter: PresenterID, _ item: ItemPath?) {
            self.presenter = presenter
            self.item = item
        }
    }

    private func moveNotices(from source: ItemPath, to target: ItemPath) -> [Dealings.MoveNotice] {
        var notices: [Dealings.MoveNotice] = []
        for id in (presenters(of: source) + presenters(inside: source)).sorted(by: { $0.precedes($1) }) {
            guard let path = presented[id]?.moved(from: source, to: target) else { continue }
            notices.append(Dealings.MoveNotice(presenter: id, notice: .itemDidMove(to: path)))
        }
        let left = Array(source.ancestors)
        for folder in left {
            for id in presenters(of: folder) {
                notices.append(
                    Dealings.MoveNotice(presenter: id, notice: .subitemDidMove(from: source, to: target))
                )
            }
        }
        for folder in target.ancestors where !left.contains(folder) {
            for id in presenters(of: folder) {
                notices.append(Dealings.MoveNotice(presenter: id, notice: .subitemDidAppear(target)))
            }
        }
        return notices
    }

    /// The access inside which the move was made: the last started of the purpose that writes the item.
    private func announcer(of item: ItemPath, purpose: Purpose) -> AccessID? {
        admitted.last { id in
            guard let access = accesses[id], access.stage == .running else { return false }
            return access.request.purpose == purpose
                && access.claims.contains { claim in
                    claim.isWriting
                        && (claim.scopes.contains { $0.holds(item) }
                            || ([claim] + claim.later).contains { item.isAncestor(of: $0.item) })
                }
        }
    }

    private mutating func moveClaims(
        of id: AccessID,
        from source: ItemPath,
        to target: ItemPath,
        inside packages: [ItemPath]
    ) {
        guard var access = accesses[id] else { return }
        for index in access.claims.indices {
            if access.stage == .running {
                access.claims[index].extend(from: source, to: target, inside: packages)
            } else if access.claims[index].writing != .replacing,
                let moved = access.claims[index].moved(from: source, to: target, inside: packages)
            {
                access.claims[index] = moved
                access.isWhereAsked = false
            }
        }
        accesses[id] = access
    }
}
