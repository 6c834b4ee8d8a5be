/// Rows of a table by the hash of something that is in them; several may have the same. It knows nothing of the rows but
/// their numbers, and keeps four bytes for each.
@usableFromInline
struct RowIndex: Sendable {
    /// A row's number and one more below, and what there is room for of the upper bits of its hash; 0 for nothing.
    @usableFromInline var slots: [UInt32] = []
    /// So many bits a row's number has.
    @usableFromInline var rowBitCount: UInt32 = 0
    @usableFromInline var count = 0
    /// How many slots are of rows that were taken out.
    @usableFromInline var leftCount = 0

    @inlinable init() {}

    /// Makes room for so many rows.
    ///
    /// - Parameter hash: The hash with which a row was put in.
    @inlinable mutating func reserveCapacity(_ count: Int, hash: (Int) -> UInt32) {
        if !Self.isRoomy(slots.count, for: count) { spread(over: Self.slotCount(for: count), hash) }
    }

    /// - Parameter hash: The hash of this row, and of each that was put in.
    @inlinable mutating func insert(_ row: Int, hash: (Int) -> UInt32) {
        if !Self.isRoomy(slots.count, for: count + leftCount + 1) {
            // With less than an eighth to win it would soon be done again.
            let isWorthIt = leftCount > slots.count / 8
            spread(over: Self.slotCount(for: isWorthIt ? count + 1 : count + leftCount + 1), hash)
        }
        if UInt64(row) + 1 >= Self.left(rowBitCount) { widen(for: row, hash) }
        count += 1
        put(row, hash(row))
    }

    /// Takes out a row that was put in with this hash.
    ///
    /// - Returns: Whether it was in.
    @discardableResult
    @inlinable mutating func remove(_ row: Int, hash: UInt32) -> Bool {
        guard var at = first(hash), UInt64(row) + 1 < Self.left(rowBitCount) else { return false }
        let wanted = slot(row, hash)
        while slots[at] != wanted {
            guard slots[at] != 0 else { return false }
            at = next(at)
        }
        count -= 1
        // Whoever looks for something behind it passes over it.
        if slots[next(at)] != 0 {
            slots[at] = leftSlot
            leftCount += 1
        } else {
            slots[at] = 0
        }
        return true
    }

    /// The first row with a hash that is the one.
    @inlinable func row(_ hash: UInt32, where isWanted: (Int) -> Bool) -> Int? {
        guard var at = first(hash) else { return nil }
        let (upper, mask) = (upper(hash), lowerMask)
        while slots[at] != 0 {
            if slots[at] & ~mask == upper, slots[at] != leftSlot {
                let row = Int(slots[at] & mask) - 1
                if isWanted(row) { return row }
            }
            at = next(at)
        }
        return nil
    }

    // MARK: Slots

    /// At most seven of eight are taken: slots say whose they are, so that to pass over some costs little.
    @inlinable static func isRoomy(_ slotCount: Int, for count: Int) -> Bool { count <= slotCount / 8 * 7 }

    @inlinable static func slotCount(for count: Int) -> Int {
        var slotCount = 16
        while !isRoomy(slotCount, for: count) { slotCount *= 2 }
        return slotCount
    }

    /// What is in the slot of a row that was taken out: no row has that number.
    @inlinable static func left(_ rowBitCount: UInt32) -> UInt64 { 1 << UInt64(rowBitCount) - 1 }
    @inlinable var leftSlot: UInt32 { UInt32(truncatingIfNeeded: Self.left(rowBitCount)) }

    @inlinable var lowerMask: UInt32 { leftSlot }
    @inlinable func upper(_ hash: UInt32) -> UInt32 { hash & ~lowerMask }
    @inlinable func slot(_ row: Int, _ hash: UInt32) -> UInt32 { upper(hash) | UInt32(row + 1) }

    @inlinable func next(_ at: Int) -> Int { (at + 1) & (slots.count - 1) }

    /// Where what has a hash begins.
    @inlinable func first(_ hash: UInt32) -> Int? { slots.isEmpty ? nil : Int(hash) & (slots.count - 1) }

    @inlinable mutating func put(_ row: Int, _ hash: UInt32) {
        var at = Int(hash) & (slots.count - 1)
        while slots[at] != 0 { at = next(at) }
        slots[at] = slot(row, hash)
    }

    /// Makes room for the number of a row.
    @inlinable mutating func widen(for row: Int, _ hash: (Int) -> UInt32) {
        precondition(row < 1 << 31, "rows that are numbered in thirty-two bits")
        spread(over: slots.count, hash, rowCount: row + 1)
    }

    @inlinable mutating func spread(over slotCount: Int, _ hash: (Int) -> UInt32, rowCount: Int = 0) {
        let (all, mask, left) = (slots, lowerMask, leftSlot)
        slots = [UInt32](repeating: 0, count: slotCount)
        leftCount = 0
        let most = max(slotCount, rowCount + 1)
        rowBitCount = max(rowBitCount, UInt32(most.bitWidth - most.leadingZeroBitCount))
        for slot in all where slot != 0 && slot != left {
            let row = Int(slot & mask) - 1
            put(row, hash(row))
        }
    }
}
