internal import Coordination
internal import Foundation

// Who decides on what happens here.
extension FileAccessRegistry.State {
    /// Has an event decided on: here, or by the agent, whose answer comes later.
    mutating func decide(_ event: ArbiterEvent) -> [AccessArbiter.Effect] {
        guard joining.isLinked else { return decideAlone(event) }
        if case .resting = joining.mode {
            joining.mode = .searching
            mustSearch = true
        }
        switch joining.mode {
        case .unlinked, .resting: return []
        case .alone:
            joining.note(event)
            return decideAlone(event)
        case .joined(let connection):
            joining.note(event)
            if let effects = joining.holdBack(event) { return effects }
            let isAlone = waiters.isEmpty && presenters.isEmpty
            if case .ended(let id, let outcomes) = event,
                joining.mayTellLater(theEndOf: id, outcomes, isAlone: isAlone)
            {
                connection.putLater(.event(event))
                return []
            }
            return connection.put(.event(event)) ? [] : refuse(event)
        case .searching:
            // Whether another agent is there now is looked at when somebody wants something.
            if joining.isRefused, case .requested = event { mustSearch = true }
            return keep(event)
        }
    }

    /// Has a presenter's answer decided on, which is no error.
    ///
    /// An agent need not hear of it at once as long as the access waits for others here: of a hundred presenters one
    /// message tells, not a hundred.
    mutating func takeReply(_ reply: ArbiterEvent, for access: AccessID) -> [AccessArbiter.Effect] {
        guard let connection = joining.connection, unanswered.isAwaited(by: access) else {
            return decide(reply)
        }
        connection.putLater(.event(reply))
        return []
    }

    mutating func decideAlone(_ event: ArbiterEvent) -> [AccessArbiter.Effect] {
        switch event {
        case .attributesChanged(let item, let names, let except):
            for (id, names) in arbiter.recipients(of: names, about: item, except: except) { tell(id, names) }
            return []
        case .steppedAside(_, let access, let ticket):
            joining.asides[access, default: []].append(ticket)
            return reacquirable()
        default:
            let effects = arbiter.take(event)
            return joining.asides.isEmpty ? effects : effects + reacquirable()
        }
    }

    /// What can be run now of what was left by presenters that another arbiter asked.
    private mutating func reacquirable() -> [AccessArbiter.Effect] {
        let over = joining.asides.keys.filter { !arbiter.knows($0) }
        return over.flatMap { joining.asides.removeValue(forKey: $0) ?? [] }.map { .reacquire($0) }
    }

    /// Keeps an event for the arbiter to come.
    private mutating func keep(_ event: ArbiterEvent) -> [AccessArbiter.Effect] {
        switch event {
        case .ended(let id, _):
            // It is said to be held first, and then to be over: others hear what it did.
            guard joining.records[id] != nil else { return [] }
            joining.untold.append(event)
        case .itemMoved, .attributesChanged:
            joining.note(event)
            // For who is refused that may be never.
            if !joining.isRefused { joining.untold.append(event) }
        case .cancelled(let id):
            guard joining.records[id]?.isHeld == false else { return [] }
            return [.fail(id, .cancelled)]
        default: joining.note(event)
        }
        return []
    }

    /// What no message has room for cannot be asked for.
    mutating func refuse(_ event: ArbiterEvent) -> [AccessArbiter.Effect] {
        guard case .requested(let request) = event else { return [] }
        joining.ownErrors[request.id] = CocoaError(.fileReadTooLarge)
        return [
            .fail(
                request.id,
                .presenterFailed(PresenterID(client: ClientID(0), number: 0), Ticket(number: 0))
            )
        ]
    }

    mutating func tell(_ id: PresenterID, _ names: [String]) {
        guard let handle = presenters[id] else { return }
        let observed = Set(names.map { URLResourceKey(rawValue: $0) })
            .intersection(handle.observedUbiquityAttributes)
        if !observed.isEmpty { outbox.append(.attributes(observed, handle)) }
        for news in names.compactMap({ VersionNews($0) }) { outbox.append(.version(news, handle)) }
    }

    /// A presenter of this process may present another item now.
    mutating func movePresenter(_ id: PresenterID, to path: ItemPath?) {
        if joining.isLinked, joining.presenterPaths[id] == path { return }
        _ = decide(.presenterMoved(id, to: path))
    }

    func sendTimeLimit() {
        let milliseconds = (presenterTimeLimitSeconds * 1000).rounded(.up)
        // No limit at all is the longest that the agent takes.
        guard let connection = joining.connection, !milliseconds.isNaN else { return }
        connection.put(.timeLimit(milliseconds: UInt64(max(0, min(milliseconds, 3.6e6)))))
    }
}
