internal import CLinux
package import Dispatch
internal import Foundation

/// Watches any number of folders and files through one of the system's queues of events.
///
/// A user has few such queues (128 by default) and many watches, so that whoever watches several places
/// shares one queue among them. A watch is on the item that bore the path when it began, not on the path.
package final class WatchQueue: EventSource {
    // The kernel orders the calls on one descriptor.
    private let reader: EventReader

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
        reader = EventReader(try SystemCalls.inotify_init1(for: path), on: queue) { inotify in
            let events = Self.pendingEvents(inotify)
            if !events.isEmpty { handler(events) }
        }
    }

    /// - Throws: `ENOENT` when nothing is there, `ENOSPC` when the user watches too much.
    package func watch(
        _ path: FilePath,
        namesOnly: Bool = false,
        tellsWrites: Bool = false
    ) throws(SystemError) -> WatchID {
        let mask = namesOnly ? WatchEvent.namesMask : WatchEvent.mask
        return try watch(path, mask: tellsWrites ? mask | WatchEvent.writesMask : mask)
    }

    /// Watches for the end of a folder alone: `selfDeleted` comes when it is removed, or its volume goes.
    func watchEnd(_ path: FilePath) throws(SystemError) -> WatchID {
        try watch(path, mask: UInt32(IN_DELETE_SELF))
    }

    private func watch(_ path: FilePath, mask: UInt32) throws(SystemError) -> WatchID {
        let added = mask | UInt32(IN_MASK_ADD)
        let number = try reader.withDescriptor { inotify throws(SystemError) in
            try SystemCalls.inotify_add_watch(inotify, path, mask: added)
        }
        return WatchID(means: .inotify, number: Int(number))
    }

    package func end(_ watch: WatchID) {
        reader.withDescriptor { SystemCalls.inotify_rm_watch($0, CInt(watch.number)) }
    }

    /// Ends all.
    package func cancel() { reader.cancel() }

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
