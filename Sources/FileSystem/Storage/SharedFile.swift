internal import Glibc

// One file under two names: in a store's folder, and where a person has it. What is written under either name is in both.
extension StorageFolder {
    /// What tells that a file has no second name to give, or not to us: beside what tells so everywhere, one that has no name
    /// any more, or a system without `/proc`.
    private static let unshareable = FileCopying.unlinkable.union([ENOENT, EACCES])

    /// Gives an open file of somebody's a second name here.
    ///
    /// - Returns: Whether it has it now: false for what is on another volume, or is another user's.
    /// - Throws: `EEXIST` when the name is taken.
    package func link(_ file: SourceFile, as name: String) throws(SystemError) -> Bool {
        do { try file.link(in: folder, as: name) } catch {
            guard Self.unshareable.contains(error.errno) else { throw error }
            return false
        }
        return true
    }

    /// Gives a file of this folder, which nobody else has, its second name elsewhere.
    ///
    /// - Returns: Whether it has it now, and has these two alone: two documents share no file.
    /// - Throws: `EEXIST` when the name is taken.
    package func share(
        _ name: String,
        as target: String,
        in targetFolder: StorageFolder
    ) throws(SystemError) -> Bool {
        guard try linkCount(of: name) == 1 else { return false }
        do { try SystemCalls.linkat(folder, name, targetFolder.folder, target) } catch {
            guard Self.unshareable.contains(error.errno) else { throw error }
            return false
        }
        // Another may have done the same in this moment: then neither has it, or one of the two.
        guard try linkCount(of: name) == 2 else {
            try targetFolder.remove(target)
            return false
        }
        return true
    }

    /// How many names a file has, here and elsewhere; 0 for what is not there.
    package func linkCount(of name: String) throws(SystemError) -> UInt64 {
        try SystemCalls.statusIfPresent(folder, name)?.linkCount ?? 0
    }
}
