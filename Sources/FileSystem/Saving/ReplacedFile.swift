package import Foundation
internal import Glibc
internal import Locks

/// A file that is about to be replaced or removed, held open: a program that has opened it before goes on
/// writing into it, under no name, and what it writes can still be kept.
package final class ReplacedFile: Sendable {
    /// Where it was.
    package let path: FilePath
    private let descriptor: FileDescriptor
    private let before: FileStamp
    /// Whether a program had it open for writing, or mapped to memory that it writes, when the hold began; nil where the kernel does
    /// not tell.
    package let wasOpenForWriting: Bool?
    private let watch = Locked<FileEvents.Watch?>(nil)

    /// Takes hold of the file at a path; nil when no regular file that may be read is there.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - followsSymbolicLink: Whether a link is taken for what it leads to. What replaces the link itself
    ///     leaves that alone, and what others write there is their own.
    ///   - isExpected: Whether what is there is what is to be held.
    package init?(
        _ path: FilePath,
        followsSymbolicLink: Bool,
        if isExpected: (FileStamp) -> Bool = { _ in true }
    ) {
        let flags = O_RDONLY | O_NONBLOCK | (followsSymbolicLink ? 0 : O_NOFOLLOW)
        // What cannot be opened has no late writers that we could see.
        guard let file = try? SystemCalls.openat(.working, path.string, flags),
            let stamp = try? SystemCalls.fstat(file).stamp, stamp.kind == .regular, isExpected(stamp)
        else { return nil }
        self.path = path
        before = stamp
        wasOpenForWriting = try? SystemCalls.isWritten(file)
        descriptor = file
    }

    /// Has a block called, on any thread, when a program closes the file that could write into it. What was
    /// written until now `isWritten` tells.
    package func watch(_ events: FileEvents = .shared, written: @escaping @Sendable () -> Void) {
        // Without a watch what is written from now on is seen when the hold ends.
        let new = try? events.watch(FilePath("/proc/self/fd/\(descriptor.raw)")) { events in
            if events.contains(where: { $0.kind == .changed && $0.name == nil }) { written() }
        }
        watch.withLock { $0 = new }
    }

    /// Whether it was written since the hold began.
    package var isWritten: Bool { isWritten(since: before) }

    /// Whether it was written since it looked as it did.
    package func isWritten(since stamp: FileStamp) -> Bool {
        // An open descriptor can always be asked, but on a network volume that is gone.
        guard let now = try? SystemCalls.fstat(descriptor).stamp else { return false }
        return now != stamp
    }

    /// Whether it is the same file as another one.
    package func isSame(as other: ReplacedFile) -> Bool {
        before.device == other.before.device && before.inode == other.before.inode
    }

    /// Whether a program has it open for writing still, or mapped to memory that it writes.
    ///
    /// Nil where the kernel does not tell: of somebody else's file, or on a volume without leases.
    package var isOpenForWriting: Bool? { try? SystemCalls.isWritten(descriptor) }

    /// How many bytes it had when the hold began.
    package var byteCountBefore: Int64 { before.byteCount }

    /// How many names it still has.
    package var nameCount: UInt64 {
        get throws(SystemError) { try SystemCalls.fstat(descriptor).linkCount }
    }

    /// Its bytes now, all of them in memory: for what is known to be no larger than its owner has in memory, too.
    package func contents() throws(SystemError) -> Data {
        try FileReading.contents(of: FilePath(descriptorPath))
    }

    /// Puts a copy of its bytes where nothing is yet, however many they are: the volume shares them or the kernel copies them,
    /// else they go through memory a piece at a time.
    ///
    /// Nobody but the owner may read the copy. Nothing is synced.
    ///
    /// - Returns: How it looked before the first byte was copied. What is written meanwhile is in the copy or not, and shows as
    ///   written since.
    package func copy(toFree target: FilePath) throws(SystemError) -> FileStamp {
        let stamp = try SystemCalls.fstat(descriptor).stamp
        // Opened once more, it is read from its beginning, each time.
        let source = try SystemCalls.openat(.working, descriptorPath, O_RDONLY | O_NONBLOCK)
        let folder = try Folder.open(target.parent)
        let copy = try SystemCalls.openat(folder, target.name, O_CREAT | O_WRONLY, permissions: 0o600)
        do { try FileCopying.copyBytes(from: source, to: copy) } catch {
            // The first error is what the caller must know; a file that cannot be removed stays behind.
            try? SystemCalls.unlinkat(folder, target.name)
            throw error
        }
        return stamp
    }

    private var descriptorPath: String { "/proc/self/fd/\(descriptor.raw)" }
}
