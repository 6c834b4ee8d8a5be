/// Gives names small numbers: each name, under a salt, one, from 0 on. All names lie in one run of bytes.
struct NameTable: Sendable {
    private var bytes: [UInt8] = []
    /// Where each name ends; the next begins there.
    private var ends: [Int] = []
    private var salts: [Int32] = []
    /// Numbers by hash, open addressing; -1 where none is. A power of two long, at most three quarters full.
    private var slots: [Int32] = Array(repeating: -1, count: 16)
    /// Differs from process to process, so that nobody can choose names that collide.
    private static let seed = UInt64(truncatingIfNeeded: Hasher().finalize())

    var count: Int { ends.count }

    mutating func reserve(_ nameCount: Int) {
        ends.reserveCapacity(nameCount)
        salts.reserveCapacity(nameCount)
        if nameCount * 4 > slots.count * 3 { rehash(atLeast: nameCount) }
    }

    subscript(index: Int) -> String { String(decoding: bytes(of: index), as: UTF8.self) }

    func bytes(of index: Int) -> ArraySlice<UInt8> { bytes[start(of: index)..<ends[index]] }

    func salt(of index: Int) -> Int32 { salts[index] }

    private func start(of index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    mutating func intern(_ name: String, salt: Int32 = 0) -> Int {
        var name = name
        return name.withUTF8 { intern($0, salt: salt) }
    }

    mutating func intern(_ name: UnsafeBufferPointer<UInt8>, salt: Int32) -> Int {
        if (ends.count + 1) * 4 > slots.count * 3 { rehash(atLeast: ends.count + 1) }
        let slot = slot(of: name, salt: salt)
        if slots[slot] >= 0 { return Int(slots[slot]) }
        slots[slot] = Int32(ends.count)
        bytes.append(contentsOf: name)
        ends.append(bytes.count)
        salts.append(salt)
        return ends.count - 1
    }

    func index(of name: String, salt: Int32 = 0) -> Int? {
        var name = name
        let found = name.withUTF8 { slots[slot(of: $0, salt: salt)] }
        return found < 0 ? nil : Int(found)
    }

    /// Where a name stands, or would.
    private func slot(of name: UnsafeBufferPointer<UInt8>, salt: Int32) -> Int {
        var slot = Int(truncatingIfNeeded: Self.hash(name, salt)) & (slots.count - 1)
        while slots[slot] >= 0, !isName(Int(slots[slot]), name, salt) { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    private func isName(_ index: Int, _ name: UnsafeBufferPointer<UInt8>, _ salt: Int32) -> Bool {
        let start = start(of: index)
        guard salts[index] == salt, ends[index] - start == name.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            for offset in 0..<name.count where bytes[start + offset] != name[offset] { return false }
            return true
        }
    }

    private mutating func rehash(atLeast count: Int) {
        var capacity = slots.count
        while count * 4 > capacity * 3 { capacity *= 2 }
        slots = Array(repeating: -1, count: capacity)
        bytes.withUnsafeBufferPointer { bytes in
            for index in 0..<ends.count {
                let name = UnsafeBufferPointer(rebasing: bytes[start(of: index)..<ends[index]])
                var slot = Int(truncatingIfNeeded: Self.hash(name, salts[index])) & (capacity - 1)
                while slots[slot] >= 0 { slot = (slot + 1) & (capacity - 1) }
                slots[slot] = Int32(index)
            }
        }
    }

    /// Eight bytes at a time, each multiplied into a 128-bit product whose halves are joined.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>, _ salt: Int32) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: salt) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(name.count) << 56
        let raw = UnsafeRawBufferPointer(name)
        var offset = 0
        while offset + 8 <= raw.count {
            hash = mix(hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < raw.count {
            rest = rest << 8 | UInt64(raw[offset])
            offset += 1
        }
        return mix(hash ^ rest)
    }

    private static func mix(_ bits: UInt64) -> UInt64 {
        let product = (bits ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }
}
