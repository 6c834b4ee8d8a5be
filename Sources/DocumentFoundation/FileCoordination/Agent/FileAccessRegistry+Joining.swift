internal import Coordination
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks
internal import StandardStreams

extension FileAccessRegistry {
    static func makeShared() -> FileAccessRegistry {
        let limit = PresenterLimit.usualSeconds
        let moved: @Sendable (FilePath, FilePath) -> Void = {
            BookmarkKeeper.noteMove(from: $0, to: $1)
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
    ///   - versions: The versions of the agent's format that it speaks; nil for all that this code does.
    package convenience init(
        presenterTimeLimitSeconds: Double,
        runtimeFolder: String,
        agentProgram: String?,
        hearsOutsiders: Bool = false,
        patience: AgentPatience = AgentPatience(),
        versions: ClosedRange<UInt64>? = nil
    ) throws {
        var policy = AgentPolicy(
            folder: try RuntimeFolder(path: runtimeFolder),
            program: agentProgram,
            environment: ProcessInfo.processInfo.environment
        )
        policy.patience = patience
        policy.versions = versions ?? policy.versions
        self.init(
            presenterTimeLimitSeconds: presenterTimeLimitSeconds,
            hearsOutsiders: hearsOutsiders,
            policy: policy
        )
    }

    /// Leaves the agent for good; for a registry that is no longer used. When it returns, nothing is done for it
    /// in the runtime folder any more.
    package func leaveAgent() { link?.end() }

    /// Whether accesses are decided by the agent now.
    package var isJoined: Bool { state.withLock { $0.joining.connection != nil } }

    /// Whether this process decides on accesses itself, as it has found no agent and could start none.
    package var worksAlone: Bool {
        state.withLock { state in
            if case .alone = state.joining.mode { true } else { false }
        }
    }

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
    ///
    /// - Parameter board: Where this process posts that accesses have ended; nil when it has none.
    func join(_ connection: AgentConnection, _ board: NoticeBoard?) {
        change { state -> ([AccessArbiter.Effect], Void) in
            state.disown()
            state.joining.pulse.heard()
            let (held, wanted) = state.standing()
            state.joining.join(connection, board)
            state.joining.isRefused = false
            state.sendTimeLimit()
            state.tellOfMissedMoves()
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
            if outsideWatcher == nil { state.tellOfMissedNews() }
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
            (state.joining.mode, state.joining.isRefused) = (.alone, false)
            state.tellOfMissedMoves()
            var effects: [AccessArbiter.Effect] = []
            for event in held + wanted {
                if case .ended = event { state.joining.note(event) }
                effects += state.decideAlone(event)
            }
            if outsideWatcher == nil { state.tellOfMissedNews() }
            state.tellAgain()
            return (effects, state.joining.takeQuietWaits())
        }
        for body in waiting { body() }
    }

    /// There is an agent, and this process cannot join it: nothing is granted here, and what was is others' too.
    ///
    /// - Parameter process: The agent's; nil when it is gone.
    func beRefused(by process: Int32?, because error: any Error) {
        let (isFirst, waiting) = change {
            state -> ([AccessArbiter.Effect], (Bool, [@Sendable () -> Void])) in
            state.disown()
            let isFirst = !state.joining.isRefused
            (state.joining.mode, state.joining.isRefused) = (.searching, true)
            state.joining.loseAll()
            state.tellOfMissedMoves()
            _ = state.failWaiting { url in
                FileCoordinationError(agentRefused: process, because: error, url: url)
            }
            // Who made way for others is not told by this agent when they are done.
            let effects = state.reacquirers.keys.sorted { $0.number < $1.number }
                .map { AccessArbiter.Effect.reacquire($0) }
            return (effects, (isFirst, state.joining.takeOverdueQuietWaits()))
        }
        if isFirst { Self.log(error) }
        for body in waiting { body() }
    }

    /// Says on standard error what a developer should know although no call fails for it.
    static func log(_ error: any Error) {
        StandardError.say("file coordination: \(error)")
    }
}

extension FileAccessRegistry.State {
    /// Leaves what an arbiter that is no more has asked and was to decide.
    mutating func disown() {
        joining.noteMissedNews()
        joining.orphans.merge(unanswered.removeAll()) { $1 }
        // The next one is told all that stands.
        if let heldBack = joining.endSilence() { tellPlaces(heldBack, to: nil) }
        deadlines = [:]
        outbox += joining.takeWantedReports().map { .report(nil, $0) }
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
}
