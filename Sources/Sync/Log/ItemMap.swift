/// Values by item. As a dictionary, but made for what identifiers of items are, random bits, and for many of them: keys and
/// values lie one behind the other, in rows, and only small numbers are spread out to be found by.
///
/// Its order is of no meaning; it follows from what was put in and taken out alone.
///
/// Public like all that it needs, though nobody outside sees this module: the compiler makes generic code anew for the types of
/// another module only where it is.
public struct ItemMap<Value> {
    @usableFromInline var items: [ItemID] = []
    @usableFromInline var all: [Value] = []
    @usableFromInline var index = RowIndex()

    /// An empty one.
    @inlinable public init() {}

    /// How many items have a value.
    @inlinable public var count: Int { items.count }
    /// Whether no item has one.
    @inlinable public var isEmpty: Bool { items.isEmpty }
    /// The items that have one.
    @inlinable public var keys: [ItemID] { items }
    /// The values, in the order of the items.
    @inlinable public var values: [Value] { all }

    /// Makes room for so many.
    @inlinable public mutating func reserveCapacity(_ count: Int) {
        items.reserveCapacity(count)
        all.reserveCapacity(count)
        let items = items
        index.reserveCapacity(count) { Self.hash(items[$0]) }
    }

    /// The value of an item; nil for none.
    @inlinable public subscript(item: ItemID) -> Value? {
        get { row(of: item).map { all[$0] } }
        set {
            switch (row(of: item), newValue) {
            case (let row?, let value?): all[row] = value
            case (let row?, nil):
                remove(atRow: row)
                // Much may have gone through it.
                if isEmpty, items.capacity > Self.keptCapacity { self = Self() }
            case (nil, let value?): append(item, value)
            case (nil, nil): break
            }
        }
    }

    // MARK: Rows

    /// An empty one keeps room for no more.
    @inlinable static var keptCapacity: Int { 1024 }

    /// In which row an item is: one of `count`.
    @inlinable func row(of item: ItemID) -> Int? {
        index.row(Self.hash(item)) { items[$0] == item }
    }

    /// Puts another value into a row.
    @inlinable mutating func set(_ value: Value, atRow row: Int) { all[row] = value }

    /// Takes a row out; the last one takes its place.
    @inlinable mutating func remove(atRow row: Int) {
        let last = items.count - 1
        index.remove(row, hash: Self.hash(items[row]))
        if row != last {
            index.remove(last, hash: Self.hash(items[last]))
            items.swapAt(row, last)
            all.swapAt(row, last)
            insert(row)
        }
        items.removeLast()
        all.removeLast()
    }

    /// Changes each value where it is, in the order of the rows.
    @inlinable public mutating func updateEach(_ body: (_ row: Int, ItemID, inout Value) -> Void) {
        for row in all.indices { body(row, items[row], &all[row]) }
    }

    @inlinable static func hash(_ item: ItemID) -> UInt32 {
        UInt32(truncatingIfNeeded: (item.low &* ItemHash.factor) >> 32)
    }

    @inlinable mutating func append(_ item: ItemID, _ value: Value) {
        items.append(item)
        all.append(value)
        insert(items.count - 1)
    }

    @inlinable mutating func insert(_ row: Int) {
        let items = items
        index.insert(row) { Self.hash(items[$0]) }
    }
}

/// Whoever makes identifiers cannot make them all belong to one place: that differs from process to process.
@usableFromInline enum ItemHash {
    @usableFromInline static let factor = UInt64.random(in: 0...UInt64.max) | 1
}

extension ItemMap: Sendable where Value: Sendable {}

extension ItemMap: Sequence {
    /// Goes through items and values.
    public struct Iterator: IteratorProtocol {
        @usableFromInline let map: ItemMap
        @usableFromInline var index = 0

        @inlinable init(_ map: ItemMap) { self.map = map }

        /// The next item and its value; nil at the end.
        @inlinable public mutating func next() -> (key: ItemID, value: Value)? {
            guard index < map.items.count else { return nil }
            defer { index += 1 }
            return (map.items[index], map.all[index])
        }
    }

    /// Begins to go through items and values.
    @inlinable public func makeIterator() -> Iterator { Iterator(self) }

    /// As `count`.
    @inlinable public var underestimatedCount: Int { count }

    /// Of several values of one item the last.
    @inlinable public init(_ pairs: some Sequence<(key: ItemID, value: Value)>) {
        reserveCapacity(pairs.underestimatedCount)
        for (item, value) in pairs { self[item] = value }
    }

    /// The items whose values are wanted.
    @inlinable public func keys(where isWanted: (Value) -> Bool) -> [ItemID] {
        // In place: to copy a value may take longer than to look at it.
        all.withUnsafeBufferPointer { values in
            var keys: [ItemID] = []
            for row in values.indices where isWanted(values[row]) { keys.append(items[row]) }
            return keys
        }
    }

    /// The values that are wanted.
    @inlinable public func filter(_ isIncluded: ((key: ItemID, value: Value)) throws -> Bool) rethrows -> Self
    {
        var some = Self()
        for pair in self where try isIncluded(pair) { some[pair.key] = pair.value }
        return some
    }

    /// What is made of each value, but for those of which nothing is.
    @inlinable public func compactMapValues<Other>(
        _ body: (Value) throws -> Other?
    ) rethrows -> ItemMap<Other> {
        let made = try all.map(body)
        var others = ItemMap<Other>()
        let whole = made.compactMap { $0 }
        if whole.count == count {
            // The same items in the same rows: they are found as before.
            (others.items, others.all, others.index) = (items, whole, index)
            return others
        }
        others.reserveCapacity(whole.count)
        for (item, value) in zip(items, made) where value != nil { others[item] = value }
        return others
    }
}

extension ItemMap: ExpressibleByDictionaryLiteral {
    /// Of several values of one item the last.
    @inlinable public init(dictionaryLiteral pairs: (ItemID, Value)...) {
        self.init()
        for (item, value) in pairs { self[item] = value }
    }
}

extension ItemMap: Equatable where Value: Equatable {
    /// Whether two have the same values for the same items, in whatever order.
    @inlinable public static func == (one: Self, other: Self) -> Bool {
        one.count == other.count && zip(one.items, one.all).allSatisfy { other[$0] == $1 }
    }
}

extension ItemMap: Hashable where Value: Hashable {
    /// The same for those that are equal.
    @inlinable public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (item, value) in zip(items, all) {
            var each = Hasher()
            each.combine(item)
            each.combine(value)
            sum &+= each.finalize()
        }
        hasher.combine(sum)
    }
}
