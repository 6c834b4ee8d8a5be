import SeededNumbers
import Testing

@testable import Merging

@Suite("SequenceDifference")
struct SequenceDifferenceTests {
    /// The new sequence, made of the old one and the hunks.
    @discardableResult
    private func check(_ old: [Int32], _ new: [Int32], _ comment: Comment, anchored: Bool = true) -> Int {
        let count = 1 + Int(max(old.max() ?? 0, new.max() ?? 0))
        let hunks = SequenceDifference.hunks(old, new, numberCount: count, anchored: anchored)
        var (made, oldEnd, newEnd) = ([Int32](), 0, 0)
        for hunk in hunks {
            #expect(hunk.old.lowerBound - oldEnd == hunk.new.lowerBound - newEnd, comment)
            made += old[oldEnd..<hunk.old.lowerBound] + new[hunk.new]
            (oldEnd, newEnd) = (hunk.old.upperBound, hunk.new.upperBound)
        }
        made += old[oldEnd...]
        #expect(made == new, comment)
        return hunks.reduce(0) { $0 + $1.old.count + $1.new.count }
    }

    private func shortest(_ old: [Int32], _ new: [Int32]) -> Int {
        var row = Array(0...new.count)
        for (index, number) in old.enumerated() {
            var next = [index + 1]
            for (column, other) in new.enumerated() {
                next.append(number == other ? row[column] : 1 + min(row[column + 1], next[column]))
            }
            row = next
        }
        return row[new.count]
    }

    @Test("Differences lead from one sequence to the other; without anchors by the shortest way")
    func random() {
        for seed in UInt64(1)...300 {
            var numbers = SplitMix64(seed: seed)
            let letters = 1 + numbers.below(6)
            let old = (0..<numbers.below(40)).map { _ in Int32(numbers.below(letters)) }
            let new = (0..<numbers.below(40)).map { _ in Int32(numbers.below(letters)) }
            check(old, new, "seed \(seed)")
            let count = check(old, new, "seed \(seed)", anchored: false)
            #expect(count == shortest(old, new), "seed \(seed)")
        }
    }

    @Test("Long sequences that share nothing in order are compared all the same")
    func pathological() {
        var numbers = SplitMix64(seed: 7)
        let old = (0..<3_000).map { _ in Int32(numbers.below(2)) }
        let new = (0..<3_000).map { _ in Int32(numbers.below(2) + 1) }
        check(old, new, "two letters, one shared")
        check(Array(0..<2000), Array((0..<2000).reversed()), "reversed")
        check(Array(repeating: 1, count: 5000), Array(repeating: 2, count: 5000), "disjoint")
    }

    /// Lines that nobody else has, then lines that are all alike, then one more: there is no anchor, and only from the
    /// end does a search get far.
    private func longTail(_ count: Int) -> (old: [Int32], new: [Int32], numberCount: Int) {
        let tail = [Int32](repeating: 0, count: count)
        let old: [Int32] = (0..<count).map { Int32(3 + $0) } + tail + [1]
        let new: [Int32] = (0..<count).map { Int32(3 + count + $0) } + tail + [2]
        return (old, new, 3 + 2 * count)
    }

    @Test("Twice the length takes twice the steps where only the search from the end gets far")
    func farFromTheEnd() {
        let counts = [3_000, 6_000].map { count -> Int in
            let (old, new, numberCount) = longTail(count)
            for (one, other) in [(old, new), (Array(old.reversed()), Array(new.reversed()))] {
                let hunks = SequenceDifference.hunks(one, other, numberCount: numberCount)
                let changed = hunks.reduce(0) { $0 + $1.old.count + $1.new.count }
                #expect(changed == 2 * count + 2)
            }
            return SequenceDifference.stepCount(old, new, numberCount: numberCount)
        }
        #expect(counts[1] < 3 * counts[0], "\(counts)")
        #expect(counts[1] < 1_000 * 4 * 6_000, "\(counts)")
    }
}
