package import DeviceSync
public import DocumentFoundation
internal import FileSystem
public import Foundation
internal import HubProtocol
internal import Locks
package import Sealing
package import SyncMessages

/// One make-believe device of a `DocumentWorld`: a folder that is kept in step with those of the others.
///
/// Its folder is a real one, and what your documents do in it is what they do on a device of somebody's. Every member may be
/// called from any thread.
public final class WorldDevice: Sendable {
    /// What it is called.
    public let name: String
    /// Where its documents are. Put yours here.
    public let folder: URL
    package let line: HubInMemory.Line
    package let identity: DeviceIdentity
    /// The user's versions on this device.
    package var versions: VersionStore { versionStore.withLock { $0 } }
    package let place: ContainerSync.Place
    /// What its apps know of containers.
    var account: UbiquityAccount { answers.account }
    /// The container's keys, also of when it does not run.
    package let keys: KeyRing
    let disk: WorldDisk
    /// Where the user's versions are.
    let home: URL
    /// Where goes what somebody throws away on this device.
    var trash: URL { home.appendingPathComponent(".local/share/Trash", isDirectory: true) }
    private let versionStore: Locked<VersionStore>
    private let answers: WorldAnswers
    /// How many seconds its clock is ahead.
    private let clockSeconds: Locked<Double>
    private let reports: Locked<[SyncReport]> = Locked([])
    private let news = NSCondition()
    private let sync: Locked<ContainerSync?> = Locked(nil)
    /// Whether it is started; on a full disk it may not run all the same.
    let isToRun = Locked(false)
    /// How many seconds more than this machine it has been running.
    private let runningSeconds = Locked(0.0)
    /// How often the power was cut.
    let boots = Locked(UInt8(1))
    /// When it was last, in nanoseconds since 1970; nil for never.
    let bootTime = Locked<Int64?>(nil)

    /// A device that shares a container.
    ///
    /// - Parameters:
    ///   - isPackage: Whether a folder of some name is a package here; nil for what this machine knows.
    ///   - sockets: The folder in which it is asked, made when it is not there; nil for one in the base.
    package init(
        _ name: String,
        in base: URL,
        _ identity: DeviceIdentity,
        _ keys: ContainerKeys,
        at hub: HubInMemory,
        room: ContainerSync.Room = ContainerSync.Room(),
        numbers: SeededGenerator = SeededGenerator(seed: 0),
        isPackage: (@Sendable (String) -> Bool)? = nil,
        sockets: URL? = nil
    ) throws {
        self.name = name
        let places = Self.names(of: name).map { base.appendingPathComponent($0, isDirectory: true) }
        let memory = places[1]
        (folder, home) = (places[0], places[2])
        for folder in [folder, memory] {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        line = hub.line(of: identity.publicIdentity(named: name), numbers: numbers)
        self.identity = identity
        // What is kept is what this holds.
        self.keys = KeyRing(keys) { _ in }
        disk = WorldDisk([folder, memory, home])
        answers = try WorldAnswers(
            of: name,
            in: base,
            sockets: sockets,
            folder: folder,
            userHome: home,
            container: "\(keys.container)"
        )
        clockSeconds = Locked(0)
        versionStore = Locked(Self.store(in: home, of: name, clockSeconds))
        var place = ContainerSync.Place(
            folder: FilePath(folder.path),
            memory: FilePath(memory.path),
            deviceName: name
        )
        place.room = room
        if let isPackage { place.isPackage = isPackage }
        let boot = place.bootTime
        place.bootTime = { [bootTime] in bootTime.withLock { $0 } ?? boot() }
        place.bootName = { [boots] in [boots.withLock { $0 }] }
        place.runningSeconds = { [runningSeconds] in
            ProcessInfo.processInfo.systemUptime + runningSeconds.withLock { $0 }
        }
        self.place = place
    }

    /// What the folders are called that are on the disk of a device of some name: its own, its memory, and where its versions are.
    static func names(of name: String) -> [String] { [name, "memory of \(name)", "home of \(name)"] }

    deinit {
        answers.end()
        account.endApps()
        sync.withLock { $0 }?.stop()
        disk.free()
        disk.mend()
        disk.start()
    }

    // MARK: What happens to it

    /// Cuts it off from all others. What is done meanwhile is told when it is online again.
    public func goOffline() { line.cut() }

    /// Ends `goOffline`; nothing happens on a device that is online.
    public func goOnline() {
        guard !isOnline else { return }
        mendLine()
        // Until a line that is down has been tried again contents are refused; here nobody waits for that.
        guard isStarted else { return }
        stop()
        beginAgain()
    }

    /// Registers it again at a hub that does not know it any more, as one does not that was put back to a backup from before the
    /// device has joined: the same as `sheaf join` does with an invitation. Nothing happens where the hub knows it.
    ///
    ///     world.backUpHub()
    ///     let desk = try world.devices(["desk"])[0]
    ///     world.restoreHub()
    ///     try desk.registerAgain()
    ///     try await world.settle()    // The others have let it in again; what it had not sent is on all.
    ///
    /// - Throws: Why it cannot be: the device is offline, or the hub does not run or is full.
    public func registerAgain() throws {
        guard !isKnownToHub else { return }
        try line.registerAgain(identity.publicIdentity(named: name))
        guard isStarted else { return }
        stop()
        beginAgain()
    }

    /// Ends `goOffline` for the process that has waited for the line: it finds that out by itself, within milliseconds.
    package func mendLine() { line.mend() }

    /// Starts it, and makes an end of a crash: what keeps it from running is told by `settle`.
    func startAgain() {
        do { try start() } catch { note(.stopped("\(error)")) }
    }

    /// Goes on with what was stopped for a moment, unless the device has crashed: what keeps it from running is told by `settle`.
    func beginAgain() {
        do { try begin() } catch { note(.stopped("\(error)")) }
    }

    /// Has each transfer of contents to and from the hub take so long, those under way too: with 0 they have come at once.
    ///
    /// Contents of some 2 MiB or less are one transfer: of a document of that size `progress` says nothing in between, while larger
    /// ones come part by part.
    ///
    /// - Parameter seconds: 0 or more, and not for ever: a line over which nothing comes is one of a device that is offline.
    public func slowDown(toSeconds seconds: Double) {
        precondition(
            seconds >= 0 && seconds.isFinite,
            "a transfer takes no less than no time, and not for ever: \(seconds)"
        )
        line.slowDown(to: seconds)
    }

    /// Has its clock go wrong. What this device says of times is off by that much from now on: the dates of what it merges, and
    /// of versions that come to it. The dates that the kernel gives to files when they are written stay those of this machine,
    /// and documents have them on the devices that get them.
    ///
    /// - Parameter seconds: How far it is ahead; less than 0 for behind.
    public func setClock(aheadBySeconds seconds: Double) { clockSeconds.withLock { $0 = seconds } }

    /// Lets time go by, of which no clock that somebody sets knows.
    package func letPass(seconds: Double) { runningSeconds.withLock { $0 += seconds } }

    private static func store(in home: URL, of name: String, _ clockSeconds: Locked<Double>) -> VersionStore {
        VersionStore(
            VersionSettings(environment: ["HOME": home.path], hostName: name),
            now: clock(clockSeconds)
        )
    }

    /// Has the user's versions be opened anew: others lie in their place.
    func openVersionsAnew() {
        let store = Self.store(in: home, of: name, clockSeconds)
        versionStore.withLock { $0 = store }
    }

    private static func clock(_ seconds: Locked<Double>) -> @Sendable () -> Date {
        { Date().addingTimeInterval(seconds.withLock { $0 }) }
    }

    /// Ends what keeps the folder in step, as when its process ends. The folder stays as it is.
    public func stop() {
        isToRun.withLock { $0 = false }
        let running = sync.withLock { sync in
            defer { sync = nil }
            return sync
        }
        answers.end()
        running?.stop()
    }

    /// Begins to keep the folder in step, or begins again: a device that runs is stopped before.
    ///
    /// Where its disk is full or fails it waits until it is not. A device that has crashed is started again, in another boot; a
    /// crash that has not come yet does not come any more.
    ///
    /// - Throws: What else keeps the folder from being read.
    public func start() throws {
        endCrash()
        stop()
        try begin()
    }

    /// Begins to keep the folder in step, on a device that is stopped. Nothing begins on one that has crashed, and a crash that is
    /// to come comes all the same.
    private func begin() throws {
        guard !hasCrashed else { return }
        isToRun.withLock { $0 = true }
        line.open()
        // Somebody else's write may have been the last meanwhile, whose crash had found nothing to end.
        guard !hasCrashed else { return goDown() }
        let made = ContainerSync(
            place,
            keys: keys,
            by: identity,
            hub: line,
            merger: TypeMerger(),
            versions: versions,
            now: Self.clock(clockSeconds),
            report: { [weak self] in self?.note($0) }
        )
        try made.start()
        sync.withLock { $0 = made }
        try answers.begin(made) { [weak self] error in self?.note(.stopped("nobody answers: \(error)")) }
    }

    /// Runs what somebody does on this device: documents that are opened in it have this device's versions and conflicts, and its
    /// folder is a container as of an app that is signed in to iCloud. What is evicted is fetched when it is read, with
    /// `UIDocument.progress`; `FileManager.default.url(forUbiquityContainerIdentifier: nil)` is the folder; resource values and
    /// queries tell how items stand.
    ///
    /// - Parameters:
    ///   - isolation: Where it runs: where the caller does.
    ///   - body: What is done.
    public func run<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        try await UbiquityAccount.$shared.withValue(account) {
            try await VersionStore.$shared.withValue(versions, operation: body)
        }
    }

    /// Has the contents of a document leave this device, as `FileManager.evictUbiquitousItem(at:)` does: presenters are asked before,
    /// those on the main queue too where this is called there. A placeholder takes its place.
    ///
    /// - Throws: The `CocoaError` of `FileManager`, which says why it has to stay; on a device that is stopped
    ///   `ubiquitousFileUbiquityServerNotAvailable`.
    public func evict(_ url: URL) throws {
        let running = try runningNow(for: url)
        try UbiquityAccount.$shared.withValue(account) {
            try FileManager.default.evictUbiquitousItem(at: url)
        }
        // Asked for before, they would not have to come from the hub.
        running.waitForRoom()
    }

    /// Has the contents of an evicted document come back, and returns when they are here. A document that is opened in `run` has
    /// them come by itself.
    ///
    /// - Throws: An error that says why they cannot come; on a device that is stopped as of `evict`.
    public func download(_ url: URL) async throws {
        let running = try runningNow(for: url)
        let path = below(url)
        try await withCheckedThrowingContinuation { (goOn: CheckedContinuation<Void, any Error>) in
            let waiting = Locked<CheckedContinuation<Void, any Error>?>(goOn)
            let answer: @Sendable ((any Error)?) -> Void = { error in
                let waiting = waiting.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                if let error { waiting?.resume(throwing: error) } else { waiting?.resume() }
            }
            do { _ = try running.download(path) { answer($0) } } catch { answer(error) }
        }
    }

    private func runningNow(for url: URL) throws -> ContainerSync {
        if let running { return running }
        let why = "\(whatItWaitsFor) No contents leave it or come to it until it is started."
        let information: [String: Any] = [
            NSURLErrorKey: url, NSFilePathErrorKey: url.path, NSLocalizedDescriptionKey: why,
            NSLocalizedFailureReasonErrorKey: why,
        ]
        throw CocoaError(.ubiquitousFileUbiquityServerNotAvailable, userInfo: information)
    }

    /// Why a document is as it is, cause by cause, and the one next step.
    public func explain(_ url: URL) -> [String] {
        guard let explanation = explanation(below(url)) else { return [whatItWaitsFor] }
        return explanation.causes + [explanation.next]
    }

    /// The versions of a document that lost a conflict which nobody has settled.
    ///
    /// - Throws: What keeps the versions from being read.
    public func unresolvedConflicts(of url: URL) throws -> [NSFileVersion] {
        try VersionStore.$shared.withValue(versions) { try versions.unresolvedConflicts(at: url) }
    }

    private func below(_ url: URL) -> String {
        let (path, root) = (url.standardizedFileURL.path, folder.standardizedFileURL.path + "/")
        return path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
    }

    // MARK: How it stands

    /// Whether its hub knows it: not one that was put back to a backup from before the device joined.
    var isKnownToHub: Bool { line.isKnown }

    package var status: SyncStatus? { running?.status }
    package var running: ContainerSync? { hasCrashed ? nil : sync.withLock { $0 } }
    /// Whether it is started: not from `stop()` or a crash until `start()`. With its disk full or failing it may not run yet.
    public var isStarted: Bool { isToRun.withLock { $0 } }
    /// Whether it has a line: not from `goOffline()` until `goOnline()`. Whether a hub is at the other end is another matter.
    public var isOnline: Bool { !line.isCut }
    package func explanation(_ path: String) -> Explanation? { running?.explain(path) }
    package var said: [SyncReport] { reports.withLock { $0 } }

    func note(_ report: SyncReport) {
        reports.withLock { $0.append(report) }
        news.withLock { news.broadcast() }
    }

    /// Waits for news of the device until something is so.
    ///
    /// - Returns: False after some time, longer than a slow machine needs that has much else to do.
    package func wait(seconds: Double = 60, until condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Date().addingTimeInterval(seconds)
        while true {
            if try condition() { return true }
            news.lock()
            // Not all that changes a folder is told: one look in a while.
            _ = news.wait(until: min(deadline, Date().addingTimeInterval(0.02)))
            news.unlock()
            if Date() > deadline { return try condition() }
        }
    }
}
