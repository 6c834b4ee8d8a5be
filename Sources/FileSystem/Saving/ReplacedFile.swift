package import Foundation
internal import Glibc

/// A file that a save is about to replace, held open: a program that has opened it before goes on writing into
/// it, under no name, and what it writes can still be kept.
package final class ReplacedFile: Sendable {
    /// Where it was.
    package let path: FilePath
    private let descriptor: FileDescriptor
    private let before: FileStamp
    private let watch: FileEvents.Watch?

    /// Takes hold of the file at a path; nil when no regular file that may be read is there.
    ///
    /// - Parameters:
    ///   - written: Called, on any thread, when a program has closed it that could write into it.
    package init?(
        _ path: FilePath,
        events: FileEvents = .shared,
        written: @escaping @Sendable () -> Void
    ) {
        // What cannot be opened has no late writers that we could see.
        guard let file = try? SystemCalls.openat(.working, path.string, O_RDONLY | O_NONBLOCK),
            let stamp = try? SystemCalls.fstat(file).stamp, stamp.kind == .regular
        else { return nil }
        self.path = path
        before = stamp
        // Without a watch what is written late is not seen; what is written until the save has ended is.
        watch = try? events.watch(FilePath("/proc/self/fd/\(file.raw)")) { events in
            if events.contains(where: { $0.kind == .changed && $0.name == nil }) { written() }
        }
        descriptor = file
    }

    /// Whether it was written since the hold began.
    package var isWritten: Bool {
        // An open descriptor can always be asked, but on a network volume that is gone.
        guard let now = try? SystemCalls.fstat(descriptor).stamp else { return false }
        return now != before
    }

    /// Its bytes now.
    package func contents() throws(SystemError) -> Data {
        try FileReading.contents(of: FilePath("/proc/self/fd/\(descriptor.raw)"))
    }
}
