/// A hash of bytes for tables in memory: fast, and by a seed of the process's own, so that nobody can choose bytes that
/// collide.
package enum ByteHash {
    /// Differs from process to process.
    package static let processSeed = UInt64(truncatingIfNeeded: Hasher().finalize())

    /// Eight bytes at a time, each multiplied into a 128-bit product whose halves are joined.
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = processSeed) -> UInt64 {
        var hash = seed ^ UInt64(bytes.count) << 48
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return mix(hash ^ rest)
    }

    @inline(__always)
    private static func mix(_ bits: UInt64) -> UInt64 {
        let product = (bits ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }
}
