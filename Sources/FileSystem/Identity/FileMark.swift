package import Foundation

/// A name that a file bears in an extended attribute, given once and kept through moves and saves.
///
/// Sixteen random bytes. A copy made with its attributes bears the mark of its original.
package struct FileMark: Hashable, Sendable, CustomStringConvertible {
    /// The sixteen bytes.
    package let bytes: Data

    /// How many bytes a mark has.
    package static let byteCount = 16
    /// The extended attribute that holds it.
    package static let attributeName = "user.sheaf.identity"

    /// Nil unless there are sixteen bytes.
    package init?(bytes: Data) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Data(bytes)
    }

    /// The bytes of a UUID.
    package init(_ uuid: UUID) {
        bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
    }

    /// In hexadecimal.
    package var description: String {
        // A format would take ten times as long, and every look at a note asks for this.
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
