package import Dispatch
internal import Locks

/// Watches one folder and its members, or one file, for as long as it lives.
///
/// Not what is deeper: a watch sees the names in its folder. The watch is on the item that bore the path when
/// it began, not on the path: what is later renamed to the path is not seen, except by a watch on the folder.
package final class DirectoryWatch: Sendable {
    /// What is watched.
    package let path: FilePath
    private let watch: FileEvents.Watch
    private let isEnded: Locked<Bool>
    /// Equal for all that watch one item.
    package var id: WatchID { watch.id }

    /// Begins to watch.
    ///
    /// What happens after this has returned is reported.
    ///
    /// - Parameters:
    ///   - path: A folder, or a file; a symbolic link is followed.
    ///   - tellsWrites: Whether each write is told, too.
    ///   - queue: Where `handler` is called. A serial queue keeps the order of events.
    ///   - handler: Gets what happened, in order, one or more events at a time. It may call anything. Not
    ///     called after `cancel()` returned on the same serial queue.
    /// - Throws: `ENOENT` when nothing is there, `ENOSPC` when the user watches too much, `EMFILE` when too
    ///   many of the system's queues are open.
    package init(
        _ path: FilePath,
        tellsWrites: Bool = false,
        on queue: DispatchQueue,
        handler: @escaping @Sendable ([WatchEvent]) -> Void
    ) throws(SystemError) {
        self.path = path
        let isEnded = Locked(false)
        self.isEnded = isEnded
        watch = try FileEvents.shared.watch(path, tellsWrites: tellsWrites) { events in
            queue.async { if !isEnded.withLock({ $0 }) { handler(events) } }
        }
    }

    deinit { cancel() }

    /// Ends the watch.
    package func cancel() { isEnded.withLock { $0 = true } }
}
