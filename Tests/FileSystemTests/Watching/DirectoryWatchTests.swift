import CLinux
import CrashHarness
import Dispatch
import Foundation
import Locks
import TestThreads
import Testing

@testable import FileSystem

@Suite("DirectoryWatch", .onOwnThreads)
struct DirectoryWatchTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Does something in the watched folder, then makes a cookie file, and gives what was seen before it.
    func seen(
        watching path: FilePath? = nil,
        until isLast: @escaping @Sendable (WatchEvent) -> Bool = { $0.name == "cookie" },
        _ body: () throws -> Void
    ) async throws -> [WatchEvent] {
        let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent.self)
        let queue = DispatchQueue(label: "watch")
        let watch = try DirectoryWatch(path ?? scratch.path, on: queue) { events in
            for event in events { continuation.yield(event) }
        }
        try body()
        try Data().write(to: scratch.path.appending("cookie").url(isDirectory: false))
        var events: [WatchEvent] = []
        for await var event in stream {
            if isLast(event) { break }
            // Told to the privileged only. What was written may be closed last by a process that is just being started.
            #expect(event.kind == .changed || event.writer == nil || event.writer?.processID == getpid())
            event.writer = nil
            events.append(event)
        }
        watch.cancel()
        return events
    }

    @Test("A new file is reported, and again when it has been written")
    func created() async throws {
        // A process that is just being started holds what was open here for a moment: until then it is not closed.
        let events = try await seen(until: { $0.kind == .changed && $0.name == "a" }) {
            try DiskTree.file("1").write(to: scratch.path.appending("a"))
        }
        #expect(events.filter { $0.name == "a" } == [.init(kind: .created, name: "a")])
    }

    @Test("Moving and deleting are reported, the halves of a move with one cookie")
    func moved() async throws {
        try DiskTree.file("1").write(to: scratch.path.appending("a"))
        let events = try await seen {
            rename(scratch.path.appending("a").string, scratch.path.appending("b").string)
            unlink(scratch.path.appending("b").string)
        }
        #expect(events.map(\.name) == ["a", "b", "b"])
        guard case .movedFrom(let source) = events[0].kind, case .movedTo(let target) = events[1].kind else {
            Issue.record("no move: \(events)")
            return
        }
        #expect(source == target)
        #expect(events[2].kind == .deleted)
    }

    @Test("Changed permissions are reported")
    func attributes() async throws {
        try DiskTree.file("1").write(to: scratch.path.appending("a"))
        let events = try await seen { chmod(scratch.path.appending("a").string, 0o600) }
        #expect(events == [.init(kind: .attributesChanged, name: "a")])
    }

    @Test("A save is seen as its staging made and moved onto the item")
    func save() async throws {
        try DiskTree.file("1").write(to: scratch.path.appending("a"))
        let events = try await seen {
            let save = try StagedSave(item: scratch.path.appending("a"))
            try save.write(Data("2".utf8))
            try save.commit()
        }
        #expect(events.contains { if case .movedTo = $0.kind { $0.name == "a" } else { false } })
    }

    @Test("The end of what is watched is reported")
    func selfDeleted() async throws {
        let file = scratch.path.appending("a")
        try DiskTree.file("1").write(to: file)
        let events = try await seen(watching: file, until: { $0.kind == .selfDeleted }) {
            unlink(file.string)
        }
        // Who closes what was written last may be a process that is just being started.
        #expect(events.filter { $0.kind != .changed } == [.init(kind: .attributesChanged)])
    }

    @Test("Nothing there to be watched is an error that names it")
    func absent() throws {
        let path = scratch.path.appending("absent")
        let error = #expect(throws: SystemError.self) {
            _ = try DirectoryWatch(path, on: DispatchQueue(label: "watch")) { _ in }
        }
        #expect(error?.errno == ENOENT)
        #expect(error?.path == path)
    }

    @Test("A queue that ran over is reported as such")
    func overflowed() {
        var head = inotify_event()
        head.mask = UInt32(IN_Q_OVERFLOW)
        let events = withUnsafeBytes(of: head) { WatchEvent.events(in: $0).map(\.event) }
        #expect(events == [WatchEvent(kind: .overflowed)])
    }
}
