internal import Foundation

extension StagedSave {
    /// Puts the members that change in place.
    func commitChanges(
        _ staging: StagingFolder,
        _ attributes: MemberAttributes
    ) throws(SystemError) {
        let change = PackageChange(
            staging: staging,
            package: try site.folder.folder(site.itemName),
            staged: try staging.folder.folder(staging.stagedName),
            overlay: overlay
        )
        let placements = try change.placements()
        let removed = try change.removed(besides: placements)
        for placement in placements where !placement.isFolder {
            let staged = try SystemCalls.fstatat(change.staged, placement.path.relativePath)
            placedStamps[placement.path] = staged.stamp
        }
        var attributes = attributes
        var plan = PackageCommitPlan(placements: placements, removed: removed)
        if makesFolderAnew, plan != .nothing { plan = .rebuild(.top) }
        switch plan {
        case .nothing: break
        case .place(let placement): try place(placement, change)
        case .remove(let path, let isFolder): try remove(path, isFolder: isFolder, change)
        case .rebuild(let path):
            let rebuild = FolderRebuild(change: change, placements: placements, removed: Set(removed.keys))
            let next = try rebuild.build(path, with: path == .top ? attributes : MemberAttributes())
            lateChanges = next.late
            try swapIn(next.name, in: next.folder, for: path, change)
            if path == .top { attributes = MemberAttributes() }
        }
        guard attributes != MemberAttributes() else { return }
        try CarriedAttributes.dress(change.package.descriptor, as: nil, with: attributes)
        try SystemCalls.fsync(change.package.descriptor)
    }

    private func place(
        _ placement: PackageCommitPlan.Placement,
        _ change: PackageChange
    ) throws(SystemError) {
        guard let name = placement.path.name, let parent = placement.path.parent else { return }
        let sourceFolder = try change.staged.folder(parent)
        let kind = try SystemCalls.fstatat(sourceFolder, name).stamp.kind
        try TreeSync.sync(name, in: sourceFolder, kind: kind)
        let swap = ItemSwap(
            staging: change.staging,
            sourceFolder: sourceFolder,
            source: name,
            targetFolder: try change.package.folder(parent),
            target: name,
            targetPath: placement.path
        )
        try swapIn(swap, replacing: placement.replaced, isFolder: placement.isFolder)
    }

    private func remove(
        _ path: MemberPath,
        isFolder: Bool,
        _ change: PackageChange
    ) throws(SystemError) {
        guard let name = path.name, let parent = path.parent else { return }
        let folder = try change.package.folder(parent)
        try beforeSwap?()
        if isFolder || didReplace != nil {
            let staging = change.staging.folder
            try ReadOnlyFolder.moving(name, from: folder, to: staging) { () throws(SystemError) in
                try SystemCalls.renameat2(folder, name, staging, StagingFolder.oldName)
            }
            hasOldVersion = true
            if !isFolder { didReplace?(path, staging.place(of: StagingFolder.oldName)) }
        } else {
            try SystemCalls.unlinkat(folder, name)
        }
        isInPlace = true
        try SystemCalls.fsync(folder.descriptor)
        if hasOldVersion { try SystemCalls.fsync(change.staging.folder.descriptor) }
    }

    private func swapIn(
        _ name: String,
        in folder: Folder,
        for path: MemberPath,
        _ change: PackageChange
    ) throws(SystemError) {
        let isItem = path == .top
        let swap = ItemSwap(
            staging: change.staging,
            sourceFolder: folder,
            source: name,
            targetFolder: isItem ? site.folder : try change.package.folder(path.parent ?? .top),
            target: path.name ?? site.itemName,
            targetPath: path
        )
        try swapIn(swap, replacing: .directory, isFolder: true)
    }
}

/// The members of a package that change: what is staged, beside what is there.
struct PackageChange: Sendable {
    let staging: StagingFolder
    /// The package on disk.
    let package: Folder
    /// The staged folder with what is new in it.
    let staged: Folder
    let overlay: StagedSave.Overlay

    /// A staged folder, made when there is none; nothing on the way to it may be anything else.
    func makeStagedFolder(_ path: MemberPath) throws(SystemError) -> Folder {
        var folder = staged
        for name in path.components { folder = try StagedSave.subfolder(name, in: folder) }
        return folder
    }

    /// What is staged, found by looking, so that what the caller has put there counts too.
    func placements() throws(SystemError) -> [PackageCommitPlan.Placement] {
        var found: [PackageCommitPlan.Placement] = []
        try gather(staged, beside: package, at: .top, &found)
        return found
    }

    private func gather(
        _ folder: Folder,
        beside live: Folder,
        at path: MemberPath,
        _ found: inout [PackageCommitPlan.Placement]
    ) throws(SystemError) {
        for entry in try SystemCalls.readdir(folder) {
            guard let member = path.appending(entry.name) else { continue }
            let kind = try folder.kind(of: entry)
            let replaced = try SystemCalls.statusIfPresent(live, entry.name)?.stamp.kind
            let isWhole = overlay.whole.contains(member) || overlay.removed.contains(member)
            if kind == .directory, replaced == .directory, !isWhole {
                let (inner, innerLive) = (try folder.folder(entry.name), try live.folder(entry.name))
                try gather(inner, beside: innerLive, at: member, &found)
            } else {
                found.append(.init(path: member, isFolder: kind == .directory, replaced: replaced))
            }
        }
    }

    /// What is to go and is there, except where something takes its place.
    func removed(
        besides placements: [PackageCommitPlan.Placement]
    ) throws(SystemError) -> [MemberPath: FileStamp.Kind] {
        let covered = Set(placements.map(\.path)).union(overlay.removed)
        var found: [MemberPath: FileStamp.Kind] = [:]
        for path in overlay.removed {
            guard let name = path.name, let parent = path.parent else { continue }
            if placements.contains(where: { $0.path == path }) || parent.isAnyFolder(in: covered) { continue }
            do {
                let kind = try SystemCalls.statusIfPresent(try package.folder(parent), name)?.stamp.kind
                found[path] = kind
            } catch {
                // Its folder is not there, or is a link out of the package: then neither is the member.
                guard error.isAbsent || error.errno == ELOOP else { throw error }
            }
        }
        return found
    }
}

extension MemberPath {
    /// Whether this folder, or one it is in, is among the paths.
    fileprivate func isAnyFolder(in paths: Set<MemberPath>) -> Bool {
        var folder: MemberPath? = self
        while let path = folder {
            if paths.contains(path) { return true }
            folder = path.parent
        }
        return false
    }
}
