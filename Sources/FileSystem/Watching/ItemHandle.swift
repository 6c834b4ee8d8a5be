internal import CLinux
internal import Glibc

/// A hold on an item, wherever it is moved on its volume: tells where it is now.
///
/// It keeps an open descriptor, which neither reads nor locks (O_PATH of open(2)). An item that is removed
/// keeps its blocks, and a volume cannot be unmounted, until the hold goes.
package final class ItemHandle: Sendable {
    private let descriptor: FileDescriptor
    /// Where the item was when the hold began, with symbolic links resolved.
    package let firstPlace: FilePath?

    /// Takes hold of what is at a path; a symbolic link is followed.
    package init(_ path: FilePath) throws(SystemError) {
        descriptor = try SystemCalls.openat(.working, path.string, CInt(CDOC_O_PATH))
        firstPlace = Self.place(of: descriptor)
    }

    /// Where the item is now; nil when no name leads to it any more.
    package var place: FilePath? { Self.place(of: descriptor) }

    /// What the item looks like now, wherever it is.
    package var stamp: FileStamp? { status?.stamp }

    /// All that the system says of the item. Of one that is gone, the change is its removal.
    var status: FileStatus? {
        // An open descriptor can always be asked, but on a network volume that is gone.
        try? SystemCalls.fstat(descriptor)
    }

    /// Opens the item for reading, also when no name leads to it any more.
    func open() throws(SystemError) -> FileDescriptor {
        try SystemCalls.openat(.working, "/proc/self/fd/\(descriptor.raw)", O_RDONLY)
    }

    private static func place(of descriptor: borrowing FileDescriptor) -> FilePath? {
        // proc(5) shows the path, and says so when the item has been removed.
        guard
            let text = try? SystemCalls.readProcessLink("/proc/self/fd/\(descriptor.raw)"),
            text.hasPrefix("/")
        else { return nil }
        let isPlain = !text.hasSuffix(deletedMark)
        // A name may end like the mark: then an item of that name is there.
        guard isPlain || isSame(descriptor, text) else { return nil }
        return FilePath(text)
    }

    private static func isSame(_ descriptor: borrowing FileDescriptor, _ path: String) -> Bool {
        // Whatever cannot be asked is not the same.
        guard let own = try? SystemCalls.fstat(descriptor),
            let found = try? SystemCalls.fstatat(.working, path)
        else { return false }
        return own.isSameItem(as: found)
    }

    private static let deletedMark = " (deleted)"
}
