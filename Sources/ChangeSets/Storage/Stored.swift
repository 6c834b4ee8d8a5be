/// An edit or a deletion of an object. Links to the next one of its object in the same array.
struct Mark {
    var time: UInt64
    var sequence: UInt64
    var next: Int32 = -1
    var device: UInt16
    /// Of an edit: a deletion has seen it.
    var isCovered = false
}

/// A value that a property holds, or its part in one. Links to the next one of its property in the same array.
///
/// What is small follows the value, which ends at an odd place, so that an entry has whole words. Else it is larger, and
/// moved in parts that overlap: who reads it then waits for every write before it.
struct Entry {
    var time: UInt64
    var sequence: UInt64
    var value: ChangeValue
    var kind: PropertyChange.Edit.Kind
    var device: UInt16
    var next: Int32 = -1
}

/// An object, living or dead. Its number is that of its name.
struct StoredObject {
    /// Edits that no later edit of the object has seen.
    var edits: Int32 = -1
    /// Deletions that no later edit or deletion of the object has seen.
    var deletions: Int32 = -1
    var registers: Int32 = -1
}

/// A property of an object.
struct Register {
    let object: Int32
    let property: Int32
    /// The object's next one.
    var next: Int32
    var entries: Int32 = -1
}

/// Finds an object's further registers, after its first, by object and property: open addressing over their numbers.
struct RegisterTable: Sendable {
    /// A power of two long, at most seven eighths full; -1 where none is.
    private var slots: [Int32] = Array(repeating: -1, count: 16)
    private var count = 0

    func find(_ object: Int32, _ property: Int32, in registers: [Register]) -> Int32 {
        var slot = Self.hash(object, property) & (slots.count - 1)
        while slots[slot] >= 0 {
            let register = registers[Int(slots[slot])]
            if register.object == object, register.property == property { return slots[slot] }
            slot = (slot + 1) & (slots.count - 1)
        }
        return -1
    }

    mutating func insert(_ number: Int32, of registers: [Register]) {
        count += 1
        if count * 8 > slots.count * 7 {
            let old = slots
            slots = Array(repeating: -1, count: old.count * 2)
            for number in old where number >= 0 { place(number, registers[Int(number)]) }
        }
        place(number, registers[Int(number)])
    }

    private mutating func place(_ number: Int32, _ register: Register) {
        var slot = Self.hash(register.object, register.property) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = number
    }

    private static func hash(_ object: Int32, _ property: Int32) -> Int {
        let key = UInt64(UInt32(bitPattern: object)) << 32 | UInt64(UInt32(bitPattern: property))
        let product = (key ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}
