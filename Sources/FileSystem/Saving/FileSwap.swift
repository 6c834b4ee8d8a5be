internal import Glibc

/// A staged file and the name that it is to bear.
///
/// The two are exchanged, so that what was in place can be looked at before it goes: whatever somebody has put there in the last
/// instant is not lost.
struct FileSwap: Sendable {
    /// Where the file is staged, and what was in place is afterwards.
    let sourceFolder: Folder
    let source: String
    /// Where it goes.
    let targetFolder: Folder
    let target: String

    /// So often somebody may take away what is in place and put something there again.
    private static let attemptsMax = 16

    /// Does it, in one step.
    ///
    /// - Returns: Whether what was in place is where the file was; else nothing was there, or the volume cannot exchange two names.
    /// - Throws: `EISDIR`, with a folder in its place again, when that is what has come there.
    func perform() throws(SystemError) -> Bool {
        do {
            for _ in 0..<Self.attemptsMax {
                if try move(.exchange, unless: ENOENT) {
                    try putBackFolder()
                    return true
                }
                if try move(.mustNotExist, unless: EEXIST) { return false }
            }
        } catch {
            guard ItemSwap.unexchangeable.contains(error.errno) else { throw error }
        }
        try SystemCalls.renameat2(sourceFolder, source, targetFolder, target)
        return false
    }

    /// - Parameter refusal: How it is refused where the place is not as it has to be for it.
    /// - Returns: Whether it was not.
    private func move(_ mode: SystemCalls.RenameMode, unless refusal: CInt) throws(SystemError) -> Bool {
        do { try SystemCalls.renameat2(sourceFolder, source, targetFolder, target, mode) } catch {
            guard error.errno == refusal else { throw error }
            return false
        }
        return true
    }

    /// As without an exchange, a file takes no folder's place. Where ours is gone by then, the folder gets its name, or one beside it.
    private func putBackFolder() throws(SystemError) {
        guard try SystemCalls.statusIfPresent(sourceFolder, source)?.stamp.kind == .directory else { return }
        do { try SystemCalls.renameat2(sourceFolder, source, targetFolder, target, .exchange) } catch {
            try FreeName.moveNumbered(source, from: sourceFolder, to: targetFolder, as: target)
        }
        throw SystemError(call: "renameat2", errno: EISDIR, path: targetFolder.place(of: target))
    }
}

extension StagedSave {
    /// Lets a file staged under the staging's own name take the place of one, or of nothing.
    ///
    /// - Parameter path: The same place, seen from the item.
    /// - Returns: Whether the two were exchanged: that lasts when both folders are synced.
    func put(_ name: String, in folder: Folder, as path: MemberPath) throws(SystemError) -> Bool {
        let swap = FileSwap(
            sourceFolder: site.folder,
            source: site.stagingName,
            targetFolder: folder,
            target: name
        )
        guard didReplace != nil, case let former = Former(name, in: folder), !former.isUnreadable else {
            try SystemCalls.renameat2(swap.sourceFolder, swap.source, folder, name)
            return false
        }
        guard try swap.perform() else { return false }
        isInPlace = true
        // What stays is removed by the next opening or saving of the item.
        try? throwAway(former, at: path)
        return true
    }

    /// What is in place before the save.
    private enum Former {
        case nothing
        /// Held open, so that no other file gets its number.
        case file(Folder)
        /// It can be kept by nobody here.
        case unreadable

        init(_ name: String, in folder: Folder) {
            do {
                self = .file(Folder(try SystemCalls.openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)))
            } catch {
                self = error.errno == ENOENT ? .nothing : .unreadable
            }
        }

        var isUnreadable: Bool { if case .unreadable = self { true } else { false } }

        func isItem(of status: FileStatus) throws(SystemError) -> Bool {
            guard case .file(let file) = self else { return false }
            return try SystemCalls.fstat(file.descriptor).isSameItem(as: status)
        }
    }

    /// Shows what was in place, and removes it.
    ///
    /// It bears the staging's name, and who waits for this save may take it for what a dead one has left: it may be gone by now,
    /// and another save's file be there, which is locked.
    private func throwAway(_ former: Former, at path: MemberPath) throws(SystemError) {
        let (folder, name) = (site.folder, site.stagingName)
        guard try SystemCalls.statusIfPresent(folder, name) != nil else { return }
        // A link that somebody has put there, say: as without an exchange, it goes.
        guard let file = try? SystemCalls.openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
            return try SystemCalls.unlinkat(folder, name)
        }
        let isLocked = try SystemCalls.flock(file, waits: false)
        defer { if isLocked { SystemCalls.unlock(file) } }
        let own = try SystemCalls.fstat(file)
        // A program may have locked its document itself.
        let isFormer = try former.isItem(of: own)
        guard isLocked || isFormer,
            let named = try SystemCalls.statusIfPresent(folder, name), named.isSameItem(as: own)
        else { return }
        didReplace?(path, folder.place(of: name))
        try SystemCalls.unlinkat(folder, name)
    }
}
