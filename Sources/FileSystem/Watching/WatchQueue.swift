internal import CLinux
package import Dispatch
internal import Foundation

/// Watches any number of folders and files through one of the system's queues of events.
///
/// A user has few such queues (128 by default) and many watches, so that whoever watches several places
/// shares one queue among them. A watch is on the item that bore the path when it began, not on the path.
package final class WatchQueue: EventSource, @unchecked Sendable {
    // Sendable because nothing stored changes, the kernel orders the calls on one descriptor, and a dispatch
    // source may be cancelled on any thread.
    private let inotify: OpenDescriptor
    private let source: any DispatchSourceRead

    /// Events that fit one read; the kernel keeps what does not.
    private static let bufferByteCount = 16 * 1024

    /// Opens a queue that watches nothing yet.
    ///
    /// - Parameters:
    ///   - path: What is going to be watched, for the error.
    ///   - queue: Where `handler` is called. A serial queue keeps the order of events.
    ///   - handler: Gets what happened, in order, one or more events at a time, each with its watch; an
    ///     overflow has none. It may call anything. Not called after `cancel()` returned on the same serial
    ///     queue.
    /// - Throws: `EMFILE` when too many queues are open.
    package init(
        for path: FilePath,
        on queue: DispatchQueue,
        handler: @escaping EventReceiver
    ) throws(SystemError) {
        inotify = OpenDescriptor(try SystemCalls.inotify_init1(for: path))
        source = Self.makeSource(inotify, on: queue, handler)
        source.resume()
    }

    deinit { source.cancel() }

    /// - Throws: `ENOENT` when nothing is there, `ENOSPC` when the user watches too much.
    package func watch(_ path: FilePath, namesOnly: Bool = false) throws(SystemError) -> WatchID {
        try watch(path, mask: namesOnly ? WatchEvent.namesMask : WatchEvent.mask)
    }

    /// Watches for the end of a folder alone: `selfDeleted` comes when it is removed, or its volume goes.
    func watchEnd(_ path: FilePath) throws(SystemError) -> WatchID {
        try watch(path, mask: UInt32(IN_DELETE_SELF))
    }

    private func watch(_ path: FilePath, mask: UInt32) throws(SystemError) -> WatchID {
        let added = mask | UInt32(IN_MASK_ADD)
        let number = try SystemCalls.inotify_add_watch(inotify.descriptor, path, mask: added)
        return WatchID(means: .inotify, number: Int(number))
    }

    package func end(_ watch: WatchID) {
        SystemCalls.inotify_rm_watch(inotify.descriptor, CInt(watch.number))
    }

    /// Ends all.
    package func cancel() { source.cancel() }

    /// Keeps the descriptor open until the source has let go of it.
    private final class OpenDescriptor: Sendable {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    private static func makeSource(
        _ inotify: OpenDescriptor,
        on queue: DispatchQueue,
        _ handler: @escaping EventReceiver
    ) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: inotify.descriptor.raw, queue: queue)
        source.setEventHandler {
            let events = pendingEvents(inotify.descriptor)
            if !events.isEmpty { handler(events) }
        }
        source.setCancelHandler { withExtendedLifetime(inotify) {} }
        return source
    }

    private static func pendingEvents(
        _ queue: borrowing FileDescriptor
    ) -> [(watch: WatchID?, event: WatchEvent)] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferByteCount, alignment: 8)
        defer { buffer.deallocate() }
        do {
            let byteCount = try SystemCalls.read(queue, into: buffer)
            return WatchEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<byteCount])).map {
                (
                    watch: $0.watch < 0 ? nil : WatchID(means: .inotify, number: Int($0.watch)),
                    event: $0.event
                )
            }
        } catch {
            // Nothing there after all; anything else means that events were lost.
            return error.errno == EAGAIN ? [] : [(watch: nil, event: WatchEvent(kind: .overflowed))]
        }
    }
}
