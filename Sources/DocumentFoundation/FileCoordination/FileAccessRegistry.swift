package import Coordination
package import FileSystem
internal import Foundation
internal import Locks

/// Everything that coordinates in one process: one struct under one lock, any thread.
///
/// 1. Nothing is called with the lock held. Under it the arbiter decides, and what it wants done goes into
///    the outbox; after it, one thread at a time empties the outbox, so that the order is the arbiter's.
/// 2. A presenter is held from being added until being removed.
package final class FileAccessRegistry: Sendable {
    /// The one that `NSFileCoordinator` uses.
    ///
    /// It is joined to the user's agent, unless the environment says `SHEAF_AGENT=off`.
    package static let shared = makeShared()

    struct State: Sendable {
        var arbiter = AccessArbiter()
        var presenters: [PresenterID: PresenterHandle] = [:]
        var presenterOrder: [PresenterID] = []
        var namedPlaces = NamedPlaces()
        var waiters: [AccessID: AccessWaiter] = [:]
        var cancelledCoordinators: Set<UInt64> = []
        var outbox: [Delivery] = []
        var isDelivering = false
        /// What presenters have been asked and have not answered, with the access it is for.
        var unanswered = UnansweredMessages()
        var reacquirers: [Ticket: Reacquirer] = [:]
        var deadlines: [Ticket: UInt64] = [:]
        var timerDeadline: UInt64?
        var presenterTimeLimitSeconds: Double
        /// Deadlocks lately, the latest first.
        var brokenCycles: [BrokenCycle] = []
        var accessCount: UInt64 = 0
        var coordinatorCount: UInt64 = 0
        var mailboxes = Mailboxes()
        var mainErrands = MainErrands()
        /// What a process that can be joined to an agent keeps for that.
        var joining = JoiningState()
        /// Whether an agent is to be looked for once the lock is open.
        var mustSearch = false
        /// Callers that wait on a queue of theirs, the innermost last.
        var blockedCallers: [BlockedCaller] = []
    }

    /// What is to be done once the lock is open.
    enum Delivery: Sendable {
        case message(PresenterMessage, PresenterHandle, Ticket)
        case notice(PresenterNotice, PresenterHandle)
        case attributes(Set<URLResourceKey>, PresenterHandle)
        case version(VersionNews, PresenterHandle)
        /// The presenter's item is gone already.
        case goneItem(PresenterHandle)
        case reacquire(Reacquirer)
        case verdict(AccessVerdict, AccessWaiter)
        /// A report as the agent sent it; nil when it is gone.
        case report([UInt8]?, @Sendable (CoordinationReport?) -> Void)
    }

    struct Reacquirer: Sendable {
        let presenter: PresenterHandle
        /// The access it stepped aside for.
        let access: AccessID
        let run: @Sendable () -> Void
    }

    /// This process, as the arbiter knows it.
    static let client = ClientID(0)

    let state: Locked<State>
    private let moved: (@Sendable (_ source: FilePath, _ target: FilePath) -> Void)?
    private let outside = Locked<OutsideWatcher?>(nil)
    private let presentedStates = Locked<PresentedItemStates?>(nil)
    /// What keeps this registry joined to the agent; nil for one that always works alone.
    let link: AgentLink?
    /// Tells this registry from all others, in all processes; never 0.
    let identity: ClientID

    /// A registry that sees only its own accesses and presenters.
    ///
    /// - Parameters:
    ///   - presenterTimeLimitSeconds: How long a presenter may take to answer one message.
    ///   - hearsOutsiders: Whether presenters are also told what is done by those who coordinate nothing.
    ///   - events: What tells of that.
    ///   - moved: Told of every move that is announced or seen; called on any thread, must return at once.
    package convenience init(
        presenterTimeLimitSeconds: Double,
        hearsOutsiders: Bool = false,
        events: FileEvents = .shared,
        moved: (@Sendable (_ source: FilePath, _ target: FilePath) -> Void)? = nil
    ) {
        self.init(
            presenterTimeLimitSeconds: presenterTimeLimitSeconds,
            hearsOutsiders: hearsOutsiders,
            policy: nil,
            events: events,
            moved: moved
        )
    }

    init(
        presenterTimeLimitSeconds: Double,
        hearsOutsiders: Bool,
        policy: AgentPolicy?,
        events: FileEvents = .shared,
        moved: (@Sendable (_ source: FilePath, _ target: FilePath) -> Void)? = nil
    ) {
        self.moved = moved
        identity = ClientID(UInt64.random(in: 1...UInt64.max))
        link = policy.map { [identity] policy in AgentLink(policy, client: identity) }
        var state = State(presenterTimeLimitSeconds: presenterTimeLimitSeconds)
        if link != nil { state.joining.mode = .resting }
        self.state = Locked(state)
        guard hearsOutsiders else { return }
        let watcher = OutsideWatcher(
            events: events,
            isBeingWritten: { [weak self] in self?.itemsBeingWritten($0) ?? [] },
            isQuietElsewhere: { [weak self] in self?.isQuietElsewhere($0, then: $1) ?? true },
            report: { [weak self] in self?.tell($0) }
        )
        outside.withLock { $0 = watcher }
        let states = PresentedItemStates { [weak self] keys, id in
            let names = keys.map(\.rawValue).sorted()
            self?.change { state in
                state.tell(id, names)
                return ([], ())
            }
        }
        presentedStates.withLock { $0 = states }
    }

    /// Who watches for those who coordinate nothing; nil where nobody does.
    var outsideWatcher: OutsideWatcher? { outside.withLock { $0 } }

    /// How long a presenter may take to answer one message, in seconds.
    package var presenterTimeLimitSeconds: Double {
        get { state.withLock { $0.presenterTimeLimitSeconds } }
        set {
            change { state in
                state.presenterTimeLimitSeconds = newValue
                state.sendTimeLimit()
                return ([], ())
            }
        }
    }

    /// What every access of this process waits for, for diagnosis.
    package var waits: [AccessID: [AccessWait]] { state.withLock { $0.arbiter.waits } }

    /// Whether some thread still has messages to put on presenters' queues.
    package var isDelivering: Bool { state.withLock { $0.isDelivering || !$0.outbox.isEmpty } }

    func makeCoordinatorNumber() -> UInt64 {
        state.withLock { state in
            state.coordinatorCount += 1
            return state.coordinatorCount
        }
    }

    // MARK: Presenters

    /// Adds a presenter, which is held until it is removed; nothing if it is there already.
    package func add(_ presenter: any NSFilePresenter, fileID: String = #fileID, line: Int = #line) {
        add(presenter, place: "\(fileID):\(line)")
    }

    /// - Parameter place: Where it is registered, for those who are told of it; nil when that is not known.
    package func add(_ presenter: any NSFilePresenter, place: String?) {
        let handle = PresenterHandle(adding: presenter, place: place)
        let path = presenter.presentedItemURL.flatMap(ItemPath.init(fileURL:))
        let isNew = change { state -> ([AccessArbiter.Effect], Bool) in
            guard state.presenters.updateValue(handle, forKey: handle.id) == nil else { return ([], false) }
            state.presenterOrder.append(handle.id)
            state.namedPlaces.add(handle.id, path)
            return (state.decide(handle.added(at: path)), true)
        }
        if isNew { watch(handle, at: path) }
    }

    /// Takes in that a presenter which reads another item now presents that. Called within an access to it, so that no change falls
    /// between the two.
    package func follow(_ presenter: any NSFilePresenter) {
        let id = PresenterHandle.id(of: presenter)
        guard let handle = state.withLock({ $0.presenters[id] }) else { return }
        let path = presenter.presentedItemURL.flatMap(ItemPath.init(fileURL:))
        guard state.withLock({ $0.acceptsName(id, path) }) else { return }
        watch(handle, at: path)
        change { state in
            state.takeName(id, path)
            return ([], ())
        }
    }

    /// Has the item that a presenter presents now watched; nil for none.
    ///
    /// - Parameter handle: That with which it was added.
    func watch(_ handle: PresenterHandle, at path: ItemPath?) {
        let findsOutItself = handle.presenter is any OutsideChangeReceiver
        outsideWatcher?.present(handle.id, path, findsOutItself: findsOutItself)
        guard !handle.observedUbiquityAttributes.isEmpty else { return }
        presentedStates.withLock { $0 }?.present(handle.id, path?.fileURL)
    }

    /// Removes a presenter.
    ///
    /// Whoever waits for its answer goes on.
    package func remove(_ presenter: any NSFilePresenter) {
        let id = PresenterHandle.id(of: presenter)
        outsideWatcher?.present(id, nil, findsOutItself: false)
        presentedStates.withLock { $0 }?.present(id, nil)
        let removed = change { state -> ([AccessArbiter.Effect], PresenterHandle?) in
            guard let handle = state.presenters.removeValue(forKey: id) else { return ([], nil) }
            state.presenterOrder.removeAll { $0 == id }
            state.namedPlaces.remove(id)
            return (state.decide(.presenterRemoved(id)), handle)
        }
        // The last reference may go here, with the lock open.
        withExtendedLifetime(removed) {}
    }

    /// The presenters, in the order they were added.
    package var presenters: [any NSFilePresenter] {
        state.withLock { state in state.presenterOrder.compactMap { state.presenters[$0] } }.map(\.presenter)
    }

    func itemMoved(
        from source: ItemPath,
        to target: ItemPath,
        inside packages: [ItemPath],
        purpose: Purpose,
        presenter: PresenterID?
    ) {
        guard source != target else { return }
        let move = ItemMove(
            from: source,
            to: target,
            inside: packages,
            purpose: purpose,
            presenter: presenter
        )
        moved?(FilePath(source.string), FilePath(target.string))
        change { state in (state.decide(.itemMoved(move)), ()) }
        outsideWatcher?.follow(from: source, to: target)
    }

    func ubiquityAttributesChanged(_ attributes: Set<URLResourceKey>, of item: ItemPath, except: PresenterID?)
    {
        let names = attributes.map(\.rawValue).sorted()
        change { state in (state.decide(.attributesChanged(item, names, except: except)), ()) }
    }

    // MARK: Deciding

    /// Lets the arbiter decide, and then does what it wants done.
    @discardableResult
    func change<Result: Sendable>(
        error: (any Error)? = nil,
        _ decide: @Sendable (inout State) -> ([AccessArbiter.Effect], Result)
    ) -> Result {
        let (result, toDo) = state.withLock { state in
            state.arbiter.now = Self.now
            let (effects, result) = decide(&state)
            let mustArm = Self.post(effects, error: error, in: &state)
            defer { state.mustSearch = false }
            let toDo = ToDo(
                mustArm: mustArm,
                mustDeliver: !state.outbox.isEmpty && !state.isDelivering,
                mustSearch: state.mustSearch,
                mustWatchAgent: state.joining.pulse.mustBegin(),
                connection: state.joining.connection
            )
            return (result, toDo)
        }
        toDo.connection?.flush()
        if toDo.mustSearch { link?.begin(for: self) }
        if toDo.mustWatchAgent { feelPulse() }
        if let deadline = toDo.mustArm { arm(at: deadline) }
        if toDo.mustDeliver { deliver() }
        return result
    }

    /// What a change leaves to be done with the lock open.
    private struct ToDo: Sendable {
        let mustArm: UInt64?
        let mustDeliver: Bool
        let mustSearch: Bool
        let mustWatchAgent: Bool
        let connection: AgentConnection?
    }

    /// Puts effects into the outbox.
    ///
    /// Returns when a timer must go off that none is set for.
    static func post(_ effects: [AccessArbiter.Effect], error: (any Error)?, in state: inout State) -> UInt64?
    {
        var earliest: UInt64?
        for effect in effects {
            switch effect {
            case .send(let message, let id, let access, let ticket):
                guard let handle = state.presenters[id] else { continue }
                state.unanswered.insert(ticket, for: access)
                state.outbox.append(.message(message, handle, ticket))
                // The agent sees to the time limits of what it asks.
                guard state.joining.connection == nil else { continue }
                let deadline = deadline(afterSeconds: state.presenterTimeLimitSeconds)
                state.deadlines[ticket] = deadline
                earliest = min(earliest ?? deadline, deadline)
            case .notify(let id, let notice):
                guard let handle = state.presenters[id] else { continue }
                state.send(notice, to: handle)
            case .reacquire(let ticket):
                guard let reacquirer = state.reacquirers.removeValue(forKey: ticket) else { continue }
                state.outbox.append(.reacquire(reacquirer))
            case .grant(let id, let items):
                state.joining.granted(id)
                guard let waiter = state.waiters.removeValue(forKey: id) else { continue }
                state.outbox.append(.verdict(.granted(items), waiter))
            case .fail(let id, let failure):
                state.joining.forget(id)
                guard let waiter = state.waiters.removeValue(forKey: id) else { continue }
                let cause = state.joining.ownErrors.removeValue(forKey: id) ?? error
                state.outbox.append(.verdict(verdict(for: failure, error: cause, in: &state), waiter))
            }
        }
        guard let earliest, earliest < state.timerDeadline ?? .max else { return nil }
        state.timerDeadline = earliest
        return earliest
    }

    private static func verdict(
        for failure: AccessFailure,
        error: (any Error)?,
        in state: inout State
    ) -> AccessVerdict {
        switch failure {
        case .cancelled: .cancelled
        case .presenterFailed: error.map { .refused($0) } ?? .cancelled
        case .deadlock(let cycle): .deadlock(note(cycle, in: &state))
        case .presenterTimedOut(let id, let message):
            .timedOut(state.presenters[id].map { .here($0) }, message)
        }
    }
}
