/// What an object of the vault is called by: the keyed hash of its kind and its plain bytes.
///
/// Equal bytes have one name, and nobody without the vault's key can tell from a name what it stands for.
package struct ObjectName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// How many bytes a name has.
    package static let byteCount = 32

    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// A name with all bytes zero, to be filled.
    init() {
        words = (0, 0, 0, 0)
    }

    /// Nil unless there are 32 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init()
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
    }

    /// Takes the first 32 bytes of what there are.
    init(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= Self.byteCount, "a name of \(bytes.count) bytes")
        words = bytes.loadUnaligned(as: (UInt64, UInt64, UInt64, UInt64).self)
    }

    /// By their bytes, the first of most weight.
    package static func < (left: ObjectName, right: ObjectName) -> Bool {
        func order(_ name: ObjectName) -> (UInt64, UInt64, UInt64, UInt64) {
            let words = name.words
            return (
                UInt64(bigEndian: words.0), UInt64(bigEndian: words.1), UInt64(bigEndian: words.2),
                UInt64(bigEndian: words.3)
            )
        }
        return order(left) < order(right)
    }

    /// Shows the bytes.
    func withBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try withUnsafeBytes(of: words, body)
    }

    /// Lets the bytes be filled.
    mutating func fill<Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try withUnsafeMutableBytes(of: &words, body)
    }

    /// The bytes.
    package var bytes: [UInt8] { withBytes { [UInt8]($0) } }

    /// The first byte, as random as any.
    var firstByte: UInt8 { withBytes { $0[0] } }

    package static func == (left: ObjectName, right: ObjectName) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
    }

    /// In hexadecimal.
    package var description: String { bytes.hexadecimal }
}

/// What an object is; a part of its name.
package enum ObjectKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A piece of a file.
    case chunk = 1
    /// The pieces of a file, or lists of them, in order.
    case list = 2
    /// The members of a folder, or the parts of a large one.
    case folder = 3
    /// One former state of a document.
    case version = 4
    /// What became of versions: removed, resolved.
    case note = 5
}

extension Collection<UInt8> {
    /// Two digits a byte.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(count * 2)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
