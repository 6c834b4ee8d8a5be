internal import CLinux

/// What programs that make backups are told to leave out: items that bear the flag "no dump" of chattr(1), with all that is in
/// them.
///
/// Any thread; blocks on the disk. Links are not followed.
package enum BackupExclusion {
    private static let flag = UInt32(CDOC_FLAG_NO_DUMP)

    /// Whether an item bears the flag itself.
    ///
    /// - Returns: Nil for what is neither a file nor a folder or cannot be opened, and on a volume that keeps no flags.
    package static func isMarked(_ path: FilePath) -> Bool? {
        // What cannot be asked has no answer.
        guard let file = try? SystemCalls.openToAsk(path, [.directory, .regular]),
            let flags = try? SystemCalls.flags(of: file)
        else { return nil }
        return flags & flag != 0
    }

    /// Has an item bear the flag, or not any more.
    ///
    /// - Throws: `ENOTTY` or `EOPNOTSUPP` where there is no such flag, `EPERM` or `EACCES` for who does not own the item.
    package static func set(_ isExcluded: Bool, _ path: FilePath) throws(SystemError) {
        do { try change(isExcluded, path) } catch {
            // Where nothing can be excluded, nothing is.
            guard !isExcluded, error.isUnsupported else { throw error }
        }
    }

    private static func change(_ isExcluded: Bool, _ path: FilePath) throws(SystemError) {
        let file = try SystemCalls.openToAsk(path, [.directory, .regular])
        let flags = try SystemCalls.flags(of: file)
        let wanted = isExcluded ? flags | flag : flags & ~flag
        guard wanted != flags else { return }
        try SystemCalls.setFlags(wanted, of: file)
    }
}
