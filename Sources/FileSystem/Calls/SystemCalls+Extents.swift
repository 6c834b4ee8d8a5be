internal import CLinux
internal import Glibc

extension SystemCalls {
    /// openat(2) of an item itself, to ask its volume about it.
    ///
    /// - Parameter kinds: What it may be. To open a device can set it going.
    /// - Throws: `EOPNOTSUPP` for what is of no such kind.
    static func openToAsk(
        _ path: FilePath,
        _ kinds: Set<FileStamp.Kind>
    ) throws(SystemError) -> FileDescriptor {
        let kind = try fstatat(.working, path.string).stamp.kind
        guard kinds.contains(kind) else {
            throw SystemError(call: "openat", errno: EOPNOTSUPP, path: path)
        }
        // O_NONBLOCK as it may be a pipe by now, which nobody writes to.
        return try openat(.working, path.string, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
    }

    /// ioctl(2) with FS_IOC_FIEMAP: the pieces of a file, one after another.
    ///
    /// - Parameters:
    ///   - byteCount: Up to where, from the beginning.
    ///   - syncs: Whether what is written and not on the volume yet goes there first.
    ///   - body: Told each piece; false ends it.
    /// - Throws: `EOPNOTSUPP` where the volume does not tell.
    static func forEachExtent(
        of file: borrowing FileDescriptor,
        byteCount: UInt64,
        syncs: Bool,
        _ body: (cdoc_extent) -> Bool
    ) throws(SystemError) {
        let raw = file.raw
        var extents = [cdoc_extent](repeating: cdoc_extent(), count: Int(CDOC_EXTENTS_MAX))
        var offset: UInt64 = 0
        while offset < byteCount {
            let rest = byteCount - offset
            let count = try perform("ioctl_fiemap", at: file.path) {
                cdoc_extents(raw, offset, rest, syncs ? 1 : 0, &extents)
            }
            var end = offset
            for extent in extents.prefix(Int(count)) {
                guard body(extent), extent.flags & UInt32(CDOC_EXTENT_LAST) == 0 else { return }
                end = extent.offset &+ extent.byte_count
            }
            // None are left.
            guard end > offset else { return }
            offset = end
        }
    }

    /// lseek(2) with SEEK_DATA: whether there is anything in a file that is not a hole. Where it is read next is not what it was.
    static func hasData(_ file: borrowing FileDescriptor) throws(SystemError) -> Bool {
        let raw = file.raw
        do {
            _ = try perform("lseek", at: file.path) { Glibc.lseek(raw, 0, CInt(CDOC_SEEK_DATA)) }
            return true
        } catch {
            guard error.errno == ENXIO else { throw error }
            return false
        }
    }

    /// ioctl_iflags(2): the flags that the volume keeps for an item.
    ///
    /// - Throws: `ENOTTY` or `EOPNOTSUPP` where it keeps none.
    static func flags(of file: borrowing FileDescriptor) throws(SystemError) -> UInt32 {
        var flags: UInt32 = 0
        let raw = file.raw
        _ = try perform("ioctl_iflags", at: file.path) { cdoc_flags(raw, &flags) }
        return flags
    }

    /// ioctl_iflags(2): has the volume keep other flags for an item.
    ///
    /// - Throws: `EOPNOTSUPP` where it cannot, `EPERM` or `EACCES` for who does not own the item.
    static func setFlags(_ flags: UInt32, of file: borrowing FileDescriptor) throws(SystemError) {
        let raw = file.raw
        _ = try perform("ioctl_iflags", at: file.path, effect: .setAttributes(file: raw)) {
            cdoc_set_flags(raw, flags)
        }
    }
}
