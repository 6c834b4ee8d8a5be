internal import Coordination
internal import Foundation
internal import Locks

/// Who asks for access.
struct AccessCaller: Sendable {
    let coordinator: UInt64
    let purpose: Purpose
    let presenter: PresenterHandle?
}

/// An access that was granted and has to be ended.
struct GrantedAccess: Sendable {
    let id: AccessID
    let caller: AccessCaller
    /// The items where they are now, in the order they were asked for.
    let items: [ItemPath]
    /// The same for who asked.
    let urls: [URL]
    /// Per item, whether something was there when a writer got it; nil if no one will hear of changes.
    let existedBefore: [Bool]?
    let isWriting: Bool
    /// How each item is used.
    let uses: [AccessClaim.Use]

    /// What others are kept from.
    var claims: [AccessClaim] {
        zip(items, uses).map { AccessClaim($0, inside: PackageDirectories.enclosing($0), use: $1) }
    }
}

extension FileAccessRegistry {
    /// Waits for access, blocking the thread.
    func begin(
        _ items: [RequestedItem],
        by caller: AccessCaller,
        isPreparation: Bool = false
    ) throws -> GrantedAccess {
        let request = try makeRequest(
            items,
            by: caller,
            isPreparation: isPreparation,
            blocksThread: true
        )
        let granted: [ItemPath]
        switch submitAndWait(request, by: caller) {
        case .granted(let items): granted = items
        case let verdict: granted = try verdict.items(for: items[0].url)
        }
        return makeAccess(request, items, granted, by: caller)
    }

    /// Waits for access, blocking the thread, but not after the deadline: `later` hears then how it comes out, once, on any
    /// thread.
    ///
    /// - Returns: The access, or that `later` hears of it.
    func begin(
        _ items: [RequestedItem],
        by caller: AccessCaller,
        until deadline: DispatchTime,
        later: @escaping @Sendable (Result<GrantedAccess, any Error>) -> Void
    ) throws -> Begun {
        // What this thread is inside of does not wait for it for ever.
        let request = try makeRequest(items, by: caller, blocksThread: false)
        let hear = hearer(of: request, items, by: caller, later)
        guard let verdict = submitAndWait(request, by: caller, until: deadline, orTell: hear) else {
            return .waiting(request.id)
        }
        return .granted(makeAccess(request, items, try verdict.items(for: items[0].url), by: caller))
    }

    /// What came of asking for access.
    enum Begun {
        case granted(GrantedAccess)
        /// Others are to make way first.
        case waiting(AccessID)
    }

    /// Asks for access without blocking; `resume` hears how it comes out, once, on any thread.
    func begin(
        _ items: [RequestedItem],
        by caller: AccessCaller,
        resume: @escaping @Sendable (Result<GrantedAccess, any Error>) -> Void
    ) {
        let request: AccessRequest
        do {
            request = try makeRequest(items, by: caller, blocksThread: false)
        } catch {
            resume(.failure(error))
            return
        }
        let hear = hearer(of: request, items, by: caller, resume)
        change { state in
            let waiter = AccessWaiter(coordinator: caller.coordinator, resume: hear)
            guard !state.cancelledCoordinators.contains(caller.coordinator) else {
                state.outbox.append(.verdict(.cancelled, waiter))
                return ([], ())
            }
            state.waiters[request.id] = waiter
            return (state.decide(.requested(request)), ())
        }
    }

    private func hearer(
        of request: AccessRequest,
        _ items: [RequestedItem],
        by caller: AccessCaller,
        _ resume: @escaping @Sendable (Result<GrantedAccess, any Error>) -> Void
    ) -> @Sendable (AccessVerdict) -> Void {
        { verdict in
            resume(
                Result {
                    let granted = try verdict.items(for: items[0].url)
                    return self.makeAccess(request, items, granted, by: caller)
                }
            )
        }
    }

    /// Ends an access, after which others are told what it did.
    ///
    /// - Returns: An error if others may have used the items while the access ran. Then the presenters of these
    ///   items in this process, and the one that the access was for, are told to look at them again: for accesses
    ///   whose accessor has had its only call, this is how it is heard of.
    @discardableResult
    func end(_ access: GrantedAccess) -> FileCoordinationError? {
        let outcomes = access.existedBefore.map { existedBefore in
            zip(access.items, existedBefore).map { item, existed in
                WriteOutcome(existedBefore: existed, existsAfter: item.isThere)
            }
        }
        let presenter = access.isWriting ? access.caller.presenter : nil
        let path = presenter?.presenter.presentedItemURL.flatMap(ItemPath.init(fileURL:))
        if access.isWriting, let outsideWatcher {
            // Before the access ends: what it did is no news, what others do after it is.
            outsideWatcher.wrote(access.items)
            let added = presenter.flatMap { presenter in
                state.withLock { $0.acceptsName(presenter.id, path) ? $0.presenters[presenter.id] : nil }
            }
            if let added { watch(added, at: path) }
        }
        let isLost = change { state -> ([AccessArbiter.Effect], Bool) in
            if let presenter { state.takeName(presenter.id, path) }
            if !state.joining.lostAccesses.isEmpty, state.joining.lostAccesses.remove(access.id) != nil {
                state.tellOfLoss(access)
                return ([], true)
            }
            return (state.decide(.ended(access.id, outcomes ?? [])), false)
        }
        return isLost ? FileCoordinationError(claimLostOn: access.urls[0]) : nil
    }

    /// Whether the agent has said that others were let in beside an access.
    package func hasLost(_ number: UInt64) -> Bool {
        state.withLock { $0.joining.lostAccesses.contains(AccessID(client: Self.client, number: number)) }
    }

    /// Ends an access that has not begun to do anything, if others have been let in beside it.
    ///
    /// - Returns: The error, for who was to do it.
    func endIfLost(_ access: GrantedAccess) -> FileCoordinationError? {
        guard state.withLock({ $0.joining.lostAccesses.contains(access.id) }) else { return nil }
        return end(access)
    }

    /// Fails what a coordinator waits for, and all it will ask for.
    func cancel(coordinator: UInt64) {
        change { state in
            state.cancelledCoordinators.insert(coordinator)
            let waiting = state.waiters.filter { $0.value.coordinator == coordinator }.map(\.key)
            return (waiting.flatMap { state.decide(.cancelled($0)) }, ())
        }
    }

    /// Fails one access, if it waits.
    func cancel(_ access: AccessID) {
        change { state in (state.waiters[access] == nil ? [] : state.decide(.cancelled(access)), ()) }
    }

    /// A cancelled coordinator is gone.
    func forget(coordinator: UInt64) {
        state.withLock { state in _ = state.cancelledCoordinators.remove(coordinator) }
    }

    // MARK: Steps

    private func makeRequest(
        _ items: [RequestedItem],
        by caller: AccessCaller,
        isPreparation: Bool = false,
        blocksThread: Bool
    ) throws -> AccessRequest {
        precondition(!items.isEmpty, "coordinated access to no item at all")
        let claims = try items.map { try $0.claim() }
        let surroundings = blocksThread ? ThreadNesting.surroundings(of: self) : nil
        let number = state.withLock { state in
            state.accessCount += 1
            return state.accessCount
        }
        return AccessRequest(
            id: AccessID(client: Self.client, number: number),
            purpose: caller.purpose,
            presenter: caller.presenter?.id,
            claims: claims,
            isPreparation: isPreparation,
            nestedIn: surroundings?.access,
            answering: surroundings?.message
        )
    }

    private func submitAndWait(_ request: AccessRequest, by caller: AccessCaller) -> AccessVerdict {
        guard let verdict = submitAndWait(request, by: caller, until: .distantFuture, orTell: { _ in }) else {
            preconditionFailure("who waits for ever has an answer")
        }
        return verdict
    }

    /// - Returns: Nil when there was no verdict at the deadline, and `hear` is told of it.
    private func submitAndWait(
        _ request: AccessRequest,
        by caller: AccessCaller,
        until deadline: DispatchTime,
        orTell hear: @escaping @Sendable (AccessVerdict) -> Void
    ) -> AccessVerdict? {
        let submission = change { state -> ([AccessArbiter.Effect], Submission) in
            guard !state.cancelledCoordinators.contains(caller.coordinator) else {
                return ([], .decided(.cancelled))
            }
            let effects = state.decide(.requested(request))
            if effects.count == 1, case .grant(request.id, let items) = effects[0] {
                state.joining.granted(request.id)
                return ([], .decided(.granted(items)))
            }
            let blocked = BlockedCaller()
            state.waiters[request.id] = AccessWaiter(coordinator: caller.coordinator) { blocked.resume($0) }
            var hasMessages = false
            if let queueID = blocked.queueID {
                state.blockedCallers.append(blocked)
                hasMessages =
                    state.mailboxes.hasMessages(for: queueID)
                    || queueID == ObjectIdentifier(OperationQueue.main) && !state.mainErrands.isEmpty
            }
            let connection = state.joining.connection
            let isAlone = state.presenters.isEmpty && state.joining.quietWaits.isEmpty
            // Before the request is sent, lest the answer wakes another thread.
            let isLeading =
                !hasMessages
                && connection?.lead(mayLinger: isAlone && state.waiters.count == 1) == true
            let isAlert = blocked.queueID != nil && !isAlone || state.joining.isObserved
            return (effects, .waiting(blocked, connection, isLeading: isLeading, isAlert: isAlert))
        }
        switch submission {
        case .decided(let verdict): return verdict
        case .waiting(let blocked, let connection, let isLeading, let isAlert):
            defer { unblock(blocked) }
            return ThreadNesting.enter(.access(request.id), of: self) {
                let verdict = blocked.wait(
                    at: connection,
                    isLeading: isLeading,
                    isAlert: isAlert,
                    until: deadline,
                    take: take(_:),
                    handleMessages: handleMessages(for:)
                )
                if let verdict { return verdict }
                let isTold = state.withLock { state in
                    // It has come in this moment, and is being told.
                    guard state.waiters[request.id] != nil else { return false }
                    state.waiters[request.id] = AccessWaiter(coordinator: caller.coordinator, resume: hear)
                    return true
                }
                return isTold ? nil : blocked.waitForVerdict()
            }
        }
    }

    /// How far a request has come.
    private enum Submission: Sendable {
        case decided(AccessVerdict)
        case waiting(BlockedCaller, AgentConnection?, isLeading: Bool, isAlert: Bool)
    }

    private func unblock(_ caller: BlockedCaller) {
        guard caller.queueID != nil else { return }
        state.withLock { state in state.blockedCallers.removeAll { $0 === caller } }
    }

    private func makeAccess(
        _ request: AccessRequest,
        _ items: [RequestedItem],
        _ granted: [ItemPath],
        by caller: AccessCaller
    ) -> GrantedAccess {
        let urls = items.indices.map { index in
            !items[index].resolvesSymbolicLink && granted[index] == request.claims[index].item
                ? items[index].url
                : URL(fileURLWithPath: granted[index].string, isDirectory: items[index].url.hasDirectoryPath)
        }
        let isWriting = items.contains { $0.isWriting }
        let hasListeners = isWriting && state.withLock { !$0.presenters.isEmpty || $0.joining.isObserved }
        let existedBefore = hasListeners ? granted.map(\.isThere) : nil
        return GrantedAccess(
            id: request.id,
            caller: caller,
            items: granted,
            urls: urls,
            existedBefore: existedBefore,
            isWriting: isWriting,
            uses: items.map(\.use)
        )
    }
}

extension FileAccessRegistry.State {
    /// Tells those here whose items an access was for that others may have changed them.
    fileprivate mutating func tellOfLoss(_ access: GrantedAccess) {
        let items = access.items
        for id in presenterOrder {
            guard let handle = presenters[id] else { continue }
            let isConcerned =
                id == access.caller.presenter?.id
                || joining.presenterPaths[id].map { path in items.contains { $0.holds(path) } } == true
            if isConcerned { outbox.append(.notice(.itemDidChange, handle)) }
        }
    }
}
