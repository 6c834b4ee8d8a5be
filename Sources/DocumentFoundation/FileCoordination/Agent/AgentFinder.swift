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
        /// An agent that does not want this process, for this reason.
        case refused(String)
    }

    /// Connects to the agent, starting one if there is none.
    ///
    /// - Parameters:
    ///   - deadline: When to give up.
    ///   - isExpected: Whether there was an agent just now, so that one is waited for although none can be started.
    func find(until deadline: DispatchTime, isExpected: Bool, isOver: () -> Bool) throws -> AgentConnection {
        let watch = try watchFolder()
        defer { watch.cancel() }
        var startLock: LockFile?
        var hasStarted = false
        while true {
            if let connection = try connect() { return connection }
            if policy.program == nil, !isExpected, agentProcess == nil { throw Absence.nobody }
            if startLock == nil, policy.program != nil {
                // Others that find no agent wait here, and then find ours.
                startLock = try LockFile(waitingFor: policy.folder.place(of: AgentPlace.startLockName))
                continue
            }
            if let program = policy.program, !hasStarted,
                try !LockFile.isHeld(policy.folder.place(of: AgentPlace.lockName))
            {
                hasStarted = true
                var environment = policy.environment
                environment["SHEAF_RUNTIME_DIR"] = policy.folder.path
                try DetachedProgram.start(program, ["agent", "--on-demand"], environment: environment)
            }
            let next = min(deadline, .now() + Self.pause)
            if bell.wait(timeout: next) == .timedOut, .now() >= deadline { throw Absence.nobody }
            if isOver() { throw Absence.nobody }
        }
    }

    /// Connects to the agent that listens.
    ///
    /// - Returns: Nil when none does, or when it went before it could answer.
    func connect() throws -> AgentConnection? {
        let socket: LocalSocket
        do {
            socket = try LocalSocket(connectingTo: policy.folder.place(of: AgentPlace.socketName))
        } catch {
            // EAGAIN: it listens, and is behind.
            if error.isNobodyThere || error.errno == 11 { return nil }
            throw error
        }
        let connection = try AgentConnection(socket)
        connection.put(.hello(hello))
        connection.flush()
        let end = DispatchTime.now() + Self.welcomeLimit
        while DispatchTime.now() < end {
            var isWelcome = false
            let isOpen = try connection.takeMessages(milliseconds: 100) {
                isWelcome = $0.contains(.welcome(version: ClientHello.version))
            }
            if isWelcome { return connection }
            if let farewell = connection.farewell, farewell.goodbye != .agentEnds {
                throw Absence.refused(farewell.reason)
            }
            if !isOpen { return nil }
        }
        return nil
    }

    /// The process of the agent that holds its lock, by what it has written there; nil when nobody holds it.
    var agentProcess: Int32? {
        let path = policy.folder.place(of: AgentPlace.lockName)
        // Where the lock cannot be looked at, no agent is known either.
        guard (try? LockFile.isHeld(path)) == true,
            let text = try? String(contentsOfFile: path, encoding: .utf8)
        else { return nil }
        return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }

    /// Rings the bell whenever an agent may have come.
    func watchFolder() throws -> DirectoryWatch {
        let bell = bell
        return try DirectoryWatch(FilePath(policy.folder.path), on: .global()) { events in
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
