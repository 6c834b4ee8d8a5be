/// When a change was made: a wall clock's milliseconds, and a count for what happened within one.
///
/// A change that has seen another one is always later than it, whatever the devices' clocks say (hybrid logical
/// clocks: Kulkarni, Demirbas and others, 2014). Changes that have not seen each other are ordered by their wall
/// clocks, as people expect.
public struct HybridTime: Hashable, Comparable, Sendable {
    /// 48 bits of milliseconds since 1970 above 16 bits of count.
    package let bits: UInt64

    /// The last time that a change may bear, in the year 4199. Later ones are given by no clock and taken from nobody.
    package static let bitsMax: UInt64 = 1 << 62
    /// A wall clock that is later than the year 3084 counts as this: one in microseconds, say. From here to the last time
    /// there is room for more changes than anybody makes.
    private static let millisecondsMax: UInt64 = 1 << 45

    package init(bits: UInt64) {
        self.bits = bits
    }

    /// - Parameters:
    ///   - milliseconds: Since the start of 1970. More than 2^45 counts as that.
    ///   - count: What tells the times of one millisecond apart.
    public init(milliseconds: UInt64, count: UInt16 = 0) {
        bits = min(milliseconds, Self.millisecondsMax) << 16 | UInt64(count)
    }

    /// Milliseconds since the start of 1970.
    public var milliseconds: UInt64 { bits >> 16 }

    /// What tells the times of one millisecond apart.
    public var count: UInt16 { UInt16(truncatingIfNeeded: bits) }

    /// Whether one time is before the other.
    public static func < (left: HybridTime, right: HybridTime) -> Bool { left.bits < right.bits }
}

/// Gives the times of one device's changes; never the same twice, never one before what it has seen.
package struct HybridClock: Hashable, Sendable {
    /// The latest time that it gave or saw.
    package private(set) var last = HybridTime(bits: 0)

    /// A clock that has seen nothing.
    package init() {}

    /// The time of a change made now.
    ///
    /// - Parameter milliseconds: The wall clock's, since 1970. A clock that was set back does no harm.
    /// - Throws: `beyondLimit` when the last time of all was seen: none is later.
    package mutating func next(milliseconds: UInt64) throws(ChangeSetError) -> HybridTime {
        guard last.bits < HybridTime.bitsMax else {
            let limit = Int(HybridTime(bits: HybridTime.bitsMax).milliseconds)
            throw .beyondLimit("milliseconds since 1970 of a change after all that were seen", limit)
        }
        // A full count runs over into the milliseconds.
        last = max(HybridTime(milliseconds: milliseconds), HybridTime(bits: last.bits + 1))
        return last
    }

    /// Notes a time that another device gave.
    package mutating func observe(_ time: HybridTime) {
        last = max(last, time)
    }
}
