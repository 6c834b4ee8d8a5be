import SeededNumbers
import Testing

@testable import Merging

@Suite("Moved lines")
struct TextMoveTests {
    /// Versions whose lines are single words.
    private func merge(
        _ base: String,
        _ mine: String,
        _ theirs: String,
        _ comment: Comment = ""
    ) -> (lines: String, conflicts: [MergeConflict]) {
        let text = { (words: String) -> String in
            words.split(separator: " ").map { "\($0)\n" }.joined()
        }
        let merged = lawfulMerge(TextMerger(), text(base), text(mine), text(theirs), comment)
        return (merged.text.split(separator: "\n").joined(separator: " "), merged.conflicts)
    }

    @Test("Lines that one side moved and the other took away are a conflict; the standing side has its will")
    func movedAndDeleted() throws {
        let kept = merge("A B C D", "A C D B", "A C D")
        #expect(kept.lines == "A C D B")
        let conflict = try #require(kept.conflicts.first)
        #expect(kept.conflicts.count == 1 && conflict.standing == .mine)
        #expect(conflict.base?.text == "B\n" && conflict.mine?.text == "B\n" && conflict.theirs?.text == "")
        #expect(conflict.mine?.range == 6..<8 && conflict.theirs?.range == 2..<2)
        // “A C D E” is greater than “A C D B”.
        let taken = merge("A B C D E", "A C D B E", "A C D E Z")
        #expect(taken.lines == "A C D E Z")
        #expect(taken.conflicts.count == 1 && taken.conflicts.first?.standing == .theirs)
        #expect(!merge("A B C D", "A C D B", "Z C D").conflicts.isEmpty)
    }

    @Test("A block that was taken away while its place was changed alike on both sides is a conflict, too")
    func movedAndDeletedWhereBothChanged() {
        let merged = merge("A B X C D", "A Y C D B", "A Y C D")
        #expect(merged.conflicts.count == 1)
        #expect(merged.conflicts.first?.base?.text == "B\n")
    }

    @Test("A part of a moved block that the other side took away is gone from where the block is now")
    func partDeleted() {
        let merged = merge("P Q R 1 2 3 4 5 6", "1 2 3 4 5 6 P Q R", "P R 1 2 3 4 5 6")
        #expect(merged.lines == "1 2 3 4 5 6 P R")
        #expect(merged.conflicts.isEmpty)
    }

    @Test("What one side puts in the place of a line that both moved stays; the line is a conflict")
    func movedTwiceAndInserted() throws {
        let merged = merge("A B C D E F", "A N C D B E F", "A C D E F B")
        #expect(merged.conflicts.count == 1)
        let conflict = try #require(merged.conflicts.first)
        #expect(
            [conflict.base, conflict.mine, conflict.theirs].map { $0?.text } == ["B\n", "B\n", "B\n"]
        )
        // “A\nN” is greater than “A\nC”.
        #expect(conflict.standing == .mine)
        #expect(merged.lines == "A N C D B E F")
    }

    @Test("Words bring nothing back that one side moved away and the other took away")
    func words() {
        let base = "one\nthe sea is blue\nC\nD\nE\n"
        let moved = "the lake is blue\nC\nD\none\nE\n"
        let merged = lawfulMerge(TextMerger(), base, moved, "the sea is deep\nC\nD\nE\n")
        #expect(merged.conflicts.count == 1)
        let edited = lawfulMerge(TextMerger(), base, moved, "one\nthe sea is deep\nC\nD\nE\n")
        #expect(edited.text == "the lake is deep\nC\nD\none\nE\n")
        #expect(edited.conflicts.isEmpty)
    }

    @Test("Without a conflict each line is there once, and none that a side took away")
    func random() {
        var settledCount = 0
        for seed in UInt64(1)...1_500 {
            var numbers = SplitMix64(seed: seed)
            let base = (0..<3 + numbers.below(10)).map { "b\($0)" }
            let (mine, theirs) = (Self.edited(base, "m", &numbers), Self.edited(base, "t", &numbers))
            let join = { (lines: [String]) in lines.joined(separator: " ") }
            let merged = merge(join(base), join(mine), join(theirs), "seed \(seed)")
            guard merged.conflicts.isEmpty else { continue }
            settledCount += 1
            let kept = base.filter { mine.contains($0) && theirs.contains($0) }
            let added = (mine + theirs).filter { !base.contains($0) }
            let lines = merged.lines.split(separator: " ").map(String.init)
            #expect(lines.sorted() == (kept + added).sorted(), "seed \(seed): \(lines)")
        }
        #expect(settledCount > 50)
    }

    /// Lines moved, taken away and put in.
    private static func edited(_ base: [String], _ tag: String, _ numbers: inout SplitMix64) -> [String] {
        var lines = base
        for edit in 0..<1 + numbers.below(3) where !lines.isEmpty {
            let place = numbers.below(lines.count)
            switch numbers.below(4) {
            case 0: lines.remove(at: place)
            case 1: lines.insert("\(tag)\(edit)", at: place)
            default: lines.insert(lines.remove(at: place), at: numbers.below(lines.count + 1))
            }
        }
        return lines
    }
}
