/// When a connection counts as dead whose other side says nothing any more.
///
/// A line that is slow is not dead: what arrives over it is acknowledged, however late, by the other side's system, and that
/// also where the server there is busy and takes nothing for minutes.
struct Liveness: Sendable {
    /// So long nothing comes before the system asks the other side's whether it is there.
    var idleSeconds = 12
    /// So often it asks again then. Linux gives up after nine times, unless it was set up otherwise.
    var probeSeconds = 1
    /// So long it may take until the other side's system says a word where something was sent.
    var unheardSeconds = 20.0
}
