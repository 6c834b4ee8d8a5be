import Coordination

extension World {
    /// Holds what the arbiter wants done against the rules.
    ///
    /// - Parameters:
    ///   - ending: The access that the event ends, which has left already or is about to.
    ///   - notices: All that is to be told, and nothing else.
    mutating func judge(
        _ effects: [AccessArbiter.Effect],
        ending: Member? = nil,
        notices: [Notice] = [],
        presentersThen: [Presenter]? = nil
    ) {
        eventCount += 1
        var (freed, told): ([Member], [Notice]) = ([], [])
        for effect in effects {
            story.write("    \(effect)")
            switch effect {
            case .send(let message, let presenter, let access, let ticket):
                judgeMessage(message, presenter, access, ticket)
            case .notify(let presenter, let notice):
                told.append(Notice(presenter: presenter, notice: notice))
                let known = presentersThen ?? presenters
                if !known.contains(where: { $0.id == presenter }) { complain("told one that is gone") }
            case .grant(let id, let items): judgeGrant(id, items)
            case .fail(let id, let failure):
                if let member = judgeFailure(id, failure) { freed.append(member) }
            case .reacquire(let ticket): judgeReacquirer(ticket)
            }
        }
        judgeNotices(told, expected: notices)
        for member in freed + (ending.map { [$0] } ?? []) where member.isAlone {
            if reacquirersDue.contains(where: { $0.value == member.id }) {
                complain("\(member.id.number) is over and its presenters do not reacquire")
            }
        }
        judgeWaits()
        for member in freed { answer(after: member) }
    }

    private mutating func judgeNotices(_ told: [Notice], expected: [Notice]) {
        guard told != expected else { return }
        var missing = expected
        for notice in told {
            guard let index = missing.firstIndex(of: notice) else {
                return complain(
                    "\(notice.presenter.number) was told \(notice.notice), out of nothing or twice"
                )
            }
            missing.remove(at: index)
        }
        if let notice = missing.first {
            complain("\(notice.presenter.number) was not told \(notice.notice)")
        }
    }

    private mutating func judgeMessage(
        _ message: PresenterMessage,
        _ presenter: PresenterID,
        _ owner: AccessID,
        _ ticket: Ticket
    ) {
        guard let index = member(owner) else { return complain("asked for an access that is gone") }
        if messages.contains(where: { $0.access == owner && $0.presenter == presenter }) {
            complain("asked twice at once")
        }
        if members[index].isRunning { complain("asked for an access that runs") }
        if members[index].presenter == presenter { complain("asked the owner") }
        if !presenters.contains(where: { $0.id == presenter }) { complain("asked one that is gone") }
        let former = members[index].asked[presenter] ?? []
        if former.contains(message) || message.isRelinquishing && !former.isEmpty {
            complain("\(presenter.number) asked \(message) after \(former)")
        }
        members[index].asked[presenter, default: []].append(message)
        messages.append(Message(ticket: ticket, access: owner, presenter: presenter, message: message))
        guard message.mayNeedWriting else { return }
        for index in members.indices where members[index].presenter == presenter {
            members[index].mayPass = true
        }
    }

    private mutating func judgeReacquirer(_ ticket: Ticket) {
        guard let owner = reacquirersDue.removeValue(forKey: ticket) else {
            return complain("\(ticket.number) reacquires unasked or twice")
        }
        if let index = member(owner), members[index].isRunning { complain("reacquired too early") }
    }

    // MARK: Grants

    private mutating func judgeGrant(_ id: AccessID, _ items: [ItemPath]) {
        guard let index = member(id), !members[index].isRunning else {
            return complain("granted \(id.number) twice or never")
        }
        grantCount += 1
        let one = members[index]
        members[index].isRunning = true
        if items.map({ atlas.place($0) }) != one.wishes.map(\.place) {
            complain("\(id.number) gets \(items), not \(text(one))")
        }
        if messages.contains(where: { $0.access == id }) { complain("granted before an answer") }
        for other in members where other.id != id && other.isRunning {
            if !one.isPreparation, !other.isPreparation, conflict(one, other) {
                complain("\(id.number) runs beside \(other.id.number)")
            }
        }
        for other in members[..<index] where !other.isRunning && !one.mayPass {
            if !one.hasMoved, !other.hasMoved, conflict(one, other) {
                complain("\(id.number) overtook \(other.id.number)")
            }
        }
        judgeQuestions(of: one)
    }

    /// Whether all were asked who had to be, all they had to be, and in order.
    private mutating func judgeQuestions(of one: Member) {
        guard one.isAlone, !one.hasMoved else { return }
        for presenter in presenters {
            guard presenter.since <= one.arrival, presenter.id != one.presenter else { continue }
            let expected =
                presenter.place.map { place in
                    Rules.messages(to: place, before: one.wishes) { atlas.path($0) }
                } ?? []
            let asked = one.asked[presenter.id] ?? []
            if asked != expected {
                complain("\(presenter.id.number) was asked \(asked) for \(one.id.number), not \(expected)")
            }
        }
    }

    func conflict(_ one: Member, _ other: Member) -> Bool {
        guard one.purpose != other.purpose else { return false }
        return (one.wishes + one.later).contains { mine in
            (other.wishes + other.later).contains { Rules.clash(mine.use, mine.place, $0.use, $0.place) }
        }
    }

    // MARK: Waiting

    private mutating func judgeFailure(_ id: AccessID, _ failure: AccessFailure) -> Member? {
        guard let index = member(id), !members[index].isRunning else {
            complain("failed \(id.number), which runs or is gone")
            return nil
        }
        if case .deadlock(let cycle) = failure { judgeCycle(cycle, failing: id) }
        let failed = members[index]
        leave(failed)
        return failed
    }

    /// Whether the waits of a broken cycle are real, one by one, and the right one fails.
    private mutating func judgeCycle(_ cycle: WaitCycle, failing id: AccessID) {
        cycleCount += 1
        let found = cycle.links.compactMap { member($0.access) }.map { members[$0] }
        guard found.count == cycle.links.count, found.first?.id == id else {
            return complain("\(id.number) failed for a deadlock that others are in")
        }
        for (index, link) in cycle.links.enumerated() {
            let (one, next) = (found[index], found[(index + 1) % found.count])
            if !waits(one, for: next, link.reason) {
                complain("\(one.id.number) does not wait for \(next.id.number): \(link.reason)")
            }
        }
        let youngest = found.filter { !$0.isRunning }.map(\.id.number).max()
        if youngest != id.number { complain("\(id.number) failed, but \(youngest ?? 0) is younger") }
    }

    private func waits(_ one: Member, for next: Member, _ reason: WaitCycle.Reason) -> Bool {
        switch reason {
        case .inner: next.outer == one.id
        case .answer(let presenter, let message):
            messages.contains {
                $0.ticket == next.answering && $0.access == one.id && $0.presenter == presenter
                    && $0.message == message
            }
        case .item:
            !one.isRunning && conflict(one, next)
                && (next.isRunning || next.id.number < one.id.number || next.mayPass || one.hasMoved
                    || next.hasMoved)
        }
    }

    /// Whether who runs and who waits is as it was told, and no one waits for what can never be.
    private mutating func judgeWaits() {
        judgeDeadlocks()
        // Listing all waits costs more than the event.
        guard eventCount % 4 == 0 || members.count < 3 else { return }
        let waits = arbiter.waits
        for member in members {
            let awaited = waits[member.id]
            if member.isRunning != (awaited == nil) { complain("\(member.id.number) runs or waits wrongly") }
            if awaited == [] { complain("\(member.id.number) waits for nothing: \(waitsText)") }
        }
        if waits.count != members.count(where: { !$0.isRunning }) { complain("one waits that is gone") }
    }

    /// Looks for those who could not end though all who can end and answer do: even the best order of granting
    /// would not help them.
    private mutating func judgeDeadlocks() {
        guard members.contains(where: { !$0.isRunning && ($0.outer != nil || $0.answering != nil) }) else {
            return
        }
        var rest = members
        var hasChanged = true
        while hasChanged {
            let before = rest
            rest = before.filter { !canEndInTime($0, before) }
            hasChanged = rest.count < before.count
        }
        if !rest.isEmpty { complain("a deadlock was not found: \(rest.map(\.id.number)): \(waitsText)") }
    }

    private func canEndInTime(_ one: Member, _ rest: [Member]) -> Bool {
        for other in rest where other.id != one.id {
            if other.outer == one.id { return false }
            if let ticket = other.answering,
                messages.contains(where: { $0.ticket == ticket && $0.access == one.id })
            {
                return false
            }
            if !one.isRunning, other.isRunning, !one.isPreparation, !other.isPreparation, conflict(one, other)
            {
                return false
            }
        }
        return true
    }
}
