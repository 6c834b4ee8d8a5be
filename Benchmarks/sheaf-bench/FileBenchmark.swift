import UIKit

/// A small document of one file.
@MainActor
enum FileBenchmark {
    static func save4k(in work: WorkFolder) async throws -> [Figure] {
        let document = FileDocument(fileURL: work.item("Letter.txt"))
        try WorkFolder.bytes(4096, seed: 0).write(to: document.fileURL)
        _ = try await document.timedOpen()
        var (own, bare) = (Samples(), Samples())
        for round in 1...205 {
            let data = WorkFolder.bytes(4096, seed: round)
            await rest()
            let peerSeconds = try Peers.save(data, as: "bare.txt", in: work.path)
            document.data = data
            await rest()
            let ownSeconds = try await document.timedSave()
            guard round > 5 else { continue }  // the first rounds fill caches
            own.add(ownSeconds)
            bare.add(peerSeconds)
        }
        let (closed, written) = (await document.close(), try Data(contentsOf: document.fileURL))
        guard closed, written == document.data else {
            throw BenchmarkFailure("\(document.fileURL.path) is not what was saved")
        }
        let what = "UIDocument.save of 4 KB, durable, call to handler"
        return [
            Figure(
                "save-4k",
                what,
                own,
                .microseconds,
                beside: "C: write, fsync, rename, fsync of the folder",
                bare,
                goal: .ratioAtMost(1.5)
            )
        ]
    }

    static func coordinate(in work: WorkFolder) throws -> [Figure] {
        let url = work.item("Letter.txt")
        try Data("Dear".utf8).write(to: url)
        let readsInRun = 5000
        var (own, peer) = (Samples(), Samples())
        for _ in 1...21 {
            let ownSeconds = try seconds { for _ in 0..<readsInRun { try coordinatedRead(url) } }
            let peerSeconds = try seconds { for _ in 0..<readsInRun { try Peers.lock(url.path) } }
            own.add(ownSeconds / Double(readsInRun))
            peer.add(peerSeconds / Double(readsInRun))
        }
        let what = "coordinated read of nothing, uncontended, mean of \(readsInRun)"
        return [
            Figure(
                "coordinate",
                what,
                own,
                .microseconds,
                beside: "C: open, flock, unlock, close",
                peer,
                goal: .valueAtMost(5)
            )
        ]
    }

    private static func coordinatedRead(_ url: URL) throws {
        var failure: NSError?
        var isGranted = false
        NSFileCoordinator().coordinate(readingItemAt: url, options: [], error: &failure) { _ in
            isGranted = true
        }
        if let failure { throw failure }
        guard isGranted else { throw BenchmarkFailure("a read of \(url.path) was not granted") }
    }
}
