import Coordination

extension World {
    /// Lets everyone finish; complains if someone cannot, or if it takes too long.
    mutating func drain(seed: UInt64) {
        var choices = Choices(seed)
        var stepsLeft = 100 * (members.count + messages.count + 1)
        while complaint == nil, !members.isEmpty {
            stepsLeft -= 1
            if stepsLeft == 0 { complain("no end in sight: \(waitsText)") }
            if !finishSomething(&choices) { complain("a deadlock stands: \(waitsText)") }
        }
        if complaint == nil, !reacquirersDue.isEmpty { complain("never reacquired: \(reacquirersDue)") }
    }

    private mutating func finishSomething(_ choices: inout Choices) -> Bool {
        let running = members.filter(canEnd)
        let open = messages.filter { !$0.isBeingAnswered }
        if running.isEmpty, open.isEmpty {
            // Presenters whose answers wait, unknown to the arbiter, for what can never be, have a time limit.
            let awaited = messages.filter { message in
                members.contains { $0.answers == message.ticket && $0.answering == nil }
            }
            guard let late = choices.pick(awaited) else { return false }
            expire(late)
            return true
        }
        let choice = choices.below(running.count + open.count)
        if choice < running.count {
            end(running[choice].id, &choices)
        } else {
            reply(open[choice - running.count].ticket, fails: false, leavesReacquirer: choices.oneIn(2))
        }
        return true
    }

    mutating func end(_ id: AccessID, _ choices: inout Choices) {
        guard let index = member(id) else { return }
        let member = members[index]
        let outcomes: [WriteOutcome] = member.wishes.map { _ in
            switch choices.below(4) {
            case 0: WriteOutcome(existedBefore: false, existsAfter: true)
            case 1: WriteOutcome(existedBefore: true, existsAfter: false)
            default: .changed
            }
        }
        story.write("\(id.number) ends")
        let expected = notices(of: member, outcomes)
        leave(member)
        judge(arbiter.ended(id, outcomes: outcomes), ending: member, notices: expected)
        answer(after: member)
    }

    /// What waited for an access is answered.
    mutating func answer(after member: Member) {
        guard let ticket = member.answers else { return }
        if messages.contains(where: { $0.ticket == ticket }) {
            reply(ticket, fails: false, leavesReacquirer: true)
        }
    }

    mutating func reply(_ ticket: Ticket, fails: Bool, leavesReacquirer: Bool) {
        guard let index = messages.firstIndex(where: { $0.ticket == ticket }) else { return }
        let message = messages.remove(at: index)
        story.write("\(message.presenter.number) answers \(ticket.number)\(fails ? " with an error" : "")")
        if fails {
            judge(arbiter.presenterReplied(ticket, .failed))
            if member(message.access) != nil { complain("an error changed nothing") }
        } else if message.message.isRelinquishing {
            if leavesReacquirer { reacquirersDue[ticket] = message.access }
            judge(arbiter.presenterReplied(ticket, .relinquished(hasReacquirer: leavesReacquirer)))
        } else {
            judge(arbiter.presenterReplied(ticket, .done))
        }
    }

    /// A process dies, with all that it had.
    mutating func crash(_ client: ClientID) {
        story.write("client \(client.rawValue) dies")
        var expected: [Notice] = []
        let dying = members.filter { $0.id.client == client }
        for member in dying where member.isRunning {
            expected += notices(of: member, member.wishes.map { _ in .changed })
        }
        for member in dying { leave(member) }
        let gone = Set(presenters.filter { $0.id.client == client }.map(\.id))
        for message in messages where gone.contains(message.presenter) { abandon(message) }
        let known = presenters
        presenters.removeAll { gone.contains($0.id) }
        for index in members.indices {
            members[index].moveNotices.removeAll { gone.contains($0.presenter) }
        }
        let effects = arbiter.clientGone(client)
        judge(effects, notices: expected, presentersThen: known)
    }

    mutating func leave(_ member: Member) {
        members.removeAll { $0.id == member.id }
        for message in messages where message.access == member.id { abandon(message) }
    }

    mutating func abandon(_ message: Message) {
        messages.removeAll { $0.ticket == message.ticket }
        if message.message.isRelinquishing { abandoned.append(message.ticket) }
    }

    // MARK: Moves and what is told

    mutating func announceMove(of mover: Member, _ source: Place, _ target: Place) {
        let notices = moveNotices(source, target).filter { $0.presenter != mover.presenter }
        for index in presenters.indices {
            guard let place = presenters[index].place?.moved(from: source, to: target) else { continue }
            presenters[index].place = place
            presenters[index].since = eventCount
        }
        for index in members.indices { follow(index, source, target) }
        if let index = member(mover.id) { members[index].moveNotices += notices }
        let packages = atlas.packages(around: target) + (target.isPackage ? [atlas.path(target)] : [])
        let effects = arbiter.itemMoved(
            from: atlas.path(source),
            to: atlas.path(target),
            inside: packages,
            purpose: mover.purpose,
            presenter: mover.presenter
        )
        judge(effects)
    }

    /// An access that waits follows a move unless it is to replace the item; one that runs keeps both places.
    private mutating func follow(_ index: Int, _ source: Place, _ target: Place) {
        for wish in members[index].later {
            guard let place = wish.place.moved(from: source, to: target) else { continue }
            _ = atlas.path(place)
            members[index].later.append(Rules.Wish(place: place, use: wish.use))
        }
        for (position, wish) in members[index].wishes.enumerated() {
            guard let place = wish.place.moved(from: source, to: target) else { continue }
            _ = atlas.path(place)
            members[index].hasMoved = true
            if members[index].isRunning {
                members[index].followed.insert(position)
                members[index].later.append(Rules.Wish(place: place, use: wish.use))
            } else if wish.use != .writing(.replacing) {
                members[index].wishes[position].place = place
            }
        }
    }

    private mutating func moveNotices(_ source: Place, _ target: Place) -> [Notice] {
        var notices: [Notice] = []
        for presenter in presenters {
            guard let place = presenter.place else { continue }
            if let new = place.moved(from: source, to: target) {
                notices.append(Notice(presenter: presenter.id, notice: .itemDidMove(to: atlas.path(new))))
            } else if source.isInside(place) {
                let notice = PresenterNotice.subitemDidMove(from: atlas.path(source), to: atlas.path(target))
                notices.append(Notice(presenter: presenter.id, notice: notice))
            } else if target.isInside(place) {
                let notice = PresenterNotice.subitemDidAppear(atlas.path(target))
                notices.append(Notice(presenter: presenter.id, notice: notice))
            }
        }
        return notices
    }

    /// What is told when an access ends: each presenter hears once of each item that was written.
    mutating func notices(of member: Member, _ outcomes: [WriteOutcome]) -> [Notice] {
        guard !member.isPreparation else { return [] }
        var told = member.moveNotices
        var known = Set(told.map { Known(presenter: $0.presenter, item: newPlace(of: $0.notice)) })
        for (position, (wish, outcome)) in zip(member.wishes, outcomes).enumerated() {
            let isGone = outcome.existedBefore && !member.followed.contains(position)
            guard !Rules.reads(wish.use), outcome.existsAfter || isGone else { continue }
            let item = atlas.path(wish.place)
            for presenter in presenters where presenter.id != member.presenter {
                guard let place = presenter.place,
                    wish.place == place && outcome.existsAfter || wish.place.isInside(place),
                    known.insert(Known(presenter: presenter.id, item: item)).inserted
                else { continue }
                let notice: PresenterNotice =
                    wish.place == place
                    ? .itemDidChange
                    : outcome.existedBefore ? .subitemDidChange(item) : .subitemDidAppear(item)
                told.append(Notice(presenter: presenter.id, notice: notice))
            }
        }
        return told
    }

    private struct Known: Hashable {
        let presenter: PresenterID
        let item: ItemPath?
    }

    private func newPlace(of notice: PresenterNotice) -> ItemPath? {
        switch notice {
        case .itemDidMove(let item), .subitemDidAppear(let item), .subitemDidMove(_, let item): item
        case .itemDidChange, .subitemDidChange: nil
        }
    }
}
