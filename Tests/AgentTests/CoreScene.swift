import Agent
import Coordination
import Testing

/// A core and its connections, driven by hand; what it sends is kept for each.
struct CoreScene {
    var core: AgentCore
    var now: UInt64
    private(set) var sent: [ConnectionID: [AgentMessage]] = [:]
    private(set) var dropped: [ConnectionID: Goodbye] = [:]
    /// What the agent's log has got.
    private(set) var logged: [String] = []
    /// Accesses whose ends clients have posted.
    var posted: Set<AccessID> = []
    private var connectionCount: UInt64 = 0

    init(absentees: Set<ClientID> = [], now: UInt64 = 1_000_000_000, limits: AgentCore.Limits = .init()) {
        self.now = now
        core = AgentCore(limits: limits, absentees: absentees, seconds: Double(now) / 1e9, now: now)
    }

    /// A connection of a client that has said hello.
    mutating func connect(_ client: ClientID, process: UInt64? = nil) -> ConnectionID {
        let connection = open()
        let process = process ?? client.rawValue
        send(.hello(ClientHello(client: client, processID: process, processName: "p\(process)")), connection)
        return connection
    }

    /// A connection that has said nothing.
    mutating func open() -> ConnectionID {
        connectionCount += 1
        let connection = ConnectionID(connectionCount)
        core.opened(connection)
        return connection
    }

    mutating func send(_ message: ClientMessage, _ connection: ConnectionID) {
        var writer = WireWriter(own: core.client(of: connection))
        message.write(to: &writer)
        send(Array(writer.bytes.dropFirst(WireFrame.headByteCount)), connection)
    }

    mutating func send(_ frame: [UInt8], _ connection: ConnectionID) {
        perform(core.received(frame, from: connection, now: now))
    }

    mutating func send(_ event: ArbiterEvent, _ connection: ConnectionID) { send(.event(event), connection) }

    mutating func close(_ connection: ConnectionID) { perform(core.closed(connection, now: now)) }

    mutating func pass(nanoseconds: UInt64) {
        now += nanoseconds
        perform(core.timePassed(now: now))
    }

    mutating func absenteesAlive(_ alive: Set<ClientID>) { perform(core.absenteesAlive(alive, now: now)) }

    /// What was sent to a connection since it was last asked.
    mutating func take(_ connection: ConnectionID) -> [AgentMessage] {
        defer { sent[connection] = [] }
        return sent[connection] ?? []
    }

    private mutating func perform(_ actions: [AgentCore.Action]) {
        for action in actions {
            switch action {
            case .send(let message, let connection): sent[connection, default: []].append(message)
            case .drop(let connection, let goodbye, _): dropped[connection] = goodbye
            case .lookForEnd(let access, let connection):
                if posted.contains(access) { perform(core.endPosted(access, by: connection, now: now)) }
            case .log(let sentence): logged.append(sentence)
            }
        }
    }

    static let item = path("/d/item")

    static func path(_ text: String) -> ItemPath {
        guard let path = ItemPath(text) else { preconditionFailure("\(text) is no path") }
        return path
    }

    static func write(_ client: ClientID, _ number: UInt64, _ item: ItemPath = item) -> AccessRequest {
        request(client, number, item, .writing(.updating))
    }

    static func read(_ client: ClientID, _ number: UInt64, _ item: ItemPath = item) -> AccessRequest {
        request(client, number, item, .reading(savesFirst: true))
    }

    private static func request(
        _ client: ClientID,
        _ number: UInt64,
        _ item: ItemPath,
        _ use: AccessClaim.Use
    ) -> AccessRequest {
        AccessRequest(
            id: AccessID(client: client, number: number),
            purpose: .coordinator(client, number),
            claims: [AccessClaim(item, use: use)]
        )
    }
}
