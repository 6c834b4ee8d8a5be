/// Values by item. As a dictionary, but made for what identifiers of items are, random bits, and for many of them: keys and
/// values lie one behind the other, and only small numbers are spread out to be found by.
///
/// Its order is of no meaning; it follows from what was put in and taken out alone.
package struct ItemMap<Value> {
    private var items: [ItemID] = []
    private var all: [Value] = []
    /// Where an item is, by its hash and what comes after that: its index and one more, 0 for nothing.
    private var slots: [UInt32] = []

    package init() {}

    package var count: Int { items.count }
    package var isEmpty: Bool { items.isEmpty }
    package var keys: [ItemID] { items }
    package var values: [Value] { all }

    /// Makes room for so many.
    package mutating func reserveCapacity(_ count: Int) {
        items.reserveCapacity(count)
        all.reserveCapacity(count)
        if !Self.isRoomy(slots.count, for: count) { spread(over: Self.slotCount(for: count)) }
    }

    package subscript(item: ItemID) -> Value? {
        get { slot(of: item).map { all[index(at: $0)] } }
        set {
            switch (slot(of: item), newValue) {
            case (let slot?, let value?): all[index(at: slot)] = value
            case (let slot?, nil): remove(at: slot)
            case (nil, let value?): append(item, value)
            case (nil, nil): break
            }
        }
    }

    // MARK: Slots

    /// At most three of four are taken: what is looked for is near where it belongs.
    private static func isRoomy(_ slotCount: Int, for count: Int) -> Bool { count <= slotCount / 4 * 3 }

    private static func slotCount(for count: Int) -> Int {
        var slotCount = 16
        while !isRoomy(slotCount, for: count) { slotCount *= 2 }
        return slotCount
    }

    /// Where an item belongs.
    private func home(of item: ItemID) -> Int {
        Int(truncatingIfNeeded: (item.low &* ItemHash.factor) >> 32) & (slots.count - 1)
    }

    private func next(_ slot: Int) -> Int { (slot + 1) & (slots.count - 1) }

    private func index(at slot: Int) -> Int { Int(slots[slot]) - 1 }

    private func slot(of item: ItemID) -> Int? {
        guard !items.isEmpty else { return nil }
        var slot = home(of: item)
        while slots[slot] != 0 {
            if items[index(at: slot)] == item { return slot }
            slot = next(slot)
        }
        return nil
    }

    private mutating func append(_ item: ItemID, _ value: Value) {
        if !Self.isRoomy(slots.count, for: count + 1) { spread(over: Self.slotCount(for: count + 1)) }
        items.append(item)
        all.append(value)
        take(UInt32(items.count), for: item)
    }

    private mutating func take(_ number: UInt32, for item: ItemID) {
        var slot = home(of: item)
        while slots[slot] != 0 { slot = next(slot) }
        slots[slot] = number
    }

    private mutating func spread(over slotCount: Int) {
        slots = [UInt32](repeating: 0, count: slotCount)
        for (index, item) in items.enumerated() { take(UInt32(index + 1), for: item) }
    }

    /// The last one takes the place of the one that goes.
    private mutating func remove(at slot: Int) {
        let index = index(at: slot)
        free(slot)
        let last = items.count - 1
        if index != last, let slot = self.slot(of: items[last]) {
            slots[slot] = UInt32(index + 1)
            items.swapAt(index, last)
            all.swapAt(index, last)
        }
        items.removeLast()
        all.removeLast()
    }

    /// Frees a slot; those behind it that belong farther up move up.
    private mutating func free(_ slot: Int) {
        let mask = slots.count - 1
        var (hole, at) = (slot, next(slot))
        while slots[at] != 0 {
            let distance = (at - home(of: items[index(at: at)])) & mask
            if distance >= (at - hole) & mask {
                slots[hole] = slots[at]
                hole = at
            }
            at = next(at)
        }
        slots[hole] = 0
    }
}

/// Whoever makes identifiers cannot make them all belong to one place: that differs from process to process.
private enum ItemHash {
    static let factor = UInt64.random(in: 0...UInt64.max) | 1
}

extension ItemMap: Sendable where Value: Sendable {}

extension ItemMap: Sequence {
    package struct Iterator: IteratorProtocol {
        fileprivate let map: ItemMap
        private var index = 0

        fileprivate init(_ map: ItemMap) { self.map = map }

        package mutating func next() -> (key: ItemID, value: Value)? {
            guard index < map.items.count else { return nil }
            defer { index += 1 }
            return (map.items[index], map.all[index])
        }
    }

    package func makeIterator() -> Iterator { Iterator(self) }

    package var underestimatedCount: Int { count }

    package init(_ pairs: some Sequence<(key: ItemID, value: Value)>) {
        reserveCapacity(pairs.underestimatedCount)
        for (item, value) in pairs { self[item] = value }
    }

    package func filter(_ isIncluded: ((key: ItemID, value: Value)) throws -> Bool) rethrows -> Self {
        var some = Self()
        for pair in self where try isIncluded(pair) { some[pair.key] = pair.value }
        return some
    }

    /// What is made of each value, but for those of which nothing is.
    package func compactMapValues<Other>(_ body: (Value) throws -> Other?) rethrows -> ItemMap<Other> {
        var others = ItemMap<Other>()
        others.reserveCapacity(count)
        for (item, value) in zip(items, all) {
            if let other = try body(value) { others[item] = other }
        }
        return others
    }
}

extension ItemMap: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral pairs: (ItemID, Value)...) {
        self.init()
        for (item, value) in pairs { self[item] = value }
    }
}

extension ItemMap: Equatable where Value: Equatable {
    package static func == (one: Self, other: Self) -> Bool {
        one.count == other.count && zip(one.items, one.all).allSatisfy { other[$0] == $1 }
    }
}

extension ItemMap: Hashable where Value: Hashable {
    package func hash(into hasher: inout Hasher) {
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
