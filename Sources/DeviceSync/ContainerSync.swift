internal import Dispatch
package import DocumentFoundation
package import FileSystem
package import Foundation
internal import Locks
package import Sealing
internal import Sync
package import SyncMessages
package import Vault

/// Keeps one folder of this device and one container at a hub the same.
///
///     folder ──events──▶ look ──▶ keep ──▶ ┐                       ┌──▶ upload, commit ──▶ hub
///                                          ├─▶ SyncEngine ─▶ memory ┤
///     hub ──log, blobs─────────────────────┘                       └──▶ place, merge ──▶ folder
///
/// All that is decided is decided by the engine, on one queue; here it is only done. What the engine said is in the
/// memory, durably, before any of it is done.
///
/// Sendable; all calls may come from any thread.
package final class ContainerSync: Sendable {
    /// What a container is on this device.
    package struct Place: Sendable {
        /// The folder that people see.
        package var folder: FilePath
        /// The device's own: keys, vault and memory. Private.
        package var memory: FilePath
        /// What its owner calls this device.
        package var deviceName: String
        /// Where the container's hub is, for people; nil where nobody has to find it.
        package var hub: URL?
        package var room = Room()
        /// So many new documents are read at a time, at most: what comes over the line meanwhile waits for them.
        var readCountMax = 500
        /// From when on a person is asked about a large change.
        package var brake = BrakeLimits()
        /// This device's clock.
        var now: @Sendable () -> Date = { Date() }
        /// How long the machine has been running, by a clock that nobody sets.
        package var runningSeconds: @Sendable () -> Double = { ProcessInfo.processInfo.systemUptime }
        /// What tells this boot of the machine from others; empty where nothing does.
        package var bootName: @Sendable () -> [UInt8] = Boot.name
        /// When this boot began, in nanoseconds since 1970, by the clock that files are dated by.
        package var bootTime: @Sendable () -> Int64 = Boot.time
        /// Whether a folder of some name is a package.
        package var isPackage: @Sendable (String) -> Bool = { PackageTypes.isPackage(named: $0) }

        package init(folder: FilePath, memory: FilePath, deviceName: String) {
            (self.folder, self.memory, self.deviceName) = (folder, memory, deviceName)
        }

        fileprivate func with(_ now: @escaping @Sendable () -> Date) -> Place {
            var place = self
            place.now = now
            return place
        }
    }

    /// What room the container's own vault takes.
    package struct Room: Sendable {
        /// From how many bytes on a file is not copied into the vault, but lent to it. A smaller one is not worth a step of its
        /// own.
        package var lentByteCountMin: Int64 = 16 << 20
        /// From how many bytes on, of what items held before, it is worth while to look what of that nobody needs.
        package var formerByteCountMin: UInt64 = 256 << 20

        package init() {}
    }

    private let queue: DispatchQueue
    private let beginning: Confined<ContainerStart>

    /// A container that is not begun yet.
    ///
    /// - Parameters:
    ///   - place: Where everything is.
    ///   - keys: The container's.
    ///   - identity: This device's, one of those that share the container.
    ///   - hub: The container at its hub.
    ///   - merger: Merges documents.
    ///   - versions: Where what cannot be merged is kept for the user.
    ///   - now: This device's clock.
    ///   - report: Told what happens, for a log; from the container's own queue.
    package init(
        _ place: Place,
        keys: KeyRing,
        by identity: DeviceIdentity,
        hub: any ContainerHub,
        merger: any DocumentMerger,
        versions: VersionStore = .shared,
        now: @escaping @Sendable () -> Date = { Date() },
        report: @escaping @Sendable (SyncReport) -> Void
    ) {
        let place = place.with(now)
        let queue = DispatchQueue(label: "sheaf.container", qos: .userInitiated)
        let openContents: @Sendable () throws -> ContentStore = {
            ContentStore(
                vault: try Vault(
                    at: place.memory.appending("vault"),
                    key: keys.keys.namingKey,
                    lentByteCountMin: place.room.lentByteCountMin,
                    now: now
                ),
                device: ContentStore.uuid(of: identity.id),
                deviceName: place.deviceName
            )
        }
        let ahead = AskedAhead(hub)
        let make = {
            try SyncRun(
                place,
                openContents,
                keys,
                by: identity,
                hub,
                ahead,
                merger,
                versions,
                on: queue,
                report
            )
        }
        beginning = Confined(ContainerStart(place, ahead, on: queue, report, make))
        self.queue = queue
    }

    /// Begins. What is remembered is opened, the folder is looked at as a whole, then the log is read.
    ///
    /// Where the disk is full or fails, this returns all the same: it is said why, and tried again every ten seconds.
    ///
    /// - Throws: `SyncFailure`; `VaultError`, `SQLiteError`, `SystemError` that say nothing of the disk.
    package func start() throws { try queue.sync { try beginning.value.begin() } }

    /// Begins beside others: where its folder is not there, this returns as well, and it is tried again every ten seconds. What else
    /// keeps it from beginning is said, and ends it as if it had run.
    ///
    /// - Throws: That.
    package func startAmongOthers() throws { try queue.sync { try beginning.value.beginAmongOthers() } }

    /// Ends, and returns when nothing is done any more. What was under way goes on at the next start.
    package func stop() { queue.sync { beginning.value.stop() } }

    /// Tries again at once what could not be done, which else is tried every ten seconds.
    package func tryAgain() { queue.sync { beginning.value.tryAgain() } }

    /// What there is to say of a container, or what is said of one that could not begin yet.
    func ask<Answer>(_ body: (SyncRun) -> Answer, or none: (ContainerStart) -> Answer) -> Answer {
        queue.sync { beginning.value.run.map(body) ?? none(beginning.value) }
    }

    /// - Throws: `SyncRefusal` when it could not begin yet, or has ended: another may have its memory then.
    private func order<Answer>(_ body: (SyncRun) throws -> Answer) throws -> Answer {
        try queue.sync {
            guard let run = beginning.value.run else { throw beginning.value.refusal }
            guard !run.isStopped else { throw run.endRefusal }
            return try body(run)
        }
    }

    /// Whether something is being done for it; what waits is not. Not to be asked where it reports.
    package var isAtWork: Bool { ask({ $0.isAtWork }, or: { _ in false }) }

    /// How long the hub may take to say which devices have read what; what it has not said then is not known.
    private static let readingMilliseconds = 2_000

    /// Why an item is as it is, and on which devices it is: the hub is asked.
    ///
    /// - Parameter path: Below the container's folder.
    package func explain(_ path: String) -> Explanation {
        let isAnswered = DispatchSemaphore(value: 0)
        ask({ $0.askReadings { isAnswered.signal() } }, or: { _ in isAnswered.signal() })
        _ = isAnswered.wait(timeout: .now() + .milliseconds(Self.readingMilliseconds))
        return ask({ $0.explain(path) }, or: { $0.explanation(of: path) })
    }

    /// How an item stands; nil for nothing.
    ///
    /// - Parameter path: Below the container's folder.
    package func item(_ path: String) -> ItemSyncState? {
        ask({ $0.state(at: path) }, or: { _ in nil })
    }

    /// How all items below a folder stand.
    ///
    /// - Parameter path: Below the container's folder; empty for that.
    package func items(below path: String) -> [ItemSyncState] {
        ask({ $0.states(below: path) }, or: { _ in [] })
    }

    /// How all items below a folder stand, and why, at one moment. The hub is not asked; none once nothing is kept in step.
    ///
    /// - Parameter path: Below the container's folder; empty for that.
    package func standings(below path: String) -> [(state: ItemSyncState, explanation: Explanation)] {
        ask({ $0.standings(below: path) }, or: { _ in [] })
    }

    /// Why items are not in step: of so many at most, the first by their paths. The hub is not asked.
    package func explainDiffering(max count: Int) -> [Explanation] {
        ask({ $0.explainDiffering(max: count) }, or: { _ in [] })
    }

    /// How those items stand that are directly in a folder and are not simply here as they are at the hub.
    ///
    /// - Parameter path: Below the container's folder; empty for that.
    package func unsettledItems(in path: String) -> [ItemSyncState] {
        ask({ $0.unsettledStates(in: path) }, or: { _ in [] })
    }

    /// Tells why an item is as it is, now and whenever that is something else.
    ///
    /// - Parameters:
    ///   - path: Below the container's folder.
    ///   - tell: Called at once, then again and again, on the container's queue.
    /// - Returns: What ends it.
    package func followExplanation(
        _ path: String,
        _ tell: @escaping @Sendable (Explanation) -> Void
    ) -> @Sendable () -> Void {
        ask({ $0.followExplanation(path, tell) }, or: { $0.followExplanation(path, tell) })
    }

    /// Has the contents of an item, or of all in a folder, leave this device: placeholders take their places. What was asked for
    /// and is not here yet does not come.
    ///
    /// - Throws: `SyncRefusal` for what has to stay, with the reason; what else could go has gone.
    package func evict(_ path: String) throws { try order { try $0.evict(path) } }

    /// Has the contents of an item, or of all in a folder, come to this device.
    ///
    /// - Parameters:
    ///   - path: Below the container's folder.
    ///   - progress: Told how far it has come.
    ///   - moved: Told before the end where it is, if it has been moved since it was asked for: a path from the root.
    ///   - done: Told once, how it has ended; nil for well. When it is nil, nobody waits: what cannot come now is tried
    ///     again when there is a line.
    /// - Returns: What ends the waiting without an answer.
    /// - Throws: `SyncRefusal` when nothing of this name is here.
    package func download(
        _ path: String,
        progress: @escaping @Sendable (ItemSyncState.Share) -> Void = { _ in },
        moved: @escaping @Sendable (String) -> Void = { _ in },
        done: (@Sendable (SyncRefusal?) -> Void)?
    ) throws -> @Sendable () -> Void {
        try order {
            try $0.download(
                path,
                done.map { DownloadWaiter(progress: progress, moved: moved, done: $0) }
            )
        }
    }

    /// Has nothing done about an item, or all documents that are below a folder now, until they are resumed.
    ///
    /// - Throws: `SyncRefusal` when one is just being changed: nothing is paused then.
    package func pause(_ path: String, by who: String) throws {
        try order { try $0.pause(path, by: who) }
    }

    /// Resumes an item, or all documents below a folder.
    ///
    /// - Parameter done: Told once, how it has ended.
    /// - Throws: `SyncRefusal` when it cannot be done: nothing is resumed then.
    package func resume(
        _ path: String,
        _ resumption: SyncResumption,
        done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void
    ) throws {
        try order { try $0.resume(path, resumption, done: done) }
    }

    /// Has what is here of a paused document go to the hub.
    ///
    /// - Parameter done: Told once, how it has ended.
    /// - Throws: `SyncRefusal` when it is not paused.
    package func offer(
        _ path: String,
        done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void
    ) throws -> @Sendable () -> Void {
        try order { try $0.offer(path, done: done) }
    }

    /// Has what the hub has of a document come here; of a paused one as a version beside it, whose name is told. The hub is asked.
    ///
    /// - Parameter done: Told once, how it has ended.
    /// - Throws: `SyncRefusal` when it cannot be done now.
    package func fetchLatest(
        _ path: String,
        done: @escaping @Sendable (Result<VersionID?, SyncRefusal>) -> Void
    ) throws -> @Sendable () -> Void {
        try order { try $0.fetchLatest(path, done: done) }
    }

    /// Tells from now on how items stand that stand otherwise, and whether all is in step.
    ///
    /// - Parameters:
    ///   - path: An item below the container's folder, with what is in it; empty for all.
    ///   - isDeep: Whether what is in folders in it counts.
    ///   - tell: Called at once, then again and again, on the container's queue.
    /// - Returns: What ends it.
    package func follow(
        _ path: String,
        isDeep: Bool = true,
        _ tell: @escaping @Sendable ([ItemSyncState], _ isSettled: Bool) -> Void
    ) -> @Sendable () -> Void {
        let follower = Follower(path: path, isDeep: isDeep, tell: tell)
        return ask({ $0.follow(follower) }, or: { $0.follow(follower) })
    }

    /// Tells what large changes wait for a person, and which has gone on, now and whenever that is something else.
    ///
    /// - Parameter tell: Called at once, then again and again, on the container's queue.
    /// - Returns: What ends it.
    package func followLargeChanges(
        _ tell: @escaping @Sendable (LargeChanges) -> Void
    ) -> @Sendable () -> Void {
        ask({ $0.followLargeChanges(tell) }, or: { $0.followLargeChanges(tell) })
    }

    /// Says what becomes of a change that waits for a person.
    ///
    /// - Parameter goesOn: Whether it is carried out; else whoever made it gets back what was.
    /// - Returns: False when nothing waits.
    package func decide(goesOn: Bool) -> Bool {
        ask({ $0.decide(goesOn: goesOn) }, or: { _ in false })
    }

    /// Has a person be asked about larger or smaller changes from now on.
    package func limit(_ limits: BrakeLimits) throws { try order { $0.limit(limits) } }

    /// Has what the last large change that has gone on has removed or replaced be what it was. The hub is asked. Not to be asked
    /// where it reports.
    ///
    /// - Returns: What comes back, and what cannot.
    /// - Throws: `SyncRefusal` when there is nothing to go back to, or something else is to be decided first.
    package func goBack() throws -> WayBack {
        let search = try order { try $0.searchBack() }
        // Not on the queue: the hub may take its time.
        let lost = try search.lost()
        return try order { try $0.goBack(search, without: lost) }
    }

    /// Returns when the room that evicted contents took has been given back. Not to be asked where it reports.
    package func waitForRoom() {
        // Not on the queue, which whoever gives it back needs.
        let queue: DispatchQueue? = ask({ $0.forgettingQueue }, or: { _ in nil })
        queue?.sync {}
    }

    /// Looks at the whole folder at once, and says whether all is in step then.
    package var isInStepNow: Bool { ask(\.isInStepNow, or: { _ in false }) }

    /// Looks at the whole folder at once, and says what has come of it; nil where it is not kept in step.
    package func lookNow() -> Look? { ask({ $0.lookNow() }, or: { _ in nil }) }

    /// Whether all is in step, by what was heard until now.
    package var isSettled: Bool { ask({ !$0.isStopped && $0.isSettled }, or: { _ in false }) }

    /// How often its watches have told anything.
    package var heardCount: Int { ask(\.heardCount, or: { _ in 0 }) }

    /// Why an item is as it is, as far as this device knows: the hub is not asked.
    ///
    /// - Parameter path: Below the container's folder.
    package func explainAlone(_ path: String) -> Explanation {
        ask({ $0.explain(path) }, or: { $0.explanation(of: path) })
    }

    /// How far the log has been read.
    package var logPosition: UInt64 { ask(\.engine.tree.position, or: { _ in 0 }) }

    /// Whether what could not be done is tried again in a while.
    var isRetryDue: Bool { ask(\.isRetryDue, or: { _ in true }) }

    /// How things stand, without a name in it.
    ///
    /// - Parameter events: What has happened, oldest first.
    func diagnosis(_ events: [(date: Date, report: SyncReport)]) -> SyncDiagnosis {
        ask({ $0.diagnosis(events) }, or: { SyncDiagnosis(redacting: $0.status, of: $0.place.folder.string) })
    }

    /// How things stand.
    package var status: SyncStatus {
        ask(
            {
                $0.noticeRoot()
                return $0.status
            },
            or: \.status
        )
    }
}
