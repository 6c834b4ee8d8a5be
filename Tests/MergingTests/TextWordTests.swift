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
