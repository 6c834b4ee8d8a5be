package import Dispatch
internal import Foundation

/// Watches one folder and its members, or one file, for as long as it lives.
///
/// Not what is deeper: a watch sees the names in its folder. The watch is on the item that bore the path when
/// it began, not on the path: what is later renamed to the path is not seen, except by a watch on the folder.
package final class DirectoryWatch: @unchecked Sendable {
    // Sendable because nothing stored changes, and a dispatch source may be cancelled on any thread.
    /// What is watched.
    package let path: FilePath
    private let source: any DispatchSourceRead

    /// Events that fit one read; the kernel keeps what does not.
    private static let bufferByteCount = 16 * 1024

    /// Begins to watch.
    ///
    /// What happens after this has returned is reported.
    ///
    /// - Parameters:
    ///   - path: A folder, or a file; a symbolic link is followed.
    ///   - queue: Where `handler` is called. A serial queue keeps the order of events.
    ///   - handler: Gets what happened, in order, one or more events at a time. It may call anything. Not
    ///     called after `cancel()` returned on the same serial queue.
    /// - Throws: `ENOENT` when nothing is there, `ENOSPC` when the user watches too much, `EMFILE` when too
    ///   many queues are open.
    package init(
        _ path: FilePath,
        on queue: DispatchQueue,
        handler: @escaping @Sendable ([WatchEvent]) -> Void
    ) throws(SystemError) {
        self.path = path
        let inotify = OpenQueue(try SystemCalls.inotify_init1(for: path))
        try SystemCalls.inotify_add_watch(inotify.descriptor, path, mask: WatchEvent.mask)
        source = Self.makeSource(inotify, on: queue, handler)
        source.resume()
    }

    deinit { source.cancel() }

    /// Ends the watch.
    package func cancel() { source.cancel() }

    /// Keeps the descriptor open until the source has let go of it.
    private final class OpenQueue: Sendable {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    private static func makeSource(
        _ inotify: OpenQueue,
        on queue: DispatchQueue,
        _ handler: @escaping @Sendable ([WatchEvent]) -> Void
    ) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: inotify.descriptor.raw, queue: queue)
        source.setEventHandler {
            let events = pendingEvents(inotify.descriptor)
            if !events.isEmpty { handler(events) }
        }
        source.setCancelHandler { withExtendedLifetime(inotify) {} }
        return source
    }

    private static func pendingEvents(_ queue: borrowing FileDescriptor) -> [WatchEvent] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferByteCount, alignment: 8)
        defer { buffer.deallocate() }
        do {
            let byteCount = try SystemCalls.read(queue, into: buffer)
            return WatchEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<byteCount]))
        } catch {
            // Nothing there after all; anything else means that events were lost.
            return error.errno == EAGAIN ? [] : [WatchEvent(kind: .overflowed)]
        }
    }
}
