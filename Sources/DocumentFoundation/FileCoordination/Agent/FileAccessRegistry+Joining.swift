internal import Coordination
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks

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
            if case .ended(let id, _) = event, joining.mayTellLater(theEndOf: id), waiters.isEmpty,
                presenters.isEmpty
            {
                connection.putLater(.event(event))
                return []
            }
            return connection.put(.event(event)) ? [] : refuse(event)
        case .searching: return keep(event)
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

    fileprivate mutating func decideAlone(_ event: ArbiterEvent) -> [AccessArbiter.Effect] {
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
            joining.untold.append(event)
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
        guard let connection = joining.connection, milliseconds.isFinite else { return }
        connection.put(.timeLimit(milliseconds: UInt64(max(0, min(milliseconds, 3.6e6)))))
    }
}

extension FileAccessRegistry {
    static func makeShared() -> FileAccessRegistry {
        let limit = 5.0
        let moved: @Sendable (FilePath, FilePath) -> Void = {
            BookmarkKeeper.shared.noteMove(from: $0, to: $1)
        }
        do {
            let environment = ProcessInfo.processInfo.environment
            let policy = try AgentPolicy(environment: environment, executable: Bundle.main.executablePath)
            return FileAccessRegistry(
                presenterTimeLimitSeconds: limit,
                hearsOutsiders: true,
                policy: policy,
                moved: moved
            )
        } catch {
            log(error)
            return FileAccessRegistry(
                presenterTimeLimitSeconds: limit,
                hearsOutsiders: true,
                moved: moved
            )
        }
    }

    /// A registry that is joined to the agent of a runtime folder.
    ///
    /// - Parameters:
    ///   - agentProgram: What is started when there is no agent; nil when none is to be started.
    ///   - hearsOutsiders: Whether presenters are also told what is done by those who coordinate nothing.
    ///   - patience: How long the agent is waited for.
    package convenience init(
        presenterTimeLimitSeconds: Double,
        runtimeFolder: String,
        agentProgram: String?,
        hearsOutsiders: Bool = false,
        patience: AgentPatience = AgentPatience()
    ) throws {
        var policy = AgentPolicy(
            folder: try RuntimeFolder(path: runtimeFolder),
            program: agentProgram,
            environment: ProcessInfo.processInfo.environment
        )
        policy.patience = patience
        self.init(
            presenterTimeLimitSeconds: presenterTimeLimitSeconds,
            hearsOutsiders: hearsOutsiders,
            policy: policy
        )
    }

    /// Leaves the agent for good; for a registry that is no longer used.
    package func leaveAgent() { link?.end() }

    /// Whether accesses are decided by the agent now.
    package var isJoined: Bool { state.withLock { $0.joining.connection != nil } }

    /// How many accesses of this process the agent has been asked for and has not decided on.
    package var waitsAtAgent: Int {
        state.withLock { state in
            state.joining.connection == nil ? 0 : state.joining.records.values.count { !$0.isHeld }
        }
    }

    // MARK: Called by the link

    /// Whether there is anything to decide.
    var needsAgent: Bool {
        state.withLock { state in
            if case .resting = state.joining.mode { false } else { true }
        }
    }

    /// An agent is there: it is told all.
    func join(_ connection: AgentConnection) {
        change { state -> ([AccessArbiter.Effect], Void) in
            state.disown()
            state.joining.pulse.heard()
            let (held, wanted) = state.standing()
            state.joining.mode = .joined(connection)
            state.sendTimeLimit()
            for event in held { connection.put(.event(event)) }
            connection.put(.caughtUp)
            var effects: [AccessArbiter.Effect] = []
            for event in wanted {
                if case .ended = event { state.joining.note(event) }
                if !connection.put(.event(event)) { effects += state.refuse(event) }
            }
            state.joining.pulse.isNeeded = !wanted.isEmpty || !state.joining.quietWaits.isEmpty
            for number in state.joining.quietWaits.keys.sorted() {
                // Too many items for a message were not waited for in the first place.
                _ = state.joining.askForQuiet(number, at: connection)
            }
            state.tellAgain()
            return (effects, ())
        }
    }

    /// The agent is gone.
    func lose(_ connection: AgentConnection) {
        change { state -> ([AccessArbiter.Effect], Void) in
            guard state.joining.connection === connection else { return ([], ()) }
            state.disown()
            let isNeeded = !state.joining.records.isEmpty || !state.presenters.isEmpty
            state.joining.mode = isNeeded ? .searching : .resting
            return ([], ())
        }
    }

    /// There is no agent: this process decides for itself, beginning with what it holds.
    func workAlone(because error: any Error) {
        if case AgentFinder.Absence.nobody = error {} else { Self.log(error) }
        let waiting = change { state -> ([AccessArbiter.Effect], [@Sendable () -> Void]) in
            if case .alone = state.joining.mode { return ([], []) }
            state.disown()
            let (held, wanted) = state.standing()
            state.joining.mode = .alone
            var effects: [AccessArbiter.Effect] = []
            for event in held + wanted {
                if case .ended = event { state.joining.note(event) }
                effects += state.decideAlone(event)
            }
            state.tellAgain()
            return (effects, state.joining.takeQuietWaits())
        }
        for body in waiting { body() }
    }

    /// Does what the agent says.
    func take(_ messages: [AgentMessage]) {
        if messages.count == 1, case .granted(let access, let items, let isObserved) = messages[0],
            resume(access, items, isObserved)
        {
            return
        }
        let news = change { state in
            var (effects, news): ([AccessArbiter.Effect], [State.News]) = (state.hear(), [])
            for message in messages {
                if let found = state.news(in: message) { news.append(found) }
                effects += state.take(message)
            }
            return (effects, news)
        }
        // What others did in coordinated accesses is no news from outside.
        for news in news {
            switch news {
            case .written(let item): outsideWatcher?.wrote([item])
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

    /// Says on standard error what a developer should know although no call fails for it.
    static func log(_ error: any Error) {
        FileHandle.standardError.write(Data("file coordination: \(error)\n".utf8))
    }
}

extension FileAccessRegistry.State {
    /// Leaves what an arbiter that is no more has asked and was to decide.
    fileprivate mutating func disown() {
        joining.orphans.merge(unanswered.removeAll()) { $1 }
        // The next one is told all that stands.
        _ = joining.endSilence()
        deadlines = [:]
        joining.ownErrors = [:]
        joining.asides = [:]
        joining.isObserved = false
        joining.awaited = []
        arbiter = AccessArbiter()
        // No ticket is given twice, whoever gives them.
        arbiter.countTickets(from: DispatchTime.now().uptimeNanoseconds)
    }

    fileprivate mutating func standing() -> (held: [ArbiterEvent], wanted: [ArbiterEvent]) {
        defer { joining.untold = [] }
        return joining.standing(presenterOrder.compactMap { presenters[$0] }, reacquirers)
    }

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

    fileprivate mutating func take(_ message: AgentMessage) -> [AccessArbiter.Effect] {
        switch message {
        case .welcome, .goodbye, .report, .quiet: break
        case .asked(let message, let presenter, let access, let ticket):
            return [.send(message, to: presenter, for: access, ticket)]
        case .told(let presenter, let notice):
            if case .itemDidMove(let target) = notice { joining.presenterPaths[presenter] = target }
            return [.notify(presenter, notice)]
        case .granted(let access, let items, let isObserved):
            joining.isObserved = isObserved
            guard let record = joining.records[access] else {
                joining.connection?.put(.event(.ended(access, [])))
                return []
            }
            return [.grant(access, items.isEmpty ? record.request.claims.map(\.item) : items)]
        case .failed(let access, let failure): fail(access, failure)
        case .reacquire(let ticket): return [.reacquire(ticket)]
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
        return []
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
