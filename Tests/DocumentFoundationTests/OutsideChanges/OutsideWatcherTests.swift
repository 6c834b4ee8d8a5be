import Coordination
import Foundation
import Locks
import TestFolders
import TestThreads
import Testing

@testable import DocumentFoundation
@testable import FileSystem

/// What is told where the system has lost events, or has no watches to give.
@Suite("OutsideWatcher", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct OutsideWatcherTests {
    private let testFolder: TestFolder
    private var folder: URL { testFolder.url }
    private let story = WatcherStory()

    init() throws {
        testFolder = try TestFolder("watcher")
    }

    private func watcher(_ events: FileEvents) -> OutsideWatcher {
        OutsideWatcher(
            events: events,
            looksIntervalSeconds: 0.05,
            warn: { [story] in story.warn($0) },
            isBeingWritten: { _ in [] },
            isQuietElsewhere: { _, _ in true },
            report: { [story] in story.add($0) }
        )
    }

    private func path(_ name: String) throws -> ItemPath {
        try #require(ItemPath(fileURL: folder.appendingPathComponent(name)))
    }

    private func id(_ number: UInt64) -> PresenterID { PresenterID(client: ClientID(0), number: number) }

    /// - Parameter text: By itself what no other test's file holds: a lone file of the same bytes on another volume may be
    ///   taken for a copy of one that is gone.
    private func write(_ name: String, _ text: String = UUID().uuidString) throws {
        let url = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
    }

    private func move(_ source: String, _ target: String) {
        let (from, to) = (folder.appendingPathComponent(source), folder.appendingPathComponent(target))
        #expect(rename(from.path, to.path) == 0)
    }

    @Test(
        "After an overflow nothing is missed: changed, moved, deleted, new",
        arguments: OutsideChangeTests.means
    )
    func overflow(_ usesPrivilege: Bool) throws {
        for name in ["changed", "moved", "deleted", "d/x/old", "busy/0", "elsewhere/0"] { try write(name) }
        let events = FileEvents(usesPrivilege: usesPrivilege)
        let watcher = watcher(events)
        for (number, name) in ["changed", "moved", "deleted", "d"].enumerated() {
            watcher.present(id(UInt64(number)), try path(name), findsOutItself: false)
        }
        // Everything waits behind one who looks at the first event, until more has happened than is kept.
        let (isBlocked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Locked(true)
        let busy = FilePath(folder.appendingPathComponent("busy").path)
        let block = try events.watch(busy) { _ in
            guard
                isFirst.withLock({ first in
                    defer { first = false }; return first
                })
            else { return }
            isBlocked.signal()
            mayGoOn.wait()
        }
        try write("busy/begin")
        isBlocked.wait()
        try flood(busy)
        try write("changed", "22")
        move("moved", "elsewhere/moved")
        #expect(unlink(folder.appendingPathComponent("deleted").path) == 0)
        try write("d/new")
        try write("d/x/old", "22")
        try write("d/y/inner")
        mayGoOn.signal()
        story.wait(
            for: .changed(id(0)),
            .moved(try path("moved"), to: try path("elsewhere/moved")),
            .deleted(id(2)),
            .subitemAppeared(id(3), try path("d/new")),
            .subitemChanged(id(3), try path("d/x/old")),
            .subitemAppeared(id(3), try path("d/y"))
        )
        // What is new is watched from then on.
        story.clear()
        try write("d/y/inner", "22")
        try write("elsewhere/moved", "22")
        story.wait(for: .subitemChanged(id(3), try path("d/y/inner")), .changed(id(1)))
        withExtendedLifetime((watcher, block)) {}
    }

    @Test(
        "What a look has found is not told again when its events come",
        arguments: OutsideChangeTests.means
    )
    func lookBeforeEvents(_ usesPrivilege: Bool) throws {
        for name in ["d/moved", "d/changed", "d/deleted", "cookie"] { try write(name) }
        let aside = try TestFolder("aside")
        let whole = aside.url.appendingPathComponent("new")
        try Data("1".utf8).write(to: whole)
        let watcher = watcher(FileEvents(usesPrivilege: usesPrivilege))
        for (number, name) in ["d", "d/moved", "d/changed", "d/deleted", "cookie"].enumerated() {
            watcher.present(id(UInt64(number)), try path(name), findsOutItself: false)
        }
        move("d/moved", "d/target")
        try write("d/changed", "22")
        #expect(unlink(folder.appendingPathComponent("d/deleted").path) == 0)
        // Whole at once and from where nobody looks: a file that is made and then written is changed twice.
        #expect(rename(whole.path, folder.appendingPathComponent("d/new").path) == 0)
        watcher.lookAtAll()
        // Moves are told last of all, and the later one after the earlier.
        move("cookie", "cookie-2")
        // A deletion is told when the item has been looked for elsewhere.
        story.wait(for: .moved(try path("cookie"), to: try path("cookie-2")), .deleted(id(3)))
        let expected: [OutsideReport] = [
            .moved(try path("d/moved"), to: try path("d/target")),
            .changed(id(2)), .subitemChanged(id(0), try path("d/changed")),
            .deleted(id(3)), .subitemChanged(id(0), try path("d/deleted")),
            .subitemAppeared(id(0), try path("d/new")),
            .moved(try path("cookie"), to: try path("cookie-2")),
        ]
        #expect(story.all == Set(expected))
        #expect(story.inOrder.count == expected.count, "\(story.inOrder)")
        withExtendedLifetime(watcher) {}
    }

    @Test("A look that takes long is followed by a long rest")
    func rest() {
        #expect(OutsideWatcher.pause(afterLook: 0.001, atLeast: 10) == 10)
        #expect(OutsideWatcher.pause(afterLook: 0.2, atLeast: 10) == 10)
        #expect(OutsideWatcher.pause(afterLook: 2, atLeast: 10) == 100)
    }

    /// Renames one file more often than a queue has room for.
    private func flood(_ folder: FilePath) throws {
        let limits = try ["inotify", "fanotify"].map { name in
            let text = try String(contentsOfFile: "/proc/sys/fs/\(name)/max_queued_events", encoding: .utf8)
            return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        for number in 0..<(try #require(limits.max()) + 100) {
            let (source, target) = (folder.appending("\(number)"), folder.appending("\(number + 1)"))
            try #require(rename(source.string, target.string) == 0)
        }
    }

    /// Refuses every further watch.
    private struct NoWatchesLeft: SystemCallObserver {
        func willMake(_ call: SystemCall) -> CInt { call.name == "inotify_add_watch" ? ENOSPC : 0 }
        func didMake(_ call: SystemCall) {}
    }

    @Test("Where the system has no watches left, changes are looked for, and a person is told once")
    func shortage() throws {
        for name in ["a", "b", "x/c"] { try write(name) }
        let watcher = watcher(FileEvents(usesPrivilege: false))
        try SystemCallObservation.withObserver(NoWatchesLeft()) {
            for (number, name) in ["a", "b", "x/c"].enumerated() {
                watcher.present(id(UInt64(number)), try path(name), findsOutItself: false)
            }
        }
        #expect(story.allWarnings.count == 1)
        #expect(story.allWarnings.first?.contains("fs.inotify.max_user_watches") == true)
        try write("a", "22")
        move("b", "x/b")
        #expect(unlink(folder.appendingPathComponent("x/c").path) == 0)
        story.wait(for: .changed(id(0)), .moved(try path("b"), to: try path("x/b")), .deleted(id(2)))
        // The look has found watches to be had again; from then on events tell.
        story.clear()
        try write("a", "333")
        story.wait(for: .changed(id(0)))
        #expect(story.allWarnings.count == 1)
        withExtendedLifetime(watcher) {}
    }
}
