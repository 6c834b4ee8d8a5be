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
        for _ in 0..<Self.attemptsMax {
            do {
                try SystemCalls.renameat2(sourceFolder, source, targetFolder, target, .exchange)
                try putBackFolder()
                return true
            } catch {
                if ItemSwap.unexchangeable.contains(error.errno) { break }
                guard error.errno == ENOENT else { throw error }
            }
            do {
                try SystemCalls.renameat2(sourceFolder, source, targetFolder, target, .mustNotExist)
                return false
            } catch {
                if ItemSwap.unexchangeable.contains(error.errno) { break }
                guard error.errno == EEXIST else { throw error }
            }
        }
        try SystemCalls.renameat2(sourceFolder, source, targetFolder, target)
        return false
    }

    /// As without an exchange, a file takes no folder's place.
    private func putBackFolder() throws(SystemError) {
        guard try SystemCalls.statusIfPresent(sourceFolder, source)?.stamp.kind == .directory else { return }
        try SystemCalls.renameat2(sourceFolder, source, targetFolder, target, .exchange)
        throw SystemError(call: "renameat2", errno: EISDIR, path: targetFolder.place(of: target))
    }
}

extension StagedSave {
    /// Lets a file staged under the staging's own name take the place of one, or of nothing.
    ///
    /// - Parameters:
    ///   - replaced: What is there, as far as is known.
    ///   - path: The same place, seen from the item.
    /// - Returns: Whether the two were exchanged: that lasts when both folders are synced.
    func put(
        _ name: String,
        in folder: Folder,
        replacing replaced: FileStatus?,
        as path: MemberPath
    ) throws(SystemError) -> Bool {
        guard didReplace != nil else {
            try SystemCalls.renameat2(site.folder, site.stagingName, folder, name)
            return false
        }
        let swap = FileSwap(
            sourceFolder: site.folder,
            source: site.stagingName,
            targetFolder: folder,
            target: name
        )
        guard try swap.perform() else { return false }
        isInPlace = true
        // What stays is removed by the next opening or saving of the item.
        try? throwAway(replaced, at: path)
        return true
    }

    /// Shows what was in place, and removes it.
    ///
    /// It bears the staging's name, and who waits for this save may take it for what a dead one has left: it may be gone by now,
    /// and another save's file be there, which is locked.
    private func throwAway(_ replaced: FileStatus?, at path: MemberPath) throws(SystemError) {
        let (folder, name) = (site.folder, site.stagingName)
        guard let found = try SystemCalls.statusIfPresent(folder, name) else { return }
        let isKnown = replaced.map(found.isSameItem) ?? false
        // What may not be read cannot be kept by anybody here.
        guard let file = try? SystemCalls.openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
            if isKnown || found.stamp.kind != .regular { try SystemCalls.unlinkat(folder, name) }
            return
        }
        let isLocked = try SystemCalls.flock(file, waits: false)
        defer { if isLocked { SystemCalls.unlock(file) } }
        let own = try SystemCalls.fstat(file)
        // A program may have locked its document itself.
        guard isLocked || (isKnown && own.isSameItem(as: found)),
            let named = try SystemCalls.statusIfPresent(folder, name), named.isSameItem(as: own)
        else { return }
        didReplace?(path, folder.place(of: name))
        try SystemCalls.unlinkat(folder, name)
    }
}
