/// Two differences from one base laid over each other (diff3).
enum ThreeWay {
    /// A stretch of the three versions, one behind the other without a gap.
    struct Chunk: Hashable {
        enum Kind: Hashable { case unchanged, onlyMine, onlyTheirs, same, conflict }

        var base: Range<Int>
        var mine: Range<Int>
        var theirs: Range<Int>
        var kind: Kind
        /// Whether each single change in it, on both sides, puts as many elements as it takes away. Only then is an
        /// element of one version in the place of the one at the same offset in the others.
        var isPaired = true
    }

    /// All numbers are below `numberCount`. Changes that touch each other, with nothing unchanged between them, are
    /// one chunk, as git has it.
    static func chunks(_ base: [Int32], _ mine: [Int32], _ theirs: [Int32], numberCount: Int) -> [Chunk] {
        let own = SequenceDifference.hunks(base, mine, numberCount: numberCount)
        let other = SequenceDifference.hunks(base, theirs, numberCount: numberCount)
        return chunks(base, (mine, own), (theirs, other))
    }

    static func chunks(
        _ base: [Int32],
        _ mine: (numbers: [Int32], hunks: [SequenceDifference.Hunk]),
        _ theirs: (numbers: [Int32], hunks: [SequenceDifference.Hunk])
    ) -> [Chunk] {
        var (chunks, position) = ([Chunk](), 0)
        var (own, other) = (Side(mine.hunks), Side(theirs.hunks))
        while let start = [own.nextStart, other.nextStart].compactMap({ $0 }).min() {
            append(unchanged: position..<start, own, other, &chunks)
            var end = start
            let (ownBefore, otherBefore) = (own, other)
            // Taking in a hunk may bring the other side's next one within reach.
            while own.take(upTo: &end) || other.take(upTo: &end) {}
            let (ownRange, otherRange) = (
                own.range(start..<end, from: ownBefore), other.range(start..<end, from: otherBefore)
            )
            let isMineChanged = own.next > ownBefore.next
            let isTheirsChanged = other.next > otherBefore.next
            let kind: Chunk.Kind =
                if !isTheirsChanged {
                    .onlyMine
                } else if !isMineChanged {
                    .onlyTheirs
                } else {
                    mine.numbers[ownRange] == theirs.numbers[otherRange] ? .same : .conflict
                }
            let isPaired = own.isPaired(since: ownBefore) && other.isPaired(since: otherBefore)
            chunks.append(
                Chunk(
                    base: start..<end,
                    mine: ownRange,
                    theirs: otherRange,
                    kind: kind,
                    isPaired: isPaired
                )
            )
            position = end
        }
        append(unchanged: position..<base.count, own, other, &chunks)
        return chunks
    }

    private static func append(
        unchanged range: Range<Int>,
        _ own: Side,
        _ other: Side,
        _ chunks: inout [Chunk]
    ) {
        guard !range.isEmpty else { return }
        chunks.append(
            Chunk(
                base: range,
                mine: own.shifted(range),
                theirs: other.shifted(range),
                kind: .unchanged
            )
        )
    }

    /// One side's hunks, taken one after the other.
    private struct Side {
        let hunks: [SequenceDifference.Hunk]
        var next = 0
        /// What is to be added to a base's index behind the hunks that were taken.
        var shift = 0

        init(_ hunks: [SequenceDifference.Hunk]) {
            self.hunks = hunks
        }

        var nextStart: Int? { next < hunks.count ? hunks[next].old.lowerBound : nil }

        /// Takes the next hunk when it begins by a place at the latest, which then moves to its end.
        mutating func take(upTo end: inout Int) -> Bool {
            guard let start = nextStart, start <= end else { return false }
            end = max(end, hunks[next].old.upperBound)
            shift = hunks[next].new.upperBound - hunks[next].old.upperBound
            next += 1
            return true
        }

        /// Whether each hunk that was taken since has as many elements as what it stands in the place of.
        func isPaired(since before: Side) -> Bool {
            hunks[before.next..<next].allSatisfy { $0.old.count == $0.new.count }
        }

        func shifted(_ range: Range<Int>) -> Range<Int> {
            range.lowerBound + shift..<range.upperBound + shift
        }

        /// This side's part in the place of a base's range, whose start lay behind what had been taken before.
        func range(_ base: Range<Int>, from before: Side) -> Range<Int> {
            base.lowerBound + before.shift..<base.upperBound + shift
        }
    }
}
