internal import Coordination
internal import Dispatch
internal import FileSystem
internal import Foundation
internal import LocalSockets

/// Finds the user's agent, or starts one.
struct AgentFinder: Sendable {
    let policy: AgentPolicy
    let hello: ClientHello
    /// Signalled when something appears in the runtime folder, and when the search is to end.
    let bell = DispatchSemaphore(value: 0)

    /// Why there is no connection.
    enum Absence: Error {
        /// No agent, and no way to start one.
        case nobody
        /// An agent that holds its lock and does not answer, or does not listen yet.
        case silent(isStarting: Bool)
    }

    /// An agent that lives, and that this process cannot join.
    struct Refusal: Error, CustomStringConvertible {
        let goodbye: Goodbye
        let description: String
        /// Whether it had taken this process before.
        var wasJoined = false

        /// What the agent said, and what this process could have spoken.
        init(_ farewell: AgentConnection.Farewell, _ versions: ClosedRange<UInt64>, wasJoined: Bool = false) {
            goodbye = farewell.goodbye
            let own = goodbye == .versionUnknown ? " This program speaks \(versions.text)." : ""
            description = farewell.reason + own
            self.wasJoined = wasJoined
        }
    }

    /// How an attempt to connect came out.
    enum Attempt {
        case connected(AgentConnection)
        /// An agent listens, and does not answer in time.
        case unanswered
        /// None listens, or it went before it could answer.
        case unheard

        var isUnanswered: Bool { if case .unanswered = self { true } else { false } }
    }

    /// Connects to the agent, starting one if there is none.
    ///
    /// Whoever calls it watches the folder; where that cannot be, an agent is looked for now and then all the same.
    ///
    /// - Parameter isExpected: Whether there was an agent just now, so that one is waited for although none can be
    ///   started.
    func find(isExpected: Bool, isOver: () -> Bool) throws -> AgentConnection {
        var searchEnd = DispatchTime.now() + policy.patience.searchSeconds
        let startEnd = DispatchTime.now() + policy.patience.startSeconds
        var startLock: LockFile?
        var hasStarted = false
        while true {
            let attempt = try connect()
            if case .connected(let connection) = attempt { return connection }
            if policy.program == nil, !isExpected, agentProcess == nil { throw Absence.nobody }
            if startLock == nil, policy.program != nil {
                // One process at a time starts an agent. The others look on, and are not held up by one that is stopped.
                startLock = try LockFile(ifFree: policy.folder.place(of: AgentPlace.startLockName))
                if startLock != nil { continue }
            }
            if startLock != nil, !hasStarted { hasStarted = try startAgent() }
            let isRung = bell.wait(timeout: .now() + Self.pause) == .success
            guard isOver() || !isRung && .now() >= searchEnd else { continue }
            // One look, on which all depends: an agent may take its place at any time.
            guard agentProcess != nil else {
                // Whoever has the start lock may be stopped, and all others would be alone, each by itself, as long as it
                // is. Should both start one, only one agent takes its place.
                guard policy.program != nil, !hasStarted, !isOver() else { throw Absence.nobody }
                // One that has taken its place since it was looked for is searched for as well.
                _ = try startAgent()
                hasStarted = true
                searchEnd = .now() + policy.patience.searchSeconds
                continue
            }
            if isOver() || attempt.isUnanswered || .now() >= startEnd {
                throw Absence.silent(isStarting: !attempt.isUnanswered)
            }
        }
    }

    /// Starts an agent, unless there is one or no program for it.
    ///
    /// - Returns: Whether it was started.
    private func startAgent() throws -> Bool {
        guard let program = policy.program,
            try !LockFile.isHeld(policy.folder.place(of: AgentPlace.lockName))
        else { return false }
        var environment = policy.environment
        environment["SHEAF_RUNTIME_DIR"] = policy.folder.path
        try DetachedProgram.start(program, ["agent", "--on-demand"], environment: environment)
        return true
    }

    /// Connects to the agent that listens.
    ///
    /// - Throws: `Refusal`; else what the kernel refused.
    func connect() throws -> Attempt {
        do {
            return try connect(speaking: policy.versions.upperBound)
        } catch let refusal as Refusal where refusal.goodbye == .versionUnknown {
            // An agent of version 1 takes none but that, and does not say by its welcome which one it wants.
            guard policy.versions.count > 1 else { throw refusal }
            do {
                return try connect(speaking: policy.versions.lowerBound)
            } catch is Refusal {
                throw refusal
            }
        }
    }

    private func connect(speaking version: UInt64) throws -> Attempt {
        let socket: LocalSocket
        do {
            socket = try LocalSocket(connectingTo: policy.folder.place(of: AgentPlace.socketName))
        } catch {
            if error.isNobodyThere { return .unheard }
            // It listens, and is behind.
            if error.errno == EAGAIN { return .unanswered }
            throw error
        }
        let connection = try AgentConnection(socket)
        var hello = hello
        hello.version = version
        connection.put(.hello(hello))
        connection.flush()
        let end = DispatchTime.now() + Self.welcomeLimit
        while DispatchTime.now() < end {
            var welcome: UInt64?
            let isOpen = try connection.takeMessages(milliseconds: 100) { messages in
                for case .welcome(let version) in messages { welcome = version }
            }
            if let welcome { return .connected(try checked(connection, speaking: welcome)) }
            if let farewell = connection.farewell, farewell.goodbye != .agentEnds {
                throw Refusal(farewell, policy.versions)
            }
            if !isOpen { return .unheard }
        }
        return .unanswered
    }

    /// - Parameter version: That the agent has chosen: of those that it speaks the latest that this process may speak.
    private func checked(
        _ connection: AgentConnection,
        speaking version: UInt64
    ) throws(Refusal) -> AgentConnection {
        guard !policy.versions.contains(version) else { return connection }
        connection.end()
        let reason = "This agent speaks version \(version) at the latest."
        throw Refusal(.init(goodbye: .versionUnknown, reason: reason), policy.versions)
    }

    /// The process of the agent that holds its lock, by what it has written there; nil when nobody holds it.
    var agentProcess: Int32? {
        let path = policy.folder.place(of: AgentPlace.lockName)
        // Where the lock cannot be looked at, no agent is known either.
        guard (try? LockFile.isHeld(path)) == true else { return nil }
        return LockFile.notedProcess(in: path) ?? 0
    }

    /// Rings the bell whenever an agent may have come.
    func watchFolder() throws -> DirectoryWatch {
        let bell = bell
        let queue = DispatchQueue(label: "sheaf.agent-folder")
        return try DirectoryWatch(FilePath(policy.folder.path), on: queue) { events in
            if events.contains(where: { $0.name == AgentPlace.socketName || $0.name == nil }) {
                bell.signal()
            }
        }
    }

    /// After so long the agent is looked for without having been seen to come.
    private static let pause = DispatchTimeInterval.milliseconds(100)
    /// An agent that lives answers at once; one that is stopped is not waited for any longer.
    private static let welcomeLimit = DispatchTimeInterval.seconds(2)
}
