package import Foundation

/// A name that a file bears in an extended attribute, given once and kept through moves and saves.
///
/// Sixteen bytes that no other is given. A copy made with its attributes bears the mark of its original.
package struct FileMark: Hashable, Sendable, CustomStringConvertible {
    /// The first half of the bits.
    package let high: UInt64
    /// The second half.
    package let low: UInt64

    /// How many bytes a mark has.
    package static let byteCount = 16
    /// The extended attribute that holds it.
    package static let attributeName = "user.sheaf.identity"

    /// Whether an extended attribute is the user's, and no mark.
    static func isUsersOwn(_ name: String) -> Bool { name.hasPrefix("user.") && name != attributeName }

    /// Of two halves.
    package init(_ high: UInt64, _ low: UInt64) { (self.high, self.low) = (high, low) }

    /// Nil unless there are sixteen bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var raw: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &raw) { $0.copyBytes(from: bytes) }
        self.init(UInt64(bigEndian: raw.0), UInt64(bigEndian: raw.1))
    }

    /// The bytes of a UUID.
    package init(_ uuid: UUID) {
        let raw = withUnsafeBytes(of: uuid.uuid) { $0.loadUnaligned(as: (UInt64, UInt64).self) }
        self.init(UInt64(bigEndian: raw.0), UInt64(bigEndian: raw.1))
    }

    /// One that no file bears.
    package static func fresh() -> FileMark { FileMark(.version8()) }

    /// Whether its first half is a number that counts up.
    var isCounted: Bool { high >> 12 & 0xf == 8 }

    /// The sixteen bytes.
    package var bytes: [UInt8] { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { [UInt8]($0) } }

    /// In hexadecimal.
    package var description: String {
        // A format would take ten times as long, and every look at a note asks for this.
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
