import CLinux
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// File systems give the number of a removed file to the next one that is made.
@Suite("An inode's number that is given again", .onOwnThreads, .timeLimit(.minutes(2)))
struct NumberGivenAgainTests: LookingAtFolder {
    let folder: TestFolder

    init() throws { folder = try TestFolder("number") }

    private func inode(_ name: String) throws -> UInt64 {
        let path = FilePath(root.appendingPathComponent(name).path)
        return ItemTrace(try #require(try FolderScan.status(at: path))).inode
    }

    private func removeMark(_ name: String) throws {
        let path = root.appendingPathComponent(name).path
        try #require(CLinux.removexattr(path, FileMark.attributeName) == 0, "\(errno)")
    }

    @Test("What a temporary file is renamed onto stays what it was, though another has its number by now")
    func replaced() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        try write("new", "a.txt.tmp")
        _ = try look(&table)
        let document = try #require(item("a.txt", in: table))
        let temporary = try #require(item("a.txt.tmp", in: table))
        try rename("a.txt.tmp", "a.txt")
        try write("another", "b.txt")
        table[document]?.trace.inode = try inode("b.txt")
        let outcome = try look(&table)
        let another = try #require(item("b.txt", in: table))
        #expect(item("a.txt", in: table) == document && another != document)
        #expect(outcome.missing == [temporary] && Set(outcome.touched.keys) == [document, another])
        #expect(try mark("a.txt") == document && mark("b.txt") == another)
    }

    @Test("So it does when what has the number has the temporary file's name")
    func replacedAgain() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        try write("new", "tmp")
        _ = try look(&table)
        let (document, temporary) = (
            try #require(item("a.txt", in: table)), try #require(item("tmp", in: table))
        )
        try rename("tmp", "a.txt")
        try write("newer", "tmp")
        table[document]?.trace.inode = try inode("tmp")
        let outcome = try look(&table)
        #expect(item("a.txt", in: table) == document && item("tmp", in: table) == temporary)
        #expect(outcome.missing.isEmpty && Set(outcome.touched.keys) == [document, temporary])
    }

    @Test("What a renamed document is replaced by is another, and the document is found, changed as it is")
    func movedAway() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        try write("new", "tmp")
        _ = try look(&table)
        let document = try #require(item("a.txt", in: table))
        try rename("a.txt", "b.txt")
        try write("old, and changed", "b.txt")
        try rename("tmp", "a.txt")
        let outcome = try look(&table)
        #expect(outcome.missing.isEmpty && item("b.txt", in: table) == document)
        #expect(item("a.txt", in: table).map { $0 != document } == true)
    }

    @Test(
        "What is made anew with the same number has the mark, and is told by it once it is moved"
    )
    func madeAnew() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        let sub = root.appendingPathComponent("sub")
        try FileManager.default.createDirectory(at: sub, withIntermediateDirectories: false)
        _ = try look(&table)
        let items = try ["a.txt", "sub"].map { try #require(item($0, in: table)) }
        try removeMark("a.txt")
        try write("new, and longer", "a.txt")
        try removeMark("sub")
        let outcome = try look(&table)
        #expect(Set(outcome.touched.keys) == [items[0]] && outcome.missing.isEmpty)
        #expect(try mark("a.txt") == items[0] && mark("sub") == items[1])
        let next = try look(&table)
        #expect(next.touched.isEmpty && next.placed.isEmpty && next.missing.isEmpty)
        try rename("a.txt", "b.txt")
        try rename("sub", "sub 2")
        let last = try look(&table)
        #expect(last.placed == Set(items) && last.missing.isEmpty)
        #expect(item("b.txt", in: table) == items[0] && item("sub 2", in: table) == items[1])
    }

    /// Has things be as on a volume without marks and with coarse dates.
    private func makePlain(_ names: [String]) throws {
        // Deepest first: what is done in a folder changes its date.
        for name in names.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            try removeMark(name)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
                ofItemAtPath: root.appendingPathComponent(name).path
            )
        }
    }

    private func trace(_ name: String) throws -> ItemTrace {
        ItemTrace(try #require(try FolderScan.status(at: FilePath(root.appendingPathComponent(name).path))))
    }

    @Test(
        "Files without marks that look alike have exchanged their numbers: each is what has its name, and is read"
    )
    func exchanged() throws {
        var table = FolderTable()
        for (name, text) in [("a.txt", "one"), ("b.txt", "two"), ("c.txt", "new")] { try write(text, name) }
        _ = try look(&table)
        let items = try ["a.txt", "b.txt", "c.txt"].map { try #require(item($0, in: table)) }
        try makePlain(["a.txt", "b.txt", "c.txt"])
        // The last has the number of none.
        table[items[0]]?.trace = try trace("b.txt")
        table[items[1]]?.trace = try trace("a.txt")
        table[items[2]]?.trace = try trace("c.txt")
        table[items[2]]?.trace.inode += 1 << 40
        let outcome = try look(&table)
        #expect(outcome.placed.isEmpty && outcome.missing.isEmpty && Set(outcome.touched.keys) == Set(items))
        #expect(["a.txt", "b.txt", "c.txt"].map { item($0, in: table) } == items)
    }

    @Test("What has the number of a file that is gone, and its looks, is what its name says")
    func numberOfOneThatIsGone() throws {
        var table = FolderTable()
        for (name, text) in [("a.txt", "one"), ("b.txt", "two")] { try write(text, name) }
        _ = try look(&table)
        let items = try ["a.txt", "b.txt"].map { try #require(item($0, in: table)) }
        try makePlain(["a.txt", "b.txt"])
        table[items[0]]?.trace = try trace("b.txt")
        table[items[1]]?.trace = try trace("a.txt")
        try FileManager.default.removeItem(at: root.appendingPathComponent("a.txt"))
        let outcome = try look(&table)
        #expect(outcome.placed.isEmpty && outcome.missing == [items[0]])
        #expect(Set(outcome.touched.keys) == [items[1]] && item("b.txt", in: table) == items[1])
    }

    @Test("Folders without marks that have exchanged their numbers are where they were, with what is in them")
    func exchangedFolders() throws {
        var table = FolderTable()
        for name in ["p", "q"] {
            let url = root.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            try write("in \(name)", "\(name)/in \(name).txt")
        }
        _ = try look(&table)
        let folders = try ["p", "q"].map { try #require(item($0, in: table)) }
        let files = try zip(folders, ["p", "q"]).map { folder, name in
            try #require(table.item(at: ItemPlace(folder, "in \(name).txt")))
        }
        try makePlain(["p/in p.txt", "q/in q.txt", "p", "q"])
        table[folders[0]]?.trace = try trace("q")
        table[folders[1]]?.trace = try trace("p")
        for file in files { table[file]?.trace.inode += 1 << 40 }
        let outcome = try look(&table)
        #expect(outcome.placed.isEmpty && outcome.missing.isEmpty)
        #expect(["p", "q"].map { item($0, in: table) } == folders)
        #expect(files.map { table[$0]?.state.place.parent } == folders)
    }

    @Test(
        "What looks as a file did that has its number elsewhere, and bears no mark, is read",
        arguments: [true, false]
    )
    func readAsItIsMoved(isOther: Bool) throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        two.stop()
        let run = try SeenRun.atRest(on: two)
        try run.sync { run in
            let item = try #require(run.table.item(at: ItemPlace(.root, "a.txt")))
            let (source, target) = (two.path("a.txt"), two.path("b.txt"))
            try #require(CLinux.removexattr(source, FileMark.attributeName) == 0)
            let date = try #require(FileManager.default.attributesOfItem(atPath: source)[.modificationDate])
            if isOther {
                try two.write("TEXT", to: "b.txt")
                try FileManager.default.removeItem(atPath: source)
            } else {
                try FileManager.default.moveItem(atPath: source, toPath: target)
            }
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: target)
            let status = try #require(try FolderScan.status(at: FilePath(target)))
            run.table[item]?.trace = ItemTrace(status)
        }
        _ = try run.sync { $0.isInStepNow }
        let expected = ["b.txt": isOther ? "TEXT" : "text"]
        let isSo = two.wait { one.contents == expected && (try? run.sync { $0.isSettled }) == true }
        #expect(isSo && two.contents == expected, "\(one.contents)")
        run.stop()
        pair.end()
    }

    @Test("A document that was made anew and is renamed then is the same document on other devices")
    func onDevices() throws {
        let pair = try DevicePair.holding("old", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        let former = try #require(try FileIdentity.mark(at: FilePath(one.path("a.txt"))))
        let running = try #require(one.running)
        // As if it had been removed and made anew.
        let isMade = running.ask(
            { _ in
                CLinux.removexattr(one.path("a.txt"), FileMark.attributeName) == 0
                    && (try? one.write("made anew", to: "a.txt")) != nil
            },
            or: { _ in false }
        )
        #expect(isMade)
        pair.wait { two.text("a.txt") == "made anew" && pair.isSettled }
        let entryCount = pair.hub.entryCount
        #expect(Foundation.rename(one.path("a.txt"), one.path("b.txt")) == 0)
        pair.wait { two.contents == ["b.txt": "made anew"] && pair.isSettled }
        #expect(pair.hub.entryCount == entryCount + 1)
        #expect(try FileIdentity.mark(at: FilePath(two.path("b.txt"))) == former)
        pair.end()
    }
}
