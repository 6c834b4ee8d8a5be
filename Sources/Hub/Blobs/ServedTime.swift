/// For how long a hub's blobs have been served, over all its processes: the time by which what was released is kept for a while
/// and goes then.
///
/// No clock that somebody sets, and none that begins in 1970, lets anything go too early. Time in which no hub runs does not
/// count, nor what went by unwritten before a kill: what is released stays the longer for it.
struct ServedTime: Sendable {
    private let before: Int
    private let begun: Double
    private let uptime: @Sendable () -> Double

    /// - Parameters:
    ///   - before: What is written down of the processes before this one, in seconds.
    ///   - uptime: Seconds by a clock that never goes back.
    init(after before: Int, uptime: @escaping @Sendable () -> Double) {
        (self.before, begun, self.uptime) = (before, uptime(), uptime)
    }

    var seconds: Int { before + Int(uptime() - begun) }
}
