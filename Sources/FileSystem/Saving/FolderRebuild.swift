internal import Foundation
internal import Locks

/// Completes the staged members of a folder to its next version: with links to what stays.
///
/// Old and new share the files that stay, so a program that writes into one of them writes into both; they
/// are the same file to it before and after the save. Where they cannot be linked they are copied, and a file that is written
/// into before the exchange goes back in place of its copy. One that puts another file in its place works in the old folder until
/// the exchange: how all was when it was linked is recorded, so that this can be carried over (`LateChanges`).
struct FolderRebuild: Sendable {
    private let change: PackageChange
    private let placements: [PackageCommitPlan.Placement]
    /// Names of what does not stay, by the folder it is in. Byte for byte: what only looks alike stays.
    private let leavingNames: [MemberPath: Set<FilePath>]
    /// Folders in which, at any depth, something changes.
    private let changingFolders: Set<MemberPath>
    /// What was found, by the places in the package.
    private let listed = Locked<[MemberPath: RebuildRecord.Listed]>([:])

    init(change: PackageChange, placements: [PackageCommitPlan.Placement], removed: Set<MemberPath>) {
        self.change = change
        self.placements = placements
        var leavingNames: [MemberPath: Set<FilePath>] = [:]
        var changing: Set<MemberPath> = []
        for path in placements.map(\.path) + removed {
            guard let name = path.name, let parent = path.parent else { continue }
            leavingNames[parent, default: []].insert(FilePath(name))
            var folder: MemberPath? = parent
            while let path = folder, changing.insert(path).inserted { folder = path.parent }
        }
        self.leavingNames = leavingNames
        changingFolders = changing
    }

    /// From how many items on one syncfs(2) is cheaper than an fsync(2) each.
    private static let itemsSyncedMax = 64
    /// From how many folders inside one on they are completed by several threads: links are work for the processor.
    private static let foldersSharedOutMin = 16

    /// Completes a folder of the package, durably.
    ///
    /// - Parameters:
    ///   - path: Which folder.
    ///   - attributes: What it gets beside what it had.
    /// - Returns: Where the next version stands: in which folder of the staging, under which name. And what is to look
    ///   for what others do in the old one until it is in place.
    func build(
        _ path: MemberPath,
        with attributes: MemberAttributes
    ) throws(SystemError) -> (folder: Folder, name: String, late: LateChanges) {
        let live = try change.package.folder(path)
        let parent = try path.parent.map { path throws(SystemError) in try change.makeStagedFolder(path) }
        let place = (folder: parent ?? change.staging.folder, name: path.name ?? change.staging.stagedName)
        var itemCount = placements.count
        if itemCount <= Self.itemsSyncedMax { try syncPlacements() }
        try complete(path, of: live, as: place.name, in: place.folder, with: attributes, &itemCount)
        let found = record(of: path)
        // Without it the save is as good; only a crash then costs what others write in these moments.
        try? RebuildNote.write(found, in: change.staging.folder)
        if itemCount > Self.itemsSyncedMax { try SystemCalls.syncfs(change.staging.folder) }
        let new = try place.folder.folder(place.name)
        return (place.folder, place.name, LateChanges(record: found, old: live, new: new))
    }

    private func record(of target: MemberPath) -> RebuildRecord {
        var record = RebuildRecord(target: target)
        for (path, folder) in listed.withLock({ $0 }) {
            guard let inner = MemberPath(Array(path.components.dropFirst(target.components.count))) else {
                continue
            }
            record.folders[inner] = folder
        }
        return record
    }

    private func syncPlacements() throws(SystemError) {
        for placement in placements {
            guard let name = placement.path.name, let parent = placement.path.parent else { continue }
            let folder = try change.staged.folder(parent)
            let kind = try SystemCalls.fstatat(folder, name).stamp.kind
            try TreeSync.sync(name, in: folder, kind: kind)
        }
    }

    private func complete(
        _ path: MemberPath,
        of live: Folder,
        as name: String,
        in target: Folder,
        with attributes: MemberAttributes = MemberAttributes(),
        _ itemCount: inout Int
    ) throws(SystemError) {
        let next = try StagedSave.subfolder(name, in: target)
        // Before the listing: what others do from now on shows in its times.
        var found = RebuildRecord.Listed(
            try SystemCalls.fstat(live.descriptor),
            newInode: try SystemCalls.fstat(next.descriptor).stamp.inode,
            isChanging: changingFolders.contains(path)
        )
        let folders = try linkStaying(path, of: live, in: next, &found)
        listed.withLock { [found] in $0[path] = found }
        if folders.count < Self.foldersSharedOutMin {
            for folder in folders {
                try completeInner(folder.path, folder.name, of: live, in: next, &itemCount)
            }
        } else {
            try completeSharedOut(folders, of: live, in: next)
            itemCount += Self.itemsSyncedMax
        }
        try dress(next, as: live, isChanging: changingFolders.contains(path), with: attributes)
        itemCount += 1
        if itemCount <= Self.itemsSyncedMax { try SystemCalls.fsync(next.descriptor) }
    }

    /// Links what stays of a folder, but for the folders in it.
    ///
    /// What others take away between the listing and its turn is left out; its folder is looked at again after the exchange.
    ///
    /// - Returns: The folders in it.
    private func linkStaying(
        _ path: MemberPath,
        of live: Folder,
        in next: Folder,
        _ found: inout RebuildRecord.Listed
    ) throws(SystemError) -> [(path: MemberPath, name: String)] {
        let leaving = leavingNames[path] ?? []
        for name in leaving { found.leaving[name.string] = 0 }
        var folders: [(path: MemberPath, name: String)] = []
        let entries = try InodeEntry.all(in: live)
        let spelledOtherwise = try Self.spelledOtherwise(leaving, entries, in: live)
        for entry in entries {
            if leaving.contains(FilePath(entry.name)) || spelledOtherwise.contains(entry.name) {
                found.leaving[entry.name] = entry.inode
                continue
            }
            do throws(SystemError) {
                let kind = try live.kind(of: FolderEntry(name: entry.name, kind: entry.kind))
                if kind == .directory, let inner = path.appending(entry.name) {
                    found.members[entry.name] = RebuildRecord.Member(old: entry.inode)
                    folders.append((inner, entry.name))
                    continue
                }
                let coming = try FileCopying.linkOrCopy(entry.name, in: live, as: entry.name, in: next)
                found.members[entry.name] = try Self.member(entry, coming, in: next)
            } catch {
                guard error.errno == ENOENT else { throw error }
            }
        }
        return folders
    }

    /// What leaves and is listed with other bytes, on a volume that takes names for one that look alike.
    private static func spelledOtherwise(
        _ leaving: Set<FilePath>,
        _ entries: [InodeEntry],
        in live: Folder
    ) throws(SystemError) -> Set<String> {
        var found: Set<String> = []
        guard !leaving.isEmpty else { return found }
        let listed = Set(entries.map { FilePath($0.name) })
        // Strings are the same that look alike.
        let alike = Set(entries.map(\.name))
        for name in leaving where !listed.contains(name) && alike.contains(name.string) {
            if try SystemCalls.statusIfPresent(live, name.string) != nil { found.insert(name.string) }
        }
        return found
    }

    private static func member(
        _ entry: InodeEntry,
        _ coming: FileCopying.Coming,
        in next: Folder
    ) throws(SystemError) -> RebuildRecord.Member {
        if case .linked = coming { return RebuildRecord.Member(old: entry.inode, new: entry.inode) }
        let new = try SystemCalls.fstatat(next, entry.name).stamp.inode
        var member = RebuildRecord.Member(old: entry.inode, new: new)
        if case .copied(let stamp) = coming { member.copied = stamp }
        return member
    }

    /// Completes a folder in another, unless others have taken it away since that was listed.
    private func completeInner(
        _ path: MemberPath,
        _ name: String,
        of live: Folder,
        in next: Folder,
        _ itemCount: inout Int
    ) throws(SystemError) {
        let inner: Folder
        do { inner = try live.folder(name) } catch {
            guard error.isAbsent || error.errno == ELOOP else { throw error }
            return
        }
        try complete(path, of: inner, as: name, in: next, &itemCount)
    }

    /// Completes many folders on several threads, and syncs none of them.
    private func completeSharedOut(
        _ folders: [(path: MemberPath, name: String)],
        of live: Folder,
        in next: Folder
    ) throws(SystemError) {
        try SystemCallObservation.shareOut(folders.count) { index throws(SystemError) in
            var itemCount = Self.itemsSyncedMax
            let (path, name) = folders[index]
            try completeInner(path, name, of: live, in: next, &itemCount)
        }
    }

    private func dress(
        _ next: Folder,
        as live: Folder,
        isChanging: Bool,
        with attributes: MemberAttributes
    ) throws(SystemError) {
        let carried = try CarriedAttributes(of: ".", in: live)
        try CarriedAttributes.dress(next.descriptor, as: carried, with: attributes)
        guard !isChanging, let stamp = carried?.status.stamp else { return }
        try SystemCalls.futimens(
            next.descriptor,
            seconds: stamp.modificationSeconds,
            nanoseconds: stamp.modificationNanoseconds
        )
    }
}
