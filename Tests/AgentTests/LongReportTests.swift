import Agent
import Coordination
import DocumentFoundation
import Foundation
import TestThreads
import Testing

/// What an agent says of itself may be longer than what may wait for a client that does not read.
@Suite("Long reports of an agent", .onOwnThreads, .serialized, .timeLimit(.minutes(2)))
struct LongReportTests {
    @Test("A report of so many presenters that it has more than eight megabytes comes whole")
    func whole() throws {
        try withScene { scene in
            try scene.begin()
            let registry = try scene.registry()
            let (file, count) = (try scene.file("a.txt"), 20_000)
            let folder = file.deletingLastPathComponent().appendingPathComponent(
                String(repeating: "long/", count: 100),
                isDirectory: true
            )
            let presenters = (0..<count).map { NotingPresenter(folder.appendingPathComponent("\($0).txt")) }
            for presenter in presenters { registry.add(presenter) }
            var error: NSError?
            NSFileCoordinator(filePresenter: nil, registry: registry)
                .coordinate(readingItemAt: file, error: &error) { _ in }
            #expect(error == nil && registry.isJoined)
            let report = try #require(try AgentQuery.report(in: scene.runtime))
            let paths = report.presenters.compactMap(\.path)
            let byteCount = paths.map(\.utf8.count).reduce(0, +)
            #expect(Set(paths).count == count && byteCount > 8 << 20, "\(paths.count) of \(byteCount) bytes")
        }
    }
}
