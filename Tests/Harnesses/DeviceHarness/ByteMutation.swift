internal import SeededNumbers

/// Bytes made of samples by a few changes, or of nothing.
struct ByteMutation {
    private var numbers: SplitMix64
    /// Of all parsers: what is right elsewhere.
    private let others: [[UInt8]]

    init(_ numbers: SplitMix64, _ others: [[UInt8]]) { (self.numbers, self.others) = (numbers, others) }

    private static let changeCountMax = 4
    private static let randomByteCountMax = 300
    /// Numbers at which counts and positions are wrong, if at any.
    private static let edges: [UInt64] = [
        0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 62,
        UInt64(Int64.max), 1 << 63, .max,
    ]

    mutating func bytes(of samples: [[UInt8]]) -> [UInt8] {
        guard !samples.isEmpty, numbers.below(8) > 0 else { return random(below: Self.randomByteCountMax) }
        var bytes = samples[numbers.below(samples.count)]
        for _ in 0...numbers.below(Self.changeCountMax) { change(&bytes) }
        return bytes
    }

    private mutating func random(below bound: Int) -> [UInt8] {
        (0..<numbers.below(bound)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
    }

    private mutating func part(of bytes: [UInt8]) -> Range<Int> {
        let (one, other) = (numbers.below(bytes.count + 1), numbers.below(bytes.count + 1))
        return min(one, other)..<max(one, other)
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes = random(below: 8) }
        let at = numbers.below(bytes.count)
        switch numbers.below(9) {
        case 0: bytes[at] ^= 1 << UInt8(numbers.below(8))
        case 1: bytes[at] = UInt8(truncatingIfNeeded: numbers.next())
        case 2: bytes.removeLast(numbers.below(bytes.count))
        case 3: bytes.insert(contentsOf: random(below: 16), at: at)
        case 4: bytes.removeSubrange(at..<min(bytes.count, at + 1 + numbers.below(8)))
        case 5: bytes.insert(contentsOf: bytes[part(of: bytes)], at: at)
        case 6:
            // A count, or a position.
            let width = [1, 2, 4, 8][numbers.below(4)]
            let number = Self.edges[numbers.below(Self.edges.count)]
            for offset in 0..<min(width, bytes.count - at) {
                bytes[at + offset] = UInt8(truncatingIfNeeded: number >> UInt64(8 * (width - 1 - offset)))
            }
        case 7:
            // What stands for a number in a text.
            let number = Self.edges[numbers.below(Self.edges.count)]
            bytes.replaceSubrange(at..<min(bytes.count, at + numbers.below(4)), with: Array("\(number)".utf8))
        default:
            let other = others[numbers.below(others.count)]
            bytes.replaceSubrange(part(of: bytes), with: other[part(of: other)])
        }
    }
}
