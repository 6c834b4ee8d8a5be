internal import CLinux
internal import Foundation
internal import Glibc

extension SystemCalls {
    /// inotify_init1(2): a queue of events, read without blocking.
    static func inotify_init1(for path: FilePath) throws(SystemError) -> FileDescriptor {
        let raw = try perform("inotify_init1", at: path) {
            CLinux.inotify_init1(CInt(bitPattern: UInt32(O_CLOEXEC | O_NONBLOCK)))
        }
        return FileDescriptor(owning: raw, path: path)
    }

    /// inotify_add_watch(2): the number of the watch.
    static func inotify_add_watch(
        _ queue: borrowing FileDescriptor,
        _ path: FilePath,
        mask: UInt32
    ) throws(SystemError) -> CInt {
        let raw = queue.raw
        return try perform("inotify_add_watch", at: path) {
            CLinux.inotify_add_watch(raw, path.string, mask)
        }
    }

    /// inotify_rm_watch(2). It fails only for a watch that has ended by itself.
    static func inotify_rm_watch(_ queue: borrowing FileDescriptor, _ watch: CInt) {
        _ = CLinux.inotify_rm_watch(queue.raw, watch)
    }

    /// poll(2) for what is urgent in one of the kernel's files, as a change of the table of mounts is; proc(5).
    ///
    /// - Returns: False when the kernel tells nothing of the kind.
    static func waitForChange(_ file: borrowing FileDescriptor) -> Bool {
        var wanted = pollfd(fd: file.raw, events: Int16(POLLPRI), revents: 0)
        while Glibc.poll(&wanted, 1, -1) < 0 {
            guard errno == EINTR else { return false }
        }
        return wanted.revents & Int16(POLLPRI) != 0
    }

    /// fanotify_init(2): a queue that tells names, items and processes, read without blocking, with any number
    /// of marks.
    ///
    /// - Throws: `EPERM` without `CAP_SYS_ADMIN`, `EINVAL` on a kernel before 5.17.
    static func fanotify_init(for path: FilePath) throws(SystemError) -> FileDescriptor {
        let flags = [
            FAN_CLASS_NOTIF, FAN_CLOEXEC, FAN_NONBLOCK, FAN_UNLIMITED_MARKS, FAN_REPORT_FID,
            FAN_REPORT_DIR_FID, FAN_REPORT_NAME, FAN_REPORT_TARGET_FID,
        ].reduce(UInt32(0)) { $0 | UInt32(bitPattern: $1) }
        let raw = try perform("fanotify_init", at: path) {
            CLinux.fanotify_init(flags, UInt32(bitPattern: O_RDONLY))
        }
        return FileDescriptor(owning: raw, path: path)
    }

    /// fcntl(2) with F_SETLEASE: whether anybody has a file open for writing that is open here for reading alone.
    ///
    /// - Throws: `EACCES` of somebody else's file, `EINVAL` on a volume without leases.
    static func isWritten(_ file: borrowing FileDescriptor) throws(SystemError) -> Bool {
        let raw = file.raw
        return try perform("fcntl", at: file.path) { cdoc_is_written(raw) } == 1
    }

    /// fanotify_mark(2) of a folder open with `O_PATH`; what is asked already stays asked.
    ///
    /// - Throws: `EXDEV`, `ENODEV` or `EOPNOTSUPP` where the volume has no handles, or several numbers.
    static func fanotify_mark(
        _ queue: borrowing FileDescriptor,
        _ folder: borrowing FileDescriptor,
        mask: UInt64
    ) throws(SystemError) {
        let (queue, raw) = (queue.raw, folder.raw)
        let flags = UInt32(bitPattern: FAN_MARK_ADD | FAN_MARK_ONLYDIR)
        _ = try perform("fanotify_mark", at: folder.path) {
            CLinux.fanotify_mark(queue, flags, mask, raw, ".")
        }
    }

    /// fanotify_mark(2): asks nothing of a folder any more. It fails only where nothing was asked.
    static func fanotify_unmark(
        _ queue: borrowing FileDescriptor,
        _ folder: borrowing FileDescriptor,
        mask: UInt64
    ) {
        _ = CLinux.fanotify_mark(queue.raw, UInt32(bitPattern: FAN_MARK_REMOVE), mask, folder.raw, ".")
    }
}
