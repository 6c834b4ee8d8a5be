package import Foundation

/// One atomic save of one item: a file, a symbolic link or a package.
///
/// What is to come is written beside the item, into a staging only this save knows, made durable, and then
/// put in place in one step. A reader finds the old contents or the new at any time, after a crash or a power
/// cut too. Two saves of one item, in this process or another, happen one after the other.
///
///     let save = try StagedSave(item: place)
///     try save.write(contents)
///     let stamp = try save.commit()
///
/// Used by one thread at a time, and blocking: not for the shared thread pool. A thread that begins a second
/// save of the same item before the first has ended waits for ever.
///
/// 1. Until `commit` swaps, nothing that a reader of the item sees has changed.
/// 2. Staging exists from the first write (of a package's only changed file: from the commit) to the end of the
///    commit, the removal of the remains, or `abandon`; it is locked all the while.
/// 3. What is dropped without a commit is abandoned.
package final class StagedSave {
    let site: SaveSite
    let mustNotExist: Bool
    var stage = Stage.empty
    var overlay = Overlay()
    /// Set in the instant a reader sees the new contents.
    var isInPlace = false
    /// Whether the commit put an old version into the staging.
    var hasOldVersion = false
    /// Whether the staging holds what somebody else has saved, and nothing else does: it is not to be removed then.
    var holdsOthers = false
    /// What others may do in a folder while it is rebuilt, to be carried over once the new one is in place.
    var lateChanges: LateChanges?
    /// Whether what is staged bears the replaced item's attributes already.
    var isDressed = false
    /// What `write(_: MemberTree)` asked for beside a lone file's bytes.
    var fileAttributes = MemberAttributes()

    /// The files that the commit put in place, as they were just before; a lone file by the empty path. What is
    /// different there afterwards was written by others.
    package var placedStamps: [MemberPath: FileStamp] = [:]
    /// The item that the commit put in place as a whole, as it was just before; nil where it is the former one, changed.
    package internal(set) var stagedStamp: FileStamp?

    /// Called when all is durable and one call will put it in place: the last time to look whether others have
    /// changed what is replaced. What it throws ends the save.
    package var beforeSwap: (() throws(SystemError) -> Void)?

    /// Asked of what a whole item has just taken the place of, on volumes that can exchange two names: what is not as
    /// expected is put back, and the save ends with `ESTALE`. Nothing that somebody puts there in the last instant is lost:
    /// where the place cannot be had back, it goes beside it.
    ///
    /// Gets how that looks, and where it is then.
    package var isReplaceable: ((MemberStatus, FilePath) -> Bool)?

    /// Asked the same of a file in a package that a single file takes the place of. Set, nothing is where a new one is put.
    package var isMemberReplaceable: ((MemberPath, MemberStatus) -> Bool)?

    /// Told of the file that a single file has taken the place of, or that a save removes alone, whichever that is: somebody may
    /// have put another one there since `beforeSwap`. Only on volumes that can exchange two names.
    ///
    /// Gets which member it was, the empty path for the item, and where it is until this returns.
    package var didReplace: ((MemberPath, FilePath) -> Void)?

    /// Whether a whole item that the caller has written itself gets the user's extended attributes (`user.`) of what it takes
    /// the place of. Not where it bears all that it is to bear.
    package var carriesUserAttributes = true

    /// Whether a folder goes all the same that its owner, who saves, may not write to: for who carries out what has been done
    /// elsewhere.
    package var replacesReadOnly = false

    /// Whether a changed package becomes another folder, of links to what stays, also where one call could put the change into
    /// the one that is there. For who gives it the very date that it bears: nothing of it would tell of the change then.
    package var makesFolderAnew = false

    /// How far the save is.
    enum Stage {
        case empty
        /// A lone file, staged under the staging's own name.
        case file(StagedFile)
        /// One file of a package, not on disk yet: how it is staged shows when it is put in place.
        case member(LoneMember)
        /// Anything, staged inside the staging folder.
        case folder(StagingFolder)
        case committed(SaveRemains?)
        case abandoned
    }

    /// Which members of a package are to change.
    struct Overlay: Sendable {
        /// Whether the staged folder holds only the members that change.
        var isPartial = false
        /// Staged folders that take the place of a folder instead of adding to it.
        var whole: Set<MemberPath> = []
        var removed: Set<MemberPath> = []
    }

    /// Begins a save.
    ///
    /// Nothing is written yet; what a dead save of the item left is cleared at the first write.
    ///
    /// - Parameters:
    ///   - item: What to save. It need not exist, the folder it is in must.
    ///   - mustNotExist: Whether the commit fails with `EEXIST` when something bears the name.
    ///   - followsSymbolicLink: Whether a link is followed and what it leads to is saved; if not, the link is
    ///     replaced.
    package init(
        item: FilePath,
        mustNotExist: Bool = false,
        followsSymbolicLink: Bool = true
    ) throws(SystemError) {
        site = try SaveSite(item: followsSymbolicLink ? try SaveSite.resolvingLinks(item) : item)
        self.mustNotExist = mustNotExist
    }

    deinit {
        switch stage {
        // What stays is removed by the next opening or saving of the item.
        case .committed(let remains): try? remains?.remove()
        case .empty, .file, .member, .folder, .abandoned: abandon()
        }
    }

    /// What is saved, links resolved.
    package var item: FilePath { site.item }

    /// Hands over what a committed save still has to throw away: its staging, with the old version of a package in
    /// it; nil for none.
    ///
    /// Without this it is removed when the save is dropped.
    package func takeRemains() -> SaveRemains? {
        guard case .committed(let remains) = stage else { return nil }
        stage = .committed(nil)
        return remains
    }

    /// Where the caller may write the new item itself: a file, a folder or a link of any kind.
    ///
    /// Nothing is there at first. After `write(_: PackageChanges)` it is the folder of the members that
    /// change, and what the caller puts there joins them: a file replaces its namesake, a folder adds to one.
    package func stagedPath() throws(SystemError) -> FilePath {
        _ = try stagingFolder()
        return stagedPlace
    }

    /// Where that is, whether or not anything can be written there yet.
    package var stagedPlace: FilePath {
        site.folder.place(of: site.stagingName).appending(site.stagedName)
    }

    /// Stages a file.
    ///
    /// - Parameter data: All its bytes.
    package func write(_ data: Data) throws(SystemError) {
        if case .empty = stage, let staged = try stagedFile() {
            return try SystemCalls.write(data, to: staged.descriptor)
        }
        try write(inFolder: .file(.data(data)))
    }

    /// Stages an item as a whole.
    ///
    /// Members take permissions, owner and extended attributes from the members they replace. A lone file
    /// with an existing source is a clone or a copy of it, never a link: two documents share no file.
    package func write(_ tree: MemberTree) throws(SystemError) {
        guard case .file(let source, let attributes) = tree, case .empty = stage,
            let staged = try stagedFile()
        else { return try write(inFolder: tree) }
        switch source {
        case .data(let data): try SystemCalls.write(data, to: staged.descriptor)
        case .existing(let path, let stamp):
            let original = try SystemCalls.openat(.working, path.string, O_RDONLY | O_NONBLOCK)
            let before = try SystemCalls.fstat(original).stamp
            try FileCopying.check(before, bears: stamp, at: path)
            try FileCopying.copyBytes(from: original, to: staged.descriptor)
            try FileCopying.check(try SystemCalls.fstat(original).stamp, bears: before, at: path)
        }
        fileAttributes = attributes
    }

    /// Stages the members of a package that change.
    ///
    /// The others are taken from the item at the commit.
    ///
    /// - Throws: `ENOENT` or `ENOTDIR` at the commit when the item is no package.
    package func write(_ changes: PackageChanges) throws(SystemError) {
        if let whole = changes.placed[.top] { return try write(whole) }
        if case .empty = stage, !mustNotExist, let member = LoneMember(changes) {
            stage = .member(member)
            return
        }
        try write(inFolder: changes)
    }

    /// Stages the members of a package that change, inside the staging folder.
    func write(inFolder changes: PackageChanges) throws(SystemError) {
        let staging = try stagingFolder()
        let staged = try Self.subfolder(staging.stagedName, in: staging.folder)
        overlay.isPartial = true
        overlay.removed.formUnion(changes.removed)
        let writer = TreeWriter(replaced: try replacedFolder())
        for (path, tree) in changes.placed {
            guard let name = path.name else { continue }
            var folder = staged
            for component in path.components.dropLast() { folder = try Self.subfolder(component, in: folder) }
            if case .directory = tree { overlay.whole.insert(path) }
            try writer.write(tree, as: name, in: folder, counterpart: path)
        }
    }

    /// Removes what is staged.
    ///
    /// The item stays as it is; after a commit nothing happens.
    package func abandon() {
        switch stage {
        // What cannot be removed now is removed by the next opening or saving of the item.
        case .file(let staged): try? staged.remove()
        case .folder(let staging): if !holdsOthers { try? staging.remove() }
        case .empty, .member, .committed, .abandoned: break
        }
        if case .committed = stage { return }
        stage = .abandoned
    }

    /// Removes what a committed save has left in its staging, if there is any.
    ///
    /// `takeRemains` lets another thread do it. Without either it happens when the save is dropped.
    package func removeRemains() throws(SystemError) {
        try takeRemains()?.remove()
    }
}

extension StagedSave {
    /// Stages under the item's name inside the staging folder.
    private func write(inFolder tree: MemberTree) throws(SystemError) {
        let staging = try stagingFolder()
        let writer = TreeWriter(replaced: try replacedFolder())
        let name = staging.stagedName
        try TreeRemoval.remove(name, in: staging.folder)
        if case .file(.existing(let source, let stamp), let attributes) = tree {
            let folder = staging.folder
            try FileCopying.place(
                source,
                bearing: stamp,
                with: attributes,
                as: name,
                in: folder,
                mayLink: false
            )
        } else {
            try writer.write(tree, as: name, in: staging.folder, counterpart: .top)
        }
        // The writer takes attributes over from the members of a package that is replaced; a lone file's are
        // taken over at the commit.
        if case .directory = tree { isDressed = true }
    }

    /// The package on disk; nil when nothing or something else is there.
    private func replacedFolder() throws(SystemError) -> Folder? {
        guard !mustNotExist else { return nil }
        do { return try site.folder.folder(site.itemName) } catch {
            guard error.isAbsent || error.errno == ELOOP else { throw error }
            return nil
        }
    }

    /// The staging folder, made when there is none.
    func stagingFolder() throws(SystemError) -> StagingFolder {
        switch stage {
        case .folder(let staging): return staging
        case .empty:
            let staging = try StagingFolder.make(at: site)
            stage = .folder(staging)
            return staging
        case .member(let member):
            stage = .empty
            try write(inFolder: member.changes)
            return try stagingFolder()
        case .file, .committed, .abandoned:
            preconditionFailure("wrote to a save of \(item) that has its contents already")
        }
    }

    /// A new staged file; nil when the item is a folder, which a file cannot take the place of by renaming.
    private func stagedFile() throws(SystemError) -> StagedFile? {
        let replaced = try replacedKind()
        guard replaced != .directory else { return nil }
        // Nobody is to read the new contents who could not read the old ones.
        let staged = try StagedFile.make(at: site, permissions: replaced == nil ? 0o666 : 0o600)
        stage = .file(staged)
        // Only now do others wait: one that was waited for may have left a folder.
        guard try replacedKind() != .directory else {
            try staged.remove()
            stage = .empty
            return nil
        }
        return staged
    }

    /// What is to be replaced, as it is now; nil for nothing.
    private func replacedKind() throws(SystemError) -> FileStamp.Kind? {
        guard !mustNotExist else { return nil }
        return try SystemCalls.statusIfPresent(site.folder, site.itemName)?.stamp.kind
    }

    /// Opens a folder in the staging, made when there is none.
    static func subfolder(_ name: String, in folder: Folder) throws(SystemError) -> Folder {
        do { try SystemCalls.mkdirat(folder, name, permissions: 0o777) } catch {
            guard error.errno == EEXIST else { throw error }
        }
        return try folder.folder(name)
    }
}
