internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages

// The container's own folder: whether what is at its place is it.
//
//     there ──(another is at its place, or nothing)──▶ away: nothing is looked at, put there or taken for gone
//       ▲                                                │
//       └────────(it is there again: all is looked at)───┘
//
// What is at its place is asked after each look, before anything is made of that, and before and after each step in a folder
// (`Placer`): a volume may go at any moment.
//
// A copy of it, put back from a backup say, bears the same mark and is another directory. It goes on with that; but what is not
// in it nobody has removed, and comes from the hub again. So it is where the directory is the same and older than what is remembered
// (`SyncRun+PuttingBack.swift`).
extension SyncRun {
    /// The folder is another directory than the one that was looked at last, or is as it was before that.
    struct RootDoubt {
        /// What was known of that.
        private(set) var items: Set<ItemID>
        /// Whether all folders have been looked at since.
        var isLookedAt = false

        init(items: Set<ItemID>) { self.items = items }

        /// Has what is known of an item be known of another, too.
        mutating func handOver(_ item: ItemID, to other: ItemID) {
            if items.contains(item) { items.insert(other) }
        }
    }

    static let rootKey = "root"
    static let directoryKey = "root directory"

    /// That the folder is the one that was kept in step: an empty mount point deletes nothing.
    func checkRoot() throws {
        let name = try memory.value(Self.rootKey)
        guard let found = try RootFolder(at: place.folder, isMarked: name == nil),
            name.map(found.names.contains) ?? true
        else { throw SyncFailure.rootMissing(place.folder) }
        if name == nil {
            // What is remembered of it is not to outlast it.
            try ItemSync.sync([], folders: [place.folder], onVolumeOf: place.folder)
        }
        rootName = found.names.lasting(notedAs: name)
        if rootName != name { try memory.remember(Self.rootKey, rootName) }
        table.root = found.trace
        tellAppsOfRoot(found.names.plain)
        let directory = try memory.value(Self.directoryKey)
        if directory == nil { try memory.remember(Self.directoryKey, found.directory) }
        if let directory, directory != found.directory { doubtRoot() }
        try recallCount()
        if isPutBack { try doubtAsPutBack() }
    }

    /// Notes for apps what the folder is known by: they put nothing into one that only has its name.
    private func tellAppsOfRoot(_ name: [UInt8]) {
        let note = place.memory.appending(JoinedFolders.rootNoteName)
        // What cannot be read is written anew.
        guard (try? FileReading.contents(of: note)) != Data(name) else { return }
        attempt("it cannot be noted for apps which folder this is") {
            let save = try StagedSave(item: note, followsSymbolicLink: false)
            try save.write(Data(name))
            _ = try save.commit(MemberAttributes(permissions: 0o600))
        }
    }

    /// Whether it is known that another folder, or nothing, is in its place.
    var isRootAway: Bool { unlisted[.root]?.cause == .away }

    /// Looks whether the folder is the one, now that somebody asks.
    func noticeRoot() {
        guard !isStopped else { return }
        _ = findRoot()
        if !dirtyFolders.isEmpty { lookSoon() }
    }

    /// Looks whether the folder is in its place, and takes it up again where it has come back.
    ///
    /// - Returns: False when it is not, or has just come back: then all of it is about to be looked at.
    func findRoot() -> Bool {
        do {
            let status = try FolderScan.status(at: place.folder)
            // An inode's number is given again.
            if !hasRootEnded, let status, let known = table.root, ItemTrace(status).isSameItem(as: known) {
                guard isRootAway else {
                    if doubtIfPutBack() { takeUp(.root) }
                    return true
                }
                takeUp(.root)
                return false
            }
            guard let found = try RootFolder(at: place.folder, isMarked: false),
                found.names.contains(rootName)
            else {
                noteRootAway()
                return false
            }
            (table.root, hasRootEnded) = (found.trace, false)
            // The same folder on another device number is another one by what apps know it by.
            tellAppsOfRoot(found.names.plain)
            // Where the memory cannot be read now it is doubted, which removes nothing.
            if found.directory != (try? memory.value(Self.directoryKey)) { doubtRoot() }
            _ = doubtIfPutBack()
            takeUp(.root)
        } catch {
            noteUnlisted(.root, error)
        }
        return false
    }

    private func noteRootAway() {
        guard !isRootAway else { return }
        noteUnlisted(.root, Self.rootAway(place.folder))
        retryLater()
    }

    static func rootAway(_ folder: FilePath) -> DiskRefusal {
        DiskRefusal(
            away: SyncFailure.rootIsAway(folder),
            helps:
                "Mount its volume or put the folder back: it goes on by itself. \(SyncFailure.rootIsGone(folder))"
        )
    }

    /// Watches a folder anew, with all in it, and looks at that: what was watched is gone with its volume, or is somewhere else.
    func takeUp(_ folder: ItemID) {
        noteListed(folder)
        let inside = Set(table.subtree(of: folder))
        dirtyFolders.formUnion(table.folders.intersection(inside))
        dirtyPackages.formUnion(table.packages.intersection(inside))
        for folder in table.folders.intersection(inside) { watchIfPossible(folder) }
        for (item, held) in stuck where held.why.cause == .away {
            stuck[item] = nil
            refused.insert(item)
        }
        lookSoon()
    }

    // MARK: Another directory

    func doubtRoot() { doubt = RootDoubt(items: Set(table.items.keys)) }

    func tellVanished(_ events: [Event]) {
        let count = events.reduce(0) { count, event in
            // What is excluded may have been removed, and does not come back.
            guard case .vanished(let items) = event else { return count }
            return count + items.count(where: { !isExcluded($0) })
        }
        if count > 0 { report(.vanished(itemCount: count)) }
    }

    /// Notes that all has been looked at.
    func noteLook(at folders: Set<ItemID>) {
        if doubt != nil, isLookDone, folders.isSuperset(of: table.folders) { doubt?.isLookedAt = true }
        endDoubt()
    }

    /// What has vanished with the former directory is known, and written down: the new one is the folder from now on.
    func endDoubt() {
        guard doubt?.isLookedAt == true, missing.isEmpty, !isBlind, unremembered == nil else { return }
        doubt = nil
        attempt("what this device remembers cannot be written") {
            guard let found = try RootFolder(at: place.folder, isMarked: false), let root = table.root,
                found.trace.isSameItem(as: root)
            else { return }
            try memory.remember(Self.directoryKey, found.directory)
        }
    }
}
