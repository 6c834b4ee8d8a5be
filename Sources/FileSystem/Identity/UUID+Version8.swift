package import Foundation
internal import Synchronization

extension UUID {
    /// How many this process has made, from a random number on.
    private static let count = Atomic<UInt64>(.random(in: 0 ... .max))

    /// A UUID of version 8, RFC 9562: 60 bits that count up from a random number, then 62 random ones.
    ///
    /// Those that a process makes one after another stand side by side: a table in their order is written to in few places by
    /// many of them. Nothing tells when they were made.
    package static func version8() -> UUID {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        let high = (number >> 12) << 16 | 0x8000 | number & 0xfff
        let low = UInt64.random(in: 0 ... .max) & (.max >> 2) | 1 << 63
        return UUID(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
    }
}
