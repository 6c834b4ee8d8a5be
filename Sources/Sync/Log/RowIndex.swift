/// Rows of a table by the hash of something that is in them; several may have the same. It knows nothing of the rows but
/// their numbers.
@usableFromInline
struct RowIndex: Sendable {
    /// Half of a hash above, a row's number and one more below; 0 for nothing.
    @usableFromInline var slots: [UInt64] = []
    @usableFromInline var count = 0

    @inlinable init() {}

    /// Makes room for so many rows.
    @inlinable mutating func reserveCapacity(_ count: Int) {
        if !Self.isRoomy(slots.count, for: count) { spread(over: Self.slotCount(for: count)) }
    }

    @inlinable mutating func insert(_ row: Int, hash: UInt32) {
        reserveCapacity(count + 1)
        count += 1
        put(Self.slot(row, hash))
    }

    /// Takes out a row that was put in with this hash.
    ///
    /// - Returns: Whether it was in.
    @discardableResult
    @inlinable mutating func remove(_ row: Int, hash: UInt32) -> Bool {
        let wanted = Self.slot(row, hash)
        guard var at = first(hash) else { return false }
        while slots[at] != wanted {
            guard slots[at] != 0 else { return false }
            at = next(at)
        }
        count -= 1
        free(at)
        return true
    }

    /// The first row with a hash that is the one.
    @inlinable func row(_ hash: UInt32, where isWanted: (Int) -> Bool) -> Int? {
        guard var at = first(hash) else { return nil }
        while slots[at] != 0 {
            if slots[at] >> 32 == UInt64(hash) {
                let row = Int(truncatingIfNeeded: slots[at] & 0xFFFF_FFFF) - 1
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

    @inlinable static func slot(_ row: Int, _ hash: UInt32) -> UInt64 {
        UInt64(hash) << 32 | UInt64(UInt32(row + 1))
    }

    /// Where a slot belongs.
    @inlinable func home(_ slot: UInt64) -> Int { Int(truncatingIfNeeded: slot >> 32) & (slots.count - 1) }

    @inlinable func next(_ at: Int) -> Int { (at + 1) & (slots.count - 1) }

    /// Where what has a hash begins.
    @inlinable func first(_ hash: UInt32) -> Int? { slots.isEmpty ? nil : Int(hash) & (slots.count - 1) }

    @inlinable mutating func put(_ slot: UInt64) {
        var at = home(slot)
        while slots[at] != 0 { at = next(at) }
        slots[at] = slot
    }

    @inlinable mutating func spread(over slotCount: Int) {
        let all = slots
        slots = [UInt64](repeating: 0, count: slotCount)
        for slot in all where slot != 0 { put(slot) }
    }

    /// Frees a slot; those behind it that belong farther up move up.
    @inlinable mutating func free(_ slot: Int) {
        let mask = slots.count - 1
        var (hole, at) = (slot, next(slot))
        while slots[at] != 0 {
            let distance = (at - home(slots[at])) & mask
            if distance >= (at - hole) & mask {
                slots[hole] = slots[at]
                hole = at
            }
            at = next(at)
        }
        slots[hole] = 0
    }
}
