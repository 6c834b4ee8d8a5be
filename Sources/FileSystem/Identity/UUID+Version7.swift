package import Foundation
internal import Glibc

extension UUID {
    /// A UUID of version 7, RFC 9562: milliseconds since 1970, then random bits.
    ///
    /// Those that are made one after another stand near each other: a table in their order is written to in few places by many
    /// of them. A clock that is wrong puts them elsewhere, and does no other harm.
    package static func version7() -> UUID {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = UInt64(bitPattern: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000)
        let high = milliseconds << 16 | 0x7000 | .random(in: 0...0xfff)
        let low = UInt64.random(in: 0 ... .max) & (.max >> 2) | 1 << 63
        return UUID(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
    }
}
