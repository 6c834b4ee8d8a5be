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
}
