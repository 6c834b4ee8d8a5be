/// What a member of a package is called, byte for byte.
///
/// To Swift two texts are one that differ in the form of their signs alone, an accent in a letter or after it. A volume has an item
/// for each, and so has a package.
public struct MemberName: Hashable, Comparable, Sendable {
    /// The name as text.
    public let text: String

    /// A name of these bytes.
    public init(_ text: String) { self.text = text }

    /// Whether both are the same bytes.
    public static func == (left: MemberName, right: MemberName) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Whether one's bytes come before the other's: the same order on every device.
    public static func < (left: MemberName, right: MemberName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension MemberName: ExpressibleByStringLiteral, CustomStringConvertible {
    /// A name of these bytes.
    public init(stringLiteral text: String) { self.text = text }

    /// The name as text.
    public var description: String { text }
}
