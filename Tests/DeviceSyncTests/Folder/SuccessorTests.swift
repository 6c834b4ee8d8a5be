import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Sync
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// Editors that rename the old file away before they write the new one under its name.
@Suite("A document that is renamed away and written anew", .onOwnThreads, .timeLimit(.minutes(2)))
struct SuccessorTests: LookingAtFolder {
    let folder: TestFolder

    init() throws { folder = try TestFolder("successor") }

    /// That the name has the document, and something else is the backup.
    private func expectKept(
        _ document: ItemID,
        _ outcome: FolderLook.Outcome,
        _ table: FolderTable,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let backup = try #require(item("a.txt~", in: table), sourceLocation: location)
        #expect(item("a.txt", in: table) == document && backup != document, sourceLocation: location)
        #expect(Set(outcome.touched.keys) == [document, backup], sourceLocation: location)
        #expect(outcome.missing.isEmpty && outcome.returning.isEmpty, sourceLocation: location)
        #expect(try mark("a.txt") == document && mark("a.txt~") == backup, sourceLocation: location)
        var later = table
        let next = try look(&later)
        #expect(next.placed.isEmpty && next.touched.isEmpty && next.missing.isEmpty, sourceLocation: location)
        #expect(item("a.txt", in: later) == document, sourceLocation: location)
    }

    @Test("The name wins: what was renamed is a new document", arguments: [false, true])
    func backup(hasAttributes: Bool) throws {
        var table = FolderTable()
        try write("old", "a.txt")
        _ = try look(&table)
        let document = try #require(item("a.txt", in: table))
        try rename("a.txt", "a.txt~")
        try write("new", "a.txt")
        if hasAttributes {
            try FileIdentity.give(
                document.mark,
                toItemAt: FilePath(root.appendingPathComponent("a.txt").path),
                replacing: true
            )
        }
        let outcome = try look(&table)
        #expect(outcome.placed.isEmpty && outcome.departed.isEmpty)
        try expectKept(document, outcome, table)
    }

    @Test("So it does when a look has found what was renamed alone, and the new file comes soon")
    func split() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        _ = try look(&table)
        let document = try #require(item("a.txt", in: table))
        try rename("a.txt", "a.txt~")
        let moved = try look(&table)
        #expect(moved.placed == [document] && moved.departed == [ItemPlace(.root, "a.txt"): document])
        try write("new", "a.txt")
        let outcome = try look(&table, departed: moved.departed)
        #expect(outcome.placed == [document])
        try expectKept(document, outcome, table)
    }

    @Test(
        "What is renamed onto another is that, also where its own name is taken at once"
    )
    func overAnother() throws {
        for (number, (name, target)) in [("a.txt", "a.txt~"), ("tmp", "b.txt")].enumerated() {
            var table = FolderTable()
            try write("old", target)
            try write("new", name)
            _ = try look(&table)
            let (source, replaced) = (
                try #require(item(name, in: table)), try #require(item(target, in: table))
            )
            for round in 0..<3 {
                try rename(name, target)
                try write("round \(number), \(round)", name)
                let outcome = try look(&table)
                #expect(item(name, in: table) == source && item(target, in: table) == replaced)
                #expect(
                    outcome.missing.isEmpty && Set(outcome.touched.keys).isSuperset(of: [source, replaced])
                )
                #expect(try mark(name) == source && mark(target) == replaced)
            }
        }
    }

    @Test("A file that is renamed stays what it was, also where somebody makes another at its name later")
    func renamed() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        _ = try look(&table)
        let document = try #require(item("a.txt", in: table))
        try rename("a.txt", "b.txt")
        #expect(try look(&table).placed == [document])
        try write("new", "a.txt")
        _ = try look(&table)
        #expect(item("b.txt", in: table) == document)
        #expect(item("a.txt", in: table).map { $0 != document } == true)
    }

    @Test("What is moved into another folder is no backup, and what takes its name is another document")
    func movedElsewhere() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("done"),
            withIntermediateDirectories: false
        )
        _ = try look(&table)
        let document = try #require(item("a.txt", in: table))
        try rename("a.txt", "done/a.txt")
        try write("new", "a.txt")
        let outcome = try look(&table)
        #expect(outcome.placed == [document] && outcome.departed.isEmpty)
        let done = try #require(item("done", in: table))
        #expect(table.item(at: ItemPlace(done, "a.txt")) == document)
    }

    @Test("What another device has done to it meanwhile is merged into the document, and not into the backup")
    func merged() throws {
        let pair = try DevicePair.holding("one\ntwo\nthree\n", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        two.goOffline()
        pair.wait { two.status?.line == .down }
        try two.write("one\ntwo\nthree, too\n", to: "a.txt")
        let new = one.path("../new")
        try Data("one, too\ntwo\nthree\n".utf8).write(to: URL(fileURLWithPath: new))
        // No look comes in between, however busy the machine is.
        let running = try #require(one.running)
        let isWritten = running.ask(
            { _ in
                Foundation.rename(one.path("a.txt"), one.path("a.txt~")) == 0
                    && Foundation.rename(new, one.path("a.txt")) == 0
            },
            or: { _ in false }
        )
        #expect(isWritten)
        pair.wait { one.status?.isSettled == true && pair.hub.entryCount > 1 }
        two.goOnline()
        let both = ["a.txt": "one, too\ntwo\nthree, too\n", "a.txt~": "one\ntwo\nthree\n"]
        pair.wait { one.contents == both && two.contents == both && pair.isSettled }
        #expect(try one.conflicts("a.txt").isEmpty)
        pair.end()
    }

    @Test(
        "A document that is saved by one temporary name again and again stays what it is"
    )
    func savedTwice() throws {
        let pair = try DevicePair.holding("one\ntwo\nthree\n", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        let mark = { (name: String) in try? FileIdentity.mark(at: FilePath(one.path(name))) }
        let document = try #require(mark("a.txt"))
        two.goOffline()
        pair.wait { two.status?.line == .down }
        try two.write("one\ntwo\nthree, too\n", to: "a.txt")
        try one.write("one, too\ntwo\nthree\n", to: "tmp")
        pair.wait { one.status?.isSettled == true && pair.hub.entryCount > 1 }
        let new = one.path("../new")
        try Data("unfinished".utf8).write(to: URL(fileURLWithPath: new))
        // No look comes in between, however busy the machine is.
        let running = try #require(one.running)
        let isWritten = running.ask(
            { _ in
                Foundation.rename(one.path("tmp"), one.path("a.txt")) == 0
                    && Foundation.rename(new, one.path("tmp")) == 0
            },
            or: { _ in false }
        )
        #expect(isWritten)
        pair.wait { one.status?.isSettled == true && pair.hub.entryCount > 3 }
        two.goOnline()
        let both = ["a.txt": "one, too\ntwo\nthree, too\n", "tmp": "unfinished"]
        pair.wait { one.contents == both && two.contents == both && pair.isSettled }
        #expect(mark("a.txt") == document)
        pair.end()
    }
}
