internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks

/// The queue behind a `FolderListing`: watches, looks, counts, and hands what it finds to the outbox.
///
/// Sendable because everything that varies is touched on `queue` alone, but `isStopped`, which has a lock.
///
/// 1. The folder is watched before it is listed, so that nothing changes unseen in between.
/// 2. What events name is looked at anew: an event says that something happened, the disk says what.
final class FolderWatcher: @unchecked Sendable {
    /// From how many names on one look at the whole folder is cheaper.
    private static let nameCountMax = 2000
    /// How many members of a package are counted for its size.
    private static let memberCountMax = 5000

    private let folderID: String
    private let location: BrowserLocation
    private let outbox: FolderOutbox
    private let makeWatch: WatchMaker
    private let moved: @Sendable (_ source: FilePath?, _ target: FilePath) -> Void
    private let queue = DispatchQueue(label: "sheaf.browser.listing", qos: .userInitiated)
    private let countingQueue = DispatchQueue(label: "sheaf.browser.counting", qos: .utility)
    private let isStopped = Locked(false)

    private var watch: DirectoryWatch?
    private var folder = FilePath("/")
    private var device: UInt64 = 0
    private var inode: UInt64 = 0
    private var contents = FolderContents()
    private var maker: ItemMaker?
    /// Names are bytes here: of two that only look alike, one may go while the other stays.
    private var unseenNames: Set<FilePath> = []
    /// Of those, the ones that are told of in any case: whoever is told has changed the list.
    private var doubtedNames: Set<FilePath> = []
    private var needsScan = false
    private var isLookScheduled = false
    /// Names whose items have left, by the move that they are half of; the other half may come later.
    private var departed: [UInt32: String] = [:]
    private static let departedMax = 64
    /// Packages that are being counted, and whether they have changed since that began.
    private var counted: [FilePath: Bool] = [:]

    /// Begins to watch a folder, with a handler that is called on the queue.
    typealias WatchMaker =
        @Sendable (FilePath, DispatchQueue, @escaping @Sendable ([WatchEvent]) -> Void) throws ->
        DirectoryWatch

    init(
        folderID: String,
        location: BrowserLocation,
        outbox: FolderOutbox,
        makeWatch: @escaping WatchMaker = { try DirectoryWatch($0, on: $1, handler: $2) },
        moved: @escaping @Sendable (FilePath?, FilePath) -> Void = {
            BookmarkKeeper.noteMove(from: $0, to: $1)
        }
    ) {
        self.makeWatch = makeWatch
        self.moved = moved
        self.folderID = folderID
        self.location = location
        self.outbox = outbox
    }

    func start() {
        queue.async { self.open() }
    }

    func stop() {
        isStopped.withLock { $0 = true }
        outbox.close()
        queue.async { self.close() }
    }

    func look(at names: [String]) {
        queue.async { self.note(names) }
    }

    func lookAnew(at names: [String]) {
        queue.async {
            self.doubtedNames.formUnion(names.map { FilePath($0) })
            self.note(names)
        }
    }

    // MARK: - On the queue

    private func open() {
        attempt {
            folder = try location.folder(folderID)
            maker = ItemMaker(location: location, folderID: folderID, folder: folder)
            let stamp = try FileStamp(of: folder)
            (device, inode) = (stamp.device, stamp.inode)
            let unwatched = beginWatching()
            let difference = contents.replaceAll(with: try scan())
            outbox.list(difference.put, unwatched: unwatched)
            count(difference.put)
        }
    }

    /// - Returns: Why the folder cannot be watched. It can be listed all the same.
    private func beginWatching() -> BrowserError? {
        do {
            watch = try makeWatch(folder, queue) { [weak self] events in self?.handle(events) }
            return nil
        } catch {
            return BrowserError(.unwatched, item: folder.name, underlying: error)
        }
    }

    private func close() {
        watch = nil
        maker = nil
        contents = FolderContents()
    }

    private func handle(_ events: [WatchEvent]) {
        // What concerns the folder itself may be its end; a look at all of it tells.
        if events.contains(where: { $0.kind == .overflowed || $0.name == nil }) { needsScan = true }
        noteMoves(events)
        // What happens to a placeholder happens to its item.
        note(events.compactMap { $0.name.map { Placeholder.itemName(of: $0) ?? $0 } })
    }

    /// Lets bookmarks know where items went; hidden ones, as a save puts in place, have been nowhere.
    private func noteMoves(_ events: [WatchEvent]) {
        for event in events {
            guard let name = event.name else { continue }
            if case .movedFrom(let cookie) = event.kind {
                // Most that leave come nowhere that is watched.
                if departed.count >= Self.departedMax { departed = [:] }
                departed[cookie] = name
            }
            guard case .movedTo(let cookie) = event.kind else { continue }
            let source = departed.removeValue(forKey: cookie)
            guard BrowserLocation.isShown(name) else { continue }
            guard source.map(BrowserLocation.isShown) ?? true else { continue }
            moved(source.map(folder.appending), folder.appending(name))
        }
    }

    /// Remembers to look, after the events that are already waiting on the queue.
    private func note(_ names: [String]) {
        unseenNames.formUnion(names.lazy.filter(BrowserLocation.isShown).map { FilePath($0) })
        guard !isLookScheduled, needsScan || !unseenNames.isEmpty else { return }
        isLookScheduled = true
        queue.async { self.look() }
    }

    private func look() {
        isLookScheduled = false
        let names = unseenNames.map(\.string)
        let scans = needsScan || names.count > Self.nameCountMax
        let doubted = doubtedNames.map(\.string)
        unseenNames = []
        doubtedNames = []
        needsScan = false
        guard maker != nil else { return }
        attempt {
            let stamp = try FileStamp.ifPresent(at: folder)
            guard stamp?.device == device, stamp?.inode == inode else {
                outbox.end(.gone)
                return close()
            }
            contents.forget(doubted)
            var difference =
                if scans {
                    contents.replaceAll(with: try scan())
                } else {
                    contents.update(try maker?.items(names) ?? [])
                }
            let absent = doubted.filter { contents.items[$0] == nil }
            difference.drop += absent.map { BrowserLocation.id($0, in: folderID) }
            outbox.change(difference)
            count(scans ? difference.put : names.compactMap { contents.items[$0] })
        }
    }

    private func scan() throws -> [FolderItem] { try maker?.allItems() ?? [] }

    private func attempt(_ body: () throws -> Void) {
        guard !isStopped.withLock({ $0 }) else { return }
        do { try body() } catch {
            let failure = BrowserError(error, item: folderID.isEmpty ? location.root.name : folderID)
            outbox.end(failure.code == .vanished ? .gone : .failed(failure))
            close()
        }
    }

    // MARK: - Packages

    private func count(_ items: [FolderItem]) {
        for item in items where item.isPackage && !item.isEvicted {
            let (name, path) = (item.name, folder.appending(item.name))
            let isBeingCounted = counted[FilePath(name)] != nil
            counted[FilePath(name)] = isBeingCounted
            if !isBeingCounted { countingQueue.async { self.count(name, at: path) } }
        }
    }

    private func count(_ name: String, at path: FilePath) {
        guard !isStopped.withLock({ $0 }) else { return }
        // A package that cannot be counted, or goes meanwhile, has no size to show; the item says the rest.
        let summary = try? FolderScan.summary(of: path, memberCountMax: Self.memberCountMax)
        queue.async {
            let hasChanged = self.counted.removeValue(forKey: FilePath(name)) ?? false
            guard self.maker != nil else { return }
            self.outbox.change(self.contents.count(name, summary))
            if hasChanged, let item = self.contents.items[name] { self.count([item]) }
        }
    }
}
