internal import CLinux
package import Dispatch
internal import Foundation

/// Watches any number of folders and files through one of the system's queues of events.
///
/// A user has few such queues (128 by default) and many watches, so that whoever watches several places
/// shares one queue among them. A watch is on the item that bore the path when it began, not on the path.
package final class WatchQueue: @unchecked Sendable {
    // Sendable because nothing stored changes, the kernel orders the calls on one descriptor, and a dispatch
    // source may be cancelled on any thread.
    private let inotify: OpenDescriptor
    private let source: any DispatchSourceRead

    /// One watch of a queue. An ended watch's number is not given again while the queue lives.
    package struct WatchID: Hashable, Sendable {
        fileprivate let number: CInt
    }

    /// Events that fit one read; the kernel keeps what does not.
    private static let bufferByteCount = 16 * 1024
    /// How long events are left to gather once there is one: a save is half a dozen of them within half a
    /// millisecond, and to be woken for each costs the save more than its own work.
    private static let gatherTime = DispatchTimeInterval.milliseconds(1)

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
        handler: @escaping @Sendable ([(watch: WatchID?, event: WatchEvent)]) -> Void
    ) throws(SystemError) {
        inotify = OpenDescriptor(try SystemCalls.inotify_init1(for: path))
        source = DispatchSource.makeReadSource(fileDescriptor: inotify.descriptor.raw, queue: queue)
        source.setEventHandler { [weak self] in self?.gather(on: queue, handler) }
        source.setCancelHandler { [inotify] in withExtendedLifetime(inotify) {} }
        source.resume()
    }

    deinit { source.cancel() }

    /// Begins to watch an item; one that is watched already keeps its watch.
    ///
    /// What happens after this has returned is reported.
    ///
    /// - Parameters:
    ///   - path: A folder, or a file; a symbolic link is followed.
    ///   - namesOnly: Whether only names that come and go are of interest; no use where the item is watched
    ///     for all already.
    /// - Throws: `ENOENT` when nothing is there, `ENOSPC` when the user watches too much.
    package func watch(_ path: FilePath, namesOnly: Bool = false) throws(SystemError) -> WatchID {
        let mask = (namesOnly ? WatchEvent.namesMask : WatchEvent.mask) | UInt32(IN_MASK_ADD)
        return WatchID(number: try SystemCalls.inotify_add_watch(inotify.descriptor, path, mask: mask))
    }

    /// Ends one watch. What it has seen until now is still reported.
    package func end(_ watch: WatchID) {
        SystemCalls.inotify_rm_watch(inotify.descriptor, watch.number)
    }

    /// Ends all.
    package func cancel() { source.cancel() }

    /// Keeps the descriptor open until the source has let go of it.
    private final class OpenDescriptor: Sendable {
        let descriptor: FileDescriptor

        init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
    }

    /// Reads what there is once what belongs together is there.
    private func gather(
        on queue: DispatchQueue,
        _ handler: @escaping @Sendable ([(watch: WatchID?, event: WatchEvent)]) -> Void
    ) {
        source.suspend()
        queue.asyncAfter(deadline: .now() + Self.gatherTime) { [self] in
            let events = source.isCancelled ? [] : Self.pendingEvents(inotify.descriptor)
            // Before this object can go: a suspended source cannot.
            source.resume()
            if !events.isEmpty { handler(events) }
        }
    }

    private static func pendingEvents(
        _ queue: borrowing FileDescriptor
    ) -> [(watch: WatchID?, event: WatchEvent)] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferByteCount, alignment: 8)
        defer { buffer.deallocate() }
        do {
            let byteCount = try SystemCalls.read(queue, into: buffer)
            return WatchEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<byteCount])).map {
                (watch: $0.watch < 0 ? nil : WatchID(number: $0.watch), event: $0.event)
            }
        } catch {
            // Nothing there after all; anything else means that events were lost.
            return error.errno == EAGAIN ? [] : [(watch: nil, event: WatchEvent(kind: .overflowed))]
        }
    }
}
