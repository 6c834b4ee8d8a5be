import Foundation
import SeededNumbers
import Testing

@testable import Merging

@Suite("TextMerger")
struct TextMergerTests {
    private let merger = TextMerger()

    @Test("Changes of different lines go together")
    func lines() {
        let merged = lawfulMerge(merger, "a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n")
        #expect(merged.text == "A\nb\nc\nd\nE\nf\n")
        #expect(merged.conflicts.isEmpty)
    }

    @Test("Changes of different words of one line go together, and of lines side by side")
    func words() {
        let line = lawfulMerge(merger, "the sea is blue\n", "the lake is blue\n", "the sea is deep\n")
        #expect(line.text == "the lake is deep\n")
        let neighbours = lawfulMerge(merger, "one\ntwo\n", "ONE\ntwo\n", "one\nTWO\n")
        #expect(neighbours.text == "ONE\nTWO\n")
        #expect(line.conflicts.isEmpty && neighbours.conflicts.isEmpty)
    }

    @Test("One word changed in two ways is a conflict whose ranges lead to it; no mark is in the text")
    func conflict() throws {
        let merged = lawfulMerge(merger, "x\nsea\ny\n", "x\nlake\ny\n", "x\nocean\ny\n")
        let conflict = try #require(merged.conflicts.first)
        #expect(merged.conflicts.count == 1)
        #expect(conflict.base?.range == 2..<6)
        #expect(
            [conflict.base, conflict.mine, conflict.theirs].map { $0?.text } == [
                "sea\n", "lake\n", "ocean\n",
            ]
        )
        // “xocean” is greater than “xlake”.
        #expect(conflict.standing == .theirs)
        #expect(merged.text == "x\nocean\ny\n")
    }

    @Test("Lines taken away by one and changed by the other are a conflict")
    func deletion() {
        let merged = lawfulMerge(merger, "a\nb\nc\n", "a\nc\n", "a\nB\nc\n")
        #expect(merged.conflicts.count == 1)
        #expect(merged.conflicts.first?.mine?.bytes == [])
        #expect(merged.conflicts.first?.theirs?.text == "B\n")
    }

    @Test("What both inserted at one place is a conflict, unless it is the same")
    func insertions() {
        #expect(lawfulMerge(merger, "a\n", "a\nb\n", "a\nc\n").conflicts.count == 1)
        let same = lawfulMerge(merger, "a\nx\n", "a\nb\nx\n1\n", "a\nb\nx\n")
        #expect(same.text == "a\nb\nx\n1\n")
        #expect(same.conflicts.isEmpty)
    }

    private static let block = "alpha one\nalpha two\nalpha three\n"
    private static let rest = (0..<12).map { "line \($0)\n" }.joined()

    @Test("Lines that one side moved are edited where they are now")
    func movedAndEdited() {
        let base = Self.block + Self.rest
        let moved = Self.rest + Self.block
        let edited = "alpha one\nalpha 2\nalpha three\n" + Self.rest
        let merged = lawfulMerge(merger, base, moved, edited)
        #expect(merged.text == Self.rest + "alpha one\nalpha 2\nalpha three\n")
        #expect(merged.conflicts.isEmpty)
    }

    @Test("Lines that both moved to different places are there once, and a conflict")
    func movedTwice() {
        let half = (0..<6).map { "line \($0)\n" }.joined()
        let other = (6..<12).map { "line \($0)\n" }.joined()
        let merged = lawfulMerge(
            merger,
            Self.block + half + "middle\n" + other,
            half + Self.block + "middle\n" + other,
            half + "middle\n" + other + Self.block
        )
        #expect(merged.text.split(separator: "\n").count { $0 == "alpha two" } == 1)
        #expect(merged.conflicts.count == 1)
        #expect(merged.conflicts.first?.mine?.text == Self.block)
    }

    @Test("Line ends stay as they were, mixed and missing ones, too")
    func lineEnds() {
        let merged = lawfulMerge(merger, "a\r\nb\nc", "A\r\nb\nc", "a\r\nb\nc\r\nd")
        #expect(merged.text == "A\r\nb\nc\r\nd")
        #expect(merged.conflicts.isEmpty)
    }

    @Test(
        "Where one side has given all lines other ends, so end the lines that the other one has put in",
        arguments: [("\n", "\r\n"), ("\r\n", "\n")]
    )
    func changedLineEnds(old: String, new: String) throws {
        func text(_ lines: [String], _ end: String) -> String { lines.map { $0 + end }.joined() }
        let letters = ["a", "b", "c", "d"]
        let added = lawfulMerge(
            merger,
            text(letters, old),
            text(letters, new),
            text(["a", "b", "new", "c", "d"], old)
        )
        #expect(added.text == text(["a", "b", "new", "c", "d"], new) && added.conflicts.isEmpty)
        // What it has changed itself meanwhile is beside that, and what both have is told as each has it.
        let both = lawfulMerge(
            merger,
            text(letters, old),
            text(["A", "b", "mine", "d"], new),
            text(["a", "b", "theirs", "d", "e"], old)
        )
        #expect(both.text == text(["A", "b", "theirs", "d", "e"], new))
        let conflict = try #require(both.conflicts.first)
        #expect([conflict.mine, conflict.theirs].map { $0?.text } == ["mine" + new, "theirs" + old])
        #expect(both.conflicts.count == 1 && conflict.base?.text == "c" + old)
        // Nobody has given the text other ends who has put in a line with another.
        let mixed = lawfulMerge(merger, "a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nb\nc\nd\r\n")
        #expect(mixed.text == "a\r\nb\r\nc\r\nd\r\n" || !mixed.conflicts.isEmpty)
    }

    @Test("Bytes that are no UTF-8 merge by line only; zero bytes not at all")
    func bytes() {
        let base: [UInt8] = [0xFF, 0x20, 0x61, 0x0A, 0x62, 0x0A, 0x63, 0x0A]
        let mine: [UInt8] = [0xFE, 0x20, 0x61, 0x0A, 0x62, 0x0A, 0x63, 0x0A]
        let lines = lawfulMerge(merger, base, mine, [0xFF, 0x20, 0x61, 0x0A, 0x62, 0x0A, 0x64, 0x0A])
        #expect(lines.contents == [0xFE, 0x20, 0x61, 0x0A, 0x62, 0x0A, 0x64, 0x0A])
        let words = lawfulMerge(merger, base, mine, [0xFF, 0x20, 0x7A, 0x0A, 0x62, 0x0A, 0x63, 0x0A])
        #expect(words.conflicts.count == 1)
        let zero = lawfulMerge(
            merger,
            [0, 0x0A, 1, 0x0A, 2],
            [5, 0, 0x0A, 1, 0x0A, 2],
            [0, 0x0A, 1, 0x0A, 3]
        )
        #expect(zero.conflicts.count == 1)
    }

    private static let lines = "Stra\u{DF}e\n1\n2\n3\n4\ncaf\u{E9}\n"

    /// As it was written before there was UTF-8.
    private static func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    @Test("Where one side has converted a text, nothing is made of it that is neither")
    func converted() {
        let (old, edited) = (Self.lines, Self.lines.replacingOccurrences(of: "caf\u{E9}", with: "th\u{E9}"))
        let versions = [
            (Self.latin1(old), Array(old.utf8), Self.latin1(edited)),
            (Array(old.utf8), Self.latin1(old), Array(edited.utf8)),
            (Array("1\n2\n3\n".utf8), Self.latin1("\u{E9}\n2\n3\n"), Array("1\n2\n\u{E9}\n".utf8)),
        ]
        for (base, mine, theirs) in versions {
            let merged = lawfulMerge(merger, base, mine, theirs)
            #expect(merged.conflicts.map(\.base?.bytes) == [base])
            #expect([mine, theirs].contains(merged.contents))
            #expect(lawfulMerge(MarkupMerger(.html), base, mine, theirs).conflicts.count == 1)
        }
    }

    @Test("What is in no encoding of its own goes with either, and what both have converted goes together")
    func sameEncoding() {
        let plain = "Road\n1\n2\n3\n4\ncoffee\n"
        for encode in [Self.latin1, { (text: String) in Array(text.utf8) }] {
            let merged = lawfulMerge(
                merger,
                encode(plain),
                encode(plain.replacingOccurrences(of: "Road", with: "Stra\u{DF}e")),
                encode(plain.replacingOccurrences(of: "coffee", with: "tea"))
            )
            #expect(merged.conflicts.isEmpty)
            #expect(merged.contents == encode("Stra\u{DF}e\n1\n2\n3\n4\ntea\n"))
        }
        let both = lawfulMerge(
            merger,
            Self.latin1(Self.lines),
            Array(Self.lines.utf8),
            Array(Self.lines.replacingOccurrences(of: "2", with: "two").utf8)
        )
        #expect(both.conflicts.isEmpty)
    }

    @Test("Markup may say in a line how it is written: there one that is not UTF-8 goes with nothing that is")
    func markupInTwoEncodings() {
        let page = { (encoding: String, text: String) in
            "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>\n<a>\n<b>1</b>\n<b>\(text)</b>\n</a>\n"
        }
        let merged = lawfulMerge(
            MarkupMerger(.xml),
            Self.latin1(page("ISO-8859-1", "the")),
            Self.latin1(page("UTF-8", "the")),
            Self.latin1(page("ISO-8859-1", "th\u{E9}"))
        )
        #expect(merged.conflicts.count == 1)
    }

    @Test("Two texts without an ancestor are a conflict as a whole")
    func noBase() {
        #expect(lawfulMerge(merger, nil, "a\n", "b\n").conflicts.count == 1)
    }

    @Test("The laws hold for random edits, and nothing of them disappears")
    func random() {
        for seed in UInt64(1)...150 {
            var numbers = SplitMix64(seed: seed)
            let base = (0..<numbers.below(25)).map { _ in Self.words(&numbers) }
            let mine = Self.edited(base, "m", &numbers)
            let theirs = Self.edited(base, "t", &numbers)
            let join = { (lines: [String]) in lines.joined(separator: "\n") }
            let merged = lawfulMerge(merger, join(base), join(mine), join(theirs), "seed \(seed)")
            let told =
                merged.text
                + merged.conflicts.map { ($0.mine?.text ?? "") + ($0.theirs?.text ?? "") }.joined()
            for word in (mine + theirs).flatMap({ $0.split(separator: " ") }) where word.contains("#") {
                #expect(told.contains(word), "seed \(seed): \(word)")
            }
        }
    }

    private static func words(_ numbers: inout SplitMix64) -> String {
        (0..<numbers.below(4)).map { _ in ["sea", "sky", "sun", "dew"][numbers.below(4)] }.joined(
            separator: " "
        )
    }

    /// Lines changed, put in, taken away, moved; every new word is one of a kind.
    private static func edited(_ base: [String], _ tag: String, _ numbers: inout SplitMix64) -> [String] {
        var lines = base
        for edit in 0..<1 + numbers.below(4) {
            let place = numbers.below(lines.count + 1)
            let word = "\(tag)#\(edit)#"
            switch numbers.below(4) {
            case 0 where place < lines.count: lines[place] += " " + word
            case 1 where place < lines.count: lines.remove(at: place)
            case 2 where place < lines.count:
                lines.insert(lines.remove(at: place), at: numbers.below(lines.count + 1))
            default: lines.insert(word, at: place)
            }
        }
        return lines
    }

    @Test("Of a very large place words are not looked at: it is a conflict, told at once")
    func largePlace() {
        let words = String(repeating: "wave ", count: 80_000)
        let merged = lawfulMerge(merger, "one \(words)two\n", "ONE \(words)two\n", "one \(words)TWO\n")
        #expect(merged.conflicts.count == 1)
        let smaller = String(repeating: "wave ", count: 1_000)
        let small = lawfulMerge(merger, "one \(smaller)two\n", "ONE \(smaller)two\n", "one \(smaller)TWO\n")
        #expect(small.text == "ONE \(smaller)TWO\n")
    }
}
