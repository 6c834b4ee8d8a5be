internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync
internal import SyncMessages
internal import Vault

/// What `ContainerSync` does, on its queue.
final class SyncRun {
    typealias Event = SyncEngine.Event
    typealias Effect = SyncEngine.Effect

    let place: ContainerSync.Place
    let contents: ContentStore
    let queue: DispatchQueue
    let report: @Sendable (SyncReport) -> Void
    let memory: DeviceMemory
    let placer: Placer
    let merger: any DocumentMerger
    let versions: VersionStore
    var conflicts = ShownConflicts()
    let hub: any ContainerHub
    private let ahead: AskedAhead
    let session = UInt64.random(in: 1...UInt64.max)

    /// Knows nothing until this is started.
    var engine: SyncEngine {
        // In place: it is asked much about each item, and copied else for each question.
        _read { yield wholeEngine }
        _modify { yield &wholeEngine }
    }
    private var wholeEngine: SyncEngine
    var resumed: ResumedEngine?
    var table: FolderTable {
        _read { yield wholeTable }
        _modify { yield &wholeTable }
    }
    private var wholeTable: FolderTable
    private(set) var line: HubLine?
    private(set) var watches: FolderWatches?
    /// What tells that volumes come and go.
    var mounts: MountChanges.Watch?
    let desk: LogDesk
    /// What came of the log and is not in the memory yet.
    var newlyHeard: [LogDesk.Heard] = []
    /// Events that the engine has not heard of yet.
    var events: [Event] = []
    var isTaking = false
    var lineState = SyncStatus.Line.down {
        didSet { if lineState != oldValue { causalRecord.noteLine(at: place.now()) } }
    }
    /// Since when what is explained is so.
    var causalRecord = CausalRecord()
    var lineFailure: String?
    /// What somebody has to do for the line to be up again; nil where it is up, has ended, or goes on by itself.
    var lineRemedy: String?
    /// With which remedies it was said that the line is down, since it was up last; nil among them for none.
    var saidRemedies: Set<String?> = []
    /// What could not be done on the disk; tried again now and then.
    var stuck: [ItemID: (effect: Effect, why: DiskRefusal)] = [:]
    /// What waits for others to make way.
    var awaited: [ItemID: AwaitedStep] = [:]
    /// What cannot be read or kept; tried again now and then.
    var unkept: [ItemID: DiskRefusal] = [:]
    /// Items that a power cut may have damaged: what is blank is no edit, but becomes what it was.
    var suspects: Set<ItemID> = []
    /// Items that a power cut has taken if they are missing (`SyncRun+Lost.swift`).
    var perishable: Set<ItemID> = []
    /// What of it is written down to be so, until it is all over.
    var lost: Set<ItemID> = []
    /// Whether the memory says that a process runs in this boot.
    var isMarked = false
    /// When the process before wrote something down last, in seconds since 1970.
    let lastWriteSeconds: Int64
    /// What has been said of items that no record has room for.
    var toldExcesses: [ItemID: String] = [:]
    /// What has been said of a hub that has no room for records, since it last took one.
    var toldHubRefusal: SyncRefusal?
    /// How often the hub has refused something for want of room, and how often it had when somebody had it be asked again at once.
    var (hubRoomRefusalCount, hubRoomAskedCount) = (0, 0)
    /// How often in a row an item was found otherwise than its step expected.
    var refusals: [ItemID: Int] = [:]
    /// Items whose steps were refused, which the engine is to hear when it is known what is there.
    var refused: Set<ItemID> = []
    /// Contents that could not be sent or had, though there is a line; tried again now and then.
    var failedContents: [ContentName: SyncRefusal] = [:]
    /// How often contents were asked for again.
    var attemptCount = 0
    /// What the hub has done with its log, or had done until it was put right, the newest last.
    var deeds: [KnownDeed] = []
    /// Contents that the hub gives otherwise than a device has sent them.
    var falseContents: [ContentName: FalseContents] = [:]
    /// Folders that cannot be looked at; tried again now and then. What is missing may be in them.
    var unlisted: [ItemID: DiskRefusal] = [:]
    /// What the container's folder is known by.
    var rootName: [UInt8] = []
    /// Whether it is another directory than before, or an older state of it.
    var doubt: RootDoubt?
    var rootCount = RootCount()
    /// Whether what was watched of it has gone, or its volume.
    var hasRootEnded = false
    /// Whether the last look found the folder in its place: else nothing has come of it.
    var isLookDone = false
    /// What was found in the places of folders that are not mounted, or are hidden.
    var apart: [ItemID: FolderPlace] = [:]
    /// Folders of which nothing is told any more.
    var unwatched: Set<ItemID> = []
    /// What this device cannot write down.
    var unremembered: Unremembered?
    /// Where the hub's log is still the one that was read, while this device has not gone back there, and why it could not read
    /// what it remembers of it.
    var wayBack: (place: LogHead, why: DiskRefusal?)?
    /// The periods by which large changes are counted.
    var periods: LossPeriods
    /// When a person decided on the last large change, in seconds since 1970.
    var changeSeconds: Double?
    /// Which large changes have been told of.
    var toldBrakes: Set<SyncBrake.Direction> = []
    /// Items whose own contents this process has noted as about to lose a conflict, and in whose place it has put nothing since.
    var losing: Set<ItemID> = []
    /// Places at which something could not be put, or a save has died: what was staged beside them may still be there.
    var unfinished: Set<FilePath> = []
    /// Documents that are not in their places while a save goes on there.
    var amidSaves: Set<ItemID> = []
    /// Files that were replaced a moment ago.
    var late: [LateFile] = []
    var isStopped = false
    /// Who has shut this device out; nil for nobody.
    var shutOut: ShutOut?
    /// Contents that somebody waits for, by item.
    var downloads = Downloads()
    /// Evicted items whose contents are about to leave the vault.
    var forgetting: Set<ItemID> = []
    /// The room of what items held before.
    var former = FormerRoom()
    /// Contents that are leaving it.
    var leaving: Set<ContentName> = []
    /// Where they leave it, one eviction's after the other's.
    let forgettingQueue = DispatchQueue(label: "sheaf.forgetting", qos: .utility)
    /// Contents that were sent, or are about to be, and of which the log has not spoken since.
    var uncommitted: Set<ContentName> = []
    /// Items that somebody has paused.
    var paused: [ItemID: SyncPause] = [:]
    /// Those who wait for what becomes of one item.
    var waits: [ItemWait] = []
    /// What is in folders and left alone, by folder.
    var leftOut: [ItemID: [LeftOut]] = [:]
    /// What was made out of names when somebody asked last.
    var knownNameTroubles: KnownNameTroubles?
    /// Known items that are excluded from sync on this device, and those of them that are written down to be.
    var excluded: Set<ItemID> = []
    var rememberedExclusions: Set<ItemID> = []
    /// Items that stand otherwise than when those who follow were told last, and whether they are about to be told.
    var news: Set<ItemID> = []
    var isNewsDue = false
    /// What is the matter in folders; nil while nobody has asked.
    var concerns: FolderConcerns?
    var followers: [UUID: Follower] = [:]
    var largeChangeFollowers: [UUID: LargeChangeFollower] = [:]
    var askers: [UUID: Asker] = [:]
    /// How much of contents on their way the hub has got.
    var uploads = UploadShares()
    /// How much of contents has come that are got by themselves.
    var arrivals: [ContentName: Arrival] = [:]
    /// What the hub has said last about who has read how much of the log.
    var readings = LogReadings()
    /// How often it was put off to ask the hub that again, for somebody who looks: the last one holds.
    var readingTurn = 0
    /// What is to be looked at.
    var dirtyFolders: Set<ItemID> = []
    var dirtyPackages: Set<ItemID> = []
    var missing = MissingItems()
    /// Documents that have been renamed in their folders a moment ago, by the places that they had before, and when that was seen.
    var departed: [ItemPlace: (item: ItemID, seconds: Double)] = [:]
    /// Seconds for which this machine has been up, which no clock that somebody sets has a part in.
    var uptimeSeconds: () -> Double = { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
    /// Whether what is missing is about to be looked for.
    var isMissingDue = false
    var isLookDue = false
    /// How often the watches of folders and of conflicts have told anything.
    var heardCount = 0
    /// New documents that have not been read yet, and whether they are about to be.
    var unread = UnreadDocuments()
    var isReadDue = false
    /// Items that programs are writing, which wait until these are done.
    var writing = WritingItems()
    /// Files into which somebody may have written since they were read last: they are read, whatever they look like.
    var written: Set<ItemID> = []
    /// Saves of Sheaf's that are under way.
    var saveSigns = SaveSigns()
    /// When those that wait are to be looked at; nil for not at all.
    var writingDue: Double?
    /// Who writes them, as far as it was asked.
    var writers: [ItemID: KnownWriters] = [:]
    /// What was heard over the line before all was read.
    var heldNews: [HubLine.News] = []
    /// Items that are read though nothing tells of a change.
    var readsAnew: Set<ItemID> = []
    /// Whether what cannot be done is about to be tried again.
    var isRetryDue = false
    var wasSettled = false
    /// How many items have been written, or read of, since what is there twice was last made one.
    var unsharedCount = 0

    init(
        _ place: ContainerSync.Place,
        _ openContents: @escaping @Sendable () throws -> ContentStore,
        _ keys: KeyRing,
        by identity: DeviceIdentity,
        _ hub: any ContainerHub,
        _ ahead: AskedAhead,
        _ merger: any DocumentMerger,
        _ versions: VersionStore,
        on queue: DispatchQueue,
        _ report: @escaping @Sendable (SyncReport) -> Void
    ) throws {
        (self.place, self.hub, self.ahead, self.merger) = (place, hub, ahead, merger)
        (self.queue, self.report, self.versions) = (queue, report, versions)
        let opened = Promised<ContentStore>()
        DispatchQueue(label: "sheaf.contents", qos: .userInitiated).async { opened.keep(openContents) }
        // Nothing goes on in the vault when this has ended, however it does; why it could not be opened is said below.
        defer { _ = try? opened.value }
        let folder = try StorageFolder(at: place.memory)
        lastWriteSeconds = try DeviceMemory.lastWriteSeconds(in: folder)
        do { memory = try DeviceMemory(in: folder) } catch {
            // SQLite does not always tell a disk that fails from a full one; the vault does.
            _ = try opened.value
            throw error
        }
        periods = LossPeriods(begun: try memory.lossPeriod(), boot: place.bootName())
        changeSeconds = try memory.changeSeconds()
        uncommitted = try memory.uncommitted()
        let limits = SyncBrake.Limits(place.brake)
        // It reads longer than anything here takes.
        let resumed = ResumedEngine(
            folder,
            keys,
            by: identity,
            session: session,
            merger: merger,
            limits: limits,
            periodCount: periods.pass(to: place.runningSeconds())
        )
        wholeEngine = SyncEngine(device: identity.id, session: session)
        wholeEngine.brakeLimits = limits
        wholeTable = try memory.folder()
        resumed.expect(wholeTable)
        conflicts.shown = try memory.conflicts()
        contents = try opened.value
        let coordinator = NSFileCoordinator(filePresenter: nil)
        coordinator.leavesPlaceholders = true
        placer = Placer(
            root: place.folder,
            contents: contents,
            access: FolderAccess(coordinator),
            losses: LossBook(memory)
        )
        desk = try resumed.logDesk
        self.resumed = resumed
        placer.access.tell = { [queue, box = Confined(Weak(self))] number, result in
            queue.async { box.value.value?.takeAccess(number, result) }
        }
    }

    // MARK: Life

    func start() throws {
        try checkRoot()
        let line = HubLine(
            to: hub,
            contents,
            desk,
            after: ahead,
            kits: RecoveryKits(folder: place.memory, container: desk.container),
            remembered: { [folder = place.memory] in try DeviceMemory.beside(folder)?.hash(at: $0) }
        ) {
            [queue, box = Confined(Weak(self))] news in
            queue.async { box.value.value?.heard(news) }
        }
        line.askAhead()
        watches = FolderWatches(on: queue) { [weak self] in self?.heard($0) }
        followMounts()
        try Arrivals.clearUp(place.folder)
        removeOwnFolders()
        try recallEnd()
        try recallExclusions()
        let vanished = try lookAtAll()
        try resume(without: vanished)
        lookAtStrayPlaceholders()
        forgetExclusions()
        noteLook(at: table.folders)
        try recallPauses()
        try recallDeeds()
        // What the process before could not show any more.
        for item in Set(table.inConflict).union(conflicts.shown.keys) where table[item] != nil {
            try showConflicts(of: item)
        }
        // And what somebody has settled since.
        if !conflicts.shown.isEmpty { followConflicts() }
        try forgetLeftovers()
        try recallSuperseded()
        try recallRequests()
        line.add(again: try memory.forgottenDevices())
        // Who stops a line of its own closes the hub, too, which a start that failed needs once more.
        self.line = line
        line.open()
        retryLater()
    }

    func stop() {
        guard !isStopped else { return }
        isStopped = true
        rememberSuperseded()
        raiseCount()
        markEnd()
        lineState = .stopped
        line?.close()
        watches?.endAll()
        mounts = nil
        conflicts.watch = nil
        endConflictsWithThemselves()
        // Who waits is told so, and who follows that nobody looks any more.
        failDownloads(SyncRefusal(.unreachable, "There is no line to the hub: \(lineReason)"))
        endWaits()
        endAllWaiting()
        forgetReadings()
        news.formUnion(table.items.keys)
        tellNow()
        tellLargeChanges()
        settle()
    }

    /// Why nothing is done any more.
    var endRefusal: SyncRefusal {
        SyncRefusal(
            .unreachable,
            "This folder is not kept in step any more\(lineFailure.map { ": \($0)" } ?? ".")"
        )
    }

    // MARK: The engine

    /// Has the engine take events, and does what it says, until nothing is left to do at once.
    func take(_ more: [Event]) {
        retryLater()
        events += Array(repeating: .periodBegan, count: periods.pass(to: place.runningSeconds())) + more
        letGoOfHeldBack(by: more)
        guard !isTaking, unremembered == nil else { return }
        isTaking = true
        defer { isTaking = false }
        while !events.isEmpty || !table.unwrittenVolumes.isEmpty, !isStopped {
            let batch = events
            events = []
            guard rememberAndCarryOut(engine.take(batch)) else { return }
        }
        endSuspicion()
        endWaits()
        tellBrakes()
        tellSurvivors()
        tellIfSettled()
    }

    /// Goes on from what this device remembers, with what is in the folder now.
    ///
    /// - Parameter vanished: What is not there any more though nobody has removed it.
    private func resume(without vanished: Set<ItemID>) throws {
        guard let resumed else { return }
        self.resumed = nil
        let start = try resumed.take(table, without: vanished, isAsExpected: !table.isWritten)
        let limits = engine.brakeLimits
        engine = start.engine
        engine.brakeLimits = limits
        isTaking = true
        let isDone = rememberAndCarryOut(start.effects)
        isTaking = false
        if isDone { take([]) }
        saveRoomLater()
    }

    func fail(_ why: String) {
        (lineFailure, lineRemedy) = (why, nil)
        report(.stopped(why))
        stop()
    }

    private func tellIfSettled() {
        let isSettled = isSettled
        if isSettled, !wasSettled {
            report(.settled)
            endDeeds(.whenInStep)
            saveRoomAfterMany()
            former.noteInStep()
        }
        wasSettled = isSettled
        forgetSuperseded()
        tellFollowers()
    }
}
