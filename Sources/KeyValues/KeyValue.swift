/// What a key of the key-value store holds: what a property list can say.
package enum KeyValue: Hashable, Sendable {
    case flag(Bool)
    case integer(Int64)
    case real(RealBits)
    /// Seconds since the start of 2001.
    case date(RealBits)
    case text(String)
    case bytes([UInt8])
    case list([KeyValue])
    case table([String: KeyValue])

    /// How deep lists and tables may lie in each other.
    package static let depthMax = 64

    /// A number that is equal to another one when its bits are, so that every value equals itself.
    package struct RealBits: Hashable, Sendable {
        package let number: Double

        package init(_ number: Double) { self.number = number }

        package static func == (left: RealBits, right: RealBits) -> Bool {
            left.number.bitPattern == right.number.bitPattern
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(number.bitPattern) }
    }
}
