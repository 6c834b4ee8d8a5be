package import Coordination
internal import Foundation
internal import Locks

/// Everything that coordinates in one process: one struct under one lock, any thread.
///
/// 1. Nothing is called with the lock held. Under it the arbiter decides, and what it wants done goes into
///    the outbox; after it, one thread at a time empties the outbox, so that the order is the arbiter's.
/// 2. A presenter is held from being added until being removed.
package final class FileAccessRegistry: Sendable {
    /// The one that `NSFileCoordinator` uses.
    package static let shared = FileAccessRegistry(presenterTimeLimitSeconds: 5, hearsOutsiders: true)

    struct State: Sendable {
        var arbiter = AccessArbiter()
        var presenters: [PresenterID: PresenterHandle] = [:]
        var presenterOrder: [PresenterID] = []
        var waiters: [AccessID: AccessWaiter] = [:]
        var cancelledCoordinators: Set<UInt64> = []
        var outbox: [Delivery] = []
        var isDelivering = false
        var unanswered: Set<Ticket> = []
        var reacquirers: [Ticket: Reacquirer] = [:]
        var deadlines: [Ticket: UInt64] = [:]
        var timerDeadline: UInt64?
        var presenterTimeLimitSeconds: Double
        /// Deadlocks lately, the latest first.
        var brokenCycles: [BrokenCycle] = []
        var accessCount: UInt64 = 0
        var coordinatorCount: UInt64 = 0
        /// Messages not yet handled, by the queue they are for.
        var mailboxes: [ObjectIdentifier: [@Sendable () -> Void]] = [:]
        /// Callers that wait on a queue of theirs, the innermost last.
        var blockedCallers: [ObjectIdentifier: [BlockedCaller]] = [:]
    }

    /// What is to be done once the lock is open.
    enum Delivery: Sendable {
        case message(PresenterMessage, PresenterHandle, Ticket)
        case notice(PresenterNotice, PresenterHandle)
        case attributes(Set<URLResourceKey>, PresenterHandle)
        /// The presenter's item is gone already.
        case goneItem(PresenterHandle)
        case reacquire(Reacquirer)
        case verdict(AccessVerdict, AccessWaiter)
    }

    struct Reacquirer: Sendable {
        let presenter: PresenterHandle
        let run: @Sendable () -> Void
    }

    /// This process, as the arbiter knows it.
    static let client = ClientID(0)

    let state: Locked<State>
    private let outside = Locked<OutsideWatcher?>(nil)

    /// - Parameters:
    ///   - presenterTimeLimitSeconds: How long a presenter may take to answer one message.
    ///   - hearsOutsiders: Whether presenters are also told what is done by those who coordinate nothing.
    package init(presenterTimeLimitSeconds: Double, hearsOutsiders: Bool = false) {
        self.state = Locked(State(presenterTimeLimitSeconds: presenterTimeLimitSeconds))
        guard hearsOutsiders else { return }
        let watcher = OutsideWatcher(
            isBeingWritten: { [weak self] in self?.itemsBeingWritten($0) ?? [] },
            report: { [weak self] in self?.tell($0) }
        )
        outside.withLock { $0 = watcher }
    }

    /// Who watches for those who coordinate nothing; nil where nobody does.
    var outsideWatcher: OutsideWatcher? { outside.withLock { $0 } }

    /// How long a presenter may take to answer one message, in seconds.
    package var presenterTimeLimitSeconds: Double {
        get { state.withLock { $0.presenterTimeLimitSeconds } }
        set { state.withLock { $0.presenterTimeLimitSeconds = newValue } }
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
    package func add(_ presenter: any NSFilePresenter) {
        let handle = PresenterHandle(presenter)
        let path = presenter.presentedItemURL.flatMap(ItemPath.init(fileURL:))
        let isNew = state.withLock { state in
            guard state.presenters.updateValue(handle, forKey: handle.id) == nil else { return false }
            state.presenterOrder.append(handle.id)
            state.arbiter.presenterAdded(handle.id, at: path)
            return true
        }
        if isNew { watch(handle, at: path) }
    }

    /// Has the item that a presenter presents now watched; nil for none.
    func watch(_ handle: PresenterHandle, at path: ItemPath?) {
        let findsOutItself = handle.presenter is any OutsideChangeReceiver
        outsideWatcher?.present(handle.id, path, findsOutItself: findsOutItself)
    }

    /// Removes a presenter.
    ///
    /// Whoever waits for its answer goes on.
    package func remove(_ presenter: any NSFilePresenter) {
        let id = PresenterHandle.id(of: presenter)
        outsideWatcher?.present(id, nil, findsOutItself: false)
        let removed = change { state -> ([AccessArbiter.Effect], PresenterHandle?) in
            guard let handle = state.presenters.removeValue(forKey: id) else { return ([], nil) }
            state.presenterOrder.removeAll { $0 == id }
            return (state.arbiter.presenterRemoved(id), handle)
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
        change { state in
            let effects = state.arbiter.itemMoved(
                from: source,
                to: target,
                inside: packages,
                purpose: purpose,
                presenter: presenter
            )
            return (effects, ())
        }
        outsideWatcher?.follow(from: source, to: target)
    }

    func ubiquityAttributesChanged(_ attributes: Set<URLResourceKey>, of item: ItemPath, except: PresenterID?)
    {
        change { state in
            for id in state.arbiter.presenters(of: item) where id != except {
                guard let handle = state.presenters[id] else { continue }
                let observed = attributes.intersection(handle.observedUbiquityAttributes)
                if !observed.isEmpty { state.outbox.append(.attributes(observed, handle)) }
            }
            return ([], ())
        }
    }

    // MARK: Deciding

    /// Lets the arbiter decide, and then does what it wants done.
    @discardableResult
    func change<Result: Sendable>(
        error: (any Error)? = nil,
        _ decide: @Sendable (inout State) -> ([AccessArbiter.Effect], Result)
    ) -> Result {
        let (result, mustArm, mustDeliver) = state.withLock { state in
            state.arbiter.now = Self.now
            let (effects, result) = decide(&state)
            let mustArm = Self.post(effects, error: error, in: &state)
            return (result, mustArm, !state.outbox.isEmpty && !state.isDelivering)
        }
        if let mustArm { arm(at: mustArm) }
        if mustDeliver { deliver() }
        return result
    }

    /// Puts effects into the outbox.
    ///
    /// Returns when a timer must go off that none is set for.
    static func post(_ effects: [AccessArbiter.Effect], error: (any Error)?, in state: inout State) -> UInt64?
    {
        var earliest: UInt64?
        for effect in effects {
            switch effect {
            case .send(let message, let id, _, let ticket):
                guard let handle = state.presenters[id] else { continue }
                state.unanswered.insert(ticket)
                state.outbox.append(.message(message, handle, ticket))
                let deadline = deadline(afterSeconds: state.presenterTimeLimitSeconds)
                state.deadlines[ticket] = deadline
                earliest = min(earliest ?? deadline, deadline)
            case .notify(let id, let notice):
                guard let handle = state.presenters[id] else { continue }
                state.outbox.append(.notice(notice, handle))
            case .reacquire(let ticket):
                guard let reacquirer = state.reacquirers.removeValue(forKey: ticket) else { continue }
                state.outbox.append(.reacquire(reacquirer))
            case .grant(let id, let items):
                guard let waiter = state.waiters.removeValue(forKey: id) else { continue }
                state.outbox.append(.verdict(.granted(items), waiter))
            case .fail(let id, let failure):
                guard let waiter = state.waiters.removeValue(forKey: id) else { continue }
                state.outbox.append(.verdict(verdict(for: failure, error: error, in: &state), waiter))
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
        case .presenterTimedOut(let id, let message): .timedOut(state.presenters[id], message)
        }
    }
}
