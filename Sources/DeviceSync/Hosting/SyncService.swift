internal import Dispatch
internal import FileSystem
internal import Foundation
internal import HubProtocol
package import LocalSockets
internal import Locks
package import SyncMessages
internal import Threads
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
    private let socket: ServiceSocket
    /// Tells whoever would ask that this has begun, until it listens.
    private let beginning = Locked<LockFile?>(nil)
    /// Rung when it is to stop.
    private let bell: SocketBell
    private let runtime: RuntimeFolder
    /// Where that is noted for those who find another one; nil where nobody could.
    private let meeting: SyncMeeting?
    /// From when on a person is asked about large changes, by folder, as somebody has said last.
    private let limits: @Sendable () throws -> [String: BrakeLimits]
    private let conversations: Locked<ServiceConversations>

    /// Begins to keep them in step.
    ///
    /// A container that cannot be begun keeps no other from it, nor does one whose files here are damaged: that is said of it, and where
    /// its folder is only away, it begins when that has come.
    ///
    /// - Parameters:
    ///   - home: What this device has.
    ///   - runtime: Where others ask.
    ///   - report: Told what happens, with the container's folder.
    /// - Throws: `SyncServiceError.nothingJoined`; what keeps all from being begun, or that another process keeps one in step.
    package convenience init(
        _ home: DeviceHome,
        in runtime: RuntimeFolder,
        report: @escaping @Sendable (_ folder: String, SyncReport) -> Void
    ) throws {
        let (log, memory, service) = (ServiceLog(), MemoryAtRest(), Locked(Unkept()))
        var running: [Running] = []
        let (containers, unreadable) = try home.readContainers()
        if containers.isEmpty, let first = unreadable.first { throw first }
        for error in unreadable {
            let path = (error.file ?? home.folder).string
            log.note(.stopped(error.description), of: path)
            report(path, .stopped(error.description))
        }
        for joined in containers {
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
            let settings = try home.readContainers().joined.map(\.settings)
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
        do { try begin() } catch {
            // Another one keeps them, and is to be found as before.
            if isElsewhere, let former { try? meeting.note(former) }
            throw error
        }
    }

    private func begin() throws {
        // One has nobody to wait with.
        guard running.count > 1 else { return try running.forEach { try $0.sync.start() } }
        var failures: [any Error] = []
        for container in running {
            do { try container.sync.startAmongOthers() } catch let error as SyncFailure
                where error.code == .inUse
            {
                for begun in running { begun.sync.stop() }
                throw error
            } catch { failures.append(error) }
        }
        guard let first = failures.first, failures.count == running.count else { return }
        throw first
    }

    /// A service for those whom it keeps.
    private struct Unkept: Sendable {
        weak var service: SyncService?
    }

    /// Whether something is being done for any of them.
    private var isAtWork: Bool { running.contains { $0.sync.isAtWork } }

    /// Answers about containers that are kept in step already, until `run()` ends.
    ///
    /// - Parameters:
    ///   - askingCountMax: How many may ask at a time.
    ///   - followingCountMax: How many more may be told at a time what is news.
    ///   - limits: From when on a person is asked about large changes, by folder, as somebody has said last.
    package convenience init(
        _ running: [Running],
        in runtime: RuntimeFolder,
        askingCountMax: Int = ServiceConversations.askingCountMax,
        followingCountMax: Int = ServiceConversations.followingCountMax,
        limits: @escaping @Sendable () throws -> [String: BrakeLimits] = { [:] }
    ) throws {
        let conversations = ServiceConversations(
            askingCountMax: askingCountMax,
            followingCountMax: followingCountMax
        )
        try self.init(running, in: runtime, nil, ServiceLog(), conversations, limits)
    }

    private init(
        _ running: [Running],
        in runtime: RuntimeFolder,
        _ meeting: SyncMeeting?,
        _ log: ServiceLog,
        _ conversations: ServiceConversations = ServiceConversations(),
        _ limits: @escaping @Sendable () throws -> [String: BrakeLimits]
    ) throws {
        bell = try SocketBell()
        socket = ServiceSocket(in: runtime, bell)
        (self.running, self.runtime, self.meeting) = (running, runtime, meeting)
        (self.log, self.limits) = (log, limits)
        self.conversations = Locked(conversations)
    }

    /// Answers until the process is told to end, as `EndSignals.usual` has it, then brings all to rest.
    package func run() throws {
        let signals = EndSignals { [self] in stop() }
        try withExtendedLifetime(signals) { try answer() }
    }

    /// From now on whoever asks is answered once `answer()` runs.
    package func listen() throws {
        try socket.open()
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
            for conversation in conversations.withLock({ $0.all }) { conversation.end() }
        }
        if !socket.isOpen { try listen() }
        // What was said between this process's look and now nobody could tell it.
        for (folder, limits) in try limits() {
            for container in running where container.folder == folder {
                // One that is not kept in step now reads it when it is.
                do { try container.sync.limit(limits) } catch is SyncRefusal { continue }
            }
        }
        while !isStopping.withLock({ $0 }) { try socket.take(renewing: listen, serve) }
    }

    package func stop() {
        isStopping.withLock { $0 = true }
        bell.ring()
    }

    /// Answers on a thread of its own: some answers take their time.
    private func serve(_ socket: LocalSocket) {
        // Another user's, or gone: nobody to answer.
        guard let conversation = ServiceConversation(socket) else { return }
        let id = UUID()
        guard conversations.withLock({ $0.begin(conversation, id) }) else { return }
        do {
            try OwnThread.start("sheaf answer") { [self] in
                converse(conversation, id)
                conversations.withLock { $0.end(id) }
            }
        } catch {
            // Who asks finds that the connection ends, and may ask again.
            conversations.withLock { $0.end(id) }
        }
    }

    private func converse(_ conversation: ServiceConversation, _ id: UUID) {
        // Of another version: nobody to answer.
        guard let question = conversation.question() else { return }
        // Turned away, who asks finds that the connection ends, and asks again later.
        guard !question.isFollowing || conversations.withLock({ $0.follow(id) }) else { return }
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
                return try sync.download(
                    below,
                    progress: { conversation.say(.progress($0)) },
                    moved: { conversation.say(.moved(to: $0)) }
                ) { refusal in
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
