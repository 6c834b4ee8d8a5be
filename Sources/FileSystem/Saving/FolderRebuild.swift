internal import Foundation

/// Completes the staged members of a folder to its next version: with links to what stays.
///
/// Old and new share the files that stay, so a program that writes into one of them writes into both; they
/// are the same file to it before and after the save.
struct FolderRebuild: Sendable {
    private let change: PackageChange
    private let placements: [PackageCommitPlan.Placement]
    /// Names of what does not stay, by the folder it is in.
    private let leavingNames: [MemberPath: Set<String>]
    /// Folders in which, at any depth, something changes.
    private let changingFolders: Set<MemberPath>

    init(change: PackageChange, placements: [PackageCommitPlan.Placement], removed: Set<MemberPath>) {
        self.change = change
        self.placements = placements
        var leavingNames: [MemberPath: Set<String>] = [:]
        var changing: Set<MemberPath> = []
        for path in placements.map(\.path) + removed {
            guard let name = path.name, let parent = path.parent else { continue }
            leavingNames[parent, default: []].insert(name)
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
    /// - Returns: Where the next version stands: in which folder of the staging, under which name.
    func build(
        _ path: MemberPath,
        with attributes: MemberAttributes
    ) throws(SystemError) -> (folder: Folder, name: String) {
        let live = try change.package.folder(path)
        let parent = try path.parent.map { path throws(SystemError) in try change.makeStagedFolder(path) }
        let place = (folder: parent ?? change.staging.folder, name: path.name ?? change.staging.stagedName)
        var itemCount = placements.count
        if itemCount <= Self.itemsSyncedMax { try syncPlacements() }
        try complete(path, of: live, as: place.name, in: place.folder, with: attributes, &itemCount)
        if itemCount > Self.itemsSyncedMax { try SystemCalls.syncfs(change.staging.folder) }
        return place
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
        let leaving = leavingNames[path] ?? []
        var folders: [(path: MemberPath, name: String)] = []
        for entry in try SystemCalls.readdir(live) where !leaving.contains(entry.name) {
            if try live.kind(of: entry) == .directory, let inner = path.appending(entry.name) {
                folders.append((inner, entry.name))
            } else {
                try FileCopying.linkOrCopy(entry.name, in: live, as: entry.name, in: next)
            }
        }
        if folders.count < Self.foldersSharedOutMin {
            for folder in folders {
                let innerLive = try live.folder(folder.name)
                try complete(folder.path, of: innerLive, as: folder.name, in: next, &itemCount)
            }
        } else {
            try completeSharedOut(folders, of: live, in: next)
            itemCount += Self.itemsSyncedMax
        }
        try dress(next, as: live, isChanging: changingFolders.contains(path), with: attributes)
        itemCount += 1
        if itemCount <= Self.itemsSyncedMax { try SystemCalls.fsync(next.descriptor) }
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
            try complete(path, of: try live.folder(name), as: name, in: next, &itemCount)
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
