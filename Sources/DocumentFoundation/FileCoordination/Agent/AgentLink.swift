internal import Coordination
internal import Dispatch
internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks
internal import Threads

/// The thread that keeps a registry joined to the user's agent.
///
///     resting ─needed─▶ searching ─found─▶ joined ─lost─▶ searching, or resting when nothing is held or awaited
///        ▲                    └─not found─▶ alone ─one appears─▶ joined
///        └── silent, or it refuses: what waits fails
///
/// Alone is only who finds that nobody is an agent: as long as somebody is, he decides, or nobody does.
final class AgentLink: Sendable {
    private struct State: Sendable {
        var hasThread = false
        var isOver = false
        var connection: AgentConnection?
        var presence: ClientPresence?
    }

    let finder: AgentFinder
    private let need = DispatchSemaphore(value: 0)
    /// Entered by the thread, as long as it runs.
    private let running = DispatchGroup()
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
            guard !state.hasThread, !state.isOver else { return false }
            state.hasThread = true
            running.enter()
            return true
        }
        need.signal()
        finder.bell.signal()
        guard isFirst else { return }
        OwnThread.startInTime("coordination") {
            self.run(registry)
            self.running.leave()
        }
    }

    /// Leaves the agent for good, and returns when the thread has ended. Not to be called by that.
    func end() {
        let connection = state.withLock { state in
            state.isOver = true
            return state.connection
        }
        connection?.end()
        finder.bell.signal()
        need.signal()
        running.wait()
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func run(_ registry: FileAccessRegistry) {
        while !isOver {
            need.wait()
            guard !isOver else { break }
            enroll()
            var (isExpected, isAlone) = (false, false)
            while !isOver, registry.needsAgent {
                // Before an agent is looked for, so that none is missed. Too much may be watched already.
                let watch = try? finder.watchFolder()
                defer { watch?.cancel() }
                do {
                    if let connection = try isAlone
                        ? waitForAgent(isWatched: watch != nil)
                        : finder.find(isExpected: isExpected, isOver: { isOver })
                    {
                        isAlone = false
                        watch?.cancel()
                        try stayJoined(registry, connection)
                    }
                } catch AgentFinder.Absence.silent(let isStarting) {
                    // It is stopped, or hangs, or takes too long to start: nobody can know what it has granted.
                    registry.giveUpOnAgent(isStarting: isStarting)
                    isAlone = false
                } catch {
                    let process = finder.agentProcess
                    let consequence = Consequence(of: error, isAgentThere: process != nil)
                    isAlone = consequence == .isAlone
                    switch consequence {
                    case .searches: break
                    case .isAlone: registry.workAlone(because: error)
                    case .isRefused: beRefused(registry, error, by: process, isWatched: watch != nil)
                    }
                }
                isExpected = true
            }
        }
        state.withLock { $0.presence = nil }
    }

    /// What follows from an error that has kept this process from an agent. Pure.
    enum Consequence: Equatable {
        /// An agent has come since there was none: it is searched for.
        case searches
        /// There is none.
        case isAlone
        /// There is one, and this process cannot join it.
        case isRefused

        init(of error: any Error, isAgentThere: Bool) {
            switch error {
            case is AgentFinder.Refusal: self = .isRefused
            case AgentFinder.Absence.nobody: self = isAgentThere ? .searches : .isAlone
            default: self = isAgentThere ? .isRefused : .isAlone
            }
        }
    }

    /// There is an agent that this process cannot join. Returns when it is worth trying again.
    private func beRefused(
        _ registry: FileAccessRegistry,
        _ error: any Error,
        by process: Int32?,
        isWatched: Bool
    ) {
        registry.beRefused(by: process, because: error)
        // One that speaks another version will do so for as long as it lives.
        let mayPass = (error as? AgentFinder.Refusal)?.wasJoined ?? true || process == nil
        waitForNews(mayPass || !isWatched ? Self.pause : nil)
    }

    /// Says by a lock that this process lives.
    private func enroll() {
        guard state.withLock({ $0.presence == nil }) else { return }
        do {
            let presence = try ClientPresence(finder.hello.client, in: finder.policy.folder)
            state.withLock { $0.presence = presence }
        } catch {
            // An agent that begins anew does not wait for what this process holds, and lets it know.
            FileAccessRegistry.log(error)
        }
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
            throw AgentFinder.Refusal(farewell, finder.policy.versions, wasJoined: true)
        }
        registry.lose(connection)
    }

    /// Waits for an agent, while the registry works without.
    ///
    /// - Returns: Nil when the link is over.
    /// - Throws: When there is one, which decides from now on, and this process cannot join it.
    private func waitForAgent(isWatched: Bool) throws -> AgentConnection? {
        while !isOver {
            do {
                switch try finder.connect() {
                case .connected(let connection): return connection
                case .unanswered: throw AgentFinder.Absence.silent(isStarting: false)
                // One that has taken its place has let nobody in before it listens.
                case .unheard: break
                }
            } catch let error as SocketError where finder.agentProcess == nil {
                FileAccessRegistry.log(error)
            }
            waitForNews(isWatched ? nil : Self.pause)
        }
        return nil
    }

    /// Waits until something has happened in the folder, or an access that waits for an agent is asked for.
    private func waitForNews(_ limit: DispatchTimeInterval?) {
        if let limit {
            _ = finder.bell.wait(timeout: .now() + limit)
        } else {
            finder.bell.wait()
        }
    }

    /// For who does not hear of an agent that appears, or was dropped for what he said and might be again.
    private static let pause = DispatchTimeInterval.seconds(1)
}
