import Foundation
import SeededNumbers
import Testing

@testable import Merging

@Suite("Words of a text")
struct TextWordTests {
    private func merge(_ base: String, _ mine: String, _ theirs: String) -> (text: String, isConflict: Bool) {
        let merged = lawfulMerge(TextMerger(), base + "\n", mine + "\n", theirs + "\n", "\(base)")
        return (merged.text, !merged.conflicts.isEmpty)
    }

    private static let values = [
        ["price 12.50", "price 12.75", "price 13.50"], ["2024-01-15", "2024-02-15", "2024-01-20"],
        ["10:30", "11:30", "10:45"], ["1,200 km", "1,300 km", "2,200 km"],
        ["1 200 km", "1 300 km", "2 200 km"],
        ["15/1/24", "16/1/24", "15/1/25"], ["1'000", "2'000", "1'500"], ["2e-5", "3e-5", "2e-6"],
        ["15-Jan-24", "16-Jan-24", "15-Feb-24"],
        ["at 2024-01-15 10:30", "at 2024-01-16 10:30", "at 2024-01-15 11:30"],
        ["192.168.0.1:80", "192.168.0.2:80", "192.168.0.1:81"], ["+49-30-1", "+43-30-1", "+49-31-1"],
    ]

    @Test(
        "Of two changes of a number, a date or a time nobody makes one that neither has written",
        arguments: Self.values
    )
    func noThirdValue(_ versions: [String]) {
        let merged = merge(versions[0], versions[1], versions[2])
        #expect(merged.isConflict)
        #expect([versions[1] + "\n", versions[2] + "\n"].contains(merged.text))
    }

    @Test("Numbers that only commas part are one, as 1,200 is; beside a letter, a comma parts two fields")
    func commas() {
        #expect(merge("1,2,3", "9,2,3", "1,2,8").isConflict)
        let fields = merge("apples,3,red", "pears,3,red", "apples,3,blue")
        #expect(fields.text == "pears,3,blue\n" && !fields.isConflict)
        let list = merge("1, 2, 3", "9, 2, 3", "1, 2, 8")
        #expect(list.text == "9, 2, 8\n" && !list.isConflict)
    }

    @Test("What ends a sentence after a number is no part of it, and words beside it merge")
    func sentences() {
        let sentence = merge("Pay 12. Or not", "Pay 13. Or not", "Pay 12! Or not")
        #expect(sentence.isConflict)
        let words = merge("pay 12.50 on monday.", "pay 12.75 on monday.", "pay 12.50 on friday.")
        #expect(words.text == "pay 12.75 on friday.\n" && !words.isConflict)
        let names = merge("north-east wind", "south-east wind", "north-west wind")
        #expect(names.text == "south-west wind\n" && !names.isConflict)
    }

    private static let (first, second) = ("The sea is blue today.", "Nobody swims.")
    private static let third = "Gulls cry over it."

    @Test("A sentence that both moved within one line is a conflict, and there once")
    func movedTwice() {
        let (first, second, third) = (Self.first, Self.second, Self.third)
        let merged = merge(
            "\(second) \(first) \(third) So it is.",
            "\(first) \(second) \(third) So it is.",
            "\(first) \(third) So it is. \(second)"
        )
        #expect(merged.isConflict)
        #expect(merged.text.components(separatedBy: second).count == 2)
    }

    @Test("A sentence that one side moved within its line and the other took away is a conflict")
    func movedAndDeleted() {
        let (first, second, third) = (Self.first, Self.second, Self.third)
        #expect(
            merge("\(second) \(first) \(third)", "\(first) \(third) \(second)", "\(first) \(third)")
                .isConflict
        )
        // What only one has done to it is done.
        let moved = merge("\(second) \(first)", "\(first) \(second)", "\(second) \(first) \(third)")
        #expect(!moved.isConflict && moved.text == "\(first) \(second) \(third)\n")
    }

    @Test("A single letter that both took away, and one has put in elsewhere, is another one")
    func singleLetters() {
        let merged = merge("x sea and sky", "sea and sky", "sea and sky x blue")
        #expect(!merged.isConflict && merged.text == "sea and sky x blue\n")
    }

    @Test("Without a conflict each word of a line is there once, and none that a side took away")
    func moves() {
        var (quietCount, toldCount) = (0, 0)
        for seed in UInt64(1)...1_500 {
            var numbers = SplitMix64(seed: seed)
            let base = (0..<4 + numbers.below(9)).map { "b" + Self.letters[$0] }
            let (mine, theirs) = (Self.edited(base, "m", &numbers), Self.edited(base, "t", &numbers))
            let line = { (words: [String]) in words.joined(separator: " ") + "\n" }
            let merged = lawfulMerge(TextMerger(), line(base), line(mine), line(theirs), "seed \(seed)")
            guard merged.conflicts.isEmpty else {
                toldCount += 1
                continue
            }
            quietCount += 1
            let words = merged.text.split { $0 == " " || $0 == "\n" }.map(String.init)
            let kept = base.filter { mine.contains($0) && theirs.contains($0) }
            let added = (mine + theirs).filter { !base.contains($0) }
            #expect(words.sorted() == (kept + added).sorted(), "seed \(seed): \(base) \(mine) \(theirs)")
        }
        #expect(quietCount > 100 && toldCount > 100)
    }

    private static let letters = "abcdefghijklmnop".map(String.init)

    /// Words moved, taken away and put in.
    private static func edited(_ base: [String], _ tag: String, _ numbers: inout SplitMix64) -> [String] {
        var words = base
        for edit in 0..<1 + numbers.below(3) where words.count > 1 {
            let place = numbers.below(words.count)
            switch numbers.below(4) {
            case 0: words.remove(at: place)
            case 1: words.insert(tag + letters[edit], at: place)
            default: words.insert(words.remove(at: place), at: numbers.below(words.count + 1))
            }
        }
        return words
    }

    @Test("A number's signs are in one token with it, and those at its ends are not")
    func tokens() {
        let ends = { (text: String) in TokenEnds.words(Array(text.utf8)) }
        #expect(ends("") == [])
        #expect(ends("12.50") == [5])
        #expect(ends("a.b") == [1, 2, 3])
        #expect(ends("12.") == [2, 3])
        #expect(ends(".5") == [1, 2])
        #expect(ends("1, 2") == [1, 2, 3, 4])
        #expect(ends("1..2") == [1, 2, 3, 4])
        #expect(ends("12 km") == [2, 3, 5])
    }
}
