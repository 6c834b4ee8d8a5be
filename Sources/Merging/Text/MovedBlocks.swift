/// Blocks of lines that one side has moved: gone at one place, there again at another, as they were.
struct MovedBlocks {
    /// For each line of the base where the side has it now, -1 for what was not moved.
    private(set) var targets: [Int32]

    /// Only lines count that occur once on each side: else nobody can say what came from where.
    init(_ base: [Int32], _ side: [Int32], _ hunks: [SequenceDifference.Hunk], numberCount: Int) {
        targets = Array(repeating: -1, count: base.count)
        guard hunks.count > 1 else { return }
        var baseCounts = [UInt8](repeating: 0, count: numberCount)
        var sideCounts = baseCounts
        for number in base { baseCounts[Int(number)] = min(2, baseCounts[Int(number)] + 1) }
        for number in side { sideCounts[Int(number)] = min(2, sideCounts[Int(number)] + 1) }
        var places: [Int32: Int32] = [:]
        for hunk in hunks {
            for line in hunk.new where sideCounts[Int(side[line])] == 1 { places[side[line]] = Int32(line) }
        }
        for hunk in hunks {
            for line in hunk.old where baseCounts[Int(base[line])] == 1 {
                if let place = places[base[line]] { targets[line] = place }
            }
        }
    }

    /// Where a whole block is now, if all of it went to one place, in order.
    func target(of block: Range<Int>) -> Range<Int>? {
        guard let first = block.first, block.allSatisfy({ follows($0, first) }) else { return nil }
        return Int(targets[first])..<Int(targets[first]) + block.count
    }

    /// Whether a line went where the first one of some lines leads to.
    private func follows(_ line: Int, _ first: Int) -> Bool {
        targets[first] >= 0 && targets[line] == targets[first] + Int32(line - first)
    }

    /// How many of some lines, from the first on, went together, to one place here and to one place there.
    func runLength(of lines: Range<Int>, with other: MovedBlocks) -> Int {
        lines.prefix { follows($0, lines.lowerBound) && other.follows($0, lines.lowerBound) }.count
    }
}
