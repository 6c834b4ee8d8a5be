internal import FileSystem

/// What an item is called in its folder, byte for byte.
///
/// Two names may only look alike, as with an accent that is in a letter of one and after a letter of the other. To Swift they are
/// the same text; a volume has an item for each.
struct ItemName: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ItemName, right: ItemName) -> Bool { left.text.isSameInBytes(right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
