internal import Sync

/// Which contents the hub was asked for, all of what belongs to them, so short a while ago that it keeps them until what needs
/// them is committed. Pure.
///
/// The hub spares what it was asked for from being released for an hour; see Docs/formats/hub.md. What an item has in the log
/// needs no asking for that item's next commit: the hub takes that only while it is so.
struct AskedContents {
    /// So long an answer counts: half of what the hub spares it for.
    static let seconds = 1800.0

    private struct Asked {
        var seconds: Double
        /// What was left out, as the log has it of the item.
        var base: ContentName?
    }

    private var asked: [ContentName: Asked] = [:]
    /// How many there may be before those that do not count any more are let go of.
    private var countMax = 1024

    /// - Parameter seconds: When the asking began, by a clock that goes on while the device sleeps.
    mutating func note(_ name: ContentName, on base: ContentName?, at seconds: Double) {
        asked[name] = Asked(seconds: seconds, base: base)
        guard asked.count > countMax else { return }
        // What was edited anew before it was committed is never asked for again.
        asked = asked.filter { seconds < $0.value.seconds + Self.seconds }
        countMax = max(1024, 2 * asked.count)
    }

    /// For how many it would say so, at most.
    var count: Int { asked.count }

    /// Whether the hub keeps contents for an item until it hears of them.
    ///
    /// - Parameter base: What the log has of the item.
    func isKept(_ name: ContentName, on base: ContentName?, now: Double) -> Bool {
        guard let asked = asked[name], now < asked.seconds + Self.seconds else { return false }
        return asked.base == nil || asked.base == base
    }

    mutating func remove(_ name: ContentName) { asked[name] = nil }
    mutating func removeAll() { asked = [:] }
}
