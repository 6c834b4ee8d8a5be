/// One watch of a queue. An ended watch's number is not given again while the queue lives.
package struct WatchID: Hashable, Sendable {
    /// The kind of queue.
    enum Means: Hashable, Sendable { case inotify, fanotify }

    let means: Means
    let number: Int
}

/// Gets what happened to watched items, in order, one or more events at a time, each with its watch; an
/// overflow has none.
package typealias EventReceiver = @Sendable ([(watch: WatchID?, event: WatchEvent)]) -> Void

/// A queue of the system's that tells what happens to watched items, in order.
protocol EventSource: Sendable {
    /// Begins to watch an item; one that is watched already keeps its watch.
    ///
    /// What happens after this has returned is reported.
    ///
    /// - Parameters:
    ///   - path: What to watch; a symbolic link is followed.
    ///   - namesOnly: Whether only names that come and go are of interest; no use where the item is watched
    ///     for all already.
    ///   - tellsWrites: Whether each write is of interest, too.
    func watch(_ path: FilePath, namesOnly: Bool, tellsWrites: Bool) throws(SystemError) -> WatchID

    /// Ends one watch. What it has seen until now may still be reported.
    func end(_ watch: WatchID)
}
