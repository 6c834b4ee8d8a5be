internal import Coordination
internal import Dispatch
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks

/// The thread that keeps a registry joined to the user's agent.
///
///     resting ─needed─▶ searching ─found─▶ joined ─lost─▶ searching, or resting when nothing is held or awaited
///                           └─not found─▶ alone ─one appears─▶ joined
final class AgentLink: Sendable {
    private struct State: Sendable {
        var hasThread = false
        var isOver = false
        var connection: AgentConnection?
        var presence: ClientPresence?
    }

    let finder: AgentFinder
    private let need = DispatchSemaphore(value: 0)
    private let state = Locked(State())

    init(_ policy: AgentPolicy, client: ClientID) {
        let process = ProcessInfo.processInfo
        let hello = ClientHello(
            client: client,
            processID: UInt64(process.processIdentifier),
            processName: process.processName
        )
        finder = AgentFinder(policy: policy, hello: hello)
    }

    /// Has the agent looked for, for a registry that now needs it.
    func begin(for registry: FileAccessRegistry) {
        let isFirst = state.withLock { state in
            defer { state.hasThread = true }
            return !state.hasThread && !state.isOver
        }
        need.signal()
        guard isFirst else { return }
        let thread = Thread { self.run(registry) }
        thread.name = "coordination"
        thread.start()
    }

    /// Leaves the agent for good.
    func end() {
        let connection = state.withLock { state in
            state.isOver = true
            return state.connection
        }
        connection?.end()
        finder.bell.signal()
        need.signal()
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func run(_ registry: FileAccessRegistry) {
        while !isOver {
            need.wait()
            var isExpected = false
            while !isOver, registry.needsAgent {
                do {
                    try enroll()
                    try stayJoined(registry, try finder.find(isExpected: isExpected) { isOver })
                    isExpected = true
                } catch AgentFinder.Absence.silent(let isStarting) {
                    // It is stopped, or hangs, or takes too long to start: nobody can know what it has granted.
                    registry.giveUpOnAgent(isStarting: isStarting)
                    isExpected = true
                } catch {
                    registry.workAlone(because: error)
                    joinLater(registry)
                    isExpected = true
                }
            }
        }
        state.withLock { $0.presence = nil }
    }

    /// Says by a lock that this process lives.
    private func enroll() throws {
        guard state.withLock({ $0.presence == nil }) else { return }
        let presence = try ClientPresence(finder.hello.client, in: finder.policy.folder)
        state.withLock { $0.presence = presence }
    }

    /// Takes what the agent says, until the connection has ended.
    private func stayJoined(_ registry: FileAccessRegistry, _ connection: AgentConnection) throws {
        let board = state.withLock { state in
            state.connection = connection
            return state.presence?.board
        }
        defer { state.withLock { $0.connection = nil } }
        registry.join(connection, board)
        while !isOver, try connection.takeMessages({ registry.take($0) }) {}
        if let farewell = connection.farewell, farewell.goodbye != .agentEnds {
            throw AgentFinder.Absence.refused(farewell.reason)
        }
        registry.lose(connection)
    }

    /// Waits for an agent, while the registry works without.
    private func joinLater(_ registry: FileAccessRegistry) {
        let watch = Result { try finder.watchFolder() }
        defer { if case .success(let watch) = watch { watch.cancel() } }
        while !isOver {
            do {
                if case .connected(let connection) = try finder.connect() {
                    return try stayJoined(registry, connection)
                }
            } catch {
                // It is for another version, or broken: the next chance is the next one that appears.
                registry.workAlone(because: error)
            }
            if case .success = watch {
                finder.bell.wait()
            } else {
                // Too much is watched already: the agent is looked for now and then.
                _ = finder.bell.wait(timeout: .now() + Self.unwatchedPause)
            }
        }
    }

    private static let unwatchedPause = DispatchTimeInterval.seconds(1)
}
