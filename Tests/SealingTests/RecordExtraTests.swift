import SeededNumbers
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

    @Test("What a later version says is skipped, wherever it stands")
    func unknownTags() {
        let known = RecordExtra(modified: 7)
        for other: [UInt8] in [[2, 0], [9, 3, 1, 8, 0], [255, 255] + [UInt8](repeating: 1, count: 255)] {
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
