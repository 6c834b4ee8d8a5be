import Shrinking
import Testing

/// What is left of a list once all that does not matter is left out.
@Suite("Shrinking")
struct ShrinkingTests {
    @Test(
        "What matters stays, in its order, and nothing else",
        arguments: [[], [0], [99], [3, 50, 51], Array(0..<100)]
    )
    func pass(wanted: [Int]) {
        let (left, isShorter) = Shrinking.pass(over: Array(0..<100)) { Set($0).isSuperset(of: wanted) }
        #expect(left == wanted)
        #expect(isShorter == (wanted.count < 100))
    }

    @Test("Another pass leaves out what has come to matter no more")
    func passes() {
        // Of an even number of them one can go with its neighbour only.
        func holds(_ list: [Int]) -> Bool { list.contains(7) && list.count % 2 == 1 }
        var (list, isShorter) = (Array(0..<101), true)
        while isShorter { (list, isShorter) = Shrinking.pass(over: list, while: holds) }
        #expect(holds(list))
        #expect(list.count < 4)
    }

    @Test("An empty list has nothing to leave out")
    func empty() {
        var shrinking = Shrinking([Int]())
        #expect(shrinking.next() == nil)
        #expect(!shrinking.isShorter)
    }
}
