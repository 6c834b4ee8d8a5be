import CPeers
import DocumentFoundation
import Foundation
import UIKit

/// What programs that coordinate nothing cost: how soon a presenter hears of them, and what waiting for them
/// takes.
@MainActor
enum WatchBenchmark {
    static func latency(in work: WorkFolder) async throws -> [Figure] {
        let (own, raw) = try await changes(in: work, .shared)
        let what = "a program writes a file, to presentedItemDidChange"
        let file = work.item("Letter.txt")
        return [changeFigure("watch-change", what, own, raw)]
            + (try watchmanFigure("watch-change-watchman", what, own, of: file, in: work.url))
    }

    /// What we took beside the time from each write of another program to the line that Watchman tells a subscriber.
    ///
    /// - Returns: Nothing when there is no such program.
    static func watchmanFigure(
        _ id: String,
        _ what: String,
        _ own: Samples,
        of file: URL,
        in tree: URL
    ) throws -> [Figure] {
        let place = tree.deletingLastPathComponent().appendingPathComponent("\(id) of it")
        guard let watchman = try Watchman(in: place) else { return [] }
        defer { watchman.end() }
        try watchman.watch(tree)
        try watchman.subscribe(to: tree)
        let writer = try ForeignWriter(file)
        defer { writer.end() }
        var its = Samples()
        for round in 1...45 {
            try writer.write()
            try watchman.waitForChange()
            let told = now()
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            guard let written = Double(text) else { throw BenchmarkFailure("\(file.path) has no time in it") }
            if round > 5 { its.add(told - written / 1e9) }
        }
        return [
            Figure(id, what, own, .milliseconds, beside: "Watchman, to the line that a subscriber gets", its)
        ]
    }

    static func changeFigure(_ id: String, _ what: String, _ own: Samples, _ raw: Samples) -> Figure {
        Figure(
            id,
            what,
            own,
            .milliseconds,
            beside: "C: the raw inotify event of the same write",
            raw,
            goal: .valueAtMost(5)
        )
    }

    /// From each write of another program until a presenter hears of it, and until the kernel's event is there.
    static func changes(
        in work: WorkFolder,
        _ registry: FileAccessRegistry
    ) async throws -> (own: Samples, raw: Samples) {
        let file = work.item("Letter.txt")
        try Data("0".utf8).write(to: file)
        let presenter = BenchmarkPresenter(file)
        registry.add(presenter)
        defer { registry.remove(presenter) }
        let writer = try ForeignWriter(file)
        defer { writer.end() }
        let inotify = peer_watch(file.path)
        guard inotify >= 0 else { throw BenchmarkFailure.call("inotify_add_watch", file.path) }
        defer { close(inotify) }
        var heard = presenter.heard.makeAsyncIterator()
        var (own, raw) = (Samples(), Samples())
        for round in 1...205 {
            async let event = rawEvent(inotify)
            try writer.write()
            guard let told = await heard.next() else { throw BenchmarkFailure("the presenter went") }
            let seen = try await event
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            guard let written = Double(text) else { throw BenchmarkFailure("\(file.path) has no time in it") }
            guard round > 5 else { continue }  // the first rounds fill caches
            own.add(told - written / 1e9)
            raw.add(seen - written / 1e9)
        }
        return (own, raw)
    }

    /// Blocks a thread of its own until the event is there.
    nonisolated static func rawEvent(_ inotify: CInt) async throws -> Double {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let nanoseconds = peer_next_change(inotify)
                continuation.resume(
                    with: nanoseconds > 0
                        ? .success(Double(nanoseconds) / 1e9)
                        : .failure(BenchmarkFailure.call("read", "inotify"))
                )
            }
        }
    }

    /// A hundred thousand items watched: memory, processor time while nothing happens, and a look at all of them.
    static func many(in work: WorkFolder) async throws -> [Figure] {
        let tree = try work.makeTree("Shelf", folders: 1000, filesInEach: 100)
        let idle = try await idle(tree)
        let before = try residentBytes()
        let files = presenters(of: tree)
        for file in files { NSFileCoordinator.addFilePresenter(file) }
        var memory = Samples()
        memory.add(max(0, try residentBytes() - before))
        let (own, find) = try rescan(tree)
        withExtendedLifetime(files) {}
        return [
            Figure("watch-memory", "100,000 presenters of files in 1,000 folders", memory, .mebibytes),
            Figure(
                "watch-idle",
                "processor time of a process in a minute in which nothing happens to the 100,000 items that it watches",
                idle,
                .milliseconds,
                goal: .valueAtMost(5)
            ),
            Figure(
                "watch-rescan",
                "a look at 100,000 files as after an overflow, and the comparison",
                own,
                .milliseconds,
                beside: "find -printf of number, size and date",
                find
            ),
        ]
    }

    /// Of a process that does nothing else, and is looked at from here: whoever measures himself wakes up for it.
    private static func idle(_ tree: URL) async throws -> Samples {
        let watcher = try OtherProcess(.watcher(tree: tree.path), core: nil)
        defer { watcher.end() }
        try watcher.waitUntilReady()
        try watcher.waitUntilIdle()
        let start = try watcher.processorSeconds()
        await aMinute()
        var idle = Samples()
        idle.add(try watcher.processorSeconds() - start)
        return idle
    }

    /// One for each file.
    nonisolated static func presenters(of tree: URL) -> [BenchmarkPresenter] {
        let queue = OperationQueue()
        return (0..<1000).flatMap { folder in
            let place = tree.appendingPathComponent(WorkFolder.folderName(folder))
            return (0..<100).map { member in
                let file = place.appendingPathComponent(WorkFolder.memberName(member))
                return BenchmarkPresenter(file, queue: queue)
            }
        }
    }

    static func aMinute() async {
        await withCheckedContinuation { minute in
            DispatchQueue.global().asyncAfter(deadline: .now() + 60) { minute.resume() }
        }
    }

    private static func rescan(_ tree: URL) throws -> (own: Samples, find: Samples) {
        var (own, find) = (Samples(), Samples())
        for _ in 1...5 {
            own.add(seconds { FileAccessRegistry.shared.lookAtAllItems() })
            guard let peer = try Peers.run("find", tree.path, "-printf", "%i %s %T@\n") else {
                throw BenchmarkFailure("find is not installed")
            }
            find.add(peer)
        }
        return (own, find)
    }

    static func processorSeconds() -> Double {
        peer_processor_seconds()
    }

    private static func residentBytes() throws -> Double {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) }) else {
            throw BenchmarkFailure("/proc/self/statm has no numbers")
        }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// Says when it hears of a change.
final class BenchmarkPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue
    let heard: AsyncStream<Double>
    private let continuation: AsyncStream<Double>.Continuation

    init(_ url: URL, queue: OperationQueue? = nil) {
        presentedItemURL = url
        presentedItemOperationQueue = queue ?? OperationQueue()
        (heard, continuation) = AsyncStream.makeStream(of: Double.self)
    }

    func presentedItemDidChange() { continuation.yield(now()) }
}

/// A program of its own that writes the time into a file whenever it is told to.
final class ForeignWriter {
    private let process = Process()
    private let orders = Pipe()

    init(_ file: URL) throws {
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["--write-times-to", file.path]
        process.standardInput = orders
        try process.run()
    }

    func write() throws {
        try orders.fileHandleForWriting.write(contentsOf: Data([1]))
    }

    func end() {
        // Without orders it ends.
        try? orders.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// What the program does: one write for each byte it reads.
    static func run(_ path: String) throws {
        while try FileHandle.standardInput.read(upToCount: 1)?.isEmpty == false {
            guard peer_write_time(path) == 0 else { throw BenchmarkFailure.call("write", path) }
        }
    }
}

extension WatchBenchmark {
    /// What the program does that writes when told to.
    static func writeTimes(to path: String) throws { try ForeignWriter.run(path) }
}
