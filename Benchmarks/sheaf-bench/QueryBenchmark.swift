import CPeers
import DocumentFoundation
import Foundation

/// What a metadata query takes to find what is there, and to tell of what others change.
@MainActor
enum QueryBenchmark {
    static func run(in work: WorkFolder) async throws -> [Figure] {
        let tree = try work.makeTree("Shelf", folders: 1000, filesInEach: 100)
        var (gathering, sorted, find) = (Samples(), Samples(), Samples())
        for _ in 1...7 {
            gathering.add(try await gather(Self.query(of: tree)))
            let query = Self.query(of: tree)
            query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
            sorted.add(try await gather(query))
            guard let peer = try Peers.run("find", tree.path, "-not", "-name", ".*", "-printf", "%p\n") else {
                throw BenchmarkFailure("find is not installed")
            }
            find.add(peer)
        }
        return [
            Figure(
                "query-gather",
                "a query by name gathers 100,000 files in 1,000 folders",
                gathering,
                .milliseconds,
                beside: "find -printf of paths; it watches nothing",
                find,
                goal: .valueAtMost(120)
            ),
            Figure("query-sorted", "the same, sorted by name", sorted, .milliseconds),
        ] + (try watchman(in: work, tree, gathering)) + (try await standing(in: tree))
    }

    /// Watchman's answer to a query for all names, while it watches already.
    private static func watchman(in work: WorkFolder, _ tree: URL, _ gathering: Samples) throws -> [Figure] {
        guard let watchman = try Watchman(in: work.item("watchman")) else { return [] }
        defer { watchman.end() }
        try watchman.watch(tree)
        var its = Samples()
        for _ in 1...7 { its.add(try seconds { try watchman.gather(tree) }) }
        return [
            Figure(
                "query-gather-watchman",
                "a query by name gathers 100,000 files in 1,000 folders",
                gathering,
                .milliseconds,
                beside: "Watchman's list of names, when it has read the folders before",
                its
            )
        ]
    }

    private static func query(of folder: URL) -> NSMetadataQuery {
        let query = NSMetadataQuery()
        query.predicate = NSPredicate(format: "%K LIKE '*'", NSMetadataItemFSNameKey)
        query.searchScopes = [folder]
        query.notificationBatchingInterval = 0
        return query
    }

    /// Seconds from the start to the notification that all is there.
    private static func gather(_ query: NSMetadataQuery) async throws -> Double {
        let told = Told(.NSMetadataQueryDidFinishGathering, of: query)
        var times = told.times.makeAsyncIterator()
        let start = now()
        guard query.start(), let end = await times.next() else {
            throw BenchmarkFailure("the query did not start")
        }
        query.stop()
        guard query.resultCount == 101_000 else {
            throw BenchmarkFailure("the query found \(query.resultCount) items")
        }
        return end - start
    }

    /// A query that has gathered: updates, and the time while nothing happens.
    private static func standing(in tree: URL) async throws -> [Figure] {
        let query = query(of: tree)
        let file = tree.appendingPathComponent(WorkFolder.folderName(7)).appendingPathComponent("Letter.txt")
        try Data("0".utf8).write(to: file)
        let gathered = Told(.NSMetadataQueryDidFinishGathering, of: query)
        var ends = gathered.times.makeAsyncIterator()
        guard query.start(), await ends.next() != nil else {
            throw BenchmarkFailure("the query did not start")
        }
        defer { query.stop() }
        let (own, raw) = try await updates(of: file, by: query)
        let watchman = try WatchBenchmark.watchmanFigure(
            "query-update-watchman",
            "a program writes one of 100,000 files, to NSMetadataQueryDidUpdate",
            own,
            of: file,
            in: tree
        )
        // What was written last is told first.
        await pass(seconds: 1)
        let start = WatchBenchmark.processorSeconds()
        await pass(seconds: 10)
        var idle = Samples()
        idle.add(WatchBenchmark.processorSeconds() - start)
        return [
            Figure(
                "query-update",
                "a program writes one of 100,000 files, to NSMetadataQueryDidUpdate",
                own,
                .milliseconds,
                beside: "C: the raw inotify event of the same write",
                raw,
                goal: .valueAtMost(5)
            ),
            Figure(
                "query-idle",
                "processor time of ten seconds in which nothing happens to 100,000 queried files",
                idle,
                .milliseconds,
                goal: .valueAtMost(5)
            ),
        ] + watchman
    }

    private static func pass(seconds: Double) async {
        await withCheckedContinuation { goOn in
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { goOn.resume() }
        }
    }

    private static func updates(
        of file: URL,
        by query: NSMetadataQuery
    ) async throws -> (own: Samples, raw: Samples) {
        let told = Told(.NSMetadataQueryDidUpdate, of: query)
        var updates = told.times.makeAsyncIterator()
        let writer = try ForeignWriter(file)
        defer { writer.end() }
        let inotify = peer_watch(file.path)
        guard inotify >= 0 else { throw BenchmarkFailure.call("inotify_add_watch", file.path) }
        defer { close(inotify) }
        var (own, raw) = (Samples(), Samples())
        for round in 1...105 {
            async let event = WatchBenchmark.rawEvent(inotify)
            try writer.write()
            guard let heard = await updates.next() else { throw BenchmarkFailure("the query ended") }
            let seen = try await event
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            guard let written = Double(text) else { throw BenchmarkFailure("\(file.path) has no time in it") }
            guard round > 5 else { continue }  // the first rounds fill caches
            own.add(heard - written / 1e9)
            raw.add(seen - written / 1e9)
        }
        return (own, raw)
    }
}

/// When a query posted a notification, for as long as this lives.
private final class Told {
    let times: AsyncStream<Double>
    private let observer: any NSObjectProtocol

    init(_ name: Notification.Name, of query: NSMetadataQuery) {
        let (times, continuation) = AsyncStream.makeStream(of: Double.self)
        self.times = times
        observer = NotificationCenter.default.addObserver(forName: name, object: query, queue: nil) { _ in
            continuation.yield(now())
        }
    }

    deinit { NotificationCenter.default.removeObserver(observer) }
}
