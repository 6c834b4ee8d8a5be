internal import Coordination
internal import Foundation
package import LocalSockets
internal import Locks

/// The agent of one user: one thread, the sockets of all clients, and the core that decides.
///
/// Everything but `stopper` belongs to the thread that calls `run()`, and nothing that it calls calls back: what is used for
/// every message is not checked for overlapping accesses, which would be a tenth of the agent's work.
package final class AgentServer {
    /// How the agent is run.
    package struct Options: Sendable {
        package var limits = AgentCore.Limits()
        /// The versions of the format that the agent speaks.
        package var versions = ClientHello.versions
        /// The listening socket to use, if there is one already.
        package var listener: LocalListener?
        /// Takes what is said in the log, a sentence each. Called on the thread that serves; must not wait for anybody.
        package var log: @Sendable (String) -> Void = AgentLog.say

        package init() {}
    }

    final class Connection {
        let id: ConnectionID
        let socket: LocalSocket
        @exclusivity(unchecked) var frames = FrameBuffer()
        @exclusivity(unchecked) var writer = WireWriter()
        @exclusivity(unchecked) var unsent = SendBuffer()
        @exclusivity(unchecked) var isWriting = false
        @exclusivity(unchecked) var isOpen = true
        /// Whether it is among those that have something to send.
        @exclusivity(unchecked) var isDirty = false

        init(_ id: ConnectionID, _ socket: LocalSocket) {
            self.id = id
            self.socket = socket
        }
    }

    private let folder: RuntimeFolder
    private let clientFolder: RuntimeFolder
    private let lock: LockFile
    private let listener: LocalListener
    private let poll: SocketPoll
    private let log: @Sendable (String) -> Void
    @exclusivity(unchecked) private var core: AgentCore
    @exclusivity(unchecked) private var connections = SmallTable<ConnectionID, Connection>()
    @exclusivity(unchecked) private var dirty: [Connection] = []
    private var connectionCount: UInt64 = 0
    /// Until when nobody is taken for want of room; nil where there is some.
    private var fullUntil: UInt64?
    /// Whether an access has been granted since it last waited: its end, or another request, may come at once.
    @exclusivity(unchecked) private var hasGranted = false
    /// Whether a presenter has been asked since it last waited: its answer may come at once.
    @exclusivity(unchecked) private var hasAsked = false
    @exclusivity(unchecked) private var wakefulnessAfterGrants = Wakefulness()
    @exclusivity(unchecked) private var wakefulnessAfterQuestions = Wakefulness()
    /// Ends `run()`, from any thread.
    package let stopper: Stopper
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: receiveByteCount, alignment: 16)

    /// Takes the place of the user's agent.
    ///
    /// When this has returned clients can connect; they are heard once `run()` is called.
    ///
    /// - Throws: `AgentError` with `isRunningAlready` when there is an agent, and no listener was handed over, or it is not known for
    ///   sure which process it is; else what the kernel refused.
    package init(in folder: RuntimeFolder, _ options: Options = Options()) throws {
        let lock = try Self.takePlace(in: folder, replacesFormer: options.listener != nil)
        try lock.write("\(getpid())\n")
        self.lock = lock
        self.folder = folder
        clientFolder = try folder.folder(AgentPlace.clientFolderName)
        let absentees = try ClientLocks.clients(in: clientFolder)
        poll = try SocketPoll()
        stopper = Stopper(poll)
        core = AgentCore(
            limits: options.limits,
            versions: options.versions,
            absentees: absentees,
            seconds: Date().timeIntervalSince1970,
            now: Self.now
        )
        log = options.log
        listener = try options.listener ?? LocalListener(at: folder.place(of: AgentPlace.socketName))
        try poll.add(listener, id: Self.listenerID)
    }

    deinit { buffer.deallocate() }

    /// Takes the lock that says who is the agent.
    ///
    /// - Parameter replacesFormer: Whether the agent that there is has to go. Where systemd hands a socket to this process, that
    ///   is bound under the name at which the other one listened: nobody new would ever reach that. Its clients come back.
    private static func takePlace(
        in folder: RuntimeFolder,
        replacesFormer: Bool
    ) throws -> LockFile {
        let path = folder.place(of: AgentPlace.lockName)
        if let lock = try LockFile(ifFree: path) { return lock }
        if replacesFormer, let former = LockFile.holder(of: path) {
            guard kill(former, SIGTERM) == 0 || errno == ESRCH else {
                throw SocketError(call: "kill", errno: errno, path: path)
            }
            return try LockFile(waitingFor: path)
        }
        // It may have gone just now.
        guard replacesFormer, let lock = try LockFile(ifFree: path) else {
            throw AgentError.runningAlready(folder.path)
        }
        return lock
    }

    /// Serves until told to stop, or until an agent on demand is needed no longer.
    ///
    /// - Throws: When the kernel refuses what an agent cannot do without.
    package func run() throws {
        defer { end() }
        while !stopper.isStopped {
            let now = Self.now
            if let fullUntil, fullUntil <= now { try listenAgain() }
            let schedule = core.schedule(now: now)
            if schedule.isUnneeded { return }
            for event in try wait(milliseconds: milliseconds(until: schedule, now)) { try take(event) }
            if schedule.isCollecting { try lookForAbsentees() }
            perform(core.timePassed(now: Self.now))
            flush()
        }
    }

    /// Ends a server's `run()` after it has said goodbye to all clients.
    package final class Stopper: Sendable {
        private let poll: SocketPoll
        private let stopping = Locked(false)

        fileprivate init(_ poll: SocketPoll) {
            self.poll = poll
        }

        fileprivate var isStopped: Bool { stopping.withLock { $0 } }

        /// Any thread.
        package func stop() {
            stopping.withLock { $0 = true }
            poll.wake()
        }
    }

    // MARK: Steps

    private func wait(milliseconds: Int32) throws -> [SocketPoll.Event] {
        defer { (hasGranted, hasAsked) = (false, false) }
        if hasGranted {
            if let events = try lookAwake(&wakefulnessAfterGrants) { return events }
        } else if hasAsked {
            if let events = try lookAwake(&wakefulnessAfterQuestions) { return events }
        }
        return try poll.wait(milliseconds: milliseconds)
    }

    private func lookAwake(_ wakefulness: inout Wakefulness) throws -> [SocketPoll.Event]? {
        var events: [SocketPoll.Event]?
        _ = try wakefulness.wait {
            events = try poll.look()
            return events != nil
        }
        return events
    }

    private func take(_ event: SocketPoll.Event) throws {
        if event.id == Self.listenerID { return try acceptAll() }
        guard let connection = connections[ConnectionID(event.id)] else { return }
        if event.isReadable { receive(from: connection) }
        if event.isWritable { send(to: connection) }
        flush()
    }

    private func acceptAll() throws {
        while fullUntil == nil {
            do {
                guard let socket = try listener.accept() else { return }
                try greet(socket)
            } catch let error as SocketError where error.isWantOfRoom || error.errno == ENOSPC {
                // Whoever waits is taken when another has left, or a moment later: others may have taken the room.
                fullUntil = Self.now + Self.roomPauseMilliseconds * 1_000_000
                try poll.change(listener, id: Self.listenerID, isOpen: false)
            }
        }
    }

    private func listenAgain() throws {
        fullUntil = nil
        try poll.change(listener, id: Self.listenerID, isOpen: true)
    }

    private func greet(_ socket: LocalSocket) throws {
        let peer = try socket.peer()
        // The folder lets no other user in; who comes in all the same is not served.
        guard peer.userID == geteuid() else { return }
        connectionCount += 1
        let connection = Connection(ConnectionID(connectionCount), socket)
        try poll.add(socket, id: connectionCount, .reading)
        connections[connection.id] = connection
        core.opened(connection.id, processID: UInt64(max(peer.processID, 0)))
    }

    private func receive(from connection: Connection) {
        switch connection.socket.receive(into: buffer) {
        case .nothing: break
        case .end:
            close(connection)
            perform(core.closed(connection.id, now: Self.now))
        case .bytes(let count):
            connection.frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            takeFrames(of: connection)
        }
    }

    private func takeFrames(of connection: Connection) {
        do {
            while connection.isOpen, let frame = try connection.frames.next() {
                perform(core.received(frame, from: connection.id, now: Self.now))
            }
        } catch {
            perform([.drop(connection.id, .protocolBroken, reason: "No frame is so long.")])
            perform(core.closed(connection.id, now: Self.now))
        }
    }

    private func perform(_ actions: [AgentCore.Action]) {
        var awaited: [(AccessID, ConnectionID)] = []
        for action in actions {
            switch action {
            case .lookForEnd(let access, let id): awaited.append((access, id))
            case .log(let sentence): log(sentence)
            case .send(let message, let id):
                guard let connection = connections[id] else { continue }
                switch message {
                case .welcome(let version):
                    (connection.writer.own, connection.writer.version) = (core.client(of: id), version)
                case .granted: hasGranted = true
                case .asked: hasAsked = true
                default: break
                }
                // Every message is made of parts of one that a client sent, and shorter than the longest frame.
                message.write(to: &connection.writer)
                if !connection.isDirty { dirty.append(connection) }
                connection.isDirty = true
            case .drop(let id, let goodbye, let reason):
                guard let connection = connections[id] else { continue }
                AgentMessage.goodbye(goodbye, reason: reason).write(to: &connection.writer)
                send(to: connection)
                close(connection)
            }
        }
        for (access, id) in awaited where hasPostedEnd(access, id) {
            perform(core.endPosted(access, by: id, now: Self.now))
        }
    }

    /// Whether a client has posted that an access has ended; from now on it tells of such ends at once.
    private func hasPostedEnd(_ access: AccessID, _ id: ConnectionID) -> Bool {
        guard let processID = core.ownProcessID(of: id) else { return false }
        let name = AgentPlace.clientFileName(processID: processID, client: access.client.rawValue)
        // One that cannot be asked, as it has no board, tells of the end as soon as it hears that it is awaited.
        return NoticeBoard.ask(at: clientFolder.place(of: name)) == access.number
    }

    private func flush() {
        while let connection = dirty.popLast() {
            connection.isDirty = false
            if connection.isOpen { send(to: connection) }
        }
    }

    private func send(to connection: Connection) {
        // What comes at once may be of any length, as a report of a hundred thousand presenters is.
        let isBehind =
            !connection.writer.bytes.isEmpty && connection.unsent.byteCount > Self.unsentByteCountMax
        let state = connection.unsent.send(connection.writer.bytes, to: connection.socket)
        connection.writer.removeAll()
        switch state {
        case .empty: setWriting(false, connection)
        // The end is read before long.
        case .ended: break
        case .waiting:
            setWriting(true, connection)
            guard isBehind else { return }
            close(connection)
            perform(core.closed(connection.id, now: Self.now))
        }
    }

    private func setWriting(_ isWriting: Bool, _ connection: Connection) {
        guard isWriting != connection.isWriting else { return }
        connection.isWriting = isWriting
        do {
            let interest: SocketPoll.Interest = isWriting ? .both : .reading
            try poll.change(connection.socket, id: connection.id.number, interest)
        } catch {
            preconditionFailure("epoll refused a socket that it has: \(error)")
        }
    }

    private func close(_ connection: Connection) {
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        connection.isOpen = false
        connection.socket.shutDown()
        do {
            try poll.remove(connection.socket)
            if fullUntil != nil { try listenAgain() }
        } catch {
            preconditionFailure("epoll refused a socket that it has: \(error)")
        }
    }

    private func lookForAbsentees() throws {
        let living: Set<ClientID>
        do { living = try ClientLocks.clients(in: clientFolder) } catch let error as SocketError
            where error.isWantOfRoom
        {
            // It is looked again in a moment.
            return
        }
        perform(core.absenteesAlive(living, now: Self.now))
    }

    private func end() {
        listener.removeName()
        perform(connections.keys.map { .drop($0, .agentEnds, reason: "The agent ends.") })
    }

    private func milliseconds(until schedule: AgentCore.Schedule, _ now: UInt64) -> Int32 {
        guard let deadline = [schedule.nextDeadline, fullUntil].compactMap({ $0 }).min() else { return -1 }
        let left = deadline <= now ? 0 : min((deadline - now) / 1_000_000 + 1, 3_600_000)
        return Int32(schedule.isCollecting ? min(left, Self.absenteePauseMilliseconds) : left)
    }

    private static var now: UInt64 { MonotonicClock.now }
    private static let listenerID: UInt64 = 0
    private static let receiveByteCount = 64 * 1024
    /// So much may wait for a client that does not read when more comes: a thousand long notices, and less than would hurt.
    private static let unsentByteCountMax = 8 << 20
    /// After so long it is tried again to take a connection for which there was no room.
    private static let roomPauseMilliseconds: UInt64 = 100
    /// How often the agent looks whether who has to come back still lives.
    private static let absenteePauseMilliseconds: UInt64 = 20
}

/// Why there is no agent here.
package struct AgentError: Error, Sendable, CustomStringConvertible {
    /// Whether another agent serves this user.
    package let isRunningAlready: Bool
    package let description: String

    static func silent(_ reason: String) -> AgentError {
        AgentError(isRunningAlready: false, description: reason)
    }

    /// There is nobody to ask.
    package static func absent(_ folder: String) -> AgentError {
        AgentError(
            isRunningAlready: false,
            description: "no agent runs in \(folder), so nothing is coordinated"
        )
    }

    static func runningAlready(_ folder: String) -> AgentError {
        AgentError(isRunningAlready: true, description: "An agent is running already in \(folder).")
    }
}
