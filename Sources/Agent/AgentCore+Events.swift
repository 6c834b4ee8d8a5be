internal import Coordination

extension AgentCore {
    /// Takes what has happened in a client, if the client may say so.
    mutating func take(
        _ event: ArbiterEvent,
        of client: ClientID,
        _ connection: ConnectionID,
        now: UInt64
    ) throws {
        switch event {
        case .requested(let request):
            try checkNew(request, of: client)
            if isCollecting { return heldBack.append(event) }
        case .held(let request):
            try checkNew(request, of: client)
            if clients[connection]?.isCaughtUp == true {
                throw ProtocolBreach(reason: "What is held is said before caughtUp.")
            }
            return takeOver(request, of: client, connection)
        case .ended(let id, _):
            guard id.client == client, arbiter.isRunning(id) else {
                if clients[connection]?.lostAccesses.remove(id) != nil { return }
                if clients[connection]?.postedEnds.remove(id) != nil { return }
                throw ProtocolBreach(reason: "An access ends that does not run.")
            }
        case .cancelled(let id):
            try check(id.client, of: client)
            if withdraw(id, connection) { return }
        case .presenterAdded(let id, _, let typeName, let registration):
            try check(id.client, of: client)
            note(id, typeName, registration)
        case .presenterMoved(let id, _): try check(id.client, of: client)
        case .presenterRemoved(let id):
            try check(id.client, of: client)
            forgetLabel(of: id)
        case .replied(let ticket, let reply, _): try checkReply(ticket, reply, of: client)
        case .itemMoved(let move):
            if let id = move.presenter { try check(id.client, of: client) }
            guard isNews(move, by: client, now: now) else { return }
        case .attributesChanged(let item, let names, let except):
            return tell(names, of: item, except: except)
        case .steppedAside(let presenter, let access, let ticket):
            try check(presenter.client, of: client)
            asides[access, default: []].append((client, ticket))
            if !isCollecting { reacquireAsides() }
            return
        }
        perform(arbiter.take(event), for: event, now: now)
        if case .requested(let request) = event { hurry(arbiter.runningAccesses(awaitedBy: request.id)) }
        reacquireAsides()
    }

    /// Has the ends of accesses told as soon as they have ended: a client may keep them for a while otherwise.
    mutating func hurry(_ accesses: [AccessID]) {
        for access in accesses {
            guard let connection = connectionsByClient[access.client] else { continue }
            actions.append(.send(.awaited(access), connection))
            actions.append(.lookForEnd(access, of: connection))
        }
    }

    /// Whether somebody waits for the end of an access that has just been granted.
    private func isAwaited(_ id: AccessID) -> Bool {
        arbiter.isAwaited(id)
            || quietWaits.contains { wait in
                wait.items.contains { item in
                    arbiter.runningAccesses(writing: item, exceptBy: wait.client).contains(id)
                }
            }
    }

    // MARK: What a client may say

    private func check(_ owner: ClientID, of client: ClientID) throws {
        guard owner == client else { throw ProtocolBreach(reason: "It speaks for another client.") }
    }

    private func checkNew(_ request: AccessRequest, of client: ClientID) throws {
        try check(request.id.client, of: client)
        if let presenter = request.presenter { try check(presenter.client, of: client) }
        let isKnown = arbiter.knows(request.id) || heldBack.contains { $0.requestedAccess == request.id }
        guard !isKnown, !request.claims.isEmpty else {
            throw ProtocolBreach(reason: "An access is asked for twice, or for nothing.")
        }
    }

    private mutating func checkReply(_ ticket: Ticket, _ reply: PresenterReply, of client: ClientID) throws {
        guard let place = tickets.place(of: ticket), tickets[at: place].isOpen,
            tickets[at: place].client == client
        else {
            throw ProtocolBreach(reason: "An answer comes to what was not asked.")
        }
        if reply == .relinquished(hasReacquirer: true) {
            (tickets[at: place].isOpen, tickets[at: place].deadline) = (false, nil)
        } else {
            tickets.remove(at: place)
        }
    }

    // MARK: What the arbiter has no part in

    private mutating func takeOver(_ request: AccessRequest, of client: ClientID, _ connection: ConnectionID)
    {
        if arbiter.reestablish(request) { return }
        clients[connection]?.lostAccesses.insert(request.id)
        actions.append(.send(.claimLost(request.id), connection))
    }

    /// Takes back what has not come to the arbiter yet.
    private mutating func withdraw(_ id: AccessID, _ connection: ConnectionID) -> Bool {
        guard let index = heldBack.firstIndex(where: { $0.requestedAccess == id }) else { return false }
        heldBack.remove(at: index)
        actions.append(.send(.failed(id, .cancelled), connection))
        return true
    }

    private mutating func tell(_ names: [String], of item: ItemPath, except: PresenterID?) {
        for (id, names) in arbiter.recipients(of: names, about: item, except: except) {
            guard let connection = connectionsByClient[id.client] else { continue }
            actions.append(.send(.attributesChanged(id, names), connection))
        }
    }

    /// Lets those reacquire who stepped aside for accesses that are over.
    mutating func reacquireAsides() {
        guard !asides.isEmpty, !isCollecting else { return }
        for access in asides.keys where !arbiter.knows(access) {
            for waiting in asides.removeValue(forKey: access) ?? [] {
                guard let connection = connectionsByClient[waiting.client] else { continue }
                actions.append(.send(.reacquire(waiting.ticket), connection))
            }
        }
    }

    // MARK: Effects

    /// Turns what the arbiter wants done into messages.
    ///
    /// - Parameter event: What led to it.
    mutating func perform(_ effects: [AccessArbiter.Effect], for event: ArbiterEvent? = nil, now: UInt64) {
        for effect in effects {
            switch effect {
            case .send(let message, let presenter, let access, let ticket):
                guard let connection = connectionsByClient[presenter.client] else { continue }
                let deadline = deadline(for: presenter, access, now: now)
                tickets[ticket] = Asked(client: presenter.client, deadline: deadline)
                earliestDeadline = min(earliestDeadline ?? deadline, deadline)
                actions.append(.send(.asked(message, presenter, for: access, ticket), connection))
            case .notify(let presenter, let notice):
                guard let connection = connectionsByClient[presenter.client] else { continue }
                actions.append(.send(.told(presenter, notice), connection))
            case .grant(let access, let items):
                guard let connection = connectionsByClient[access.client] else { continue }
                let moved = arbiter.isWhereAsked(access) ? [] : items
                // Before it begins, so that its end is told at once however soon that is.
                if isAwaited(access) { actions.append(.send(.awaited(access), connection)) }
                actions.append(
                    .send(.granted(access, moved, isObserved: arbiter.hasPresenters), connection)
                )
            case .fail(let access, let failure):
                guard let connection = connectionsByClient[access.client] else { continue }
                actions.append(.send(.failed(access, self.failure(failure, after: event)), connection))
            case .reacquire(let ticket):
                guard let client = tickets.removeValue(forKey: ticket)?.client else { continue }
                guard let connection = connectionsByClient[client] else { continue }
                actions.append(.send(.reacquire(ticket), connection))
            }
        }
    }

    private mutating func failure(_ failure: AccessFailure, after event: ArbiterEvent?) -> AgentFailure {
        switch failure {
        case .cancelled: return .cancelled
        case .deadlock(let cycle): return .deadlock(note(cycle))
        case .presenterFailed:
            if case .replied(_, _, let facts?) = event { return .presenterFailed(facts) }
            return .presenterFailed(ErrorFacts(domain: "", code: 0, text: ""))
        case .presenterTimedOut(let presenter, let message):
            return .presenterTimedOut(party(presenter), message)
        }
    }

    private func party(_ presenter: PresenterID) -> PresenterParty {
        let client = connectionsByClient[presenter.client].flatMap { clients[$0] }
        return PresenterParty(
            id: presenter,
            typeName: presenterLabels[presenter]?.typeName ?? "a presenter",
            processID: client?.processID ?? 0,
            processName: client?.processName ?? "",
            place: presenterLabels[presenter]?.place
        )
    }

    // MARK: Time limits

    private func deadline(for presenter: PresenterID, _ access: AccessID, now: UInt64) -> UInt64 {
        let isOwn = presenter.client == access.client
        let client = isOwn ? connectionsByClient[access.client].flatMap { clients[$0] } : nil
        return now + (client?.presenterLimit ?? limits.presenter)
    }

    mutating func endTickets(now: UInt64) {
        let over = tickets.filter { $0.value.deadline.map { $0 <= now } == true }.map(\.key)
        for ticket in over.sorted(by: { $0.number < $1.number }) {
            tickets[ticket]?.deadline = nil
            perform(arbiter.timeLimitPassed(ticket), now: now)
        }
        earliestDeadline = tickets.values.compactMap(\.deadline).min()
        reacquireAsides()
    }
}
