internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks

/// A package as it was when a save began.
struct PackageCapture {
    let tree: FileWrapper
    let capture: WrapperCapture
}

/// A document's way to the disk. Everything here runs on `queue`, one thing after another.
final class DocumentFileAccess: @unchecked Sendable {
    // Sendable because what is variable and not locked is only touched on `queue`, and the rest is locked or final.
    let queue = DispatchQueue(label: "UIDocument file access", qos: .userInitiated)

    /// The package as it was last read or written, to tell what a save has to write. Also read when a save
    /// takes its snapshot.
    let knownTree = Locked<Transferred<FileWrapper>?>(nil)
    /// What the save under way holds of a package; only while it is.
    var capture: PackageCapture?

    /// What is kept of the document's states.
    let versions: DocumentVersions
    private var staging: Staging?
    /// What was staged by the methods below, which the document knows once it is in place.
    private var staged: Staged?
    /// Whether the save that ended last has put in place what they staged, and no override by itself.
    private var hasWritten = false
    private(set) var plan: WrapperSavePlan?
    var others = OthersWork()
    /// Told where something was kept after a save had ended.
    let lateLoserKept = Locked<(@Sendable (ConflictLoser) -> Void)?>(nil)
    private var copiesWatch: DirectoryWatch?
    /// Whether conflicts are looked up again as soon as the vault may be tried anew.
    var reviewsLater = false
    /// The file that the last save put in place, as it was just before.
    private var writtenStamp: FileStamp?
    /// The bytes of a file as they were last read or written: what both start from when two change it.
    let base = Locked<Data?>(nil)

    private struct Staging {
        let save: StagedSave
        let url: URL
        let item: FilePath
    }

    private struct Staged {
        var data: Data?
        var tree: Transferred<FileWrapper>?
    }

    init(_ store: VersionStore) {
        versions = DocumentVersions(store)
    }

    // MARK: Turns

    private let turns = DocumentTurns()

    /// Runs a block on the queue when everything before it has ended.
    func perform(_ block: @escaping @Sendable () -> Void) {
        turns.enqueue { [queue] done in
            queue.async {
                block()
                done()
            }
        }
    }

    /// Runs a block on the queue with coordinated access, when everything before it has ended.
    func perform(
        _ intent: NSFileAccessIntent,
        for document: UIDocument,
        _ block: @escaping @Sendable (Result<URL, any Error>) -> Void
    ) {
        turns.enqueue { [queue] done in
            NSFileCoordinator(filePresenter: document).coordinate(
                intent,
                on: queue,
                show: { document.show($0) }
            ) { place in
                block(place)
                done()
            }
        }
    }

    /// Runs a block on the queue with coordinated access to write, when everything before it has ended.
    ///
    /// A document whose item is not at its place waits for what has become of it first: an item that was moved
    /// is written where it is now.
    func performSave(
        to url: URL,
        options: NSFileCoordinator.WritingOptions,
        for document: UIDocument,
        _ block: @escaping @Sendable (Result<URL, any Error>) -> Void
    ) {
        turns.enqueue { [queue] done in
            document.settleWhereabouts(of: url) { place in
                let intent = NSFileAccessIntent.writingIntent(with: place ?? url, options: options)
                NSFileCoordinator(filePresenter: document).coordinate(intent, on: queue) { place in
                    block(place)
                    done()
                }
            }
        }
    }

    /// Has something done as the next turn, before all that waits. Called inside a turn.
    func performNext(_ turn: @escaping DocumentTurns.Turn) { turns.performNext(turn) }

    /// States that the caller is on the queue.
    func confined() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    // MARK: Reading

    /// Clears up after a save that was cut off.
    ///
    /// - Parameter access: What is done next: the error is about that.
    func recover(_ url: URL, before access: FileAccess = .reading) throws {
        let path = try path(of: url)
        try bridged(access) { () throws(SystemError) in try SaveRecovery.recover(item: path) }
    }

    func stamp(of url: URL) throws -> FileStamp {
        let path = try path(of: url)
        return try bridged(.reading) { () throws(SystemError) in
            try FileStamp(of: path, followsSymbolicLink: true)
        }
    }

    /// What the save that has just ended has put at a place. What others have put there since is different.
    func takeWrittenStamp(of url: URL) throws -> FileStamp {
        defer { writtenStamp = nil }
        return try writtenStamp ?? stamp(of: url)
    }

    /// nil when nothing is there.
    func stampIfPresent(of url: URL) throws -> FileStamp? {
        let path = try path(of: url)
        return try bridged(.reading) { () throws(SystemError) in
            try FileStamp.ifPresent(at: path, followsSymbolicLink: true)
        }
    }

    /// What is at a place now, a directory as a lazy tree, all else as bytes, without taking it for what the document
    /// knows; and its stamp.
    func peek(at url: URL) throws -> (contents: Any, stamp: FileStamp) {
        let path = try path(of: url)
        let stamp = try stamp(of: url)
        if stamp.kind == .directory {
            let target = Self.target(of: path)
            let place = target == path ? url : target.url(isDirectory: true)
            // Mapped, a member that others write into would change under whoever has read it, and so would what a merge starts from.
            return (try FileWrapper(url: place, options: .withoutMapping), stamp)
        }
        return try bridged(.reading) { () throws(SystemError) in
            let found = try FileReading.stampedContents(of: path, mapped: false)
            return (found.contents, found.stamp)
        }
    }

    /// What a version holds, in memory, and as it was: the copies that are there for reading let nobody write.
    func contents(of version: NSFileVersion) throws -> Any {
        try versions.store.withTemporaryFolder(forVersionOf: version.itemURL) { folder in
            let place = folder.appending(version.itemURL.lastPathComponent)
            try versions.store.restore(version, to: place)
            let contents = try peek(at: place.url(isDirectory: false)).contents
            try (contents as? FileWrapper)?.readEverything()
            return contents
        }
    }

    // MARK: Writing

    /// Takes a package as it is now, so that a save writes this however the tree changes meanwhile. Main actor.
    ///
    /// - Returns: Nil for what is no package.
    func captured(_ contents: Any) -> PackageCapture? {
        guard let tree = contents as? FileWrapper, tree.isDirectory else { return nil }
        let capture = tree.captureForSave(comparedTo: knownTree.withLock { $0 }?.value)
        return PackageCapture(tree: tree, capture: capture)
    }

    /// Lets `write` put a new item somewhere beside the old one, then puts it in its place in one step.
    ///
    /// - Parameter isOpenToAll: Whether `write` may write to its place by any means; if not, only by the two
    ///   methods below, which spares a lone file a folder of its own.
    func stage(
        _ url: URL,
        attributes: [AnyHashable: Any],
        isOpenToAll: Bool,
        _ write: (URL) throws -> Void
    ) throws {
        let item = try path(of: url)
        let save = try bridged(.writing) { () throws(SystemError) in try StagedSave(item: item) }
        let staged = try bridged(.writing) { () throws(SystemError) in
            isOpenToAll ? try save.stagedPath() : save.stagedPlace
        }
        staging = Staging(save: save, url: staged.url(isDirectory: false), item: save.item)
        defer {
            staging = nil
            self.staged = nil
            plan = nil
            others.expectation = nil
        }
        try write(staged.url(isDirectory: false))
        save.beforeSwap = { [unowned self] () throws(SystemError) in try keepLatest(item) }
        save.didReplace = { [unowned self] in holdReplaced($0, at: $1, of: item) }
        versions.willWrite()
        if let plan, plan.isEmpty, attributes.isEmpty, !stagedIsTouched(staged) {
            save.abandon()
            knowStaged()
            plan.noteWritten(at: save.item)
            versions.didWrite([])
            return
        }
        _ = try bridged(.writing) { () throws(SystemError) in
            do throws(SystemError) {
                try save.commit(Self.memberAttributes(attributes), leavesStaging: true)
            } catch {
                if error.isNewInPlace {
                    knowStaged()
                    watchLateWriters()
                }
                throw error
            }
        }
        knowStaged()
        plan?.noteWritten(at: save.item, placed: save.placedStamps)
        writtenStamp = save.placedStamps[.top]
        // What an override has staged beside the plan is known to nobody.
        if !isOpenToAll { versions.didWrite(plan?.changedPaths) }
        watchLateWriters()
        if let remains = save.takeRemains() {
            // The staging, with the old tree of a package in it, takes a while to remove, and nobody needs to wait
            // for it. What is not removed now is removed when the document is opened or saved next.
            queue.async { try? remains.remove() }
        }
    }

    /// What was staged is in place. Until then the document knows what is: others may write before the next try.
    private func knowStaged() {
        guard let staged else { return }
        keepBase(staged.data)
        knownTree.withLock { $0 = staged.tree }
        hasWritten = true
    }

    /// Forgets what was read and written last if an override has written by itself since `beginWriting`: what it wrote is not known.
    func endWriting() { if !hasWritten { forget() } }

    func beginWriting() { hasWritten = false }

    /// Whether something was put into the staged package, by an override, though nothing of it differs.
    private func stagedIsTouched(_ staged: FilePath) -> Bool {
        // What cannot be listed is committed, which tells what is wrong with it.
        guard let entries = try? FileReading.entries(in: staged) else { return true }
        return !entries.isEmpty
    }

    /// Writes bytes to the staged place, or to any other.
    func write(_ data: Data, to url: URL) throws {
        guard let staging, staging.url.path == url.path else {
            try data.write(to: url)
            return
        }
        try bridged(.writing) { () throws(SystemError) in try staging.save.write(data) }
        staged = Staged(data: data)
    }

    /// Writes a tree to the staged place, only what differs where a package is overwritten; or to any other.
    func write(_ tree: FileWrapper, to url: URL, original: URL?) throws {
        let taken = capture.flatMap { $0.tree === tree ? $0.capture : nil }
        guard let staging, staging.url.path == url.path else {
            try tree.write(to: url, options: [], originalContentsURL: original)
            return
        }
        guard tree.isDirectory else {
            guard let data = tree.regularFileContents else { throw CocoaError(.fileReadUnknown) }
            try write(data, to: url)
            return
        }
        let capture = taken ?? tree.captureForSave(comparedTo: knownTree.withLock { $0 }?.value)
        let plan = original == nil ? try capture.plan(linkingFrom: nil) : try capture.plan(over: staging.item)
        try bridged(.writing) { () throws(SystemError) in
            switch plan.work {
            case .changes(let changes): try staging.save.write(changes)
            case .tree(let members): try staging.save.write(members)
            }
        }
        if others.expectation != nil {
            others.expectation = .members(plan.replacedStamps(at: staging.item))
        }
        if original != nil, plan.takesAwayOthersWork(at: staging.item) {
            if others.mergesFirst { throw OthersWroteFirst() }
            others.losers.append(try keepOthers(at: staging.item.url(isDirectory: true)))
        }
        self.plan = plan
        staged = Staged(tree: Transferred(tree))
    }

    // MARK: Watching

    /// Has the conflict reviewed when something changes in the folder where copies are kept.
    func watchCopies(of document: UIDocument) {
        let folder = FilePath(document.fileURL.deletingLastPathComponent())
        queue.async { [weak document] in
            // Another watch would miss what happens between the two.
            guard let folder, document != nil, self.copiesWatch?.path != folder else { return }
            // Without a watch the conflict is reviewed at the next save.
            self.copiesWatch = try? DirectoryWatch(folder, on: self.queue) { [weak document] _ in
                document?.reviewConflictsInBackground()
            }
            // A copy may have gone before the watch was there.
            if self.copiesWatch != nil { document?.reviewConflictsInBackground() }
        }
    }

    func stopWatchingCopies() {
        queue.async { self.copiesWatch = nil }
    }

    // MARK: Errors and values

    func path(of url: URL) throws -> FilePath {
        guard let path = FilePath(url) else {
            throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        return path
    }

    private func bridged<Value>(
        _ access: FileAccess,
        _ body: () throws(SystemError) -> Value
    ) throws -> Value {
        do { return try body() } catch { throw CocoaError(error, while: access) }
    }

    private static func memberAttributes(_ attributes: [AnyHashable: Any]) -> MemberAttributes {
        func value(_ key: FileAttributeKey) -> Any? { attributes[key] ?? attributes[key.rawValue] }
        return MemberAttributes(
            permissions: (value(.posixPermissions) as? NSNumber).map { $0.uint32Value & 0o7777 },
            modificationDate: value(.modificationDate) as? Date
        )
    }
}
