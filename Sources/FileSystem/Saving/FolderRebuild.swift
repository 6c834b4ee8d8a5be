internal import Foundation

/// Makes the next version of a folder in the staging: links to what stays, and what is new.
///
/// Old and new share the files that stay, so a program that writes into one of them writes into both; they
/// are the same file to it before and after the save.
struct FolderRebuild {
    private let change: PackageChange
    /// Names of what is new, by the folder it goes to.
    private let placedNames: [MemberPath: [String]]
    /// Names of what does not stay, by the folder it is in.
    private let leavingNames: [MemberPath: Set<String>]
    /// Folders in which, at any depth, something changes.
    private let changingFolders: Set<MemberPath>

    init(change: PackageChange, placements: [PackageCommitPlan.Placement], removed: Set<MemberPath>) {
        self.change = change
        var placedNames: [MemberPath: [String]] = [:]
        var leavingNames: [MemberPath: Set<String>] = [:]
        var changing: Set<MemberPath> = []
        for path in placements.map(\.path) + removed {
            guard let name = path.name, let parent = path.parent else { continue }
            if !removed.contains(path) { placedNames[parent, default: []].append(name) }
            leavingNames[parent, default: []].insert(name)
            var folder: MemberPath? = parent
            while let path = folder, changing.insert(path).inserted { folder = path.parent }
        }
        self.placedNames = placedNames
        self.leavingNames = leavingNames
        changingFolders = changing
    }

    /// From how many folders on one syncfs(2) is cheaper than an fsync(2) each.
    private static let foldersSyncedMax = 64

    /// Builds the next version of a folder of the package, durably.
    ///
    /// - Parameters:
    ///   - path: Which folder.
    ///   - attributes: What it gets beside what it had.
    func build(_ path: MemberPath, with attributes: MemberAttributes) throws(SystemError) {
        let live = try change.package.folder(path)
        var folderCount = 0
        try build(
            path,
            from: live,
            as: StagingFolder.nextName,
            in: change.staging.folder,
            with: attributes,
            &folderCount
        )
        if folderCount > Self.foldersSyncedMax { try SystemCalls.syncfs(change.staging.folder) }
    }

    private func build(
        _ path: MemberPath,
        from live: Folder,
        as name: String,
        in target: Folder,
        with attributes: MemberAttributes = MemberAttributes(),
        _ folderCount: inout Int
    ) throws(SystemError) {
        try SystemCalls.mkdirat(target, name, permissions: 0o700)
        let next = try target.folder(name)
        let leaving = leavingNames[path] ?? []
        for entry in try SystemCalls.readdir(live) where !leaving.contains(entry.name) {
            let kind = try live.kind(of: entry)
            if kind == .directory, let inner = path.appending(entry.name) {
                let innerLive = try live.folder(entry.name)
                try build(inner, from: innerLive, as: entry.name, in: next, &folderCount)
            } else {
                try FileCopying.linkOrCopy(entry.name, in: live, as: entry.name, in: next)
            }
        }
        if let names = placedNames[path] {
            let staged = try change.staged.folder(path)
            for name in names { try SystemCalls.renameat2(staged, name, next, name) }
        }
        try dress(next, as: live, isChanging: changingFolders.contains(path), with: attributes)
        folderCount += 1
        if folderCount <= Self.foldersSyncedMax { try SystemCalls.fsync(next.descriptor) }
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
