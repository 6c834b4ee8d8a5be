internal import Coordination
internal import Foundation
internal import LocalSockets

/// What a process keeps so that an agent, or another agent, can be told all that it holds and waits for.
///
/// Kept only by a registry that can be joined to one.
struct JoiningState: Sendable {
    /// Who decides.
    enum Mode: Sendable {
        /// This process, for ever.
        case unlinked
        /// Nobody, as there is nothing to decide; an agent is looked for when there is.
        case resting
        /// Nobody yet: an agent is looked for.
        case searching
        /// This process, as no agent was found.
        case alone
        case joined(AgentConnection)
    }

    /// An access that is not over.
    struct Record: Sendable {
        var request: AccessRequest
        var isHeld = false
    }

    var mode = Mode.unlinked
    /// Whether there is an agent that this process cannot join, as far as it has been seen; while it searches.
    var isRefused = false
    var records: [AccessID: Record] = [:]
    var presenterPaths: [PresenterID: ItemPath] = [:]
    /// What happened while there was nobody to tell.
    var untold: [ArbiterEvent] = []
    /// Messages of an arbiter that is no more, unanswered, with the access that each was for.
    var orphans: [Ticket: AccessID] = [:]
    /// Accesses whose end somebody waits for elsewhere.
    var awaited: Set<AccessID> = []
    /// Accesses that run although others have been let in.
    var lostAccesses: Set<AccessID> = []
    /// The errors of presenters of this process, for accesses of this process.
    var ownErrors: [AccessID: any Error] = [:]
    /// What presenters here left to be run after accesses that another arbiter granted; while alone.
    var asides: [AccessID: [Ticket]] = [:]
    /// Whether other processes have presenters.
    var isObserved = false
    /// Where this process posts that accesses have ended; nil when it has none.
    private var board: NoticeBoard?
    /// Whether the agent may have been told what it has not read yet, other than what accesses begin and end.
    ///
    /// It has read all that was said before a request once it has granted that. What is posted would overtake the rest.
    private var hasSaidMore = false
    /// What is to be done once others have written what they write, by the numbers under which the agent is asked.
    var quietWaits: [UInt64: QuietWait] = [:]
    private var quietCount: UInt64 = 0
    /// What presenters here were told of while the agent said nothing, and could not read.
    private(set) var toldInSilence: Set<ItemPath> = []
    /// Whether others may have done something that presenters here are not told of: an agent was left that alone knew of it, or
    /// this process was alone.
    private var mayHaveMissedNews = false
    /// Who waits for a report of the agent's, in the order they asked, and what has come of the first one's.
    var wantedReports: [@Sendable (CoordinationReport?) -> Void] = []
    private var reportBytes: [UInt8] = []
    var pulse = AgentPulse()
    /// What waits until an agent says something again that was given up; nil while none is.
    private(set) var heldBack: HeldBack?

    /// What an agent that was given up is told when it goes on, if it is not over by then.
    struct HeldBack: Sendable {
        var requests: Set<AccessID> = []
        /// Those that were added, with the item of each as it was then or as it has said since.
        var presenters: [PresenterID: ItemPath?] = [:]
        /// Where items went, in order; nil when that was too much to keep.
        private(set) var moves: [ItemMove]? = []
        /// Where presenters are as far as the agent knows.
        let toldPaths: [PresenterID: ItemPath]

        init(toldPaths: [PresenterID: ItemPath]) { self.toldPaths = toldPaths }

        mutating func note(_ move: ItemMove) {
            guard let count = moves?.count else { return }
            if count < Self.movesMax { moves?.append(move) } else { moves = nil }
        }

        /// So many are less than a socket takes at once.
        static let movesMax = 200
    }

    struct QuietWait: Sendable {
        let items: [ItemPath]
        let body: @Sendable () -> Void
    }

    /// Whether the end of an access may be told a little later, with what is said next.
    ///
    /// Nobody is known to wait for it. Who comes to wait meanwhile finds it posted; and who hears of what it did hears it
    /// all the same if this process dies or stands still first, as long as that is no more than that items have changed.
    ///
    /// - Parameters:
    ///   - id: The access; its end has been noted.
    ///   - isAlone: Whether nobody here waits for access or presents anything.
    mutating func mayTellLater(
        theEndOf id: AccessID,
        _ outcomes: [WriteOutcome],
        isAlone: Bool
    ) -> Bool {
        let isAwaited = awaited.remove(id) != nil
        guard isAlone, !isAwaited, outcomes.allSatisfy({ $0 == .changed }) else { return false }
        // There is room for one, and the one before has been told with this one's request if no other runs.
        guard records.isEmpty, !hasSaidMore, let board else { return !isObserved }
        return board.post(id.number)
    }

    /// Whether the agent has still to say something that it was asked for.
    var isWaitingForAgent: Bool {
        connection != nil && (!quietWaits.isEmpty || records.values.contains { !$0.isHeld })
    }

    var connection: AgentConnection? { if case .joined(let connection) = mode { connection } else { nil } }
    var isLinked: Bool { if case .unlinked = mode { false } else { true } }

    /// An agent is there, and is told what stands.
    mutating func join(_ connection: AgentConnection, _ board: NoticeBoard?) {
        (mode, self.board, hasSaidMore) = (.joined(connection), board, true)
    }

    /// Notes what has happened.
    mutating func note(_ event: ArbiterEvent) {
        switch event {
        case .requested(let request):
            if records.isEmpty { hasSaidMore = false }
            records[request.id] = Record(request: request)
            pulse.isNeeded = true
        case .ended(let id, _): records[id] = nil
        case .presenterAdded(let id, let path, _, _), .presenterMoved(let id, let path):
            presenterPaths[id] = path
        case .presenterRemoved(let id): presenterPaths[id] = nil
        case .itemMoved(let move): follow(move)
        case .held, .cancelled, .replied, .attributesChanged, .steppedAside: break
        }
        switch event {
        case .requested, .ended: break
        default: hasSaidMore = true
        }
    }

    /// - Returns: The number to ask under; never 0.
    @discardableResult
    mutating func waitForQuiet(of items: [ItemPath], _ body: @escaping @Sendable () -> Void) -> UInt64 {
        quietCount += 1
        // What happened to an item earlier must be known first: it waits at least as long.
        let earlier = quietWaits.values.filter { wait in
            wait.items.contains { early in items.contains { early.holds($0) || $0.holds(early) } }
        }
        let all = Set(items).union(earlier.flatMap(\.items)).sorted { $0.string < $1.string }
        quietWaits[quietCount] = QuietWait(items: all, body: body)
        pulse.isNeeded = true
        return quietCount
    }

    /// - Returns: Whether the agent is asked; not about more than a message has room for.
    func askForQuiet(_ number: UInt64, at connection: AgentConnection) -> Bool {
        connection.put(.quietWanted(number, quietWaits[number]?.items ?? []))
    }

    /// What waited for others to finish, in the order it came.
    mutating func takeQuietWaits() -> [@Sendable () -> Void] {
        defer { quietWaits = [:] }
        return quietWaits.sorted { $0.key < $1.key }.map(\.value.body)
    }

    /// What waited for others to finish and is done without the agent's word, in the order it came.
    ///
    /// Its items are to be told again once an agent answers.
    mutating func takeOverdueQuietWaits() -> [@Sendable () -> Void] {
        noteToldInSilence(quietWaits.values.flatMap(\.items))
        return takeQuietWaits()
    }

    /// Notes that who decided until now is left.
    mutating func noteMissedNews() {
        switch mode {
        case .joined, .alone: mayHaveMissedNews = true
        case .unlinked, .resting, .searching: break
        }
    }

    /// Whether presenters are to look at their items, now that somebody decides again.
    mutating func takeMissedNews() -> Bool {
        defer { mayHaveMissedNews = false }
        return mayHaveMissedNews
    }

    mutating func noteToldInSilence(_ items: [ItemPath]) { toldInSilence.formUnion(items) }

    /// What is to be told again, now that an agent answers or none is needed.
    mutating func takeToldInSilence() -> [ItemPath] {
        defer { toldInSilence = [] }
        return toldInSilence.sorted { $0.string < $1.string }
    }

    /// Takes a part of the report that was asked for first.
    ///
    /// - Returns: All of it, and who asked, when it is whole.
    mutating func takeReport(
        _ part: [UInt8],
        isLast: Bool
    ) -> (json: [UInt8], tell: @Sendable (CoordinationReport?) -> Void)? {
        guard !wantedReports.isEmpty else { return nil }
        reportBytes += part
        guard isLast else { return nil }
        defer { reportBytes = [] }
        return (reportBytes, wantedReports.removeFirst())
    }

    /// Those who wait for reports of an agent that is gone.
    mutating func takeWantedReports() -> [@Sendable (CoordinationReport?) -> Void] {
        defer { (wantedReports, reportBytes) = ([], []) }
        return wantedReports
    }

    /// Others may have what is held.
    mutating func loseAll() {
        for (id, record) in records where record.isHeld {
            records[id] = nil
            lostAccesses.insert(id)
        }
        untold = []
    }

    mutating func granted(_ id: AccessID) {
        guard isLinked else { return }
        records[id]?.isHeld = true
    }

    mutating func forget(_ id: AccessID) {
        guard isLinked else { return }
        records[id] = nil
        heldBack?.requests.remove(id)
    }

    // MARK: An agent that says nothing

    var isSilent: Bool { heldBack != nil }

    /// The agent has been given up: until it says something it is not told what can wait, however long that takes.
    mutating func beginSilence() { heldBack = heldBack ?? HeldBack(toldPaths: presenterPaths) }

    /// The agent has said something, or is another one, which is told all.
    mutating func endSilence() -> HeldBack? { heldBack.take() }

    /// Keeps an event from an agent that says nothing.
    ///
    /// - Parameter event: Noted already.
    /// - Returns: What is to be done about it here; nil for what the agent is told all the same.
    mutating func holdBack(_ event: ArbiterEvent) -> [AccessArbiter.Effect]? {
        guard isSilent else { return nil }
        switch event {
        case .requested(let request): heldBack?.requests.insert(request.id)
        case .cancelled(let id):
            guard heldBack?.requests.contains(id) == true else { return nil }
            return [.fail(id, .cancelled)]
        case .presenterAdded(let id, let path, _, _): heldBack?.presenters[id] = .some(path)
        case .presenterMoved(let id, let path):
            guard heldBack?.presenters[id] != nil else { return nil }
            heldBack?.presenters[id] = .some(path)
        case .presenterRemoved(let id):
            guard heldBack?.presenters.removeValue(forKey: id) != nil else { return nil }
        case .itemMoved(let move): heldBack?.note(move)
        case .held, .ended, .replied, .attributesChanged, .steppedAside: return nil
        }
        return []
    }

    /// Whether an access of this process that runs writes an item, or something that holds it.
    func isBeingWritten(_ item: ItemPath) -> Bool {
        records.values.contains { record in
            record.isHeld && !record.request.isPreparation
                && record.request.claims.contains {
                    $0.isWriting && ($0.packages.first ?? $0.item).holds(item)
                }
        }
    }

    private mutating func follow(_ move: ItemMove) {
        for (id, path) in presenterPaths {
            if let moved = path.moved(from: move.source, to: move.target) { presenterPaths[id] = moved }
        }
        for (id, record) in records { records[id]?.request = record.request.following(move, record.isHeld) }
    }

    /// All that an arbiter which knows nothing of this process has to be told: first what stands, then what is
    /// wanted.
    func standing(
        _ presenters: [PresenterHandle],
        _ reacquirers: [Ticket: FileAccessRegistry.Reacquirer]
    ) -> (held: [ArbiterEvent], wanted: [ArbiterEvent]) {
        let records = records.values.sorted { $0.request.id.number < $1.request.id.number }
        var held = presenters.map { handle in
            handle.added(at: presenterPaths[handle.id])
        }
        held += records.filter(\.isHeld).map { .held($0.request) }
        held += reacquirers.sorted { $0.key.number < $1.key.number }
            .map { .steppedAside($0.value.presenter.id, for: $0.value.access, $0.key) }
        return (held, untold + records.filter { !$0.isHeld }.map { .requested($0.request) })
    }
}

extension AccessRequest {
    /// The request after one of its items has moved: it guards the new place too if it runs, else it wants that.
    fileprivate func following(_ move: ItemMove, _ isRunning: Bool) -> AccessRequest {
        var claims = claims
        for (index, claim) in claims.enumerated() {
            guard let moved = claim.moved(from: move.source, to: move.target, inside: move.packages) else {
                continue
            }
            if isRunning {
                // Places that it has been to before are guarded already.
                if !claims.contains(moved) { claims.append(moved) }
            } else if claim.use != .writing(.replacing) {
                claims[index] = moved
            }
        }
        guard claims != self.claims else { return self }
        return AccessRequest(
            id: id,
            purpose: purpose,
            presenter: presenter,
            claims: claims,
            isPreparation: isPreparation,
            nestedIn: nestedIn,
            answering: answering
        )
    }
}
