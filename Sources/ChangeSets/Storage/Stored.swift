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
struct Entry {
    var time: UInt64
    var sequence: UInt64
    var value: ChangeValue
    var next: Int32 = -1
    var device: UInt16
    var kind: PropertyChange.Edit.Kind
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

/// Finds a register by object and property: open addressing over the registers' numbers.
struct RegisterTable: Sendable {
    private var slots: [Int32] = Array(repeating: -1, count: 16)

    mutating func reserve(_ count: Int, _ registers: [Register]) {
        if count * 4 > slots.count * 3 { rehash(registers, atLeast: count) }
    }

    func find(_ object: Int32, _ property: Int32, in registers: [Register]) -> Int32 {
        var slot = Self.hash(object, property) & (slots.count - 1)
        while slots[slot] >= 0 {
            let register = registers[Int(slots[slot])]
            if register.object == object, register.property == property { return slots[slot] }
            slot = (slot + 1) & (slots.count - 1)
        }
        return -1
    }

    /// Takes the last of the registers in.
    mutating func insertLast(of registers: [Register]) {
        if registers.count * 4 > slots.count * 3 {
            rehash(registers, atLeast: registers.count)
        } else if let last = registers.last {
            insert(last, Int32(registers.count - 1))
        }
    }

    private mutating func insert(_ register: Register, _ number: Int32) {
        var slot = Self.hash(register.object, register.property) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = number
    }

    private mutating func rehash(_ registers: [Register], atLeast count: Int) {
        var capacity = slots.count
        while count * 4 > capacity * 3 { capacity *= 2 }
        slots = Array(repeating: -1, count: capacity)
        for (number, register) in registers.enumerated() { insert(register, Int32(number)) }
    }

    private static func hash(_ object: Int32, _ property: Int32) -> Int {
        let key = UInt64(UInt32(bitPattern: object)) << 32 | UInt64(UInt32(bitPattern: property))
        let product = (key ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }
}
