import SeededNumbers
import Sync
import Testing

@testable import Sealing

@Suite("What a record says beside what was committed")
struct RecordExtraTests {
    @Test(
        "A date is read as it was written, to the nanosecond",
        arguments: [0, -1, 1_790_000_000_123_456_789, Int64.max, .min]
    )
    func dates(modified: Int64) {
        let extra = RecordExtra(modified: modified)
        #expect(extra.encoded.count == 10 && RecordExtra(encoded: extra.encoded) == extra)
    }

    @Test("It is written down as the format says, and nothing where nothing is said")
    func bytes() {
        let written: [UInt8] = [1, 8, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0]
        #expect(RecordExtra(modified: 0x1234_5678_9ABC_DEF0).encoded == written)
        #expect(RecordExtra().encoded.isEmpty && RecordExtra(encoded: []) == RecordExtra())
    }

    @Test(
        "When contents in conflict were modified is said of each of which it is known, up to as many as have room"
    )
    func lost() {
        let names = (0..<40).map { ContentName("content \(100 + $0)") }
        let place = ItemPlace(.root, "a.txt")
        func state(_ conflicts: ArraySlice<ContentName>) -> ItemState {
            ItemState(.document, at: place, content: names[0], conflicts: Set(conflicts))
        }
        let few = state(names[1...3])
        let extra = RecordExtra(modified: 7, lost: [names[1]: 1, names[3]: -3, names[9]: 9], of: few)
        let unknown: [UInt8] = [0x80, 0, 0, 0, 0, 0, 0, 0]
        let written = [1, 8, 0, 0, 0, 0, 0, 0, 0, 7, 2, 24, 0, 0, 0, 0, 0, 0, 0, 1] + unknown
        #expect(extra.encoded == written + [UInt8](repeating: 0xFF, count: 7) + [0xFD])
        #expect(RecordExtra(encoded: extra.encoded).lost(of: few) == [names[1]: 1, names[3]: -3])
        #expect(RecordExtra(modified: nil, lost: [names[9]: 9], of: few).encoded.isEmpty)
        #expect(RecordExtra(modified: 7, lost: [names[1]: 1], of: nil).lost.isEmpty)
        let many = state(names[1...])
        let dates = Dictionary(names.enumerated().map { ($1, Int64($0)) }) { $1 }
        let all = RecordExtra(encoded: RecordExtra(modified: nil, lost: dates, of: many).encoded).lost(
            of: many
        )
        #expect(all.count == 31 && all == dates.filter { (1...31).contains($0.value) })
    }

    @Test("What a later version says is skipped, wherever it stands")
    func unknownTags() {
        let known = RecordExtra(modified: 7)
        for other: [UInt8] in [[3, 0], [9, 3, 1, 8, 0], [255, 255] + [UInt8](repeating: 1, count: 255)] {
            #expect(RecordExtra(encoded: other + known.encoded) == known, "\(other)")
            #expect(RecordExtra(encoded: known.encoded + other) == known, "\(other)")
            #expect(RecordExtra(encoded: other) == RecordExtra(), "\(other)")
        }
    }

    @Test("Where it is no fields, or no date of eight bytes, none is said")
    func malformed() {
        let date = RecordExtra(modified: 7).encoded
        let shorter: [UInt8] = [1, 7, 0, 0, 0, 0, 0, 0, 0]
        let longer: [UInt8] = [1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        var all = [
            [1], [1, 0], shorter, longer, date + date, date + [2], date + [2, 1], Array("later".utf8),
        ]
        all += (1..<date.count).map { Array(date.prefix($0)) }
        for bytes in all { #expect(RecordExtra(encoded: bytes) == RecordExtra(), "\(bytes)") }
    }

    @Test("Whatever bytes come, they are read to an end", arguments: [UInt64(5)])
    func anyBytes(seed: UInt64) {
        let random = SeededRandom(seed)
        for _ in 0..<2000 {
            let bytes = random.bytes(random.below(24)).map { $0 % 12 }
            // What is said can be said again.
            let read = RecordExtra(encoded: bytes)
            #expect(RecordExtra(encoded: read.encoded) == read, "seed \(seed): \(bytes)")
        }
    }
}
