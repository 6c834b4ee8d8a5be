/// Blocks of lines that one side has moved: gone at one place, there again at another, as they were.
struct MovedBlocks {
    /// For each line of the base where the side has it now, if that is elsewhere; below 0 for all others.
    private var targets: [Int32]

    private static let unmoved: Int32 = -1
    /// Of a line that the side has nowhere any more.
    private static let gone: Int32 = -2

    /// Only lines count that occur once in the base, and at most once on the side: else nobody can say what came from
    /// where.
    init(_ base: [Int32], _ side: [Int32], _ hunks: [SequenceDifference.Hunk], numberCount: Int) {
        targets = Array(repeating: Self.unmoved, count: base.count)
        guard !hunks.isEmpty else { return }
        var baseCounts = [UInt8](repeating: 0, count: numberCount)
        var sideCounts = baseCounts
        for number in base { baseCounts[Int(number)] = min(2, baseCounts[Int(number)] + 1) }
        for number in side { sideCounts[Int(number)] = min(2, sideCounts[Int(number)] + 1) }
        var places: [Int32: Int32] = [:]
        // What a single hunk takes out and puts in again has stayed where it was.
        if hunks.count > 1 {
            for hunk in hunks {
                for line in hunk.new where sideCounts[Int(side[line])] == 1 {
                    places[side[line]] = Int32(line)
                }
            }
        }
        for hunk in hunks {
            for line in hunk.old where baseCounts[Int(base[line])] == 1 {
                if sideCounts[Int(base[line])] == 0 {
                    targets[line] = Self.gone
                } else if let place = places[base[line]] {
                    targets[line] = place
                }
            }
        }
    }

    /// Where a whole block is now, if all of it went to one place, in order.
    func target(of block: Range<Int>) -> Range<Int>? {
        guard let first = block.first, block.allSatisfy({ follows($0, first) }) else { return nil }
        return Int(targets[first])..<Int(targets[first]) + block.count
    }

    /// Whether the side has a line nowhere.
    func isGone(_ line: Int) -> Bool { targets[line] == Self.gone }

    /// Whether none of a block's lines went anywhere but to some lines of the side.
    func keeps(_ block: Range<Int>, within lines: Range<Int>) -> Bool {
        block.allSatisfy { targets[$0] < 0 || lines.contains(Int(targets[$0])) }
    }

    /// Whether a line went where the first one of some lines leads to.
    private func follows(_ line: Int, _ first: Int) -> Bool {
        targets[first] >= 0 && targets[line] == targets[first] + Int32(line - first)
    }

    /// Whether a line is gone as the first one of some lines is, or went where that leads to.
    private func shares(_ line: Int, _ first: Int) -> Bool {
        isGone(first) ? isGone(line) : follows(line, first)
    }

    /// How many of some lines, from the first on, went together here, and there as well, or are gone together. At least
    /// one.
    func runLength(of lines: Range<Int>, with other: MovedBlocks) -> Int {
        max(1, lines.prefix { shares($0, lines.lowerBound) && other.shares($0, lines.lowerBound) }.count)
    }
}
