import CrashHarness
import Dispatch
import Foundation
import Locks
import TestThreads
import Testing

@testable import FileSystem

/// The two kinds of queues; the second where this process has the privilege.
enum WatchMeans: CaseIterable, CustomTestStringConvertible {
    case inotify, fanotify

    static let here = allCases.filter { $0 == .inotify || isPrivileged }

    private static let isPrivileged: Bool =
        (try? FanotifyQueue(for: FilePath("/"), on: DispatchQueue(label: "try")) { _ in }) != nil

    var events: FileEvents { FileEvents(usesPrivilege: self == .fanotify) }
    var testDescription: String { "\(self)" }
}

/// What is told of folders, the same whichever kind of queue tells it.
@Suite("FileEvents", .onOwnThreads, .timeLimit(.minutes(3)))
struct FileEventsTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// What the steps of a shell's line come to in a watched folder, and in a second one beside it.
    private func changes(_ means: WatchMeans, of line: String) async throws -> [String] {
        // By another program: a descriptor of ours may be closed late, by the fork of another test.
        try run("mkdir one two; echo 1 > one/old")
        let (stream, continuation) = AsyncStream.makeStream(of: (folder: Int, event: WatchEvent).self)
        let events = means.events
        let watches = try ["one", "two"].enumerated().map { number, name in
            try events.watch(scratch.path.appending(name)) { events in
                for event in events { continuation.yield((number, event)) }
            }
        }
        #expect(watches.map(\.tellsWriters) == [means == .fanotify, means == .fanotify])
        try run(line + "; : > two/cookie")
        var folding = EventFolding()
        for await (folder, event) in stream {
            if event.name == "cookie", event.kind == .changed { break }
            if event.name != "cookie" { folding.take(event, in: folder, at: 0) }
        }
        return folding.flush(at: 10).changes.map { Self.text($0.change) }.sorted()
    }

    private static func text(_ change: EventFolding.Change) -> String {
        func text(_ place: EventFolding.Place) -> String { "\(place.folder)/\(place.name)" }
        return switch change {
        case .written(let place): "written \(text(place))"
        case .moved(let place, let target): "moved \(text(place)) to \(text(target))"
        case .replacedAndMoved(let place, let target): "replaced and moved \(text(place)) to \(text(target))"
        case .left(let place): "left \(text(place))"
        case .deleted(let place): "deleted \(text(place))"
        }
    }

    @discardableResult
    private func run(_ line: String, in folder: FilePath? = nil) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = (folder ?? scratch.path).url(isDirectory: true)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return process.processIdentifier
    }

    static let lines: [(String, [String])] = [
        ("echo 1 > one/a", ["written 0/a"]),
        ("echo 1 > one/t; mv one/t one/old", ["written 0/old"]),
        ("mv one/old one/old~; echo 2 > one/old; rm one/old~", ["deleted 0/old~", "written 0/old"]),
        ("rm one/old; echo 2 > one/old", ["written 0/old"]),
        ("mv one/old one/new", ["moved 0/old to 0/new"]),
        ("mv one/old two/new", ["moved 0/old to 1/new"]),
        ("mv one/old .", ["left 0/old"]),
        ("rm one/old", ["deleted 0/old"]),
        ("echo 1 > x; mv x one/x", ["written 0/x"]),
        ("mkdir one/d; rmdir one/d; touch one/old; chmod 600 one/old", ["written 0/old"]),
        ("mkdir one/d; mv one/d two/e", ["written 1/e"]),
        ("ln one/old one/l; rm one/old", ["deleted 0/old", "written 0/l"]),
    ]

    @Test("The same steps come to the same changes", arguments: WatchMeans.here, lines.indices)
    func same(_ means: WatchMeans, _ line: Int) async throws {
        let (steps, wanted) = Self.lines[line]
        let found = try await changes(means, of: steps)
        #expect(found == wanted, "\(steps)")
    }

    @Test("Who wrote is told by number, name and program", .enabled(if: WatchMeans.here.contains(.fanotify)))
    func writer() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent.self)
        let watch = try WatchMeans.fanotify.events.watch(scratch.path) {
            $0.forEach { continuation.yield($0) }
        }
        let process = Process()
        let orders = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // It lives until it has been heard of.
        process.arguments = ["-c", "echo 1 > a; mv a b; read line"]
        process.currentDirectoryURL = scratch.path.url(isDirectory: true)
        process.standardInput = orders
        try process.run()
        var written: WriterProcess?
        var moved: WriterProcess?
        for await event in stream {
            if event.kind == .changed { written = event.writer }
            if case .movedTo = event.kind {
                moved = event.writer
                break
            }
        }
        try orders.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(written?.processID == process.processIdentifier)
        #expect(written?.name == "sh")
        #expect(written?.executable == (try FilePath("/bin/sh").resolved()))
        #expect(moved != nil && moved?.processID != process.processIdentifier)
        withExtendedLifetime(watch) {}
    }

    @Test("Each write is told to those alone who ask for it", arguments: WatchMeans.here)
    func writes(_ means: WatchMeans) async throws {
        try run("echo 1 > a")
        let events = means.events
        let (all, allContinuation) = AsyncStream.makeStream(of: WatchEvent.self)
        let (some, someContinuation) = AsyncStream.makeStream(of: WatchEvent.self)
        let watches = [
            try events.watch(scratch.path, tellsWrites: true) { $0.forEach { allContinuation.yield($0) } },
            try events.watch(scratch.path) { $0.forEach { someContinuation.yield($0) } },
        ]
        let file = try FileHandle(forWritingTo: scratch.path.appending("a").url(isDirectory: false))
        try file.write(contentsOf: Data("2".utf8))
        for await event in all where event.kind == .modified {
            #expect(event.name == "a")
            break
        }
        try file.close()
        for await event in all where event.kind == .changed { break }
        for await event in some {
            #expect(event.kind != .modified)
            if event.kind == .changed { break }
        }
        withExtendedLifetime(watches) {}
    }

    @Test(
        "A folder that is moved, its attributes and its end are told to its own watch",
        arguments: WatchMeans.here
    )
    func itself(_ means: WatchMeans) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent.self)
        try DiskTree.folder([:]).write(to: scratch.path.appending("d"))
        let events = means.events
        let outer = try events.watch(scratch.path) { _ in }
        let inner = try events.watch(scratch.path.appending("d")) { $0.forEach { continuation.yield($0) } }
        try run("chmod 700 d; mv d e; echo 1 > e/a; rm -r e")
        var seen: [WatchEvent.Kind] = []
        for await event in stream {
            if event.name == nil { seen.append(event.kind) }
            if event.kind == .selfDeleted { break }
        }
        #expect(seen.first == .attributesChanged)
        #expect(seen.contains(.selfMoved))
        withExtendedLifetime((outer, inner)) {}
    }

    @Test("An ended watch is silent, another of the same folder goes on", arguments: WatchMeans.here)
    func ended(_ means: WatchMeans) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        for name in ["a", "b"] { try DiskTree.folder([:]).write(to: scratch.path.appending(name)) }
        let events = means.events
        func watch(_ name: String, _ label: String) throws -> FileEvents.Watch {
            try events.watch(scratch.path.appending(name)) { events in
                for event in events where event.kind == .created { continuation.yield(label) }
            }
        }
        var (first, ended): (FileEvents.Watch?, FileEvents.Watch?) = (try watch("a", "first"), nil)
        let second = try watch("a", "second")
        ended = try watch("b", "ended")
        try run("mv b c")  // its mark is taken away where it is now
        (first, ended) = (nil, nil)
        let last = try watch("c", "last")
        try run("echo 1 > a/x; echo 1 > c/x")
        var heard: [String] = []
        for await label in stream {
            heard.append(label)
            if label == "last" { break }
        }
        #expect(heard == ["second", "last"])
        withExtendedLifetime((first, ended, second, last)) {}
    }

    @Test("A file is watched whichever queue folders are watched by", arguments: WatchMeans.here)
    func file(_ means: WatchMeans) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent.self)
        let file = scratch.path.appending("a")
        try run("echo 1 > a")
        let watch = try means.events.watch(file) { $0.forEach { continuation.yield($0) } }
        try run("echo 2 > a")
        for await event in stream where event.kind == .changed { break }
        #expect(!watch.tellsWriters)
    }

    @Test(
        "Refused, fanotify is done without: the whole queue, or the one volume",
        .enabled(if: WatchMeans.here.contains(.fanotify)),
        arguments: [("fanotify_init", EPERM), ("fanotify_mark", EXDEV), ("name_to_handle_at", EOPNOTSUPP)]
    )
    func refused(_ call: String, _ errno: CInt) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent.self)
        let watch = try SystemCallObservation.withObserver(Refusing(call, errno: errno)) {
            try FileEvents().watch(scratch.path) { $0.forEach { continuation.yield($0) } }
        }
        #expect(!watch.tellsWriters)
        try run("echo 1 > a")
        for await event in stream where event.kind == .changed {
            #expect(event.name == "a")
            break
        }
    }

    @Test("Nothing there, or no watches left, is an error that names the folder", arguments: WatchMeans.here)
    func errors(_ means: WatchMeans) throws {
        let events = means.events
        let absent = #expect(throws: SystemError.self) {
            try events.watch(scratch.path.appending("absent")) { _ in }
        }
        #expect(absent?.errno == ENOENT)
        let short = #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(Refusing("inotify_add_watch", errno: ENOSPC)) {
                try FileEvents(usesPrivilege: false).watch(scratch.path) { _ in }
            }
        }
        #expect(short?.errno == ENOSPC)
        #expect(short?.path == scratch.path)
    }

    @Test(
        "More events than the system keeps are told as an overflow to every watch",
        arguments: WatchMeans.here
    )
    func overflow(_ means: WatchMeans) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        for name in ["busy", "quiet"] { try DiskTree.folder([:]).write(to: scratch.path.appending(name)) }
        let busy = scratch.path.appending("busy")
        try DiskTree.file("1").write(to: busy.appending("0"))
        let events = means.events
        let (isBlocked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isFirst = Locked(true)
        let watches = try ["busy", "quiet"].map { name in
            try events.watch(scratch.path.appending(name)) { events in
                if isFirst.withLock({ first in
                    defer { first = false }; return first
                }) {
                    isBlocked.signal()
                    mayGoOn.wait()
                }
                if events.contains(where: { $0.kind == .overflowed }) { continuation.yield(name) }
            }
        }
        try run("echo 1 > quiet/begin")
        isBlocked.wait()
        try Self.flood(busy)
        mayGoOn.signal()
        var told: Set<String> = []
        for await name in stream {
            told.insert(name)
            if told.count == 2 { break }
        }
        withExtendedLifetime(watches) {}
    }

    /// Renames one file more often than a queue has room for, by either of its limits.
    static func flood(_ folder: FilePath) throws {
        let limits = try ["inotify/max_queued_events", "fanotify/max_queued_events"].map { name in
            let text = try String(contentsOfFile: "/proc/sys/fs/" + name, encoding: .utf8)
            return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        }
        let count = try #require(limits.max()) + 100
        for number in 0..<count {
            let (source, target) = (folder.appending("\(number)"), folder.appending("\(number + 1)"))
            guard rename(source.string, target.string) == 0 else {
                throw SystemError(call: "rename", errno: errno, path: source)
            }
        }
    }

    @Test("The end of a volume is the end of what is watched on it", arguments: WatchMeans.here)
    func unmounted(_ means: WatchMeans) async throws {
        let volume: LoopVolume
        do { volume = try LoopVolume(kind: "ext4") } catch let error as LoopVolume.Unavailable {
            print("not run: \(error)")
            return
        }
        let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent.self)
        let folder = volume.folder.appending("d")
        try DiskTree.folder([:]).write(to: folder)
        let events = means.events
        let watch = try events.watch(folder) { $0.forEach { continuation.yield($0) } }
        volume.unmount()
        for await event in stream where event.kind == .selfDeleted { break }
        // Mounted again it may be the very same to the kernel, and the watch on what it was may live yet.
        try volume.mount()
        let again = try events.watch(folder) { $0.forEach { continuation.yield($0) } }
        volume.unmount()
        for await event in stream where event.kind == .selfDeleted { break }
        withExtendedLifetime((watch, again)) {}
    }

    @Test("Volumes of several kinds tell who wrote", .enabled(if: WatchMeans.here.contains(.fanotify)))
    func volumes() async throws {
        for kind in ["ext4", "xfs", "btrfs"] {
            let volume: LoopVolume
            do { volume = try LoopVolume(kind: kind) } catch let error as LoopVolume.Unavailable {
                print("not run: \(error)")
                continue
            }
            let (stream, continuation) = AsyncStream.makeStream(of: WatchEvent.self)
            let watch = try FileEvents().watch(volume.folder) { $0.forEach { continuation.yield($0) } }
            let process = try run("echo 1 > a", in: volume.folder)
            for await event in stream where event.kind == .changed {
                #expect(event.name == "a")
                #expect(!watch.tellsWriters || event.writer?.processID == process, "\(kind)")
                print("\(kind): writers are \(watch.tellsWriters ? "" : "not ")told")
                break
            }
        }
    }
}
