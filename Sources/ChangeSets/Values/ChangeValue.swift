/// What a property holds.
public enum ChangeValue: Hashable, Sendable {
    /// No value.
    case none
    /// Yes or no.
    case flag(Bool)
    /// A whole number.
    case integer(Int64)
    /// A number; told apart by its bits, so that every value equals itself.
    case real(RealBits)
    /// Text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])
    /// Values in an order.
    case list([ChangeValue])

    /// A number that is equal to another one when its bits are.
    public struct RealBits: Hashable, Sendable {
        /// The number.
        public let number: Double

        /// A number to be told apart by its bits.
        public init(_ number: Double) {
            self.number = number
        }

        /// Whether the bits are the same.
        public static func == (left: RealBits, right: RealBits) -> Bool {
            left.number.bitPattern == right.number.bitPattern
        }

        /// Feeds the bits.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(number.bitPattern)
        }
    }

    /// A number.
    public static func real(_ number: Double) -> ChangeValue { .real(RealBits(number)) }

    /// How deep lists may lie in each other.
    public static let depthMax = 16

    /// Whether two values are the same to the last byte: texts that look the same may differ in their scalars.
    static func isIdentical(_ left: ChangeValue, _ right: ChangeValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isIdentical($0, $1) }
        default: left == right
        }
    }

    /// How many lists lie in each other; 0 for what is no list.
    var depth: Int {
        guard case .list(let values) = self else { return 0 }
        return 1 + (values.lazy.map(\.depth).max() ?? 0)
    }

    /// An order of all values that is the same on every device.
    static func precedes(_ left: ChangeValue, _ right: ChangeValue) -> Bool {
        var (first, second) = (ByteWriter(), ByteWriter())
        first.value(left)
        second.value(right)
        return first.bytes.lexicographicallyPrecedes(second.bytes)
    }
}
