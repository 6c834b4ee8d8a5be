import Foundation
import SeededNumbers
import Testing

@testable import ChangeSets

@Suite("The format of change sets")
struct ChangeFormatTests {
    static let device = DeviceID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)

    /// The example of Docs/formats/change-sets.md.
    static func example() throws -> Replica {
        var replica = Replica(device: device)
        let url = PropertyChange("url", .set(.text("https://example.org/sea")))
        let changes = [PropertyChange("name", .set(.text("Sea"))), url]
        try replica.record(.add, "Bookmark", "1", changes, at: 1_790_000_000_000)
        try replica.record(
            .modify,
            "Bookmark",
            "1",
            [PropertyChange("visits", .increment(2))],
            at: 1_790_000_000_000
        )
        let edit = try #require(Replica.splice(of: "wet"))
        try replica.record(.modify, "Bookmark", "1", [PropertyChange("notes", edit)], at: 1_790_000_000_000)
        let again = try #require(replica.splice(of: "notes", "Bookmark", "1", to: "we!"))
        try replica.record(.modify, "Bookmark", "1", [PropertyChange("notes", again)], at: 1_790_000_000_000)
        try replica.record(.delete, "Bookmark", "1", at: 1_790_000_000_001)
        return replica
    }

    private static func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(
            contentsOf: root.appendingPathComponent("Docs/formats/change-sets.md"),
            encoding: .utf8
        )
    }

    /// The hexadecimal blocks of the page.
    private static func vectors() throws -> [[UInt8]] {
        try page().components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }.map { block in
            let digits = Array(block.element.filter { $0.isHexDigit })
            return stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...$0 + 1]), radix: 16)
            }
        }
    }

    @Test("What is written is what the page on the format shows")
    func vectorsWritten() throws {
        let replica = try Self.example()
        let vectors = try Self.vectors()
        try #require(vectors.count == 3)
        #expect(replica.encodedChanges(since: VersionVector()) == vectors[0])
        #expect(replica.encodedState() == vectors[1])
        #expect(replica.encodedFile() == vectors[2])
    }

    @Test("What the page on the format shows is read")
    func vectorsRead() throws {
        let vectors = try Self.vectors()
        try #require(vectors.count == 3)
        let example = try Self.example()
        #expect(try ChangeSetCoding.decode(vectors[0]) == example.changeSets(since: VersionVector()))
        let copy = try Replica(state: vectors[1], device: Self.device)
        #expect(copy.encodedState() == example.encodedState())
        let file = try ChangeFile(vectors[2])
        #expect(file.device == Self.device)
        #expect(file.frames == [.changes(vectors[0])])
        #expect(file.intactByteCount == vectors[2].count)
    }

    @Test("Values of every kind come back as they were")
    func values() throws {
        let values: [ChangeValue] = [
            .none, .flag(true), .flag(false), .integer(.min), .integer(.max), .integer(-1), .real(-0.0),
            .real(.nan), .real(.infinity), .text(""), .text("Grüße 🌊 e\u{301}"), .bytes([0, 255]),
            .list([.list([]), .text("x"), .list([.none])]),
        ]
        var replica = Replica(device: Self.device)
        let changes = values.enumerated().map { PropertyChange("p\($0.offset)", .set($0.element)) }
        let made = try replica.record(.add, "T", "1", changes, at: 1)
        let read = try ChangeSetCoding.decode(ChangeSetCoding.encode([made]))
        #expect(read == [made])
        var other = Replica(device: Fleet.device(2))
        try other.apply([made])
        for (index, value) in values.enumerated() {
            #expect(other.value(of: "p\(index)", "T", "1") == value)
        }
    }

    private static func deep(_ depth: Int) -> ChangeValue {
        (0..<depth).reduce(.none) { value, _ in .list([value]) }
    }

    @Test("Limits hold in recording and in reading")
    func limits() throws {
        var replica = Replica(device: Self.device)
        let long = String(repeating: "x", count: 1001)
        for (type, id, property) in [("", "1", "p"), ("T", "", "p"), ("T", "1", ""), (long, "1", "p")] {
            #expect(throws: ChangeSetError.self) {
                try replica.record(.add, type, id, [PropertyChange(property, .set(.none))], at: 1)
            }
        }
        #expect(throws: ChangeSetError.self) {
            try replica.record(.add, "T", "1", [PropertyChange("p", .set(Self.deep(17)))], at: 1)
        }
        #expect(replica.vector == VersionVector())
        try replica.record(.add, "T", "1", [PropertyChange("p", .set(Self.deep(16)))], at: 1)
        let batch = try #require(replica.encodedChanges(since: VersionVector()))
        try #expect(ChangeSetCoding.decode(batch).count == 1)
        var deeper = batch
        // One list more around the innermost value, which is last: kind 7, one element, none.
        deeper.replaceSubrange((deeper.count - 1)..., with: [7, 1, 0])
        #expect(throws: ChangeSetError.self) { try ChangeSetCoding.decode(deeper) }
        var later = batch
        later[0] = 2
        #expect { try ChangeSetCoding.decode(later) } throws: {
            ($0 as? ChangeSetError)?.code == .versionUnknown
        }
    }

    @Test("Damaged and made-up bytes are refused or read, and never harm")
    func fuzz() throws {
        for seed in UInt64(1)...6 {
            var fleet = Fleet(3, seed: seed)
            try fleet.run(steps: 25)
            let batch = try #require(fleet.replicas[0].encodedChanges(since: VersionVector()))
            let sources = [batch, fleet.replicas[0].encodedState(), fleet.replicas[0].encodedFile()]
            for _ in 0..<15 {
                for source in sources { try check(damaged(source, &fleet.numbers), fleet, seed) }
            }
        }
    }

    private func damaged(_ source: [UInt8], _ numbers: inout SplitMix64) -> [UInt8] {
        var bytes = source
        for _ in 0...numbers.below(3) where !bytes.isEmpty {
            let place = numbers.below(bytes.count)
            switch numbers.below(4) {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: numbers.next())
            case 1: bytes[place] ^= 1 << UInt8(numbers.below(8))
            case 2: bytes.removeSubrange(place...)
            default: bytes.insert([0, 1, 0x7F, 0x80, 0xFF][numbers.below(5)], at: place)
            }
        }
        return bytes
    }

    /// Whatever is taken leaves a replica that can be written and read again.
    private func check(_ bytes: [UInt8], _ fleet: Fleet, _ seed: UInt64) throws {
        var replica = fleet.replicas[1]
        let before = replica.encodedState()
        do {
            try replica.apply(bytes)
        } catch {
            #expect(replica.encodedState() == before, "seed \(seed): \(error)")
        }
        // Refusals are as good as readings here: what matters is what is left.
        try? replica.merge(state: bytes)
        try? replica.merge(ChangeFile(bytes))
        _ = replica.conflicts
        _ = replica.picture
        let copy = try Replica(
            state: replica.encodedState(),
            device: replica.device,
            deletionRules: fleet.rules
        )
        #expect(copy.encodedState() == replica.encodedState(), "seed \(seed)")
    }
}
