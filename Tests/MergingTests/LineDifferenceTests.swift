import SeededNumbers
import Testing

@testable import Merging

@Suite("Line differences")
struct LineDifferenceTests {
    private func difference(_ mine: String, _ theirs: String) -> LineDifference {
        LineDifference(mine: Array(mine.utf8), theirs: Array(theirs.utf8))
    }

    @Test("What is the same is told apart from what is not")
    func stretches() {
        let found = difference("a\nb\nc\n", "a\nB\nc\nd\n").stretches
        #expect(found.map(\.isSame) == [true, false, true, false])
        #expect(found.map(\.mine) == ["a\n", "b\n", "c\n", ""])
        #expect(found.map(\.theirs) == ["a\n", "B\n", "c\n", "d\n"])
    }

    @Test("Texts without anything in common, and without anything, have their stretches, too")
    func ends() {
        #expect(difference("", "").stretches.isEmpty)
        #expect(difference("same", "same").stretches.map(\.isSame) == [true])
        #expect(difference("", "new").stretches.map(\.theirs) == ["new"])
    }

    @Test("All stretches together are both texts")
    func whole() {
        var numbers = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let texts = (0..<2).map { _ in
                (0..<Int.random(in: 0...12, using: &numbers)).map { _ in
                    ["a", "b", "c", ""][Int.random(in: 0...3, using: &numbers)] + "\n"
                }.joined()
            }
            let found = difference(texts[0], texts[1]).stretches
            #expect(found.map(\.mine).joined() == texts[0])
            #expect(found.map(\.theirs).joined() == texts[1])
            #expect(found.allSatisfy { $0.isSame == ($0.mine == $0.theirs) })
        }
    }
}
