/// What tells one item from all others, for as long as it exists and wherever it is moved. Made from random bits.
public struct ItemID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The first half of the bits.
    public let high: UInt64
    /// The second half.
    public let low: UInt64

    /// Of two halves.
    @inlinable public init(_ high: UInt64, _ low: UInt64) { (self.high, self.low) = (high, low) }

    /// The folder that holds all others of a container. It is always there, and nobody changes it.
    public static let root = ItemID(0, 0)

    /// An order without a meaning, the same everywhere.
    @inlinable public static func < (left: ItemID, right: ItemID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }

    /// Of the second half: the bits are random, and half of them tell items apart as well as all do.
    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(low) }

    /// Tables of items are what the engine is made of, and one number is hashed several times as fast as whatever goes
    /// through a hasher.
    @inlinable public func _rawHashValue(seed: Int) -> Int { low._rawHashValue(seed: seed) }

    /// Short, for people who look at logs.
    public var description: String { self == .root ? "root" : String(low, radix: 36) }
}

/// Where an item is: in which folder, under which name.
public struct ItemPlace: Hashable, Sendable {
    /// The folder's.
    public var parent: ItemID
    /// As it was written: names that look alike may have other bytes.
    public var name: String

    /// In a folder, under a name.
    @inlinable public init(_ parent: ItemID, _ name: String) { (self.parent, self.name) = (parent, name) }
}

/// All that there is to say of an item that exists.
///
/// A value of one pointer: the disk, the log and what both agreed on say the same of nearly all items, and share it.
package struct ItemState: Sendable {
    package enum Kind: Hashable, Sendable {
        /// Holds other items.
        case folder
        /// Has contents: a file, a symbolic link, or a package, which is one item with all its members.
        case document
    }

    private final class Parts: Sendable {
        let kind: Kind
        let place: ItemPlace
        let content: ContentName?
        let conflicts: Set<ContentName>

        init(_ kind: Kind, _ place: ItemPlace, _ content: ContentName?, _ conflicts: Set<ContentName>) {
            (self.kind, self.place, self.content, self.conflicts) = (kind, place, content, conflicts)
        }
    }

    private var parts: Parts

    package init(
        _ kind: Kind,
        at place: ItemPlace,
        content: ContentName? = nil,
        conflicts: Set<ContentName> = []
    ) {
        parts = Parts(kind, place, content, conflicts)
    }

    package var kind: Kind { parts.kind }

    package var place: ItemPlace {
        get { parts.place }
        set { parts = Parts(kind, newValue, content, conflicts) }
    }

    /// Nil for folders only.
    package var content: ContentName? {
        get { parts.content }
        set { if newValue != content { parts = Parts(kind, place, newValue, conflicts) } }
    }

    /// Contents that lost a conflict which nobody has settled.
    package var conflicts: Set<ContentName> {
        get { parts.conflicts }
        set { if newValue != conflicts { parts = Parts(kind, place, content, newValue) } }
    }

    /// Takes no room of its own any more, if it says the very same as another.
    package mutating func share(_ other: ItemState?) {
        guard let other, self == other, place.name.utf8.elementsEqual(other.place.name.utf8) else { return }
        parts = other.parts
    }

    /// All contents that it needs.
    package var contents: Set<ContentName> { conflicts.union(content.map { [$0] } ?? []) }

    /// Shows all contents that it needs.
    package func forEachContent(_ body: (ContentName) -> Void) {
        if let content { body(content) }
        for content in conflicts { body(content) }
    }

    /// Whether it has what another has in it, wherever the two are.
    package func hasContents(of other: ItemState) -> Bool {
        content == other.content && conflicts == other.conflicts
    }
}

extension ItemState: Hashable {
    package static func == (left: ItemState, right: ItemState) -> Bool {
        let (left, right) = (left.parts, right.parts)
        return left === right
            || left.kind == right.kind && left.content == right.content && left.place == right.place
                && left.conflicts == right.conflicts
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(place)
        hasher.combine(content)
        hasher.combine(conflicts)
    }
}

extension ItemState: CustomStringConvertible {
    /// Short, for people who look at stories.
    package var description: String {
        let against = conflicts.isEmpty ? "" : " against \(conflicts.map(\.value).sorted())"
        let what = kind == .folder ? "folder" : content?.value ?? "unread"
        return "\(place.name) in \(place.parent): \(what)\(against)"
    }
}
