internal import Dispatch
internal import FileSystem
internal import Foundation
internal import HubProtocol
package import LocalSockets
internal import Locks
package import SyncMessages
internal import Vault

/// Keeps all containers of a device in step, and answers the user's other processes about them.
///
/// One per user at a time: the memory of each container is locked.
package final class SyncService: Sendable {
    /// A folder that is kept in step.
    package struct Running: Sendable {
        let folder: String
        let hub: String
        let sync: ContainerSync
        package init(folder: String, hub: String, sync: ContainerSync) {
            (self.folder, self.hub, self.sync) = (folder, hub, sync)
        }
    }

    private let running: [Running]
    private let log: ServiceLog
    private let isStopping = Locked(false)
    private let listener = Locked<LocalListener?>(nil)
    /// Tells whoever would ask that this has begun, until it listens.
    private let beginning = Locked<LockFile?>(nil)
    /// Rung when it is to stop.
    private let bell: SocketBell
    private let runtime: RuntimeFolder
    /// Where that is noted for those who find another one; nil where nobody could.
    private let meeting: SyncMeeting?
    /// From when on a person is asked about large changes, by folder, as somebody has said last.
    private let limits: @Sendable () throws -> [String: BrakeLimits]

    /// Begins to keep them in step.
    ///
    /// - Parameters:
    ///   - home: What this device has.
    ///   - runtime: Where others ask.
    ///   - report: Told what happens, with the container's folder.
    /// - Throws: `SyncServiceError.nothingJoined`; what keeps a container from being begun.
    package convenience init(
        _ home: DeviceHome,
        in runtime: RuntimeFolder,
        report: @escaping @Sendable (_ folder: String, SyncReport) -> Void
    ) throws {
        let (log, memory, service) = (ServiceLog(), MemoryAtRest(), Locked(Unkept()))
        var running: [Running] = []
        for joined in try home.containers() {
            let settings = joined.settings
            let client = try HubClient(settings.hub, token: settings.credentials.token)
            let sharing = home.sharing(of: joined, at: client)
            let isAtWork: @Sendable () -> Bool = { service.withLock { $0.service }?.isAtWork == true }
            let tell: @Sendable (SyncReport) -> Void = {
                log.note($0, of: settings.folder)
                report(settings.folder, $0)
                if $0 == .settled { memory.noteRest(unless: isAtWork) }
            }
            let revocations = RevocationKeeper(sharing, tell: tell)
            var place = ContainerSync.Place(
                folder: FilePath(settings.folder),
                memory: home.folder(of: settings.container),
                deviceName: settings.deviceName
            )
            place.hub = settings.hub
            if let brake = settings.brake { place.brake = brake }
            let sync = ContainerSync(
                place,
                keys: sharing.keys,
                by: joined.identity,
                hub: HubContainer(settings.container, at: client) { memory.noteTurn(unless: isAtWork) },
                merger: TypeMerger(),
                report: {
                    tell($0)
                    revocations.note($0)
                }
            )
            running.append(
                Running(folder: settings.folder, hub: settings.hub.absoluteString, sync: sync)
            )
        }
        guard !running.isEmpty else { throw SyncServiceError.nothingJoined }
        let meeting = SyncMeeting(home: home.folder)
        try self.init(running, in: runtime, meeting, log) {
            let settings = try home.containers().map(\.settings)
            return Dictionary(settings.map { ($0.folder, $0.brake) }, uniquingKeysWith: { first, _ in first })
                .compactMapValues { $0 }
        }
        service.withLock { $0.service = self }
        // Where another has it, the containers' memories are that one's, too, and this one ends below.
        let lock = try LockFile(ifFree: runtime.place(of: SyncQuery.beginningLockName))
        beginning.withLock { $0 = lock }
        let former = meeting.noted
        let isElsewhere = former != runtime.path
        // A full disk keeps nothing from being kept in step: then it is asked where it is for everybody.
        if isElsewhere { try? meeting.note(runtime.path) }
        do { for container in running { try container.sync.start() } } catch {
            // Another one keeps them, and is to be found as before.
            if isElsewhere, let former { try? meeting.note(former) }
            throw error
        }
    }

    /// A service for those whom it keeps.
    private struct Unkept: Sendable {
        weak var service: SyncService?
    }

    /// Whether something is being done for any of them.
    private var isAtWork: Bool { running.contains { $0.sync.isAtWork } }

    /// Answers about containers that are kept in step already, until `run()` ends.
    ///
    /// - Parameter limits: From when on a person is asked about large changes, by folder, as somebody has said last.
    package convenience init(
        _ running: [Running],
        in runtime: RuntimeFolder,
        limits: @escaping @Sendable () throws -> [String: BrakeLimits] = { [:] }
    ) throws {
        try self.init(running, in: runtime, nil, ServiceLog(), limits)
    }

    private init(
        _ running: [Running],
        in runtime: RuntimeFolder,
        _ meeting: SyncMeeting?,
        _ log: ServiceLog,
        _ limits: @escaping @Sendable () throws -> [String: BrakeLimits]
    ) throws {
        bell = try SocketBell()
        (self.running, self.runtime, self.meeting) = (running, runtime, meeting)
        (self.log, self.limits) = (log, limits)
    }

    /// Answers until the process is told to end (`SIGTERM`, `SIGINT`), then brings all to rest.
    package func run() throws {
        let signals = EndSignals { [self] in stop() }
        try withExtendedLifetime(signals) { try answer() }
    }

    /// From now on whoever asks is answered once `answer()` runs.
    package func listen() throws {
        let made = try LocalListener(at: runtime.place(of: SyncQuery.socketName))
        listener.withLock { $0 = made }
        // As above; now for those who wait for somebody to come.
        try? meeting?.note(runtime.path)
        // The name goes before the lock: after it, it may be the next one's.
        guard let lock = beginning.withLock({ $0.take() }) else { return }
        withExtendedLifetime(lock) { runtime.remove(SyncQuery.beginningLockName) }
    }

    /// Answers until `stop()` is called, then brings all to rest; that also where it fails.
    package func answer() throws {
        defer {
            for container in running { container.sync.stop() }
            for conversation in conversations.withLock({ Array($0.values) }) { conversation.end() }
        }
        if listener.withLock({ $0 == nil }) { try listen() }
        guard let listener = listener.withLock({ $0 }) else { return }
        // What was said between this process's look and now nobody could tell it.
        for (folder, limits) in try limits() {
            for container in running where container.folder == folder {
                // One that is not kept in step now reads it when it is.
                do { try container.sync.limit(limits) } catch is SyncRefusal { continue }
            }
        }
        while !isStopping.withLock({ $0 }) {
            guard listener.waitUntilReadable(or: bell, milliseconds: -1) else { continue }
            try takeConnections(listener)
        }
    }

    /// After so long it is tried again to take a connection for which there was no room.
    private static let roomMilliseconds: Int32 = 100

    private func takeConnections(_ listener: LocalListener) throws(SocketError) {
        do {
            while let socket = try listener.accept() { serve(socket) }
        } catch {
            guard error.isWantOfRoom else { throw error }
            // What waits to be taken can be read all the while: only a conversation's end makes room.
            bell.wait(milliseconds: Self.roomMilliseconds)
        }
    }

    package func stop() {
        isStopping.withLock { $0 = true }
        bell.ring()
    }

    /// More at a time are turned away: one process asks at most a few things at once.
    private static let conversationCountMax = 512
    private let conversations = Locked<[UUID: ServiceConversation]>([:])

    /// Answers on a thread of its own: some answers take their time.
    private func serve(_ socket: LocalSocket) {
        // Another user's, or gone: nobody to answer.
        guard let conversation = ServiceConversation(socket) else { return }
        let id = UUID()
        let isRoom = conversations.withLock { all in
            guard all.count < Self.conversationCountMax else { return false }
            all[id] = conversation
            return true
        }
        guard isRoom else { return }
        let thread = Thread { [self] in
            converse(conversation)
            conversations.withLock { $0[id] = nil }
        }
        thread.name = "sheaf answer"
        thread.start()
    }

    private func converse(_ conversation: ServiceConversation) {
        // Of another version: nobody to answer.
        guard let question = conversation.question() else { return }
        let end = begin(question, conversation)
        conversation.run()
        end()
    }

    /// - Returns: What is to be done when the one who asked has gone.
    private func begin(
        _ question: SyncQuestion,
        _ conversation: ServiceConversation
    ) -> @Sendable () -> Void {
        switch question {
        case .download(let path, let isAwaited):
            return attempt(path, conversation) { sync, below in
                guard isAwaited else {
                    _ = try sync.download(below, done: nil)
                    conversation.end(with: .done)
                    return {}
                }
                return try sync.download(below, progress: { conversation.say(.progress($0)) }) { refusal in
                    conversation.end(with: refusal.map { .refused($0) } ?? .done)
                }
            }
        case .decide, .goBack, .limit, .followLargeChanges: return decide(question, conversation)
        case .log(let isFollowed):
            guard isFollowed else {
                for event in log.latest { conversation.say(.event(event)) }
                conversation.end(with: .done)
                return {}
            }
            return log.follow { conversation.say(.event($0)) }
        case .evict(let path):
            return attempt(path, conversation) { sync, below in
                try sync.evict(below)
                conversation.end(with: .done)
                return {}
            }
        case .pause(let path, let who):
            return attempt(path, conversation) { sync, below in
                try sync.pause(below, by: who)
                conversation.end(with: .done)
                return {}
            }
        case .resume(let path, let resumption):
            return attempt(path, conversation) { sync, below in
                try sync.resume(below, resumption) { conversation.end(with: $0) }
                return {}
            }
        case .offer(let path):
            return attempt(path, conversation) { sync, below in
                try sync.offer(below) { conversation.end(with: $0) }
            }
        case .fetchLatest(let path):
            return attempt(path, conversation) { sync, below in
                try sync.fetchLatest(below) { conversation.end(with: $0) }
            }
        case .follow(let path, let isDeep):
            return attempt(path, conversation) { sync, below in
                sync.follow(below, isDeep: isDeep) { conversation.say(.changed($0, isSettled: $1)) }
            }
        case .followExplanation(let path):
            return attempt(path, conversation) { sync, below in
                sync.followExplanation(below) { conversation.say(.explanation($0)) }
            }
        case .status, .diagnosis, .explain, .item, .items, .unsettled:
            conversation.end(with: answer(to: question))
            return {}
        }
    }

    /// What is about large changes.
    private func decide(
        _ question: SyncQuestion,
        _ conversation: ServiceConversation
    ) -> @Sendable () -> Void {
        switch question {
        case .goBack(let folder):
            attempt(folder, conversation) { sync, _ in
                conversation.end(with: .goesBack(try sync.goBack()))
                return {}
            }
        case .limit(let folder, let limits):
            attempt(folder, conversation) { sync, _ in
                try sync.limit(limits)
                conversation.end(with: .done)
                return {}
            }
        case .followLargeChanges(let folder):
            attempt(folder, conversation) { sync, _ in
                sync.followLargeChanges { conversation.say(.largeChanges($0)) }
            }
        case .decide(let folder, let goesOn):
            attempt(folder, conversation) { sync, _ in
                guard sync.decide(goesOn: goesOn) else {
                    throw SyncRefusal(.absent, "Nothing in “\(folder)” waits for a decision.")
                }
                conversation.end(with: .done)
                return {}
            }
        default: preconditionFailure("\(question) is about no large change")
        }
    }

    private func attempt(
        _ path: String,
        _ conversation: ServiceConversation,
        _ body: (ContainerSync, _ below: String) throws -> @Sendable () -> Void
    ) -> @Sendable () -> Void {
        do {
            guard let found = found(path) else {
                throw SyncRefusal(.notInContainer, "“\(path)” is in no folder that is kept in step.")
            }
            return try body(found.sync, found.below)
        } catch {
            let refusal = error as? SyncRefusal ?? SyncRefusal(.failed, "\(error)")
            conversation.end(with: .refused(refusal))
            return {}
        }
    }

    private func answer(to question: SyncQuestion) -> SyncAnswer {
        switch question {
        case .status:
            return .status(
                running.map { FolderStatus(folder: $0.folder, hub: $0.hub, status: $0.sync.status) }
            )
        case .diagnosis:
            return .diagnosis(running.map { $0.sync.diagnosis(log.reports(of: $0.folder)) })
        case .explain(let path):
            return .explanation(found(path).map { $0.sync.explain($0.below) })
        case .item(let path): return .item(found(path).flatMap { $0.sync.item($0.below) })
        case .items(let folder): return .items(found(folder).map { $0.sync.items(below: $0.below) } ?? [])
        case .unsettled(let folder):
            return .items(found(folder).map { $0.sync.unsettledItems(in: $0.below) } ?? [])
        case .log, .decide, .goBack, .limit, .evict, .download, .follow, .followExplanation,
            .followLargeChanges, .pause, .resume, .offer, .fetchLatest:
            preconditionFailure("\(question) is not answered in one line")
        }
    }

    /// The container that something is in, and its path below that's folder.
    private func found(_ path: String) -> (sync: ContainerSync, below: String)? {
        for container in running {
            if path.isSameInBytes(container.folder) { return (container.sync, "") }
            if let below = path.following(container.folder + "/") { return (container.sync, below) }
        }
        return nil
    }
}

extension ServiceConversation {
    fileprivate func end(with result: Result<VersionID?, SyncRefusal>) {
        switch result {
        case .success(let version?): end(with: .version(Array(version.bytes)))
        case .success(nil): end(with: .done)
        case .failure(let refusal): end(with: .refused(refusal))
        }
    }
}
