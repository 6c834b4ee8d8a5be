/// What is somewhere in a folder tree.
package protocol Placed {
    /// Where it is; nil for nowhere now.
    var listedPlace: ItemPlace? { get }
}

/// Values by item, found also by where the items are, and by their folder. Several may be at one place.
package struct PlacedItems<Value: Placed> {
    /// The values by item.
    package private(set) var all = ItemMap<Value>()
    private var places = RowIndex()
    /// The rows of one folder are chained, the one that came last first. By row.
    private var chain: [Link] = []
    /// Where the chain of a folder begins that has members.
    private var firsts: [ItemID: UInt32] = [:]

    private struct Link {
        /// Rows and one more; 0 for none.
        var next: UInt32 = 0
        var former: UInt32 = 0
    }

    package init() {}

    package init(_ all: ItemMap<Value>) {
        self.all = all
        places.reserveCapacity(all.count)
        chain = [Link](repeating: Link(), count: all.count)
        for row in 0..<all.count { link(row) }
    }

    package var count: Int { all.count }
    package var isEmpty: Bool { all.isEmpty }
    package var keys: [ItemID] { all.keys }
    package var values: [Value] { all.values }

    /// Makes room for so many.
    package mutating func reserveCapacity(_ count: Int) {
        all.reserveCapacity(count)
        places.reserveCapacity(count)
        chain.reserveCapacity(count)
    }

    package subscript(item: ItemID) -> Value? {
        get { all[item] }
        set {
            guard let row = all.row(of: item) else {
                guard let newValue else { return }
                all[item] = newValue
                chain.append(Link())
                return link(all.count - 1)
            }
            guard let newValue else { return remove(row) }
            let isPlacedAnew = newValue.listedPlace != all.values[row].listedPlace
            if isPlacedAnew { unlink(row) }
            all.set(newValue, atRow: row)
            if isPlacedAnew { link(row) }
        }
    }

    /// The items at a place, in no order; names that look alike are one.
    package func items(at place: ItemPlace) -> [ItemID] {
        var items: [ItemID] = []
        _ = places.row(Self.hash(place)) { row in
            if all.values[row].listedPlace == place { items.append(all.keys[row]) }
            return false
        }
        return items
    }

    /// One of the items at a place that is as wanted.
    package func item(at place: ItemPlace, where isWanted: (ItemID, Value) -> Bool = { _, _ in true }) -> ItemID? {
        places.row(Self.hash(place)) { row in
            all.values[row].listedPlace == place && isWanted(all.keys[row], all.values[row])
        }.map { all.keys[$0] }
    }

    package func hasMembers(_ folder: ItemID) -> Bool { firsts[folder] != nil }

    /// The items in a folder, in no order.
    package func members(of folder: ItemID) -> [ItemID] {
        var members: [ItemID] = []
        var at = firsts[folder] ?? 0
        while at != 0 {
            members.append(all.keys[Int(at) - 1])
            at = chain[Int(at) - 1].next
        }
        return members
    }

    /// Changes values, but not where they are.
    package mutating func updateInPlace(_ body: (ItemID, inout Value) -> Void) { all.updateEach(body) }

    private static func hash(_ place: ItemPlace) -> UInt32 {
        UInt32(truncatingIfNeeded: place.hashValue)
    }

    // MARK: Rows

    private mutating func remove(_ row: Int) {
        let last = all.count - 1
        unlink(row)
        if row != last { unlink(last) }
        all.remove(atRow: row)
        chain.removeLast()
        if row != last { link(row) }
    }

    private mutating func link(_ row: Int) {
        guard let place = all.values[row].listedPlace else { return }
        places.insert(row, hash: Self.hash(place))
        let (number, next) = (UInt32(row + 1), firsts[place.parent] ?? 0)
        chain[row] = Link(next: next)
        if next != 0 { chain[Int(next) - 1].former = number }
        firsts[place.parent] = number
    }

    private mutating func unlink(_ row: Int) {
        guard let place = all.values[row].listedPlace else { return }
        places.remove(row, hash: Self.hash(place))
        let link = chain[row]
        if link.next != 0 { chain[Int(link.next) - 1].former = link.former }
        if link.former != 0 {
            chain[Int(link.former) - 1].next = link.next
        } else {
            firsts[place.parent] = link.next == 0 ? nil : link.next
        }
        chain[row] = Link()
    }
}

extension PlacedItems: Sendable where Value: Sendable {}

extension PlacedItems: Sequence {
    package func makeIterator() -> ItemMap<Value>.Iterator { all.makeIterator() }
}

extension PlacedItems: Equatable where Value: Equatable {
    package static func == (one: Self, other: Self) -> Bool { one.all == other.all }
}

extension PlacedItems: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

extension ItemState: Placed {
    package var listedPlace: ItemPlace? { place }
}
