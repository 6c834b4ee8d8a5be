/// Gives names small numbers: each name, under a salt, one, from 0 on. All names lie in one run of bytes.
struct NameTable: Sendable {
    private struct Name {
        /// Where it ends; the next begins there.
        var end: Int32
        var salt: Int32
    }

    private var bytes: [UInt8] = []
    private var list: [Name] = []
    /// By hash, open addressing: the upper half of the hash above the name's number; nothing where all bits are set.
    /// A power of two long, at most seven eighths full.
    private var slots: [UInt64] = Array(repeating: .max, count: 16)
    private let seed = ByteHash.processSeed

    var count: Int { list.count }

    /// How many bytes all names have.
    var byteCount: Int { bytes.count }

    mutating func reserve(_ nameCount: Int) {
        list.reserveCapacity(nameCount)
        if nameCount * 8 > slots.count * 7 { rehash(atLeast: nameCount) }
    }

    subscript(index: Int) -> String {
        let range = range(of: index)
        return bytes.withUnsafeBufferPointer {
            String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
        }
    }

    func bytes(of index: Int) -> ArraySlice<UInt8> { bytes[range(of: index)] }

    /// Shows a name's bytes, without keeping hold of all.
    @inline(__always)
    func withBytes<Value>(of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        let range = range(of: index)
        return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
    }

    func salt(of index: Int) -> Int32 { list[index].salt }

    private func range(of index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(list[index - 1].end))..<Int(list[index].end)
    }

    mutating func intern(_ name: String, salt: Int32 = 0) -> Int {
        var name = name
        return name.withUTF8 { intern($0, salt: salt) }
    }

    mutating func intern(_ name: UnsafeBufferPointer<UInt8>, salt: Int32) -> Int {
        if (list.count + 1) * 8 > slots.count * 7 { rehash(atLeast: list.count + 1) }
        let hash = Self.hash(name, salt, seed)
        let slot = slot(of: name, salt, hash)
        if slots[slot] != .max { return Int(UInt32(truncatingIfNeeded: slots[slot])) }
        slots[slot] = Self.entry(hash, list.count)
        bytes.append(contentsOf: name)
        list.append(Name(end: Int32(bytes.count), salt: salt))
        return list.count - 1
    }

    func index(of name: String, salt: Int32 = 0) -> Int? {
        var name = name
        let found = name.withUTF8 { slots[slot(of: $0, salt, Self.hash($0, salt, seed))] }
        return found == .max ? nil : Int(UInt32(truncatingIfNeeded: found))
    }

    private static func entry(_ hash: UInt64, _ number: Int) -> UInt64 {
        hash & ~0xFFFF_FFFF | UInt64(UInt32(truncatingIfNeeded: number))
    }

    /// Where a name stands, or would.
    private func slot(of name: UnsafeBufferPointer<UInt8>, _ salt: Int32, _ hash: UInt64) -> Int {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != .max {
            let found = slots[slot]
            if found >> 32 == hash >> 32, isName(Int(UInt32(truncatingIfNeeded: found)), name, salt) {
                return slot
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private func isName(_ index: Int, _ name: UnsafeBufferPointer<UInt8>, _ salt: Int32) -> Bool {
        let range = range(of: index)
        guard list[index].salt == salt, range.count == name.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            for offset in 0..<name.count where bytes[range.lowerBound + offset] != name[offset] {
                return false
            }
            return true
        }
    }

    private mutating func rehash(atLeast count: Int) {
        var capacity = slots.count
        while count * 8 > capacity * 7 { capacity *= 2 }
        slots = Array(repeating: .max, count: capacity)
        bytes.withUnsafeBufferPointer { bytes in
            for index in 0..<list.count {
                let name = UnsafeBufferPointer(rebasing: bytes[range(of: index)])
                let hash = Self.hash(name, list[index].salt, seed)
                var slot = Int(truncatingIfNeeded: hash) & (capacity - 1)
                while slots[slot] != .max { slot = (slot + 1) & (capacity - 1) }
                slots[slot] = Self.entry(hash, index)
            }
        }
    }

    private static func hash(_ name: UnsafeBufferPointer<UInt8>, _ salt: Int32, _ seed: UInt64) -> UInt64 {
        let salted = seed ^ UInt64(truncatingIfNeeded: salt) &* 0x9E37_79B9_7F4A_7C15
        return ByteHash.hash(UnsafeRawBufferPointer(name), seed: salted)
    }
}
