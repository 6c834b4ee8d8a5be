import Agent
import Coordination
import Foundation
import SeededNumbers
import TestThreads
import Testing

/// Clients that ask, end, cancel and die, and agents that die and come again, against a list of who holds what.
@Suite("AgentCore, at random", .onOwnThreads)
struct AgentCoreModelTests {
    @Test("Never two that exclude each other, never a claim lost, whoever dies; by seed")
    func holders() throws {
        let given = ProcessInfo.processInfo.environment["AGENT_SEED"].flatMap(UInt64.init)
        let seed = given ?? .random(in: 0 ... .max)
        var world = CoreWorld(seed: seed)
        for _ in 0..<8_000 { world.step() }
        world.drain()
        print(
            "agent: \(world.grants) grants, \(world.restarts) agents, \(world.deaths) deaths, \(world.posts) posts, AGENT_SEED=\(seed)"
        )
        #expect(world.faults.isEmpty, "AGENT_SEED=\(seed)")
        #expect(world.grants > 500 && world.restarts > 20 && world.deaths > 20, "AGENT_SEED=\(seed)")
        #expect(world.posts > 60, "AGENT_SEED=\(seed)")
    }
}

private struct CoreWorld {
    struct Client {
        var id: ClientID
        var connection: ConnectionID?
        var held: [AccessID: AccessRequest] = [:]
        var waiting: [AccessID: AccessRequest] = [:]
        /// Those of what it holds that others wait for, as far as it has heard.
        var awaited: Set<AccessID> = []
        /// An access whose end it has posted and not told yet.
        var posted: AccessID?
    }

    var faults: [String] = []
    private(set) var grants = 0
    private(set) var restarts = 0
    private(set) var deaths = 0
    private(set) var posts = 0
    private var scene = CoreScene()
    private var clients: [Client] = []
    private var clientCount: UInt64 = 0
    private var accessCount: UInt64 = 0
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        for _ in 0..<6 { addClient() }
    }

    private mutating func below(_ bound: Int) -> Int { random.below(bound) }

    private mutating func addClient() {
        clientCount += 1
        clients.append(Client(id: ClientID(clientCount)))
        join(clients.count - 1)
    }

    mutating func step() {
        let index = below(clients.count)
        switch below(100) {
        case 0: restart()
        case 1: die(index)
        case 2..<45: ask(index)
        case 45..<50:
            if let id = clients[index].waiting.keys.min(by: { $0.number < $1.number }) { cancel(index, id) }
        default: if let id = clients[index].held.keys.min(by: { $0.number < $1.number }) { end(index, id) }
        }
        // Those whom a dead agent left come back one after another.
        if let absent = clients.indices.first(where: { clients[$0].connection == nil }), below(3) == 0 {
            join(absent)
        }
        hear()
    }

    /// Everyone comes back and ends what it has; then all that was asked for must have been granted.
    mutating func drain() {
        for index in clients.indices where clients[index].connection == nil { join(index) }
        for _ in 0..<10_000 {
            // Whoever has posted an end says nothing any more, as one that is stopped.
            hear()
            guard let index = clients.firstIndex(where: { !$0.held.isEmpty }),
                let id = clients[index].held.keys.first
            else { break }
            end(index, id)
        }
        for client in clients where !client.waiting.isEmpty || !client.held.isEmpty {
            faults.append("client \(client.id.rawValue) still waits for \(client.waiting.count)")
        }
    }

    private mutating func ask(_ index: Int) {
        // Most wait for one thing at a time: who waits for nothing else posts what it ends.
        guard clients[index].waiting.count < (clients[index].id.rawValue % 4 == 0 ? 3 : 1) else { return }
        accessCount += 1
        let item = CoreScene.path("/d/\(below(4))")
        let client = clients[index].id
        let request =
            below(2) == 0
            ? CoreScene.write(client, accessCount, item) : CoreScene.read(client, accessCount, item)
        clients[index].waiting[request.id] = request
        say(.requested(request), index)
    }

    /// Says what has happened, after what has been kept until now.
    private mutating func say(_ event: ArbiterEvent, _ index: Int) {
        guard let connection = clients[index].connection else { return }
        tellPosted(index)
        scene.send(event, connection)
    }

    private mutating func tellPosted(_ index: Int) {
        guard let connection = clients[index].connection, let id = clients[index].posted.take() else {
            return
        }
        scene.posted.remove(id)
        scene.send(.ended(id, [.changed]), connection)
    }

    private mutating func cancel(_ index: Int, _ id: AccessID) {
        guard clients[index].connection != nil else {
            clients[index].waiting[id] = nil
            return
        }
        say(.cancelled(id), index)
    }

    private mutating func end(_ index: Int, _ id: AccessID) {
        // What ends while there is no agent is not told to the next one: it is as if it had never been.
        clients[index].held[id] = nil
        let isAwaited = clients[index].awaited.remove(id) != nil
        // Nor does a client post it that waits for something itself: the agent would not look for it.
        let isAlone = clients[index].held.isEmpty && clients[index].waiting.isEmpty
        guard clients[index].connection != nil, !isAwaited, isAlone, below(2) == 0 else {
            return say(.ended(id, [.changed]), index)
        }
        tellPosted(index)
        clients[index].posted = id
        scene.posted.insert(id)
        posts += 1
    }

    private mutating func die(_ index: Int) {
        deaths += 1
        let client = clients.remove(at: index)
        if let posted = client.posted { scene.posted.remove(posted) }
        if let connection = client.connection { scene.close(connection) }
        scene.absenteesAlive(Set(clients.map(\.id)))
        addClient()
    }

    private mutating func restart() {
        guard clients.allSatisfy({ $0.connection != nil }) else { return }
        restarts += 1
        for index in clients.indices {
            clients[index].connection = nil
            (clients[index].awaited, clients[index].posted) = ([], nil)
        }
        scene = CoreScene(absentees: Set(clients.map(\.id)), now: scene.now + 1_000_000)
    }

    private mutating func join(_ index: Int) {
        let connection = scene.connect(clients[index].id)
        clients[index].connection = connection
        for request in clients[index].held.values { scene.send(.held(request), connection) }
        scene.send(.caughtUp, connection)
        for request in clients[index].waiting.values.sorted(by: { $0.id.number < $1.id.number }) {
            scene.send(.requested(request), connection)
        }
    }

    private mutating func hear() {
        for index in clients.indices {
            guard let connection = clients[index].connection else { continue }
            for message in scene.take(connection) { hear(message, index) }
        }
        if let fault = scene.dropped.first { faults.append("dropped: \(fault)") }
    }

    private mutating func hear(_ message: AgentMessage, _ index: Int) {
        switch message {
        case .welcome: break
        case .failed(let id, .cancelled): clients[index].waiting[id] = nil
        case .granted(let id, _, _):
            guard let request = clients[index].waiting.removeValue(forKey: id) else {
                return faults.append("\(id) is granted and was not waited for")
            }
            grants += 1
            for other in clients.flatMap(\.held.values) where Self.exclude(request, other) {
                faults.append("\(id) is granted beside \(other.id)")
            }
            clients[index].held[id] = request
        case .awaited(let id):
            if clients[index].posted == id { break }
            let isKnown = clients[index].held[id] != nil || clients[index].waiting[id] != nil
            if !isKnown { faults.append("\(id) is awaited and is not held") }
            clients[index].awaited.insert(id)
        default: faults.append("\(message)")
        }
    }

    private static func exclude(_ first: AccessRequest, _ second: AccessRequest) -> Bool {
        let isWriting = [first, second].contains { $0.claims[0].use == .writing(.updating) }
        return isWriting && first.claims[0].item == second.claims[0].item && first.id != second.id
    }
}
