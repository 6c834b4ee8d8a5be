import ChangeSets
import Foundation
import Merging
import SeededNumbers
import Testing

@testable import KeyValues

@Suite("KeyValueState")
struct KeyValueStateTests {
    private let writers = (0..<3).map { KeyValueState.Writer([UInt8](repeating: UInt8($0), count: 16)) }

    private func number(_ bits: UInt64) -> WriteNumber { WriteNumber(bits: bits) }

    private static let samples: [KeyValue] = [
        .flag(true), .flag(false), .integer(.min), .integer(7), .real(KeyValue.RealBits(.nan)),
        .real(KeyValue.RealBits(-0.0)), .date(KeyValue.RealBits(1e9)), .text(""), .text("Ferien 🌊"),
        .bytes([0, 255]), .list([.integer(1), .list([])]), .table(["b": .integer(2), "a": .table([:])]),
    ]

    @Test("Of each key the later write counts, a removal as well")
    func lastWriter() {
        var (here, there) = (KeyValueState(), KeyValueState())
        #expect(here.set(.integer(1), "page", at: number(1), by: writers[0]) == true)
        #expect(there.set(.integer(2), "page", at: number(2), by: writers[1]) == true)
        #expect(there.set(.text("x"), "other", at: number(1), by: writers[1]) == true)
        #expect(here.merge(there) == ["page", "other"])
        #expect(here["page"] == .integer(2))
        #expect(there.merge(here).isEmpty && here == there)
        #expect(there.set(nil, "page", at: number(3), by: writers[1]) == true)
        #expect(here.merge(there) == ["page"])
        #expect(here["page"] == nil && here.values.keys.sorted() == ["other"])
        // What was not there leaves nothing behind.
        #expect(here.set(nil, "never", at: number(9), by: writers[0]) == true)
        #expect(here == there)
    }

    @Test("Merging goes in any order, any number of times, in any groups", arguments: [UInt64(1), 2, 3])
    func laws(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<60 {
            let states = (0..<3).map { _ in Self.randomState(&random, writers) }
            let merged = states.reduce(into: KeyValueState()) { $0.merge($1) }
            for order in [[2, 1, 0], [1, 0, 2], [0, 0, 1, 2, 1], [2, 2, 0, 1]] {
                let other = order.reduce(into: KeyValueState()) { $0.merge(states[$1]) }
                #expect(other == merged && other.encoded == merged.encoded, "seed \(seed)")
            }
            var right = states[1]
            right.merge(states[2])
            var grouped = states[0]
            grouped.merge(right)
            #expect(grouped == merged, "seed \(seed)")
            #expect(try KeyValueState(encoded: merged.encoded) == merged, "seed \(seed)")
            try checkMerger(states.map(\.encoded), seed)
        }
    }

    /// The laws that every merger keeps.
    private func checkMerger(_ files: [[UInt8]], _ seed: UInt64) throws {
        let merger = KeyValueMerger()
        let (base, mine, theirs) = (files[0], files[1], files[2])
        #expect(merger.merge(base: base, mine: mine, theirs: base) == MergedFile(contents: mine))
        #expect(merger.merge(base: base, mine: base, theirs: theirs) == MergedFile(contents: theirs))
        #expect(merger.merge(base: base, mine: mine, theirs: mine) == MergedFile(contents: mine))
        let merged = merger.merge(base: base, mine: mine, theirs: theirs)
        #expect(merged == merger.merge(base: base, mine: theirs, theirs: mine), "seed \(seed)")
        #expect(merged == merger.merge(base: nil, mine: mine, theirs: theirs), "seed \(seed)")
        #expect(merged.conflicts.isEmpty)
        var both = try KeyValueState(encoded: mine)
        both.merge(try KeyValueState(encoded: theirs))
        #expect(merged.contents == both.encoded)
    }

    /// Few keys, few numbers, few writers: so that all of them meet.
    private static func randomState(
        _ random: inout SplitMix64,
        _ writers: [KeyValueState.Writer]
    ) -> KeyValueState {
        var writes: [[UInt8]: KeyValueState.Write] = [:]
        for _ in 0..<random.below(8) {
            var writer = KeyValueWriter()
            writer.value(samples[random.below(samples.count)])
            let write = KeyValueState.Write(
                number: WriteNumber(bits: UInt64(random.below(3))),
                writer: writers[random.below(3)],
                value: random.below(4) == 0 ? nil : writer.bytes
            )
            writes[Array("key \(random.below(4))".utf8)] = write
        }
        return KeyValueState(writes)
    }

    @Test("Each value is read as it was written", arguments: samples)
    func coding(value: KeyValue) throws {
        var state = KeyValueState()
        #expect(state.set(value, "key", at: number(1), by: writers[0]) == true)
        #expect(state["key"] == value)
        #expect(try KeyValueState(encoded: state.encoded)["key"] == value)
    }

    @Test("There is room for so many keys and bytes, and always for less than there is")
    func quota() {
        var state = KeyValueState()
        for number in 0..<KeyValueState.keyCountMax {
            #expect(
                state.set(.integer(0), "\(number)", at: WriteNumber(bits: UInt64(number)), by: writers[0])
                    == true
            )
        }
        #expect(state.set(.integer(0), "more", at: number(5000), by: writers[0]) == false)
        #expect(state.set(.integer(1), "7", at: number(5000), by: writers[0]) == true)
        #expect(state.set(nil, "8", at: number(5001), by: writers[0]) == true)
        #expect(state.set(.integer(0), "more", at: number(5002), by: writers[0]) == true)
        var large = KeyValueState()
        // Neither the key counts nor what is before the bytes.
        let most = KeyValueState.byteCountMax
        #expect(
            large.set(.bytes([UInt8](repeating: 0, count: most + 1)), "key", at: number(1), by: writers[0])
                == false
        )
        #expect(large == KeyValueState())
        #expect(
            large.set(.bytes([UInt8](repeating: 0, count: most)), "key", at: number(1), by: writers[0])
                == true
        )
        #expect(large.size == (1, KeyValueState.byteCountMax))
        #expect(large.set(.integer(1), "k", at: number(2), by: writers[0]) == false)
        // Two devices' stores may be more than there is room for: nothing is lost by it.
        var other = KeyValueState()
        #expect(
            other.set(.bytes([UInt8](repeating: 1, count: 1000)), "other", at: number(1), by: writers[1])
                == true
        )
        #expect(!large.isBeyondQuota)
        large.merge(other)
        #expect(large.isBeyondQuota)
        #expect(large["other"] != nil && large.size.byteCount > KeyValueState.byteCountMax)
        #expect(
            large.set(.bytes([UInt8](repeating: 1, count: 1001)), "other", at: number(3), by: writers[0])
                == false
        )
        #expect(
            large.set(.bytes([UInt8](repeating: 1, count: 900)), "other", at: number(3), by: writers[0])
                == true
        )
    }

    @Test("Old removals are forgotten, values never")
    func removals() {
        var state = KeyValueState()
        #expect(state.set(.integer(0), "stays", at: number(0), by: writers[0]) == true)
        var writes = state.writes
        for number in 1...KeyValueState.removalCountMax {
            writes[Array("\(number)".utf8)] = KeyValueState.Write(
                number: WriteNumber(bits: UInt64(number)),
                writer: writers[0],
                value: nil
            )
        }
        state = KeyValueState(writes)
        #expect(state.set(.integer(1), "one more", at: number(20_000), by: writers[0]) == true)
        #expect(state.writes.count == KeyValueState.removalCountMax + 2)
        #expect(state.set(nil, "one more", at: number(20_001), by: writers[0]) == true)
        #expect(state.writes.count < KeyValueState.removalCountMax)
        #expect(state["stays"] == .integer(0))
        #expect(state.writes[Array("one more".utf8)] != nil && state.writes[Array("1".utf8)] == nil)
    }

    @Test("What was forgotten does not come back by merging, so that nothing grows for ever")
    func removalsMerged() throws {
        func removed(_ numbers: ClosedRange<Int>) -> KeyValueState {
            let writes = numbers.map { number in
                let write = KeyValueState.Write(
                    number: WriteNumber(bits: UInt64(number)),
                    writer: writers[0],
                    value: nil
                )
                return (Array("\(number)".utf8), write)
            }
            return KeyValueState(Dictionary(uniqueKeysWithValues: writes))
        }
        let countMax = KeyValueState.removalCountMax
        let (file, last) = (removed(1...countMax), removed(countMax + 1...countMax + 1))
        var merged = file
        #expect(merged.merge(last).isEmpty)
        #expect(merged.writes.count == countMax / 2)
        #expect(merged.writes[Array("\(countMax + 1)".utf8)] != nil)
        var otherWay = last
        otherWay.merge(file)
        #expect(otherWay == merged)
        var again = file
        again.merge(merged)
        #expect(again == merged)
    }

    @Test("A count at its end makes no file that cannot be read")
    func endOfCount() throws {
        var (state, counter) = (KeyValueState(), WriteCounter())
        counter.observe(WriteNumber(bits: WriteNumber.bitsMax))
        for value in 0..<3 {
            let number = counter.next()
            #expect(state.set(.integer(Int64(value)), "key", at: number, by: writers[0]) == true)
            #expect(try KeyValueState(encoded: state.encoded)["key"] == .integer(Int64(value)))
        }
    }

    @Test("A write is later than all that its writer had seen, and what gives way earlier than any other's")
    func counting() {
        var (counter, other, new) = (WriteCounter(), WriteCounter(), WriteCounter())
        let first = counter.next()
        let second = counter.next()
        #expect(first == WriteNumber.first && second > first)
        for _ in 0..<1000 {
            let number = new.next(givesWay: true)
            #expect(number < first)
        }
        let own = new.next()
        #expect(own == first)
        // As one that went by a clock of the year 2036 has written it.
        let ahead = WriteNumber(bits: 2_100_000_000_000 << 16)
        other.observe(ahead)
        let numbers = [other.next(), other.next()]
        #expect(numbers == [WriteNumber(bits: ahead.bits + 1), WriteNumber(bits: ahead.bits + 2)])
        other.observe(first)
        let later = other.next()
        #expect(later == WriteNumber(bits: ahead.bits + 3))
    }

    @Test("Numbered anew, what gave way is later than all that still does, in the order that it had")
    func numberingEarly() {
        var (state, counter) = (KeyValueState(), WriteCounter())
        #expect(state.set(.integer(1), "first", at: counter.next(givesWay: true), by: writers[2]) == true)
        #expect(state.set(.integer(2), "second", at: counter.next(givesWay: true), by: writers[0]) == true)
        #expect(state.set(nil, "first", at: counter.next(givesWay: true), by: writers[1]) == true)
        let late = WriteNumber(bits: WriteNumber.first.bits + 9)
        #expect(state.set(.integer(3), "late", at: late, by: writers[0]) == true)
        counter.observe(state.latest)
        state.numberEarlyWrites(with: &counter, by: writers[1])
        #expect(
            state.writes.mapValues { $0.number.bits - WriteNumber.first.bits } == [
                Array("late".utf8): 9, Array("second".utf8): 10, Array("first".utf8): 11,
            ]
        )
        #expect(state.values == ["second": .integer(2), "late": .integer(3)])
        #expect(!state.hasEarlyWrites && state.latest == counter.last)
        let former = state
        state.numberEarlyWrites(with: &counter, by: writers[1])
        #expect(state == former)
    }

    @Test("The file is that of Docs/formats/key-values.md")
    func vector() throws {
        var state = KeyValueState()
        let bits: UInt64 = 117_309_440_000_000_000
        let writer = KeyValueState.Writer(Array(0..<16))
        #expect(state.set(.text("sepia"), "theme", at: number(bits), by: writer) == true)
        let later = number(bits + 1)
        #expect(
            state.set(
                .table(["page": .integer(7), "at": .list([.flag(true)])]),
                "last",
                at: later,
                by: writer
            ) == true
        )
        let half = KeyValue.real(KeyValue.RealBits(0.5))
        #expect(state.set(half, "gone", at: later, by: writer) == true)
        #expect(state.set(nil, "gone", at: number(bits + 65_536), by: writer) == true)
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Docs/formats/key-values.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let block = try #require(
            text.components(separatedBy: "## Test vector").last?.components(separatedBy: "```")
        )
        let expected = block[1].filter { !$0.isWhitespace }
        #expect(
            state.encoded.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == expected
        )
    }

    @Test("Bytes that are no store's do no harm, and are named", arguments: [UInt64(5)])
    func hostile(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var state = KeyValueState()
        for (index, value) in Self.samples.enumerated() {
            #expect(state.set(value, "key \(index)", at: number(UInt64(index)), by: writers[0]) == true)
        }
        let sound = state.encoded
        for index in sound.indices {
            var bytes = sound
            bytes[index] ^= 1
            #expect(throws: KeyValueError.self) { try KeyValueState(encoded: bytes) }
            #expect(throws: KeyValueError.self) { try KeyValueState(encoded: Array(sound.prefix(index))) }
        }
        for _ in 0..<300 {
            // With a checksum that fits, as from one who means harm.
            var bytes = Array(sound.dropLast(4))
            for _ in 0..<1 + random.below(4) {
                bytes[9 + random.below(bytes.count - 9)] = UInt8(random.below(256))
            }
            var writer = KeyValueWriter()
            writer.raw(bytes)
            writer.integer(Checksum.crc32(bytes[...]))
            // Read or refused; read, it is what is written again.
            let read = try? KeyValueState(encoded: writer.bytes)
            if let read { #expect(try KeyValueState(encoded: read.encoded) == read, "seed \(seed)") }
        }
        var later = sound
        later[8] = 2
        #expect(throws: KeyValueError.self) { try KeyValueState(encoded: later) }
        let merged = KeyValueMerger().merge(base: nil, mine: sound, theirs: [1, 2])
        #expect(merged.conflicts.count == 1)
    }

    @Test(
        "Made early, writes keep their order and give way to all others",
        arguments: [0, 1 << 40] as [UInt64]
    )
    func early(above: UInt64) {
        var state = KeyValueState()
        let first = WriteNumber.first.bits + above
        for (place, key) in ["b", "c", "a"].enumerated() {
            #expect(state.set(.text(key), key, at: number(first + UInt64(place) * 5), by: writers[0]) == true)
        }
        let early = state.early
        #expect(early.values == state.values && early.latest < .first)
        let numbers = ["b", "c", "a"].compactMap { early.writes[Array($0.utf8)]?.number }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 3)
        #expect(state.set(.text("later"), "b", at: number(first + 20), by: writers[0]) == true)
        var again = early
        again.merge(state.early)
        #expect(again.values == state.values)
        // Removed where they are by now, they stay so.
        var account = KeyValueState()
        account.merge(early)
        #expect(account.set(nil, "a", at: .first, by: writers[1]) == true)
        account.merge(early)
        #expect(account["a"] == nil)
    }
}
