/// What a container's log comes to, read to some position: the items that exist, and where each is.
///
/// Every device reads the same entries in the same order and so has the same tree. What cannot stand together is put
/// right when the later of two entries is read, and nothing that a person has made goes by it:
///
/// 1. A name that is taken: the newcomer gets the next free name, "Letter 2.txt".
/// 2. A move into what is inside the item itself: the item stays where it was.
/// 3. An item in a folder that was removed: the folder is there again, with the folders above it.
/// 4. A folder removed that is not empty: it stays.
package struct ContainerTree: Hashable, Sendable {
    private struct Node: Hashable, Sendable, Placed {
        var state: ItemState
        /// The last commit, twice, and one more if the item exists: it takes no room of its own then.
        private var mark: LogPosition

        init(_ state: ItemState, exists: Bool, revision: LogPosition) {
            (self.state, mark) = (state, revision << 1 | (exists ? 1 : 0))
        }

        var exists: Bool {
            get { mark & 1 == 1 }
            set { mark = revision << 1 | (newValue ? 1 : 0) }
        }

        var revision: LogPosition {
            get { mark >> 1 }
            set { mark = newValue << 1 | mark & 1 }
        }

        var listedPlace: ItemPlace? { exists ? state.place : nil }
    }

    private var nodes = PlacedItems<Node>()
    /// How many items exist.
    package private(set) var itemCount = 0
    /// How far the log has been read.
    package private(set) var position: LogPosition = 0

    package init() {}

    /// Makes room for so many items.
    mutating func reserveCapacity(_ count: Int) { nodes.reserveCapacity(count) }

    /// The item, if it exists.
    package subscript(item: ItemID) -> ItemState? {
        guard let node = nodes[item], node.exists else { return nil }
        return node.state
    }

    /// The last commit about an item, whether or not that exists; 0 for none.
    package func revision(of item: ItemID) -> LogPosition { nodes[item]?.revision ?? 0 }

    /// Where an item is, or was when it was removed.
    package func lastPlace(of item: ItemID) -> ItemPlace? { nodes[item]?.state.place }

    package func children(of folder: ItemID) -> [ItemID] { nodes.members(of: folder) }

    package func item(at place: ItemPlace) -> ItemID? { nodes.item(at: place) }

    /// Shows all items that exist, in no order.
    package func forEach(_ body: (ItemID, ItemState) -> Void) {
        for (item, node) in nodes where node.exists { body(item, node.state) }
    }

    /// All items that exist.
    package var items: ItemMap<ItemState> { nodes.all.compactMapValues { $0.exists ? $0.state : nil } }

    /// Reads the next entry.
    ///
    /// - Returns: The items that are others now, or exist no more, or do now.
    package mutating func read(_ entry: LogEntry) -> [ItemID] {
        precondition(entry.position == position + 1, "a log is read in order")
        position = entry.position
        let item = entry.commit.item
        nodes[item]?.revision = position
        guard let state = entry.commit.state else { return remove(item) }
        guard var place = resolved(state.place, for: item) else { return [item] }
        var changed = revive(place.parent)
        // Its own name is free for it.
        if nodes[item]?.exists == true { nodes[item]?.exists = false } else { itemCount += 1 }
        place.name = freeName(place)
        var placed = state
        // Mostly it is where its commit says, and what says so is shared with that.
        if place.parent != state.parent || !state.isNamed(exactly: place.name) { placed.place = place }
        nodes[item] = Node(placed, exists: true, revision: position)
        changed.append(item)
        return changed
    }

    /// Where a commit's item is to be: where it was, if it would be inside itself. Nil for nowhere: such a commit was
    /// made by no device of ours.
    private func resolved(_ place: ItemPlace, for item: ItemID) -> ItemPlace? {
        guard item != .root else { return nil }
        let isKnown = place.parent == .root || nodes[place.parent]?.state.kind == .folder
        guard isKnown, !isInside(place.parent, item) else { return nodes[item]?.state.place }
        return place
    }

    /// Whether an item is another, or in it at any depth.
    private func isInside(_ item: ItemID, _ other: ItemID) -> Bool {
        var at = item
        while at != .root {
            if at == other { return true }
            guard let up = nodes[at]?.state.parent else { return false }
            at = up
        }
        return false
    }

    private mutating func remove(_ item: ItemID) -> [ItemID] {
        guard nodes[item]?.exists == true, !nodes.hasMembers(item) else { return [item] }
        nodes[item]?.exists = false
        itemCount -= 1
        return [item]
    }

    /// Has a folder exist, and those above it.
    private mutating func revive(_ folder: ItemID) -> [ItemID] {
        guard folder != .root, var node = nodes[folder], !node.exists else { return [] }
        let changed = revive(node.state.parent)
        node.exists = true
        itemCount += 1
        node.state.place.name = freeName(node.state.place)
        nodes[folder] = node
        return changed + [folder]
    }

    private func freeName(_ place: ItemPlace) -> String {
        guard item(at: place) != nil else { return place.name }
        var number = 2
        while true {
            let name = Self.numbered(place.name, number)
            if item(at: ItemPlace(place.parent, name)) == nil { return name }
            number += 1
        }
    }

    /// No volume has longer names.
    private static let nameByteCountMax = 255

    /// "Letter.txt" becomes "Letter 2.txt", ".profile" becomes ".profile 2". Of what would be too long for any volume the end
    /// goes before the number.
    package static func numbered(_ name: String, _ number: Int) -> String {
        var dot = name.lastIndex(of: ".") ?? name.endIndex
        if dot == name.startIndex || name[dot...].utf8.count > nameByteCountMax / 2 { dot = name.endIndex }
        let rest = " \(number)\(name[dot...])"
        var stem = name[..<dot]
        // What is one sign on a screen is another matter in each release of Unicode; this is the same on all devices.
        while stem.utf8.count + rest.utf8.count > nameByteCountMax { stem.unicodeScalars.removeLast() }
        return stem + rest
    }
}
