package import Coordination

/// One connection to the agent, named by the shell that has the socket.
package struct ConnectionID: Hashable, Sendable {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }
}

/// What the agent decides: who is a client, what its messages do, when a time limit is over.
///
/// A state machine without effects. Each call takes one event and returns what to do, in order. Times are in
/// nanoseconds since any moment.
///
/// Invariants:
/// 1. A connection says hello first; before that it has no client, and a client has one connection at most.
/// 2. A client speaks for its own accesses and presenters only; whoever does otherwise is dropped.
/// 3. A message to a presenter is answered by its client, once; the ticket is forgotten with the client.
/// 4. While the agent collects (it has just begun, and clients of an earlier agent may hold claims), no access
///    is granted that was not held already.
package struct AgentCore: Sendable {
    /// What the shell must do, in the order given.
    package enum Action: Hashable, Sendable {
        case send(AgentMessage, ConnectionID)
        /// Send what is to be sent, with this goodbye last, and close.
        case drop(ConnectionID, Goodbye, reason: String)
        /// Ask the client whether it has posted that the access has ended, and call `endPosted` if it has.
        case lookForEnd(AccessID, of: ConnectionID)
        /// Say to whoever keeps the agent's log.
        case log(String)
    }

    /// How long the agent waits, in nanoseconds.
    package struct Limits: Hashable, Sendable {
        /// For a presenter of another process than the one that asks.
        package var presenter = UInt64(PresenterLimit.usualSeconds * 1e9)
        /// For clients of an earlier agent.
        package var collecting: UInt64 = 2_000_000_000
        /// Without any client, before it ends; nil for ever.
        package var idle: UInt64?

        package init() {}
    }

    struct Client: Sendable {
        let id: ClientID
        let processID: UInt64
        /// The same as the process itself says: in a container it is another.
        let ownProcessID: UInt64
        let processName: String
        /// That both speak.
        let version: UInt64
        /// For its own presenters when its own accesses ask them.
        var presenterLimit: UInt64
        var isCaughtUp = false
        /// Accesses that could not be taken over and of which the client may not have heard yet.
        var lostAccesses: Set<AccessID> = []
        /// Accesses that are over because the client has posted it, and whose ends it has not told yet.
        var postedEnds: Set<AccessID> = []
    }

    struct Asked: Sendable {
        let client: ClientID
        /// False once it is answered: then it is kept only for what is to be run on reacquiring.
        var isOpen = true
        /// Until when it has to be answered; nil once it has been, or the time is over.
        var deadline: UInt64?
    }

    let limits: Limits
    /// Those that the agent speaks.
    let versions: ClosedRange<UInt64>
    /// What the wall clock says at time 0, in seconds since 1970.
    let epochSeconds: Double
    /// Deadlocks lately, the latest first.
    var brokenCycles: [BrokenCycle] = []
    var arbiter = AccessArbiter()
    /// Every connection, with the process that the kernel saw at its other end.
    var connections = SmallTable<ConnectionID, UInt64>()
    var clients = SmallTable<ConnectionID, Client>()
    var connectionsByClient = SmallTable<ClientID, ConnectionID>()
    var presenterLabels: [PresenterID: CoordinationLabels.Presenter] = [:]
    /// The texts in these.
    var texts = SharedTexts()
    var tickets = SmallTable<Ticket, Asked>()
    /// What presenters left to be run after accesses that another agent granted.
    var asides: [AccessID: [(client: ClientID, ticket: Ticket)]] = [:]
    /// Who wants to hear when items are not written any longer, the earliest first.
    var quietWaits: [QuietWait] = []
    var announcedMoves = AnnouncedMoves()
    /// Clients of an earlier agent that have not said yet what they hold.
    package private(set) var absentees: Set<ClientID>
    /// When the agent stops to collect; nil when it has.
    private(set) var collectingEnd: UInt64?
    /// What was asked for meanwhile.
    var heldBack: [ArbiterEvent] = []
    private var idleSince: UInt64?
    /// Not later than the earliest deadline of a ticket.
    var earliestDeadline: UInt64?
    var actions: [Action] = []

    /// - Parameters:
    ///   - versions: The versions of the format that the agent speaks.
    ///   - absentees: The clients of earlier agents that live.
    ///   - seconds: What the wall clock says, since 1970. Tickets are counted from there, so that those of two
    ///     agents are never the same.
    package init(
        limits: Limits = Limits(),
        versions: ClosedRange<UInt64> = ClientHello.versions,
        absentees: Set<ClientID> = [],
        seconds: Double = 0,
        now: UInt64
    ) {
        self.limits = limits
        self.versions = versions
        epochSeconds = seconds - Double(now) / 1e9
        self.absentees = absentees
        collectingEnd = absentees.isEmpty ? nil : now + limits.collecting
        idleSince = now
        arbiter.countTickets(from: UInt64(max(seconds, 0) * 1e9))
    }

    /// What the shell must know before it waits.
    package struct Schedule: Hashable, Sendable {
        /// Whether an agent that was started on demand has had no client for long enough.
        package let isUnneeded: Bool
        /// Whether nothing is granted yet that was not held already.
        package let isCollecting: Bool
        /// When `timePassed` must be called at the latest; nil for never.
        package let nextDeadline: UInt64?
    }

    /// What the shell must know before it waits.
    ///
    /// Changes nothing; a call that may change the core is made in place, where another would copy it first.
    package mutating func schedule(now: UInt64) -> Schedule {
        Schedule(
            isUnneeded: isUnneeded(now: now),
            isCollecting: isCollecting,
            nextDeadline: nextDeadline
        )
    }

    /// Whether nothing is granted yet that was not held already.
    package var isCollecting: Bool { collectingEnd != nil }

    /// When `timePassed` must be called at the latest; nil for never.
    package var nextDeadline: UInt64? {
        var next = min(earliestDeadline ?? .max, collectingEnd ?? .max)
        if let limit = limits.idle, let idleSince { next = min(next, idleSince + limit) }
        return next == .max ? nil : next
    }

    /// Whether an agent that was started on demand has had no client for long enough.
    package func isUnneeded(now: UInt64) -> Bool {
        guard let idleSince, let limit = limits.idle else { return false }
        return now >= idleSince + limit
    }

    /// The client that a connection belongs to; client 0 before it has said hello.
    package func client(of connection: ConnectionID) -> ClientID { clients[connection]?.id ?? ClientID(0) }

    /// The version that is spoken over a connection; the latest before it has said hello.
    package func version(of connection: ConnectionID) -> UInt64 {
        clients[connection]?.version ?? versions.upperBound
    }

    /// The process of a connection as that itself says; nil before it has said hello.
    package func ownProcessID(of connection: ConnectionID) -> UInt64? { clients[connection]?.ownProcessID }

    // MARK: Events

    /// Somebody has connected.
    ///
    /// - Parameter processID: As the kernel says; 0 when it cannot, for one of another container.
    package mutating func opened(_ connection: ConnectionID, processID: UInt64 = 0) {
        connections[connection] = processID
        idleSince = nil
    }

    /// A frame has come.
    package mutating func received(_ frame: [UInt8], from connection: ConnectionID, now: UInt64) -> [Action] {
        let client = clients[connection]?.id
        guard client != nil || connections[connection] != nil else { return [] }
        arbiter.now = seconds(at: now)
        do {
            let message = try ClientMessage(
                frame: frame,
                own: client ?? ClientID(0),
                version: version(of: connection)
            )
            try take(message, of: client, connection, now: now)
        } catch let error as WireError {
            drop(connection, .protocolBroken, "A message cannot be read: \(error).", now: now)
        } catch let error as ProtocolBreach {
            drop(connection, error.goodbye, error.reason, now: now)
        } catch {
            drop(connection, .protocolBroken, "\(error)", now: now)
        }
        return takeActions()
    }

    /// A client has posted that an access has ended, and may tell of it later.
    package mutating func endPosted(
        _ access: AccessID,
        by connection: ConnectionID,
        now: UInt64
    ) -> [Action] {
        guard clients[connection]?.id == access.client, arbiter.isRunning(access) else { return [] }
        arbiter.now = seconds(at: now)
        clients[connection]?.postedEnds.insert(access)
        perform(arbiter.ended(access), now: now)
        reacquireAsides()
        return takeActions()
    }

    /// A connection has ended.
    package mutating func closed(_ connection: ConnectionID, now: UInt64) -> [Action] {
        arbiter.now = seconds(at: now)
        forget(connection, now: now)
        return takeActions()
    }

    /// Time has passed.
    package mutating func timePassed(now: UInt64) -> [Action] {
        arbiter.now = seconds(at: now)
        if let end = collectingEnd, now >= end { stopCollecting(now: now) }
        if let earliest = earliestDeadline, now >= earliest { endTickets(now: now) }
        return takeActions()
    }

    /// Of the clients that have not said yet what they hold, only these live.
    package mutating func absenteesAlive(_ alive: Set<ClientID>, now: UInt64) -> [Action] {
        absentees.formIntersection(alive)
        if absentees.isEmpty, isCollecting { stopCollecting(now: now) }
        return takeActions()
    }

    // MARK: Clients

    /// A client did what it may not.
    struct ProtocolBreach: Error {
        var goodbye = Goodbye.protocolBroken
        let reason: String
    }

    private mutating func take(
        _ message: ClientMessage,
        of client: ClientID?,
        _ connection: ConnectionID,
        now: UInt64
    ) throws {
        if case .hello(let hello) = message { return try take(hello, from: connection, now: now) }
        guard let client else {
            throw ProtocolBreach(reason: "The first message must be hello.")
        }
        switch message {
        case .hello: break
        case .timeLimit(let milliseconds):
            let limit = min(milliseconds, Self.presenterLimitMax).multipliedReportingOverflow(by: 1_000_000)
            clients[connection]?.presenterLimit = limit.partialValue
        case .caughtUp:
            clients[connection]?.isCaughtUp = true
            absentees.remove(client)
            if absentees.isEmpty, isCollecting { stopCollecting(now: now) }
        case .reportWanted: try report(to: connection)
        case .quietWanted(let number, let items):
            waitForQuiet(QuietWait(connection: connection, client: client, number: number, items: items))
        case .event(let event): try take(event, of: client, connection, now: now)
        }
    }

    private mutating func take(_ hello: ClientHello, from connection: ConnectionID, now: UInt64) throws {
        guard clients[connection] == nil else { throw ProtocolBreach(reason: "Hello was said already.") }
        // One that is ahead of the agent knows by its welcome which version it is to speak, and leaves if it cannot.
        guard hello.version >= versions.lowerBound else {
            let reason = "This agent speaks \(versions.text), not \(hello.version)."
            throw ProtocolBreach(goodbye: .versionUnknown, reason: reason)
        }
        guard hello.client.rawValue != 0 else { throw ProtocolBreach(reason: "A client's number is not 0.") }
        if let earlier = connectionsByClient[hello.client] {
            // A connection that the client has given up and whose end has not been seen here yet.
            let seen = connections[connection] ?? 0
            guard clients[earlier]?.processID == (seen == 0 ? hello.processID : seen) else {
                throw ProtocolBreach(reason: "Another process has this client's number.")
            }
            drop(earlier, .protocolBroken, "The client has another connection.", now: now)
        }
        let seen = connections[connection] ?? 0
        clients[connection] = Client(
            id: hello.client,
            processID: seen == 0 ? hello.processID : seen,
            ownProcessID: hello.processID,
            processName: hello.processName,
            version: min(hello.version, versions.upperBound),
            presenterLimit: limits.presenter
        )
        connectionsByClient[hello.client] = connection
        actions.append(.send(.welcome(version: version(of: connection)), connection))
    }

    mutating func drop(_ connection: ConnectionID, _ goodbye: Goodbye, _ reason: String, now: UInt64) {
        actions.append(.drop(connection, goodbye, reason: reason))
        forget(connection, now: now)
    }

    private mutating func forget(_ connection: ConnectionID, now: UInt64) {
        guard connections.removeValue(forKey: connection) != nil else { return }
        if connections.isEmpty { idleSince = now }
        guard let client = clients.removeValue(forKey: connection)?.id else { return }
        connectionsByClient[client] = nil
        quietWaits.removeAll { $0.connection == connection }
        heldBack.removeAll { $0.requestedAccess?.client == client }
        for (ticket, asked) in tickets where asked.client == client { tickets[ticket] = nil }
        for id in presenterLabels.keys.filter({ $0.client == client }) { forgetLabel(of: id) }
        for (access, waiting) in asides {
            let others = waiting.filter { $0.client != client }
            asides[access] = others.isEmpty ? nil : others
        }
        perform(arbiter.clientGone(client), now: now)
    }

    // MARK: Collecting

    private mutating func stopCollecting(now: UInt64) {
        collectingEnd = nil
        absentees = []
        let events = heldBack
        heldBack = []
        for event in events {
            guard let client = event.requestedAccess?.client, connectionsByClient[client] != nil else {
                continue
            }
            perform(arbiter.take(event), for: event, now: now)
            if let id = event.requestedAccess { hurry(arbiter.runningAccesses(awaitedBy: id)) }
        }
        reacquireAsides()
    }

    private func seconds(at now: UInt64) -> Double { epochSeconds + Double(now) / 1e9 }

    mutating func takeActions() -> [Action] {
        if !quietWaits.isEmpty { answerQuietWaits() }
        defer { actions.removeAll() }
        return actions
    }

    /// An hour; more is no limit to a person.
    private static let presenterLimitMax: UInt64 = 3_600_000
}

extension ArbiterEvent {
    /// The access that is asked for.
    var requestedAccess: AccessID? {
        if case .requested(let request) = self { request.id } else { nil }
    }
}
