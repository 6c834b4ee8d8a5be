/// What a container's log comes to, read to some position: the items that exist, and where each is.
///
/// Every device reads the same entries in the same order and so has the same tree. What cannot stand together is put
/// right when the later of two entries is read, and nothing that a person has made goes by it:
///
/// 1. A name that is taken: the newcomer gets the next free name, "Letter 2.txt". One that is equal to what has the name, a folder
///    where there is a folder, or the same contents, and made by another device, was made without knowing of that: it is that from
///    then on.
/// 2. A move into what is inside the item itself: the item stays where it was.
/// 3. An item in a folder that was removed: the folder is there again, with the folders above it.
/// 4. A folder removed that is not empty: it stays.
package struct ContainerTree: Hashable, Sendable {
    private struct Node: Hashable, Sendable, Placed {
        var state: ItemState
        /// The last commit, who has made the item, and whether it exists: these take no room of their own then.
        private var mark: LogPosition

        /// - Parameter maker: The number of the device by which it came to be.
        init(_ state: ItemState, exists: Bool, revision: LogPosition, maker: UInt16) {
            (self.state, mark) = (state, revision << 17 | LogPosition(maker) << 1 | (exists ? 1 : 0))
        }

        var exists: Bool {
            get { mark & 1 == 1 }
            set { mark = mark & ~1 | (newValue ? 1 : 0) }
        }

        var maker: UInt16 { UInt16(truncatingIfNeeded: mark >> 1) }

        var revision: LogPosition {
            get { mark >> 17 }
            set { mark = newValue << 17 | mark & 0x1FFFF }
        }

        var listedPlace: ItemPlace? { exists ? state.place : nil }
    }

    private var nodes = PlacedItems<Node>()
    /// What items are that came to be where their equals were.
    private var united: [ItemID: ItemID] = [:]
    /// Devices are numbered as they come; those that come when there are no numbers any more have the last.
    private var makers: [DeviceID: UInt16] = [:]
    /// How many items exist.
    package private(set) var itemCount = 0
    /// How far the log has been read.
    package private(set) var position: LogPosition = 0

    package init() {}

    /// Makes room for so many items.
    mutating func reserveCapacity(_ count: Int) { nodes.reserveCapacity(count) }

    /// The item, if it exists.
    package subscript(item: ItemID) -> ItemState? {
        // In place: the compiler copies the tree for a call.
        @inline(__always) get {
            guard let node = nodes[item], node.exists else { return nil }
            return node.state
        }
    }

    /// The last commit about an item, whether or not that exists; 0 for none.
    @inline(__always) package func revision(of item: ItemID) -> LogPosition { nodes[item]?.revision ?? 0 }

    /// Where an item is, or was when it was removed.
    package func lastPlace(of item: ItemID) -> ItemPlace? { nodes[item]?.state.place }

    /// The item that another is, which was made where an equal one was; nil for one that is itself, and once that is no more.
    package func successor(of item: ItemID) -> ItemID? {
        let other = identity(of: item)
        guard other != item, nodes[other]?.exists == true else { return nil }
        return other
    }

    /// Whether an item came to be where an equal one was, and is none of its own since.
    @inline(__always) package func isUnited(_ item: ItemID) -> Bool { united[item] != nil }

    /// What an item is by now that has been united with others.
    package func identity(of item: ItemID) -> ItemID {
        var at = item
        while let next = united[at] { at = next }
        return at
    }

    /// How an item is, or was when it was removed.
    package func lastState(of item: ItemID) -> ItemState? { nodes[item]?.state }

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
        let maker = number(of: entry.commit.id.device)
        if let other = equal(to: state, at: place, for: item, by: maker) {
            var state = state
            state.place = place
            nodes[item] = Node(state, exists: false, revision: position, maker: maker)
            united[item] = other
            return [item]
        }
        united[item] = nil
        var changed = revive(place.parent)
        // Its own name is free for it.
        let former = nodes[item].flatMap { $0.exists ? $0 : nil }
        if former != nil { nodes[item]?.exists = false } else { itemCount += 1 }
        place.name = freeName(place)
        var placed = state
        // Mostly it is where its commit says, and what says so is shared with that.
        if place.parent != state.parent || !state.isNamed(exactly: place.name) { placed.place = place }
        nodes[item] = Node(placed, exists: true, revision: position, maker: former?.maker ?? maker)
        changed.append(item)
        return changed
    }

    private mutating func number(of device: DeviceID) -> UInt16 {
        if let number = makers[device] { return number }
        let number = UInt16(min(makers.count, Int(UInt16.max)))
        makers[device] = number
        return number
    }

    /// The item that an item which comes to be is, as it is where that is; nil for none.
    private func equal(
        to state: ItemState,
        at place: ItemPlace,
        for item: ItemID,
        by maker: UInt16
    ) -> ItemID? {
        // Who has made both knows what he does.
        guard nodes[item]?.exists != true, let other = self.item(at: place), nodes[other]?.maker != maker,
            let there = nodes[other]?.state, there.kind == state.kind, there.hasContent(of: state),
            state.kind == .folder || state.hasContent,
            state.conflicts.isSubset(of: there.conflicts)
        else { return nil }
        return other
    }

    /// Where a commit's item is to be: where it was, if it would be inside itself. Nil for nowhere: such a commit was
    /// made by no device of ours.
    private func resolved(_ place: ItemPlace, for item: ItemID) -> ItemPlace? {
        guard item != .root else { return nil }
        let place = ItemPlace(identity(of: place.parent), place.name)
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
        // What was in it before it came to be where its equal was has it back as itself: nobody is another, and there, too.
        united[folder] = nil
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
        // What is one sign on a screen is another matter in each release of Unicode; bytes are the same on all devices.
        var dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        if dot == name.startIndex || name.utf8[dot...].count > nameByteCountMax / 2 { dot = name.endIndex }
        let rest = " \(number)\(name[dot...])"
        var stem = name[..<dot]
        while stem.utf8.count + rest.utf8.count > nameByteCountMax { stem.unicodeScalars.removeLast() }
        return stem + rest
    }
}
