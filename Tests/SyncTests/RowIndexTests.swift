import SeededNumbers
import Testing

@testable import Sync

@Suite("Sync: rows by hash")
struct RowIndexTests {
    @Test(
        "Rows are found by their hashes, whatever comes and goes, and however they are numbered",
        arguments: [(20, 1), (300, 7), (3000, 1), (50, 1_000_003)]
    )
    func asDictionary(rowCount: Int, step: Int) {
        var random = seededNumbers(for: "row index")
        // Some hashes are alike, some in their lower bits alone.
        let hashes = Dictionary(
            uniqueKeysWithValues: (0..<rowCount).map { row -> (Int, UInt32) in
                let hash = UInt32(truncatingIfNeeded: random.next())
                return (row * step, [hash, hash & 7, hash & 0xFFFF_0000][random.below(3)])
            }
        )
        let rows = hashes.keys.sorted()
        var (index, known) = (RowIndex(), Set<Int>())
        for round in 0..<12 * rowCount {
            let row = rows[random.below(rows.count)]
            let hash = hashes[row] ?? 0
            // First most come, then most go, then they come again.
            let comes = random.below(10) < (round / (4 * rowCount) == 1 ? 2 : 8)
            if comes, known.insert(row).inserted {
                index.insert(row) { hashes[$0] ?? 0 }
            } else if !comes {
                let (wasIn, wasKnown) = (index.remove(row, hash: hash), known.remove(row) != nil)
                #expect(wasIn == wasKnown)
            }
            #expect(index.count == known.count)
            let sought = rows[random.below(rows.count)]
            let found = index.row(hashes[sought] ?? 0) { $0 == sought }
            #expect(found == (known.contains(sought) ? sought : nil))
        }
        for row in rows {
            var shown: [Int] = []
            _ = index.row(hashes[row] ?? 0) { other in
                shown.append(other)
                return false
            }
            let alike = known.filter { hashes[$0] == hashes[row] }
            #expect(Set(shown).isSuperset(of: alike) && Set(shown).count == shown.count)
            #expect(known.isSuperset(of: shown))
        }
        // Those that have gone take no room for ever.
        #expect(index.slots.count <= 4 * RowIndex.slotCount(for: rowCount))
    }

    @Test("Rows that come and go for long do not make it grow")
    func churn() {
        var index = RowIndex()
        let hash: (Int) -> UInt32 = { UInt32(truncatingIfNeeded: $0 &* 0x9E37_79B9) }
        for row in 0..<1000 { index.insert(row, hash: hash) }
        let slotCount = index.slots.count
        for row in 1000..<50_000 {
            let wasIn = index.remove(row - 1000, hash: hash(row - 1000))
            #expect(wasIn)
            index.insert(row, hash: hash)
        }
        #expect(index.count == 1000 && index.slots.count <= 2 * slotCount)
        #expect((49_000..<50_000).allSatisfy { row in index.row(hash(row)) { $0 == row } == row })
        #expect(index.row(hash(48_999)) { $0 == 48_999 } == nil)
    }
}
