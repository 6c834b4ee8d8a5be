/// What tells one item from all others, for as long as it exists and wherever it is moved. Made from random bits; those that one
/// process makes one after another may count up.
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
///
/// Names are compared byte for byte, as Linux does: to a `String` those that only look alike are one, and which do may differ from
/// one release of Unicode to the next.
public struct ItemPlace: Sendable {
    /// The folder's.
    public var parent: ItemID
    /// As it was written: names that look alike may have other bytes.
    public var name: String

    /// In a folder, under a name.
    @inlinable public init(_ parent: ItemID, _ name: String) { (self.parent, self.name) = (parent, name) }
}

extension ItemPlace: Hashable {
    /// Whether both are in one folder under the very same name.
    public static func == (left: ItemPlace, right: ItemPlace) -> Bool {
        left.parent == right.parent && left.name.hasBytes(of: right.name)
    }

    /// The same for those that are equal.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(parent)
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// All that there is to say of an item that exists.
///
/// A value of one pointer: the disk, the log and what both agreed on say the same of nearly all items, and share it.
package struct ItemState: @unchecked Sendable {
    // Sendable because nothing of a record changes once it is made.
    package enum Kind: UInt8, Hashable, Sendable {
        /// Holds other items.
        case folder
        /// Has contents: a file, a symbolic link, or a package, which is one item with all its members.
        case document
    }

    private var record: StateRecord

    package init(
        _ kind: Kind,
        at place: ItemPlace,
        content: ContentName? = nil,
        conflicts: Set<ContentName> = []
    ) {
        record = .make(kind, place, content, conflicts)
    }

    package var kind: Kind { record.kind }

    package var place: ItemPlace {
        get { ItemPlace(record.parent, record.name) }
        set { record = .make(kind, newValue, content, conflicts) }
    }

    /// The folder's that it is in.
    package var parent: ItemID { record.parent }

    /// Nil for folders only.
    package var content: ContentName? {
        get { record.content }
        set { if newValue != content { record = .make(kind, place, newValue, conflicts) } }
    }

    /// Whether its contents are known; never those of a folder.
    package var hasContent: Bool { record.withContent { $0 != nil } }

    /// Contents that lost a conflict which nobody has settled. The item's own are among them on a disk on which they are about
    /// to lose one.
    package var conflicts: Set<ContentName> {
        get { record.hasConflicts ? record.conflicts : [] }
        set { if newValue != conflicts { record = .make(kind, place, content, newValue) } }
    }

    /// Whether there are any.
    package var hasConflicts: Bool { record.hasConflicts }

    /// Contents that have lost a conflict: the item's own are no others of it until something else is in their place.
    package var lostConflicts: Set<ContentName> {
        guard hasConflicts, let content else { return conflicts }
        return conflicts.subtracting([content])
    }

    /// Whether the item's own contents are about to lose a conflict.
    package var isLosing: Bool { hasConflicts && content.map(conflicts.contains) ?? false }

    /// Its own contents do not lose a conflict any more: they have won it, or all have agreed on them.
    package mutating func endLosing() {
        if isLosing { conflicts = lostConflicts }
    }

    /// Whether its contents are others than they were: that they are about to lose a conflict makes no others of them.
    func isEdited(since base: ItemState) -> Bool {
        var ours = self
        ours.endLosing()
        return !ours.hasContents(of: base)
    }

    /// Takes no room of its own any more, if it says the very same as another.
    package mutating func share(_ other: ItemState?) {
        if let other, self == other { record = other.record }
    }

    /// Whether its name is just this, byte for byte; names that only look alike are two.
    package func isNamed(exactly name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in record.withName { $0.isEqual(to: UnsafeRawBufferPointer(bytes)) } }
    }

    /// Whether it is just this, byte for byte, without conflicts.
    ///
    /// - Parameters:
    ///   - name: In UTF-8.
    ///   - content: What `packed` gives of its name; nil for none.
    package func isJust(
        _ kind: Kind,
        in parent: ItemID,
        _ name: UnsafeRawBufferPointer,
        _ content: UnsafeRawBufferPointer?
    ) -> Bool {
        guard record.kind == kind, record.parent == parent, !record.hasConflicts else { return false }
        guard record.withName({ $0.isEqual(to: name) }) else { return false }
        return record.withContent { known in
            guard let known, let content else { return known == nil && content == nil }
            return ContentName.isStored(known, of: content)
        }
    }

    /// All contents that it needs.
    package var contents: Set<ContentName> {
        var contents = record.hasConflicts ? conflicts : []
        if let content { contents.insert(content) }
        return contents
    }

    /// Shows all contents that it needs.
    package func forEachContent(_ body: (ContentName) -> Void) {
        if let content { body(content) }
        if record.hasConflicts { record.conflicts.forEach(body) }
    }

    /// Shows the keys of all contents that it needs.
    func forEachContentKey(_ body: (ContentKey) -> Void) {
        record.withContent { if let content = $0 { body(ContentKey(content)) } }
        if record.hasConflicts { record.forEachConflict { body(ContentKey($0)) } }
    }

    /// Whether it has what another has in it, wherever the two are.
    package func hasContents(of other: ItemState) -> Bool {
        record === other.record || record.hasContents(of: other.record)
    }

    /// Whether it has the same content as another, or neither has any.
    package func hasContent(of other: ItemState) -> Bool {
        record === other.record || record.hasContent(of: other.record)
    }
}

extension ItemState: Hashable {
    package static func == (left: ItemState, right: ItemState) -> Bool {
        left.record.isIdentical(to: right.record)
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
