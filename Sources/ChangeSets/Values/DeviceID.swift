public import Foundation

/// Which device made a change: sixteen bytes that no other device, and no other copy of the data, has.
///
/// An app makes one when it is installed. Data restored from a backup goes on under a new one: changes are told
/// apart by device and number, and a number is never given twice.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The device that bears an identifier.
    public init(_ uuid: UUID) {
        let bytes = withUnsafeBytes(of: uuid.uuid) { Array($0) }
        high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// 32 hexadecimal digits.
    public var description: String { Self.digits(high) + Self.digits(low) }

    private static func digits(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    /// The device that `description` describes; nil for anything but 32 hexadecimal digits.
    public init?(_ description: String) {
        guard description.utf8.count == 32, description.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
            let high = UInt64(description.prefix(16), radix: 16),
            let low = UInt64(description.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// The order in which ties are broken.
    public static func < (left: DeviceID, right: DeviceID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
