import SeededNumbers
import Testing

@testable import ChangeSets

private final class Note: ChangeTrackedObject {
    @ChangeTracked(.text) var text = ""
}

@Suite("Long texts")
struct LongTextTests {
    @Test("A change of a text that no reader would take is not recorded; what is recorded can be read")
    func limit() throws {
        let limit = ChangeLimits.spliceCountMax
        var replica = Replica(device: Fleet.device(1))
        try replica.record(.add, "Note", "1", at: 1)
        let pasted = TextSplice.Insertion(after: nil, text: String(repeating: "x", count: limit + 1))
        let tooMuch = [
            TextSplice(deletions: [], insertions: [pasted]),
            TextSplice(deletions: [run(of: replica, limit + 1)], insertions: []),
        ]
        for splice in tooMuch {
            #expect {
                try replica.record(.modify, "Note", "1", [PropertyChange("text", .splice(splice))], at: 2)
            } throws: {
                ($0 as? ChangeSetError)?.code == .beyondLimit
            }
        }
        #expect(replica.vector[replica.device] == 1)
        let most = TextSplice(deletions: [run(of: replica, limit)], insertions: [])
        try replica.record(.modify, "Note", "1", [PropertyChange("text", .splice(most))], at: 2)
        let batch = try #require(replica.encodedChanges(since: VersionVector()))
        #expect(try ChangeSetCoding.decode(batch) == replica.changeSets(since: VersionVector()))
        #expect(try ChangeFile(replica.encodedFile()).frames == [.changes(batch)])
    }

    private func run(of replica: Replica, _ count: Int) -> TextSplice.Run {
        TextSplice.Run(device: replica.device, sequence: 1, offsets: 0..<count)
    }

    @Test("A text that is pasted beyond one edit's limit is recorded in several edits of one change")
    func paste() throws {
        let phone = Self.recorder(1, countMax: 4)
        let desktop = Self.recorder(2, countMax: 4)
        let note = Note()
        note.text = "Grüße 🌊 e\u{301}"
        try phone.insert(note, id: "1")
        try phone.exchange(with: desktop)
        let there = try #require(desktop.objects(Note.self)["1"])
        #expect(there.text.unicodeScalars.elementsEqual(note.text.unicodeScalars))
        note.text = ""
        try phone.exchange(with: desktop)
        #expect(there.text == "")
        let changes = try #require(try phone.withReplica { $0.changeSets(since: VersionVector()) })
        #expect(changes.map(\.changes.count) == [3, 3])
        #expect(splices(changes).map(\.insertedCount) == [4, 4, 2, 0, 0, 0])
        #expect(splices(changes).map(\.deletedCount) == [0, 0, 0, 4, 4, 2])
    }

    @Test("Texts that are recorded in parts become the same as those that are recorded in one piece")
    func parts() throws {
        for seed in UInt64(1)...12 {
            let whole = try story(seed, countMax: ChangeLimits.spliceCountMax)
            for countMax in [1, 3, 7] {
                let cut = try story(seed, countMax: countMax)
                #expect(cut.texts == whole.texts, "seed \(seed), at most \(countMax)")
                #expect(cut.state == whole.state, "seed \(seed), at most \(countMax)")
            }
        }
    }

    private static func recorder(_ number: Int, countMax: Int) -> ChangeRecorder {
        let replica = Replica(device: Fleet.device(number))
        let recorder = ChangeRecorder(replica, types: [Note.self]) { 1_790_000_000_000 + UInt64(number) }
        recorder.spliceCountMax = countMax
        return recorder
    }

    private func splices(_ changes: [ChangeSet]) -> [TextSplice] {
        changes.flatMap(\.changes).compactMap { change in
            if case .splice(let splice) = change.edit { splice } else { nil }
        }
    }

    /// Two devices write into one text at the same time, again and again: what it was each time they had heard of
    /// each other, and all in the end.
    private func story(_ seed: UInt64, countMax: Int) throws -> (texts: [String], state: [UInt8]) {
        var numbers = SplitMix64(seed: seed)
        let phone = Self.recorder(1, countMax: countMax)
        let desktop = Self.recorder(2, countMax: countMax)
        let here = Note()
        here.text = "The sea is deep."
        try phone.insert(here, id: "1")
        try phone.exchange(with: desktop)
        let there = try #require(desktop.objects(Note.self)["1"])
        var texts: [String] = []
        for _ in 0..<12 {
            for note in [here, there] where numbers.below(4) > 0 { edit(note, &numbers) }
            try phone.exchange(with: desktop)
            #expect(here.text == there.text, "seed \(seed), at most \(countMax)")
            texts.append(here.text)
        }
        let changes = try #require(try phone.withReplica { $0.changeSets(since: VersionVector()) })
        for splice in splices(changes) {
            #expect(max(splice.insertedCount, splice.deletedCount) <= countMax, "seed \(seed)")
        }
        return (texts, try phone.withReplica { $0.encodedState() })
    }

    private func edit(_ note: Note, _ numbers: inout SplitMix64) {
        var scalars = Array(note.text.unicodeScalars)
        let start = numbers.below(scalars.count + 1)
        let end = min(scalars.count, start + numbers.below(15))
        let words = ["", "a", "blue ", "It is cold, and it is wet.", "Grüße 🌊 e\u{301}"]
        scalars.replaceSubrange(start..<end, with: Array(words[numbers.below(words.count)].unicodeScalars))
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        note.text = String(text)
    }
}
