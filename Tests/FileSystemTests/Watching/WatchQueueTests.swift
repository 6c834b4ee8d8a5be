import CrashHarness
import Dispatch
import Foundation
import TestThreads
import Testing

@testable import FileSystem

@Suite("WatchQueue", .onOwnThreads)
struct WatchQueueTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test("One queue tells apart what happens in many folders, and is silent about an ended watch")
    func many() async throws {
        for name in ["a", "b", "last"] { try DiskTree.folder([:]).write(to: scratch.path.appending(name)) }
        let (stream, continuation) = AsyncStream.makeStream(of: (WatchID?, WatchEvent).self)
        let queue = try WatchQueue(for: scratch.path, on: DispatchQueue(label: "watch")) { events in
            for (watch, event) in events { continuation.yield((watch, event)) }
        }
        let watches = try ["a", "b", "last"].map { try queue.watch(scratch.path.appending($0)) }
        #expect(Set(watches).count == 3)
        #expect(try queue.watch(scratch.path.appending("a")) == watches[0])
        queue.end(watches[1])
        for name in ["a", "b", "last"] {
            try DiskTree.file("1").write(to: scratch.path.appending(name).appending("new"))
        }
        var seen: [WatchID?] = []
        for await (watch, event) in stream {
            if watch == watches[2] { break }
            seen.append(watch)
            #expect(event.name == "new")
        }
        #expect(seen == [watches[0], watches[0]])
        queue.cancel()
    }
}
