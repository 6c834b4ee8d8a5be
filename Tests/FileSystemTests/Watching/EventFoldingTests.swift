import TestThreads
import Testing

@testable import FileSystem

/// The sequences are what the kernel reported of the tools named, run on a file `doc` in a watched folder.
@Suite("EventFolding", .onOwnThreads)
struct EventFoldingTests {
    struct Story: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let events: [WatchEvent]
        let changes: [EventFolding.Change]

        init(_ description: String, _ events: [WatchEvent], _ changes: [EventFolding.Change]) {
            (testDescription, self.events, self.changes) = (description, events, changes)
        }
    }

    static func place(_ name: String, _ folder: Int = 1) -> EventFolding.Place {
        .init(folder: folder, name: name)
    }
    static func made(_ name: String) -> WatchEvent { .init(kind: .created, name: name) }
    static func closed(_ name: String) -> WatchEvent { .init(kind: .changed, name: name) }
    static func attributes(_ name: String) -> WatchEvent { .init(kind: .attributesChanged, name: name) }
    static func gone(_ name: String) -> WatchEvent { .init(kind: .deleted, name: name) }
    static func from(_ name: String, _ cookie: UInt32) -> WatchEvent {
        .init(kind: .movedFrom(cookie: cookie), name: name)
    }
    static func to(_ name: String, _ cookie: UInt32) -> WatchEvent {
        .init(kind: .movedTo(cookie: cookie), name: name)
    }

    static let stories: [Story] = [
        Story("python: written in place", [closed("doc")], [.written(place("doc"))]),
        Story("cp over it, dd, truncate", [closed("doc")], [.written(place("doc"))]),
        Story(
            "touch",
            [attributes("doc"), closed("doc")],
            [.written(place("doc"))]
        ),
        Story(
            "vim, writing in place with a swap file",
            [
                made(".doc.swp"), made(".doc.swx"), closed(".doc.swx"), gone(".doc.swx"), closed(".doc.swp"),
                gone(".doc.swp"), made(".doc.swp"), attributes(".doc.swp"), attributes("doc"), closed("doc"),
                attributes("doc"), closed(".doc.swp"), gone(".doc.swp"),
            ],
            [.written(place("doc"))]
        ),
        Story(
            "vim, renaming the old file to a backup that it removes",
            [from("doc", 1), to("doc~", 1), made("doc"), closed("doc"), attributes("doc"), gone("doc~")],
            [.written(place("doc")), .deleted(place("doc~"))]
        ),
        Story(
            "a new file renamed over it, and on to another name",
            [made("new"), closed("new"), from("new", 1), to("doc", 1), from("doc", 2), to("doc2", 2)],
            [.written(place("doc2")), .replacedAndMoved(place("doc"), to: place("doc2"))]
        ),
        Story(
            "removed, written anew and renamed",
            [gone("doc"), made("doc"), closed("doc"), from("doc", 1), to("doc2", 1)],
            [.written(place("doc2")), .replacedAndMoved(place("doc"), to: place("doc2"))]
        ),
        Story(
            "renamed away, written anew, and that renamed, too: the old one is followed",
            [from("doc", 1), to("doc~", 1), made("doc"), closed("doc"), from("doc", 2), to("doc2", 2)],
            [.moved(place("doc"), to: place("doc~")), .written(place("doc~")), .written(place("doc2"))]
        ),
        Story(
            "vim with a backup that stays",
            [from("doc", 1), to("doc~", 1), made("doc"), closed("doc")],
            [.written(place("doc~")), .written(place("doc"))]
        ),
        Story(
            "sed -i, perl -i, patch: a new file renamed over it",
            [made("sed1"), attributes("sed1"), closed("sed1"), from("sed1", 1), to("doc", 1)],
            [.written(place("doc"))]
        ),
        Story(
            "sed -i.bak",
            [
                made("sed1"), attributes("sed1"), closed("sed1"), from("doc", 1), to("doc.bak", 1),
                from("sed1", 2), to("doc", 2),
            ],
            [.written(place("doc.bak")), .written(place("doc"))]
        ),
        Story(
            "git checkout, tar, cp --remove-destination, install",
            [gone("doc"), made("doc"), attributes("doc"), closed("doc"), attributes("doc")],
            [.written(place("doc"))]
        ),
        Story(
            "many small writes",
            [closed("doc"), closed("doc"), closed("doc"), closed("doc")],
            [.written(place("doc"))]
        ),
        Story(
            "an atomic exchange, the old one removed",
            [
                made("new"), closed("new"), from("new", 1), to("doc", 1), from("doc", 2), to("new", 2),
                gone("new"),
            ],
            [.written(place("doc"))]
        ),
        Story(
            "mv to another name",
            [from("doc", 1), to("other", 1)],
            [.moved(place("doc"), to: place("other"))]
        ),
        Story(
            "mv twice",
            [from("doc", 1), to("other", 1), from("other", 2), to("third", 2)],
            [.moved(place("doc"), to: place("third")), .deleted(place("other"))]
        ),
        Story(
            "written, then moved",
            [closed("doc"), from("doc", 1), to("other", 1)],
            [.moved(place("doc"), to: place("other")), .written(place("other"))]
        ),
        Story("mv away, gio trash", [from("doc", 1)], [.left(place("doc"))]),
        Story("mv from elsewhere over it", [to("doc", 1)], [.written(place("doc"))]),
        Story("rm", [gone("doc")], [.deleted(place("doc"))]),
        Story("a new file", [made("doc"), closed("doc")], [.written(place("doc"))]),
        Story("ln, mkfifo: made and never closed", [made("doc")], [.written(place("doc"))]),
        Story("made and removed", [made("doc"), closed("doc"), gone("doc")], []),
        Story(
            "two files swap names",
            [from("doc", 1), to("t", 1), from("other", 2), to("doc", 2), from("t", 3), to("other", 3)],
            [
                .replacedAndMoved(place("t"), to: place("other")), .written(place("doc")),
                .written(place("other")),
            ]
        ),
    ]

    @Test("Each tool's way of saving is one change", arguments: stories)
    func folds(_ story: Story) {
        var folding = EventFolding()
        var now = 100.0
        for event in story.events {
            folding.take(event, in: 1, at: now)
            now += 0.0003
        }
        var changes: [EventFolding.Change] = []
        var next: Double? = now
        while let due = next {
            let (found, later) = folding.flush(at: due)
            changes += found.map(\.change)
            next = later
            #expect(later ?? .infinity > due)
        }
        #expect(Set(changes) == Set(story.changes))
        #expect(changes.count == story.changes.count)
        #expect(folding.isEmpty)
    }

    @Test("A written file is told after two milliseconds of rest, and at the latest after twenty")
    func delays() {
        var folding = EventFolding()
        folding.take(Self.closed("doc"), in: 1, at: 0)
        #expect(folding.flush(at: 0.001).changes.isEmpty)
        #expect(folding.flush(at: 0.001).next == EventFolding.quietSeconds)
        var now = 0.0
        while folding.flush(at: now).changes.isEmpty {
            now += 0.001
            folding.take(Self.closed("doc"), in: 1, at: now)
        }
        #expect(abs(now - EventFolding.delayMaxSeconds) < 0.0015)
    }

    @Test(
        "A file that is found empty is told fifty milliseconds later, or when it has been written, as one change"
    )
    func emptied() {
        let doc = Self.place("doc")
        var folding = EventFolding()
        folding.take(Self.closed("doc"), in: 1, at: 0)
        var outcome = folding.flush(at: 0.002) { $0 == doc }
        #expect(outcome.changes.isEmpty)
        #expect(outcome.next == EventFolding.settleSeconds)
        folding.take(Self.closed("doc"), in: 1, at: 0.01)
        #expect(folding.flush(at: 0.011) { $0 == doc }.next == 0.012)
        outcome = folding.flush(at: 0.012) { _ in false }
        #expect(outcome.changes.map(\.change) == [.written(doc)])
        #expect(folding.isEmpty)
        folding.take(Self.closed("doc"), in: 1, at: 1)
        #expect(folding.flush(at: 1.049) { _ in true }.changes.isEmpty)
        #expect(folding.flush(at: 1.05) { _ in true }.changes.map(\.change) == [.written(doc)])
        #expect(folding.isEmpty)
    }

    @Test("Emptied again and again it is told in the end")
    func emptiedAgain() {
        var folding = EventFolding()
        var now = 0.0
        repeat {
            folding.take(Self.closed("doc"), in: 1, at: now)
            now += 0.01
        } while folding.flush(at: now) { _ in true }.changes.isEmpty
        #expect(abs(now - EventFolding.emptyMaxSeconds) < 0.015)
    }

    @Test("Nobody is asked whether what has left its name, or is on its way, is empty")
    func emptiedAndMoved() {
        var folding = EventFolding()
        folding.take(Self.closed("doc"), in: 1, at: 0)
        folding.take(Self.from("doc", 1), in: 1, at: 0)
        folding.take(Self.to("other", 1), in: 1, at: 0)
        let (changes, next) = folding.flush(at: 0.05) { _ in true }
        #expect(
            changes.map(\.change) == [
                .moved(Self.place("doc"), to: Self.place("other")), .written(Self.place("other")),
            ]
        )
        #expect(next == nil)
    }

    @Test("A move from one folder to another is one change, wherever the folders are")
    func acrossFolders() {
        var folding = EventFolding()
        folding.take(Self.from("doc", 7), in: 1, at: 0)
        folding.take(Self.to("doc", 7), in: 2, at: 0)
        let changes = folding.flush(at: 1).changes.map(\.change)
        #expect(changes == [.moved(Self.place("doc", 1), to: Self.place("doc", 2))])
    }

    @Test("A name that was left is told when nothing has come there for fifty milliseconds")
    func vacancy() {
        var folding = EventFolding()
        folding.take(Self.gone("doc"), in: 1, at: 0)
        #expect(folding.flush(at: 0.049).changes.isEmpty)
        folding.take(Self.made("doc"), in: 1, at: 0.049)
        folding.take(Self.closed("doc"), in: 1, at: 0.049)
        #expect(folding.flush(at: 0.2).changes.map(\.change) == [.written(Self.place("doc"))])
    }

    @Test("Who wrote goes along")
    func writer() {
        var folding = EventFolding()
        let writer = WriterProcess(processID: 7, name: "sed")
        folding.take(WatchEvent(kind: .changed, name: "doc", writer: writer), in: 1, at: 0)
        #expect(folding.flush(at: 1).changes.map(\.writer) == [writer])
    }

    @Test(
        "Of several who wrote the last is told; of others and who asks, another",
        arguments: [[7, 1], [1, 7], [8, 7]]
    )
    func writers(_ processIDs: [Int32]) {
        var folding = EventFolding(ownProcess: 1)
        for processID in processIDs {
            let writer = WriterProcess(processID: processID, name: nil)
            folding.take(WatchEvent(kind: .changed, name: "doc", writer: writer), in: 1, at: 0)
        }
        folding.take(Self.closed("doc"), in: 1, at: 0)
        #expect(folding.flush(at: 1).changes.map(\.writer?.processID) == [7])
    }

    @Test("Who asks is not told of itself for the attributes that it has set")
    func ownAttributes() {
        var folding = EventFolding(ownProcess: 1)
        for (name, processID) in [("own", Int32(1)), ("other", 7)] {
            let writer = WriterProcess(processID: processID, name: nil)
            folding.take(WatchEvent(kind: .attributesChanged, name: name, writer: writer), in: 1, at: 0)
        }
        #expect(folding.flush(at: 1).changes.map(\.writer?.processID) == [nil, 7])
    }
}
