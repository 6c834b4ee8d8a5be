/// Who may use which item now, who waits, and what presenters are asked and told.
///
/// A state machine without effects: each call takes one event and returns what to do, in order. It knows
/// clients, presenters and accesses only by their ids, so any number of processes can share one.
///
///     request ─▶ waiting ─admit()─▶ asking ─replied()─▶ ready ─start()─▶ running ─ended()─▶ (gone)
///                   │                  │                  │
///                   └────── fail() ────┴──────────────────┘
///
/// Invariants:
/// 1. Two running accesses of different purposes never conflict, preparations aside.
/// 2. An access is admitted when it conflicts with no admitted access and no earlier waiting one. It passes
///    by only those that do not run, or only prepare, and that themselves wait, directly or not, for an
///    access of its purpose, for one that it is nested in, or for an answer of the presenter it is done for
///    while that has been asked to save or to let its item go.
/// 3. Of two admitted accesses that conflict, one has passed the other by; it was admitted later and runs
///    first.
/// 4. All claims of an access are admitted together, so that no order of taking them can deadlock.
/// 5. A presenter has at most one unanswered message per access, and gets its messages in the order
///    relinquish, save or accommodate, notices, reacquire.
/// 6. What a presenter left to be run on reacquiring is run exactly once, however the access ends.
/// 7. A presenter that has stepped aside for a running access is not asked again by accesses of its purpose;
///    it reacquires when the last of them has ended.
/// 8. After an event no access is in a cycle of waits (`WaitCycle`): one that closes is broken at once.
package struct AccessArbiter: Sendable {
    /// What the caller must do, in the order given.
    package enum Effect: Hashable, Sendable {
        /// Ask a presenter and report its answer under the ticket.
        case send(PresenterMessage, to: PresenterID, for: AccessID, Ticket)
        /// Tell a presenter.
        case notify(PresenterID, PresenterNotice)
        /// Let an access run, with its items where they are now, in the order of its claims.
        case grant(AccessID, [ItemPath])
        /// End an access that was not granted.
        case fail(AccessID, AccessFailure)
        /// Run what the answer to this message left behind.
        case reacquire(Ticket)
    }

    enum Stage: Hashable { case waiting, asking, ready, running }

    /// One access from its request to its end.
    struct Access: Sendable {
        var request: AccessRequest
        var stage = Stage.waiting
        /// When it was requested, counted from 1.
        let arrival: UInt64
        /// When it was requested and, once it runs, when it was granted: by `AccessArbiter.now`.
        var since: Double
        /// When it was admitted, counted from 1.
        var admission: UInt64 = 0
        /// Whether all items are still where it was asked for.
        var isWhereAsked = true
        /// Of a waiting one: with whom it conflicts of those that were admitted or asked for before it.
        var predecessors: [AccessID] = []
        /// Those of them that it waited for when the queue was last gone through; nil for all, as with most.
        var impassable: [AccessID]?
        /// One, once there are any; most accesses concern no presenter, and are copied and kept at less cost.
        private var keptDealings: [Dealings] = []

        init(_ request: AccessRequest, arrival: UInt64, since: Double) {
            self.request = request
            self.arrival = arrival
            self.since = since
        }

        /// What it wants, where that is now.
        var claims: [AccessClaim] {
            get { request.claims }
            set { request.claims = newValue }
        }

        var dealings: Dealings {
            // In place: with a hundred presenters, a copy for each answer would be most of the work.
            _read { if keptDealings.isEmpty { yield Dealings() } else { yield keptDealings[0] } }
            _modify {
                if keptDealings.isEmpty { keptDealings.append(Dealings()) }
                yield &keptDealings[0]
            }
        }

        var hasDealings: Bool { !keptDealings.isEmpty }

        /// Whom a waiting one waits for.
        var blockers: [AccessID] { impassable ?? predecessors }

        /// Whether no presenter owes an answer.
        var isAnswered: Bool { keptDealings.isEmpty || keptDealings[0].unansweredCount == 0 }
    }

    struct Question: Hashable {
        let access: AccessID
        let presenter: PresenterID
        let message: PresenterMessage
    }

    /// The time in seconds since 1970, as whoever holds the arbiter last said.
    ///
    /// Nothing is decided by it; reports say since when.
    package var now: Double = 0

    var accesses = SmallTable<AccessID, Access>()
    /// Accesses with a thread that others may wait for, in the order of their requests.
    var inner: [AccessID] = []
    /// Waiting accesses, the earliest first.
    var queue: [AccessID] = []
    /// Admitted accesses, the earliest first.
    var admitted: [AccessID] = []
    var presented = PresentedPlaces()
    var questions = SmallTable<Ticket, Question>()
    var effects: [Effect] = []
    var arrivalCount: UInt64 = 0
    var admissionCount: UInt64 = 0
    var ticketCount: UInt64 = 0

    package init() {}

    // MARK: Accesses

    /// An access wants to run.
    package mutating func request(_ request: AccessRequest) -> [Effect] {
        precondition(accesses[request.id] == nil, "access \(request.id) is requested a second time")
        var request = request
        if request.isInner { noteInner(&request) }
        arrivalCount += 1
        if let grant = startAtOnce(request) { return [grant] }
        accesses[request.id] = Access(request, arrival: arrivalCount, since: now)
        enqueue(request.id)
        settle()
        return takeEffects()
    }

    /// A granted access is over.
    ///
    /// `outcomes` tells what became of each claim's item, in order.
    package mutating func ended(_ id: AccessID, outcomes: [WriteOutcome] = []) -> [Effect] {
        guard let access = remove(id), access.stage == .running else {
            preconditionFailure("access \(id) ends but does not run")
        }
        finish(access, outcomes: outcomes)
        settle()
        return takeEffects()
    }

    /// An access is no longer wanted.
    ///
    /// One that runs already goes on.
    package mutating func cancelled(_ id: AccessID) -> [Effect] {
        guard let access = accesses[id], access.stage != .running else { return [] }
        fail(id, .cancelled)
        settle()
        return takeEffects()
    }

    /// Everything of a client goes: it has exited.
    package mutating func clientGone(_ client: ClientID) -> [Effect] {
        for id in accesses.keys.filter({ $0.client == client }).sorted(by: { $0.number < $1.number }) {
            guard let access = remove(id) else { continue }
            if access.stage == .running { finish(access, outcomes: []) } else { abandon(access) }
        }
        let presenters = Set(presented.ids).union(questions.values.map(\.presenter))
            .union(accesses.values.flatMap(\.dealings.moveNotices).map(\.presenter))
        for id in presenters where id.client == client { withdraw(id) }
        settle()
        return takeEffects()
    }

    // MARK: Presenters

    /// A presenter registers; without a path it is not asked or told anything yet.
    package mutating func presenterAdded(_ id: PresenterID, at path: ItemPath?) {
        presenterMoved(id, to: path)
    }

    /// A presenter presents another item now.
    package mutating func presenterMoved(_ id: PresenterID, to path: ItemPath?) {
        presented.place(id, at: path)
    }

    /// A presenter leaves; whoever waits for it no longer does.
    package mutating func presenterRemoved(_ id: PresenterID) -> [Effect] {
        withdraw(id)
        settle()
        return takeEffects()
    }

    /// A presenter has answered.
    package mutating func presenterReplied(_ ticket: Ticket, _ reply: PresenterReply) -> [Effect] {
        let leavesReacquirer = reply == .relinquished(hasReacquirer: true)
        guard let question = questions.removeValue(forKey: ticket) else {
            return leavesReacquirer ? [.reacquire(ticket)] : []
        }
        if let place = accesses.place(of: question.access),
            let party = accesses[at: place].dealings.answered(question.presenter)
        {
            if leavesReacquirer { accesses[at: place].dealings.reacquirers.append(ticket) }
            if reply == .failed {
                fail(question.access, .presenterFailed(question.presenter, ticket))
            } else {
                ask(party, place)
            }
        }
        settle()
        return takeEffects()
    }

    /// A presenter has had long enough to answer.
    package mutating func timeLimitPassed(_ ticket: Ticket) -> [Effect] {
        guard let question = questions[ticket] else { return [] }
        fail(question.access, .presenterTimedOut(question.presenter, question.message))
        settle()
        return takeEffects()
    }

    /// The presenters of an item, in the order they registered.
    package func presenters(of item: ItemPath) -> [PresenterID] {
        presented.presenters(of: item)
    }

    // MARK: Ends

    mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    private mutating func finish(_ access: Access, outcomes: [WriteOutcome]) {
        if !access.request.isPreparation { tellOfChanges(by: access, outcomes: outcomes) }
        release(access)
    }

    /// Lets those who stepped aside for an access reacquire, or leaves them to another that relied on it.
    private mutating func release(_ access: Access) {
        let id = access.request.id
        if let heir = admitted.first(where: { accesses[$0]?.dealings.reliances.contains(id) == true }) {
            bequeath(access, to: heir)
        } else if access.hasDealings {
            for ticket in access.dealings.reacquirers { effects.append(.reacquire(ticket)) }
        }
    }

    private mutating func bequeath(_ access: Access, to heir: AccessID) {
        accesses[heir]?.dealings.takeOver(access.dealings)
        for id in admitted where accesses[id]?.dealings.reliances.contains(access.request.id) == true {
            accesses[id]?.dealings.reliances.remove(access.request.id)
            accesses[id]?.dealings.reliances.insert(heir)
        }
        accesses[heir]?.dealings.reliances.remove(heir)
        accesses[heir]?.dealings.reliances.formUnion(access.dealings.reliances)
    }

    mutating func fail(_ id: AccessID, _ failure: AccessFailure) {
        effects.append(.fail(id, failure))
        if let access = remove(id) { abandon(access) }
    }

    /// Takes back an access that has not run.
    private mutating func abandon(_ access: Access) {
        for ticket in access.dealings.tickets { questions[ticket] = nil }
        release(access)
    }

    private mutating func remove(_ id: AccessID) -> Access? {
        guard let access = accesses.removeValue(forKey: id) else { return nil }
        if access.request.isInner { inner.removeAll { $0 == id } }
        if access.stage == .waiting {
            queue.removeAll { $0 == id }
        } else {
            admitted.removeAll { $0 == id }
        }
        noteRemoval(of: id)
        return access
    }

    private mutating func withdraw(_ id: PresenterID) {
        presented.place(id, at: nil)
        for (ticket, question) in questions where question.presenter == id {
            questions[ticket] = nil
            accesses[question.access]?.dealings.excuse(id)
        }
        for (access, found) in accesses where !found.dealings.moveNotices.isEmpty {
            accesses[access]?.dealings.moveNotices.removeAll { $0.presenter == id }
        }
    }
}
