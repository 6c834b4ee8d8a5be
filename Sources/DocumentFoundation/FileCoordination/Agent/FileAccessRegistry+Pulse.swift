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
extension FileAccessRegistry {
    /// Looks after an interval whether the agent lives.
    func feelPulse() {
        let seconds = link?.finder.policy.patience.pulseSeconds ?? AgentPulse.intervalSeconds
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in
            self?.endInterval()
        }
    }

    private func endInterval() {
        let step = change { state -> ([AccessArbiter.Effect], AgentPulse.Step) in
            let connection = state.joining.connection
            let step = state.joining.pulse.tick(isWaiting: state.joining.isWaitingForAgent)
            // Whatever it says is a sign of life; number 0 stands for no items and nothing to do.
            if step == .ask { connection?.put(.quietWanted(0, [])) }
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
            let waiting = state.joining.records.filter { !$0.value.isHeld }.sorted {
                $0.key.number < $1.key.number
            }
            for (id, record) in waiting {
                state.joining.connection?.put(.event(.cancelled(id)))
                state.joining.forget(id)
                guard let waiter = state.waiters.removeValue(forKey: id) else { continue }
                let url = record.request.claims[0].item.fileURL
                let error = FileCoordinationError(agentSilent: process, isStarting: isStarting, url: url)
                state.outbox.append(.verdict(.refused(error), waiter))
            }
            return ([], state.joining.takeOverdueQuietWaits())
        }
        for body in news { body() }
    }
}

extension FileAccessRegistry.State {
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
