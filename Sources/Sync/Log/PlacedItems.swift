/// What is somewhere in a folder tree.
public protocol Placed {
    /// Where it is; nil for nowhere now.
    var listedPlace: ItemPlace? { get }
    /// What else it is found by; nil for nothing.
    var listedKey: ItemID? { get }
    /// Whether any value has a key.
    static var hasKeys: Bool { get }
}

extension Placed {
    /// Nothing.
    @inlinable public var listedKey: ItemID? { nil }
    /// None has.
    @inlinable public static var hasKeys: Bool { false }
}

/// Values by item, found also by where the items are, by their folder, and by a key. Several may be at one place, and have one
/// key.
public struct PlacedItems<Value: Placed> {
    @usableFromInline var rows = ItemMap<Value>()
    @usableFromInline var places = RowIndex()
    @usableFromInline var keyed = RowIndex()
    /// The rows of one folder are chained, the one that came last first. By row.
    @usableFromInline var chain: [Link] = []
    /// Where the chain of a folder begins that has members.
    @usableFromInline var firsts: [ItemID: UInt32] = [:]

    @usableFromInline struct Link: Sendable {
        /// Rows and one more; 0 for none.
        @usableFromInline var next: UInt32 = 0
        @usableFromInline var former: UInt32 = 0

        @inlinable init(next: UInt32 = 0) { self.next = next }
    }

    /// Nothing.
    @inlinable public init() {}

    /// Makes out where the items of values are.
    @inlinable public init(_ all: ItemMap<Value>) {
        rows = all
        reserveIndexes(rows.count)
        chain = [Link](repeating: Link(), count: rows.count)
        for row in 0..<rows.count {
            link(row)
            takeKey(row)
        }
    }

    /// The values by item.
    @inlinable public var all: ItemMap<Value> { rows }
    /// How many items have a value.
    @inlinable public var count: Int { rows.count }
    /// Whether no item has one.
    @inlinable public var isEmpty: Bool { rows.isEmpty }
    /// The items that have one.
    @inlinable public var keys: [ItemID] { rows.keys }
    /// The values, in the order of the items.
    @inlinable public var values: [Value] { rows.values }

    /// Makes room for so many.
    @inlinable public mutating func reserveCapacity(_ count: Int) {
        rows.reserveCapacity(count)
        reserveIndexes(count)
        chain.reserveCapacity(count)
    }

    @inlinable mutating func reserveIndexes(_ count: Int) {
        let values = rows.all
        places.reserveCapacity(count) { Self.placeHash(values[$0]) }
        if Value.hasKeys { keyed.reserveCapacity(count) { Self.keyHash(values[$0]) } }
    }

    /// The value of an item; nil for none.
    @inlinable public subscript(item: ItemID) -> Value? {
        get { rows[item] }
        set {
            guard let row = rows.row(of: item) else {
                guard let newValue else { return }
                rows[item] = newValue
                chain.append(Link())
                link(rows.count - 1)
                return takeKey(rows.count - 1)
            }
            guard let newValue else {
                remove(row)
                // Much may have gone through it.
                if isEmpty, chain.capacity > ItemMap<Value>.keptCapacity { self = Self() }
                return
            }
            let isPlacedAnew = newValue.listedPlace != rows.all[row].listedPlace
            if isPlacedAnew { unlink(row) }
            giveUpKey(row)
            rows.set(newValue, atRow: row)
            if isPlacedAnew { link(row) }
            takeKey(row)
        }
    }

    /// One of the items that have a key that is as wanted.
    @inlinable public func item(
        keyed key: ItemID,
        where isWanted: (Value) -> Bool = { _ in true }
    ) -> ItemID? {
        // In place: to copy a value may take longer than to look at it.
        rows.all.withUnsafeBufferPointer { values in
            keyed.row(ItemMap<Value>.hash(key)) { values[$0].listedKey == key && isWanted(values[$0]) }
        }.map { rows.items[$0] }
    }

    /// The items that have a key, in no order.
    @inlinable public func items(keyed key: ItemID) -> [ItemID] {
        var items: [ItemID] = []
        _ = keyed.row(ItemMap<Value>.hash(key)) { row in
            if rows.all[row].listedKey == key { items.append(rows.items[row]) }
            return false
        }
        return items
    }

    /// The items at a place, in no order.
    @inlinable public func items(at place: ItemPlace) -> [ItemID] {
        var items: [ItemID] = []
        _ = places.row(Self.hash(place)) { row in
            if rows.all[row].listedPlace == place { items.append(rows.items[row]) }
            return false
        }
        return items
    }

    /// One of the items at a place that is as wanted.
    @inlinable public func item(
        at place: ItemPlace,
        where isWanted: (ItemID, Value) -> Bool = { _, _ in true }
    ) -> ItemID? {
        rows.all.withUnsafeBufferPointer { values in
            places.row(Self.hash(place)) { row in
                values[row].listedPlace == place && isWanted(rows.items[row], values[row])
            }
        }.map { rows.items[$0] }
    }

    /// Whether any item is in a folder.
    @inlinable public func hasMembers(_ folder: ItemID) -> Bool { firsts[folder] != nil }

    /// The items in a folder, in no order.
    @inlinable public func members(of folder: ItemID) -> [ItemID] {
        var members: [ItemID] = []
        var at = firsts[folder] ?? 0
        while at != 0 {
            members.append(rows.items[Int(at) - 1])
            at = chain[Int(at) - 1].next
        }
        return members
    }

    /// Changes values, but not where they are, nor their keys.
    @inlinable public mutating func updateInPlace(_ body: (ItemID, inout Value) -> Void) {
        rows.updateEach { body($1, &$2) }
    }

    @inlinable static func hash(_ place: ItemPlace) -> UInt32 {
        UInt32(truncatingIfNeeded: place.hashValue)
    }

    // MARK: Rows

    /// What the row of a value that has a place is found by.
    @inlinable static func placeHash(_ value: Value) -> UInt32 {
        if let place = value.listedPlace { hash(place) } else { 0 }
    }

    /// What the row of a value that has a key is found by.
    @inlinable static func keyHash(_ value: Value) -> UInt32 {
        if let key = value.listedKey { ItemMap<Value>.hash(key) } else { 0 }
    }

    @inlinable mutating func remove(_ row: Int) {
        let last = rows.count - 1
        unlink(row)
        giveUpKey(row)
        var isKeyed = false
        if row != last {
            unlink(last)
            isKeyed = giveUpKey(last)
        }
        rows.remove(atRow: row)
        chain.removeLast()
        if row != last { link(row) }
        if isKeyed { takeKey(row) }
    }

    /// Has the value in a row found by its key.
    @inlinable mutating func takeKey(_ row: Int) {
        guard rows.all[row].listedKey != nil else { return }
        let values = rows.all
        keyed.insert(row) { Self.keyHash(values[$0]) }
    }

    /// - Returns: Whether the value in a row was found by its key.
    @discardableResult
    @inlinable mutating func giveUpKey(_ row: Int) -> Bool {
        rows.all[row].listedKey.map { keyed.remove(row, hash: ItemMap<Value>.hash($0)) } ?? false
    }

    @inlinable mutating func link(_ row: Int) {
        guard let place = rows.all[row].listedPlace else { return }
        let values = rows.all
        places.insert(row) { Self.placeHash(values[$0]) }
        let (number, next) = (UInt32(row + 1), firsts[place.parent] ?? 0)
        chain[row] = Link(next: next)
        if next != 0 { chain[Int(next) - 1].former = number }
        firsts[place.parent] = number
    }

    @inlinable mutating func unlink(_ row: Int) {
        guard let place = rows.all[row].listedPlace else { return }
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
    /// Begins to go through items and values.
    @inlinable public func makeIterator() -> ItemMap<Value>.Iterator { all.makeIterator() }
}

extension PlacedItems: Equatable where Value: Equatable {
    /// Whether two have the same values for the same items.
    @inlinable public static func == (one: Self, other: Self) -> Bool { one.all == other.all }
}

extension PlacedItems: Hashable where Value: Hashable {
    /// The same for those that are equal.
    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

extension ItemState: Placed {
    package var listedPlace: ItemPlace? { place }
}
