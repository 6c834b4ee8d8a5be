internal import Foundation

/// Two names of which one takes the other's place.
struct ItemSwap {
    /// The staging, which also takes what was in place.
    let staging: StagingFolder
    /// Where the new version stands.
    let sourceFolder: Folder
    let source: String
    /// Where it goes.
    let targetFolder: Folder
    let target: String
    /// The same place, seen from the item.
    let targetPath: MemberPath

    /// The same, of a file.
    var fileSwap: FileSwap {
        FileSwap(sourceFolder: sourceFolder, source: source, targetFolder: targetFolder, target: target)
    }

    /// What tells that a volume cannot exchange two names.
    static let unexchangeable: Set<CInt> = [EINVAL, ENOSYS, EOPNOTSUPP]

    /// Lets the new version take the place, so that a reader finds one or the other at any time.
    ///
    /// - Parameters:
    ///   - replaced: What is in place now; nil for nothing.
    ///   - isFolder: Whether the new version is a folder.
    ///   - mustNotExist: Whether to fail with `EEXIST` when something is in place.
    func perform(
        replacing replaced: FileStamp.Kind?,
        isFolder: Bool,
        mustNotExist: Bool
    ) throws(SystemError) {
        if mustNotExist {
            return try FreeName.move(source, from: sourceFolder, to: targetFolder, as: target)
        }
        if replaced == nil || (replaced != .directory && !isFolder) {
            return try SystemCalls.renameat2(sourceFolder, source, targetFolder, target)
        }
        do { return try SystemCalls.renameat2(sourceFolder, source, targetFolder, target, .exchange) } catch {
            guard Self.unexchangeable.contains(error.errno) else { throw error }
        }
        try performInTwoSteps()
    }

    /// Lets the new version take the place of what is as expected. What is not is put back, with all that others may put
    /// there meanwhile.
    ///
    /// - Parameters:
    ///   - isExpected: Gets how that looks, and where it is then.
    ///   - holdsOthers: Set as long as what is in the staging is another's, and nowhere else.
    /// - Returns: False on a volume that cannot exchange two names; nothing has changed then.
    /// - Throws: `ESTALE` when the place is another's. What cannot be put back in its place is beside it.
    func perform(
        if isExpected: (MemberStatus, FilePath) -> Bool,
        _ holdsOthers: inout Bool
    ) throws(SystemError) -> Bool {
        let own = try SystemCalls.fstatat(sourceFolder, source).stamp
        do { try SystemCalls.renameat2(sourceFolder, source, targetFolder, target, .exchange) } catch {
            guard Self.unexchangeable.contains(error.errno) else { throw error }
            return false
        }
        holdsOthers = true
        do throws(SystemError) {
            let replaced = MemberStatus(try SystemCalls.fstatat(sourceFolder, source))
            if isExpected(replaced, sourceFolder.place(of: source)) {
                holdsOthers = false
                return true
            }
            // Whoever puts something there while it goes back has that go back as well.
            repeat {
                try SystemCalls.renameat2(sourceFolder, source, targetFolder, target, .exchange)
            } while try !Self.isSame(SystemCalls.fstatat(sourceFolder, source).stamp, own)
        } catch {
            var failure = error
            holdsOthers = !giveBack(for: own)
            failure.isNewInPlace = Self.isThere(own, target, in: targetFolder)
            throw failure
        }
        holdsOthers = false
        throw SystemError(call: "renameat2", errno: ESTALE, path: targetFolder.place(of: target))
    }

    private static func isSame(_ stamp: FileStamp, _ other: FileStamp) -> Bool {
        stamp.device == other.device && stamp.inode == other.inode
    }

    private static func isThere(_ own: FileStamp, _ name: String, in folder: Folder) -> Bool {
        // What cannot be looked at is not known to be ours.
        (try? SystemCalls.fstatat(folder, name)).map { isSame($0.stamp, own) } ?? false
    }

    // MARK: What is another's and cannot be exchanged back

    /// Puts another's item back where somebody has taken ours away meanwhile, or beside what is in its place.
    ///
    /// - Returns: Whether the staging holds it no more.
    private func giveBack(for own: FileStamp) -> Bool {
        if Self.isThere(own, source, in: sourceFolder) { return true }
        if Self.isThere(own, target, in: targetFolder) {
            // Refused, it goes beside it, as below.
            try? SystemCalls.renameat2(sourceFolder, source, targetFolder, target, .exchange)
            if Self.isThere(own, source, in: sourceFolder) { return true }
        }
        // A member's folder may have been removed; the one that the whole item is in is there still.
        return giveBack(into: targetFolder) || giveBack(into: staging.site.folder)
    }

    /// - Returns: As above.
    private func giveBack(into folder: Folder) -> Bool {
        do throws(SystemError) {
            let name = try FreeName.moveNumbered(source, from: sourceFolder, to: folder, as: target)
            guard name != nil else { return false }
        } catch {
            return false
        }
        // It is where its owner finds it; he has not been told that it lasts.
        try? SystemCalls.fsync(folder.descriptor)
        return true
    }

    /// Makes the swap last through a power cut.
    func sync(hasOldVersion: Bool) throws(SystemError) {
        try SystemCalls.fsync(targetFolder.descriptor)
        if hasOldVersion { try SystemCalls.fsync(sourceFolder.descriptor) }
    }

    /// Old version out, new version in, under a journal that lets recovery finish.
    ///
    /// Every step is durable before the next begins, so that at no time both versions hang on one folder
    /// that may not have reached the disk.
    private func performInTwoSteps() throws(SystemError) {
        let folder = staging.folder
        if source != StagingFolder.nextName {
            try SystemCalls.renameat2(sourceFolder, source, folder, StagingFolder.nextName)
        }
        try SystemCalls.fsync(folder.descriptor)
        try SystemCalls.fsync(staging.site.folder.descriptor)
        do {
            try SwapJournal(target: targetPath).write(in: folder)
            try SystemCalls.renameat2(targetFolder, target, folder, StagingFolder.oldName)
            try syncBoth()
            try SystemCalls.renameat2(folder, StagingFolder.nextName, targetFolder, target)
        } catch {
            let failure = error
            try putBack()
            throw failure
        }
        do {
            try syncBoth()
            try SwapJournal.remove(from: folder)
        } catch {
            var failure = error
            failure.isNewInPlace = true
            throw failure
        }
    }

    private func putBack() throws(SystemError) {
        let folder = staging.folder
        if try SystemCalls.statusIfPresent(targetFolder, target) == nil {
            try SystemCalls.renameat2(folder, StagingFolder.oldName, targetFolder, target)
            try syncBoth()
        }
        try SwapJournal.remove(from: folder)
    }

    private func syncBoth() throws(SystemError) {
        try SystemCalls.fsync(targetFolder.descriptor)
        try SystemCalls.fsync(staging.folder.descriptor)
    }
}
