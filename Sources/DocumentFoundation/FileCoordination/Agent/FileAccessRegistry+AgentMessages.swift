internal import Coordination
internal import Foundation
internal import Locks

// What the agent says.
extension FileAccessRegistry {
    /// Does what the agent says.
    func take(_ messages: [AgentMessage]) {
        if messages.count == 1, case .granted(let access, let items, let isObserved) = messages[0],
            resume(access, items, isObserved)
        {
            return
        }
        let news = change { state in
            var (effects, news): ([AccessArbiter.Effect], [State.News]) = (state.hear(), [])
            effects.reserveCapacity(effects.count + messages.count)
            for message in messages {
                if let found = state.news(in: message) { news.append(found) }
                state.take(message, &effects)
            }
            return (effects, news)
        }
        // What others did in coordinated accesses is no news from outside.
        for news in news {
            switch news {
            case .written(let item): outsideWatcher?.othersWrote(item)
            case .moved(let source, let target): outsideWatcher?.follow(from: source, to: target)
            case .quiet(let body): body()
            }
        }
    }

    /// Lets an access run whose caller waits: what comes most often, in fewer steps.
    ///
    /// - Returns: Whether it runs; not when nobody waits for it any longer, or something is to be told first.
    private func resume(_ access: AccessID, _ items: [ItemPath], _ isObserved: Bool) -> Bool {
        let resumed = state.withLock { state -> (AccessWaiter, [ItemPath])? in
            guard state.joining.toldInSilence.isEmpty, !state.joining.isSilent,
                let request = state.joining.records[access]?.request,
                items.isEmpty || items.count == request.claims.count,
                let waiter = state.waiters.removeValue(forKey: access)
            else { return nil }
            state.joining.isObserved = isObserved
            state.joining.pulse.heard()
            state.joining.granted(access)
            return (waiter, items.isEmpty ? request.claims.map(\.item) : items)
        }
        guard let (waiter, items) = resumed else { return false }
        waiter.resume(.granted(items))
        return true
    }
}

extension FileAccessRegistry.State {
    /// What a message says that who watches for others must know.
    fileprivate enum News: Sendable {
        /// By another process.
        case written(ItemPath)
        case moved(ItemPath, to: ItemPath)
        /// Nobody else writes now what this is about.
        case quiet(@Sendable () -> Void)
    }

    /// - Parameter message: Not taken yet.
    fileprivate mutating func news(in message: AgentMessage) -> News? {
        if case .quiet(let number) = message {
            return joining.quietWaits.removeValue(forKey: number).map { .quiet($0.body) }
        }
        guard case .told(let presenter, let notice) = message else { return nil }
        switch notice {
        case .itemDidChange: return joining.presenterPaths[presenter].map { .written($0) }
        case .subitemDidAppear(let item), .subitemDidChange(let item): return .written(item)
        case .subitemDidMove(let source, let target): return .moved(source, to: target)
        case .itemDidMove(let target):
            guard let source = joining.presenterPaths[presenter], source != target else { return nil }
            return .moved(source, to: target)
        }
    }

    /// - Parameter effects: Gets what follows from the message.
    fileprivate mutating func take(_ message: AgentMessage, _ effects: inout [AccessArbiter.Effect]) {
        switch message {
        case .welcome, .goodbye, .quiet: break
        case .report(let part, let isLast):
            if let report = joining.takeReport(part, isLast: isLast) {
                outbox.append(.report(report.json, report.tell))
            }
        case .asked(let message, let presenter, let access, let ticket):
            effects.append(.send(message, to: presenter, for: access, ticket))
        case .told(let presenter, let notice):
            if case .itemDidMove(let target) = notice { joining.presenterPaths[presenter] = target }
            effects.append(.notify(presenter, notice))
        case .granted(let access, let items, let isObserved):
            joining.isObserved = isObserved
            guard let record = joining.records[access] else {
                joining.connection?.put(.event(.ended(access, [])))
                return
            }
            guard items.isEmpty || items.count == record.request.claims.count else {
                return refuseGrant(of: record)
            }
            effects.append(.grant(access, items.isEmpty ? record.request.claims.map(\.item) : items))
        case .failed(let access, let failure): fail(access, failure)
        case .reacquire(let ticket): effects.append(.reacquire(ticket))
        case .attributesChanged(let presenter, let names): tell(presenter, names)
        case .awaited(let access):
            if joining.records[access] == nil {
                joining.connection?.hurry()
            } else {
                joining.awaited.insert(access)
            }
        case .claimLost(let access):
            joining.records[access] = nil
            joining.lostAccesses.insert(access)
        }
    }

    /// An access is given that is not the one that was asked for: where its items are, nobody can say.
    private mutating func refuseGrant(of record: JoiningState.Record) {
        guard !record.isHeld else { return }
        joining.connection?.put(.event(.ended(record.request.id, [])))
        fail(record.request.id, .presenterFailed(ErrorFacts(CocoaError(.fileReadUnknown))))
    }

    private mutating func fail(_ access: AccessID, _ failure: AgentFailure) {
        joining.forget(access)
        let own = joining.ownErrors.removeValue(forKey: access)
        guard let waiter = waiters.removeValue(forKey: access) else { return }
        let verdict: AccessVerdict =
            switch failure {
            case .cancelled: .cancelled
            case .presenterFailed(let facts): .refused(own ?? facts.error)
            case .deadlock(let json): Self.deadlock(json)
            case .presenterTimedOut(let party, let message):
                .timedOut(presenters[party.id].map { .here($0) } ?? .elsewhere(party), message)
            }
        outbox.append(.verdict(verdict, waiter))
    }

    private static func deadlock(_ json: [UInt8]) -> AccessVerdict {
        do {
            return .deadlock(try JSONDecoder().decode(BrokenCycle.self, from: Data(json)))
        } catch {
            return .refused(error)
        }
    }
}

extension ErrorFacts {
    init(_ error: any Error) {
        let error = error as NSError
        self.init(domain: error.domain, code: Int64(error.code), text: error.localizedDescription)
    }

    /// The error as it can be known here.
    fileprivate var error: any Error {
        let info = [NSLocalizedDescriptionKey: text]
        if domain == NSCocoaErrorDomain {
            return CocoaError(CocoaError.Code(rawValue: Int(code)), userInfo: info)
        }
        return NSError(domain: domain, code: Int(code), userInfo: info)
    }
}
