import DocumentTesting
import FileSystem
import Foundation
import Sync
import TestThreads
import Testing

@testable import DeviceSync

/// What tells that a file has come, or bears something else, and is of what the device has done itself.
@Suite("Events of a device's own deeds", .onOwnThreads, .timeLimit(.minutes(2)))
struct OwnEventsTests {
    /// Does something with a device that has a document and on which nobody looks meanwhile but the test.
    private func seeing(_ body: (SyncRun, ItemID, URL) throws -> Void) throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        let two = pair.two
        two.stop()
        let run = try SeenRun.atRest(on: two)
        try run.sync { run in
            let item = try #require(run.table.item(at: ItemPlace(.root, "a.txt")))
            try body(run, item, two.folder.appendingPathComponent("a.txt"))
        }
        run.stop()
        pair.end()
    }

    private static let kinds: [WatchEvent.Kind] = [.movedTo(cookie: 1), .attributesChanged]

    @Test("Where the file is as it was seen, nothing is looked at", arguments: kinds)
    func own(kind: WatchEvent.Kind) throws {
        try seeing { run, _, _ in
            #expect(!run.noteWriting([WatchEvent(kind: kind, name: "a.txt")], in: .root))
            // Among others it is not what counts.
            let events = [WatchEvent(kind: kind, name: "a.txt"), WatchEvent(kind: .created, name: "b.txt")]
            #expect(run.noteWriting(events, in: .root))
        }
    }

    @Test("Where something is another than it was seen, all is looked at", arguments: kinds)
    func others(kind: WatchEvent.Kind) throws {
        let event = WatchEvent(kind: kind, name: "a.txt")
        try seeing { run, _, _ in #expect(run.noteWriting([WatchEvent(kind: kind, name: "b.txt")], in: .root))
        }
        try seeing { run, _, _ in
            #expect(run.noteWriting([WatchEvent(kind: .deleted, name: "a.txt")], in: .root))
        }
        try seeing { run, _, url in
            try Data("saved".utf8).write(to: url, options: .atomic)
            #expect(run.noteWriting([event], in: .root))
        }
        try seeing { run, _, url in
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            #expect(run.noteWriting([event], in: .root))
        }
        try seeing { run, item, _ in
            // It is where it was again.
            run.missing.note([item], at: 0)
            #expect(run.noteWriting([event], in: .root))
        }
    }

    @Test(
        "That the folder's own number is raised is nothing to look at, and what else becomes of its attributes is"
    )
    func raised() throws {
        let event = WatchEvent(kind: .attributesChanged)
        try seeing { run, _, url in
            let folder = FilePath(url.deletingLastPathComponent().path)
            let former = try CountedFolder.count(at: folder)
            run.rootCount.isDue = true
            run.raiseCount()
            #expect(try CountedFolder.count(at: folder) == former + 1 && !run.rootCount.isDue)
            #expect(!run.noteWriting([event], in: .root))
            try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: folder.string)
            #expect(run.noteWriting([event], in: .root))
        }
    }

    @Test("One that has not been read yet is looked at when it is moved, and not when it is marked")
    func unread() throws {
        try seeing { run, item, _ in
            let trace = try #require(run.table[item]?.trace)
            run.table[item]?.state.content = nil
            #expect(run.noteWriting([WatchEvent(kind: .attributesChanged, name: "a.txt")], in: .root))
            run.unread[item] = trace
            #expect(!run.noteWriting([WatchEvent(kind: .attributesChanged, name: "a.txt")], in: .root))
            #expect(run.noteWriting([WatchEvent(kind: .movedTo(cookie: 1), name: "a.txt")], in: .root))
        }
    }
}
