import DocumentFoundation
import UIKit

/// A bookmark of one file: made, resolved in place, and after the file went elsewhere.
@MainActor
enum BookmarkBenchmark {
    private static let callsInRun = 500
    private static let runCount = 21
    /// As many other files lie beside the one that is looked for.
    private static let neighbourCount = 1000

    static func run(in work: WorkFolder) throws -> [Figure] {
        let environment = ["XDG_STATE_HOME": work.item("state").path, "HOME": work.path]
        let keeper = BookmarkKeeper(BookmarkSettings(environment: environment, userID: geteuid()))
        return try BookmarkKeeper.$shared.withValue(keeper) { try figures(work) }
    }

    private static func figures(_ work: WorkFolder) throws -> [Figure] {
        let url = work.item("documents").appendingPathComponent("Letter.txt")
        try fill(url)
        let data = try url.bookmarkData()
        let peerName = "C: realpath, stat"
        let peer = try samples { try Peers.resolve(url.path) }
        let make = try samples { _ = try url.bookmarkData() }
        let place = try samples { try resolve(data, to: url, isStale: false) }
        let moved = work.item("documents").appendingPathComponent("in/Postcard.txt")
        try FileManager.default.createDirectory(
            at: moved.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try FileManager.default.moveItem(at: url, to: moved)
        let after = try samples { try resolve(data, to: moved, isStale: true) }
        return [
            Figure("bookmark-make", "bookmarkData of a file", make, .microseconds, beside: peerName, peer),
            Figure("bookmark-place", "resolving it in place", place, .microseconds, beside: peerName, peer),
            Figure(
                "bookmark-moved",
                "resolving it after a move and a rename, by the kernel's handle where the user is root",
                after,
                .microseconds,
                beside: peerName,
                peer
            ),
        ]
    }

    private static func fill(_ url: URL) throws {
        let folder = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("Dear".utf8).write(to: url)
        for number in 0..<neighbourCount {
            try Data("Dear".utf8).write(to: folder.appendingPathComponent("\(number).txt"))
        }
    }

    /// The mean of a run's calls, for each run.
    private static func samples(_ work: () throws -> Void) throws -> Samples {
        var samples = Samples()
        for _ in 0..<runCount {
            samples.add(try seconds { for _ in 0..<callsInRun { try work() } } / Double(callsInRun))
        }
        return samples
    }

    private static func resolve(_ data: Data, to url: URL, isStale expected: Bool) throws {
        var isStale = false
        let found = try URL(resolvingBookmarkData: data, bookmarkDataIsStale: &isStale)
        guard found.path == url.path, isStale == expected else {
            throw BenchmarkFailure("a bookmark of \(url.path) led to \(found.path)")
        }
        found.stopAccessingSecurityScopedResource()
    }
}
