/// When a change was made: a wall clock's milliseconds, and a count for what happened within one.
///
/// A change that has seen another one is always later than it, whatever the devices' clocks say (hybrid logical
/// clocks: Kulkarni, Demirbas and others, 2014). Changes that have not seen each other are ordered by their wall
/// clocks, as people expect.
public struct HybridTime: Hashable, Comparable, Sendable {
    /// 48 bits of milliseconds since 1970 above 16 bits of count.
    package let bits: UInt64

    /// Times of the year 6429 and later are taken from nobody: they would leave the clock no room.
    package static let bitsMax: UInt64 = (1 << 63) - 1

    package init(bits: UInt64) {
        self.bits = bits
    }

    /// - Parameters:
    ///   - milliseconds: Since the start of 1970, at most 2^47.
    ///   - count: What tells the times of one millisecond apart.
    public init(milliseconds: UInt64, count: UInt16 = 0) {
        bits = min(milliseconds, Self.bitsMax >> 16) << 16 | UInt64(count)
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
    package mutating func next(milliseconds: UInt64) -> HybridTime {
        // A full count runs over into the milliseconds.
        last = max(HybridTime(milliseconds: milliseconds), HybridTime(bits: last.bits + 1))
        return last
    }

    /// Notes a time that another device gave.
    package mutating func observe(_ time: HybridTime) {
        last = max(last, time)
    }
}
