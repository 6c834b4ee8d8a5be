internal import Coordination
internal import Dispatch
internal import Foundation

/// What becomes of those who wait for an agent that is stopped or hangs.
///
/// They fail, with an error that names the agent. No other agent can take its place meanwhile, and nobody may do without:
/// what it has granted to others goes on, and only it knows of all. An access that failed is taken back by a message
/// behind its request: an agent that goes on reads both in order; if it grants the access first, the grant finds nobody
/// who waits and is answered with the access's end. So nothing is let in twice, and nothing is left behind.
///
/// What was seen from outside is told to presenters then, although it may have been done in a coordinated access: to hear
/// of it twice is better than not at all. However much it was, it is told once more when an agent says anything, or when there
/// is none, as nobody could read it before. That asks for no word about the items: the agent tells of what is written then.
///
/// An agent that was given up once may stay so for days. It is not told of what begins and is over meanwhile, which nothing would
/// bound: requests, presenters and moves wait here until it says something, and it has a question to answer when it goes on. A
/// presenter that made way for an access of this process is told that this is over when the access fails.
extension FileAccessRegistry {
    /// Looks after an interval whether the agent lives.
    func feelPulse() {
        let seconds = link?.finder.policy.patience.pulseSeconds ?? AgentPulse.intervalSeconds
        DispatchQueue(label: "sheaf.agent-pulse").asyncAfter(deadline: .now() + seconds) { [weak self] in
            self?.endInterval()
        }
    }

    private func endInterval() {
        let step = change { state -> ([AccessArbiter.Effect], AgentPulse.Step) in
            let connection = state.joining.connection
            let step = state.joining.pulse.tick(isWaiting: state.joining.isWaitingForAgent)
            // Whatever it says is a sign of life; number 0 stands for no items and nothing to do.
            // One that was given up has been asked.
            if step == .ask, !state.joining.isSilent { connection?.put(.quietWanted(0, [])) }
            return ([], step)
        }
        switch step {
        case .rest: return
        case .goOn, .ask: break
        case .giveUp: giveUpOnAgent()
        }
        feelPulse()
    }

    /// Fails what waits for an agent that holds its lock and does not answer, and tells what was seen meanwhile.
    ///
    /// - Parameter isStarting: Whether it serves nobody yet.
    func giveUpOnAgent(isStarting: Bool = false) {
        let process = link?.finder.agentProcess
        let news = change { state -> ([AccessArbiter.Effect], [@Sendable () -> Void]) in
            if case .alone = state.joining.mode {
                // One has begun, and may let others in as soon as it goes on.
                state.disown()
                state.joining.mode = .searching
            }
            let failed = state.failWaiting { url in
                FileCoordinationError(agentSilent: process, isStarting: isStarting, url: url)
            }
            if state.joining.connection != nil { state.joining.beginSilence() }
            state.outbox += state.joining.takeWantedReports().map { .report(nil, $0) }
            return (state.reacquirable(after: failed), state.joining.takeOverdueQuietWaits())
        }
        for body in news { body() }
    }
}

extension FileAccessRegistry.State {
    /// Fails all accesses that wait for the agent, and takes them back from it.
    mutating func failWaiting(with error: (URL) -> FileCoordinationError) -> Set<AccessID> {
        let waiting = joining.records.filter { !$0.value.isHeld }.sorted { $0.key.number < $1.key.number }
        for (id, record) in waiting {
            if joining.heldBack?.requests.contains(id) != true {
                joining.connection?.put(.event(.cancelled(id)))
            }
            joining.forget(id)
            guard let waiter = waiters.removeValue(forKey: id) else { continue }
            outbox.append(.verdict(.refused(error(record.request.claims[0].item.fileURL)), waiter))
        }
        return Set(waiting.map(\.key))
    }

    /// What presenters here left to be run after accesses of this process that will never run.
    fileprivate func reacquirable(after failed: Set<AccessID>) -> [AccessArbiter.Effect] {
        reacquirers.filter { failed.contains($0.value.access) }.keys.sorted { $0.number < $1.number }.map {
            .reacquire($0)
        }
    }

    /// The same for a presenter that has answered when the access had failed already.
    func reacquirable(after access: AccessID, _ ticket: Ticket) -> [AccessArbiter.Effect] {
        guard joining.isSilent, access.client == FileAccessRegistry.client, joining.records[access] == nil,
            !joining.lostAccesses.contains(access)
        else { return [] }
        return [.reacquire(ticket)]
    }

    /// The agent has said something: it is told what was held back.
    mutating func hear() -> [AccessArbiter.Effect] {
        joining.pulse.heard()
        tellAgain()
        guard let heldBack = joining.endSilence(), let connection = joining.connection else { return [] }
        // Where they were when they were added: that an item has moved since is told to them as to all others.
        for handle in presenterOrder.compactMap({ presenters[$0] }) {
            guard let path = heldBack.presenters[handle.id] else { continue }
            connection.put(.event(handle.added(at: path)))
        }
        if let moves = heldBack.moves {
            for move in moves { connection.put(.event(.itemMoved(move))) }
        } else {
            tellPlaces(heldBack, to: connection)
        }
        var effects: [AccessArbiter.Effect] = []
        for id in heldBack.requests.sorted(by: { $0.number < $1.number }) {
            guard let request = joining.records[id]?.request else { continue }
            if !connection.put(.event(.requested(request))) { effects += refuse(.requested(request)) }
        }
        return effects
    }

    /// Tells presenters, and the agent, where they are now: of moves that were too many to keep, or whose agent is gone.
    ///
    /// Other processes watch the items of their presenters themselves.
    ///
    /// - Parameter connection: To the agent that has gone on; nil when it is gone.
    mutating func tellPlaces(_ heldBack: JoiningState.HeldBack, to connection: AgentConnection?) {
        guard heldBack.moves?.isEmpty != true else { return }
        for handle in presenterOrder.compactMap({ presenters[$0] }) {
            let path = joining.presenterPaths[handle.id]
            if path != heldBack.presenters[handle.id] ?? heldBack.toldPaths[handle.id] {
                connection?.put(.event(.presenterMoved(handle.id, to: path)))
                if let path { send(.itemDidMove(to: path), to: handle) }
            }
            // Something in it may have moved as well.
            outbox.append(.notice(.itemDidChange, handle))
        }
    }

    /// Tells presenters to look at their items, where nobody told what was done to them.
    ///
    /// For those whose items nothing watches: who wrote may be gone with the agent that knew, and nobody can say it again.
    mutating func tellOfMissedNews() {
        guard joining.takeMissedNews() else { return }
        for handle in presenterOrder.compactMap({ presenters[$0] }) {
            outbox.append(.notice(.itemDidChange, handle))
        }
    }

    /// Tells presenters again what they were told of while nobody could read it.
    mutating func tellAgain() {
        guard !joining.toldInSilence.isEmpty else { return }
        let items = joining.takeToldInSilence()
        for id in presenterOrder {
            guard let handle = presenters[id], let path = joining.presenterPaths[id] else { continue }
            if items.contains(where: { $0.holds(path) }) { outbox.append(.notice(.itemDidChange, handle)) }
            for item in items where path.holds(item) && item != path {
                outbox.append(.notice(.subitemDidChange(item), handle))
            }
        }
    }
}
