/// Cuts bytes where their contents say so, so that an insertion moves no cut but those beside it: FastCDC.
///
/// After W. Xia et al., “FastCDC: a Fast and Efficient Content-Defined Chunking Approach for Data Deduplication”
/// (USENIX ATC 2016): a gear hash, a hard mask before the normal size and an easy one after it. Pure.
struct Chunker: Sendable {
    /// How large chunks are, in bytes.
    struct Sizes: Hashable, Sendable {
        var min: Int
        /// A power of two; most chunks are a little larger.
        var normal: Int
        var max: Int

        /// Chosen by measurement: Docs/decisions/003-the-vault.md.
        static let standard = Sizes(min: 32 << 10, normal: 64 << 10, max: 256 << 10)
    }

    let sizes: Sizes
    private let gear: [UInt64]
    private let hardMask: UInt64
    private let easyMask: UInt64

    /// - Parameter gear: 256 random numbers.
    init(gear: [UInt64], sizes: Sizes = .standard) {
        precondition(gear.count == 256, "a gear of \(gear.count) numbers")
        precondition(
            sizes.min > 0 && sizes.min <= sizes.normal && sizes.normal <= sizes.max,
            "sizes \(sizes)"
        )
        self.gear = gear
        self.sizes = sizes
        let bitCount = sizes.normal.trailingZeroBitCount
        // The high bits have seen the most bytes.
        hardMask = ~0 << UInt64(64 - (bitCount + 2))
        easyMask = ~0 << UInt64(64 - (bitCount - 2))
    }

    /// How long the first chunk is.
    ///
    /// - Parameter bytes: `sizes.max` bytes or more, or all that there are; not none.
    func cut(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count > sizes.min else { return bytes.count }
        let end = Swift.min(bytes.count, sizes.max)
        let middle = Swift.min(end, sizes.normal)
        return gear.withUnsafeBufferPointer { gear in
            var hash: UInt64 = 0
            var index = sizes.min
            while index < middle {
                hash = (hash << 1) &+ gear[Int(bytes[index])]
                index += 1
                if hash & hardMask == 0 { return index }
            }
            while index < end {
                hash = (hash << 1) &+ gear[Int(bytes[index])]
                index += 1
                if hash & easyMask == 0 { return index }
            }
            return end
        }
    }
}
