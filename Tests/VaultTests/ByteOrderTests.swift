import SeededNumbers
import Testing

@testable import Vault

/// Names in the order of their bytes.
@Suite("Names in the order of their bytes")
struct ByteOrderTests {
    @Test(
        "Random names are in the order of their bytes, those alike among them that Swift takes for the same"
    )
    func order() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        let pieces = ["a", "b", "é", "e\u{301}", "\u{1}", "\u{10FFFF}", "abcdefgh", "ABCDEFG", " ", "1"]
        for _ in 0..<200 {
            let names = (0..<random.below(60)).map { _ in
                (0..<random.below(12)).map { _ in pieces[random.below(pieces.count)] }.joined()
            }
            let ordered = names.orderInBytes
            #expect(ordered.sorted() == Array(names.indices), "seed \(seed)")
            let bytes = ordered.map { Array(names[$0].utf8) }
            #expect(
                zip(bytes, bytes.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) },
                "seed \(seed)"
            )
        }
    }
}
