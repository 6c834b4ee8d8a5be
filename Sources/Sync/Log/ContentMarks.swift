/// Which contents are here and which are at the hub. As several sets of names, but made for hundreds of thousands: sixteen bytes
/// for each, wherever it is.
struct ContentMarks: Sendable {
    /// Where contents are.
    enum Mark: UInt64, Sendable {
        case here = 1
        /// The log speaks of it: the hub keeps it, unless nothing has needed it for a while, or it has lost it.
        case atHub = 2
        /// The hub has said to have it since there is a line; before that it may have been put back to a backup.
        case sent = 4
    }

    /// A key, whose free bits are the marks; without any nobody is there.
    private struct Slot {
        var high: UInt64 = 0
        var low: UInt64 = 0

        var isFree: Bool { low & Self.marks == 0 }
        func isOf(_ key: ContentKey) -> Bool { high == key.high && low & ~Self.marks == key.low }
        func has(_ mark: Mark) -> Bool { low & mark.rawValue != 0 }

        static let marks: UInt64 = 1 << UInt64(ContentKey.freeBitCount) - 1
    }

    private var slots: [Slot] = []
    private var count = 0

    mutating func reserveCapacity(_ count: Int) {
        if !RowIndex.isRoomy(slots.count, for: count) { spread(over: RowIndex.slotCount(for: count)) }
    }

    func contains(_ name: ContentName, _ mark: Mark) -> Bool {
        guard !slots.isEmpty else { return false }
        let key = ContentKey(name)
        return slots[place(of: key)].has(mark)
    }

    /// - Returns: Whether it was not there.
    @discardableResult
    mutating func insert(_ name: ContentName, _ mark: Mark) -> Bool { insert(ContentKey(name), mark) }

    /// - Returns: Whether it was not there.
    @discardableResult
    mutating func insert(_ key: ContentKey, _ mark: Mark) -> Bool {
        reserveCapacity(count + 1)
        let at = place(of: key)
        if slots[at].isFree {
            count += 1
            slots[at] = Slot(high: key.high, low: key.low)
        }
        defer { slots[at].low |= mark.rawValue }
        return !slots[at].has(mark)
    }

    /// It is not there any more.
    mutating func remove(_ name: ContentName, _ mark: Mark) {
        guard contains(name, mark) else { return }
        let at = place(of: ContentKey(name))
        slots[at].low &= ~mark.rawValue
        guard slots[at].isFree else { return }
        count -= 1
        // What came behind it may not be found any more where it is.
        var next = (at + 1) & (slots.count - 1)
        while !slots[next].isFree {
            let slot = slots[next]
            slots[next] = Slot()
            put(slot)
            next = (next + 1) & (slots.count - 1)
        }
    }

    /// Nothing is there any more.
    mutating func removeAll(_ mark: Mark) {
        var freedCount = 0
        for at in slots.indices where slots[at].has(mark) {
            slots[at].low &= ~mark.rawValue
            if slots[at].isFree { freedCount += 1 }
        }
        guard freedCount > 0 else { return }
        // What came behind one that is free now is not found any more.
        count -= freedCount
        spread(over: RowIndex.slotCount(for: count))
    }

    // MARK: Slots

    /// Where a key is, or would be.
    private func place(of key: ContentKey) -> Int {
        var at = home(key.high)
        while !slots[at].isFree, !slots[at].isOf(key) { at = (at + 1) & (slots.count - 1) }
        return at
    }

    private func home(_ high: UInt64) -> Int { Int(truncatingIfNeeded: high) & (slots.count - 1) }

    private mutating func put(_ slot: Slot) {
        var at = home(slot.high)
        while !slots[at].isFree { at = (at + 1) & (slots.count - 1) }
        slots[at] = slot
    }

    private mutating func spread(over slotCount: Int) {
        let all = slots
        slots = [Slot](repeating: Slot(), count: slotCount)
        for slot in all where !slot.isFree { put(slot) }
    }
}
