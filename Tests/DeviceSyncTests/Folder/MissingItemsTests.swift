import DocumentTesting
import Foundation
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Each item that is missing has the same time to turn up.
@Suite("What is missing", .onOwnThreads, .timeLimit(.minutes(2)))
struct MissingItemsTests {
    private let first = ItemID(1, 1)
    private let second = ItemID(1, 2)

    @Test(
        "None is taken before its own time is over, and before that of those that came to be missing meanwhile"
    )
    func together() {
        var missing = MissingItems()
        missing.note([first], at: 10)
        missing.note([first, second], at: 13)
        var taken = missing.take(for: 4, upTo: 9, at: 14)
        #expect(taken.isEmpty && missing.wait(for: 4, at: 14) == 3)
        taken = missing.take(for: 4, upTo: 9, at: 17)
        #expect(taken == [first: 10, second: 13] && missing.isEmpty)
    }

    @Test(
        "However much comes to be missing, nothing waits for longer than the limit, nor goes before its own time"
    )
    func ages() {
        var missing = MissingItems()
        missing.note([first], at: 10)
        missing.note([first, second], at: 13)
        #expect(missing.items == [first, second])
        var taken = missing.take(for: 4, upTo: 4, at: 13.5)
        #expect(taken.isEmpty && missing.wait(for: 4, at: 13.5) == 0.5)
        taken = missing.take(for: 4, upTo: 4, at: 14)
        #expect(taken == [first: 10] && missing.items == [second] && missing.wait(for: 4, at: 14) == 3)
        // What could not be looked for has waited for so long, and nobody waits for that to come.
        missing.putBack([first: 10])
        #expect(missing.contains(first) && missing.wait(for: 4, at: 14) == 3)
        missing.end(second)
        #expect(missing.wait(for: 4, at: 14) == nil)
        taken = missing.take(for: 4, upTo: 4, at: 14)
        #expect(taken == [first: 10] && missing.isEmpty)
    }

    @Test("What has come back for a moment begins anew")
    func again() {
        var missing = MissingItems()
        missing.note([first], at: 10)
        missing.end(first)
        missing.note([first], at: 12)
        let early = missing.take(for: 4, upTo: 4, at: 15)
        let late = missing.take(for: 4, upTo: 4, at: 16)
        #expect(early.isEmpty && late == [first: 12])
    }

    /// Has a test do something in a folder with two documents, where nobody looks meanwhile but the test.
    ///
    /// - Parameters:
    ///   - name: Of the second; the first is a.txt.
    ///   - contents: What the other device has in the end.
    private func seeing(
        _ name: String,
        leaving contents: [String: String],
        _ body: (SyncRun, TestDevice, _ first: ItemID, _ second: ItemID) throws -> Void
    ) throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        let two = pair.two
        try pair.one.write("another", to: name)
        pair.wait { two.text(name) == "another" && pair.isSettled }
        two.stop()
        let run = SeenRun()
        try run.start(two)
        try run.sync { run in
            let first = try #require(run.table.item(at: ItemPlace(.root, "a.txt")))
            try body(run, two, first, try #require(run.table.item(at: ItemPlace(.root, name))))
        }
        pair.wait { pair.one.contents == contents }
        run.stop()
        pair.end()
    }

    @Test("A document that is out of its place for a moment is not removed with what was removed before")
    func besideAnother() throws {
        let files = FileManager.default
        try seeing("removed.txt", leaving: ["a.txt": "new"]) { run, two, document, removed in
            func look(at seconds: Double) throws {
                run.uptimeSeconds = { seconds }
                run.dirtyFolders.insert(.root)
                try run.lookAtDirty()
            }
            try files.removeItem(atPath: two.path("removed.txt"))
            try look(at: 100)
            try files.removeItem(atPath: two.path("a.txt"))
            try look(at: 100.04)
            #expect(run.missing.items == [document, removed])
            run.uptimeSeconds = { 100.06 }
            try run.lookForMissing()
            #expect(run.missing.items == [document, removed])
            try two.write("new", to: "a.txt")
            try look(at: 100.07)
            #expect(run.table.item(at: ItemPlace(.root, "a.txt")) == document)
            #expect(run.engine.disk[document] != nil && run.missing.items == [removed])
            try run.lookForMissing()
            #expect(run.table[removed] == nil && run.missing.isEmpty)
        }
    }

    @Test("What only the look for what is missing finds to be missing, too, is of one removal with it")
    func foundLate() throws {
        let files = FileManager.default
        try seeing("b.txt", leaving: [:]) { run, two, first, second in
            let both: Set = [first, second]
            run.uptimeSeconds = { 100 }
            try files.removeItem(atPath: two.path("a.txt"))
            run.dirtyFolders.insert(.root)
            try run.lookAtDirty()
            try files.removeItem(atPath: two.path("b.txt"))
            run.uptimeSeconds = { 100.06 }
            try run.lookForMissing()
            #expect(run.missing.items == both && both.allSatisfy { run.table[$0] != nil })
            run.uptimeSeconds = { 100.12 }
            try run.lookForMissing()
            #expect(run.missing.isEmpty && both.allSatisfy { run.table[$0] == nil })
        }
    }
}
