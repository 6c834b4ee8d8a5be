import DocumentTesting
import Foundation
import HubProtocol
import Locks
import TestThreads
import Testing

@testable import DeviceSync

@Suite("How much a hub says it has released", .onOwnThreads, .timeLimit(.minutes(2)))
struct ReleasedCountTests {
    /// A hub that says of each batch that it has released so much of it.
    private struct Boaster: ForwardingHub {
        let hub: any ContainerHub
        let count: Int
        let askedCount = Locked(0)

        func release(_ names: [BlobName], asOf head: LogHead) throws -> ReleasedBlobs {
            askedCount.withLock { $0 += names.count }
            return ReleasedBlobs(released: count, keptSeconds: 1, spared: [])
        }
    }

    /// A device that has something to release, as what was first is no more.
    private func runToRelease(_ pair: DevicePair) throws -> (run: SeenRun, releasing: Releasing) {
        try pair.one.write("second", to: "a.txt")
        pair.wait { pair.two.text("a.txt") == "second" && pair.isSettled }
        pair.two.stop()
        let run = SeenRun()
        try run.start(pair.two)
        pair.wait { (try? run.sync { try $0.releasing() }) != nil }
        return (run, try #require(try run.sync { try $0.releasing() }))
    }

    @Test("It counts as far as it was asked, and never as less than nothing", arguments: [Int.max, -1])
    func counts(said: Int) throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let (run, releasing) = try runToRelease(pair)
        defer { run.stop() }
        let boaster = Boaster(hub: releasing.hub, count: said)
        let outcome = try Releasing(
            hub: boaster,
            desk: releasing.desk,
            contents: releasing.contents,
            memory: releasing.memory,
            head: releasing.head,
            releasedTo: releasing.releasedTo
        ).run()
        let askedCount = boaster.askedCount.withLock { $0 }
        #expect(askedCount > 0 && outcome.count == (said > 0 ? askedCount : 0))
        run.stop()
        pair.end()
    }

    @Test("What was released as of a log that the hub has no more does not count as released in the next one")
    func putBack() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let backup = pair.hub.backup()
        let (run, releasing) = try runToRelease(pair)
        defer { run.stop() }
        pair.hub.passHour()
        let outcome = try releasing.run()
        #expect(outcome.releasedTo > 0)
        // By now the hub has another log, and both devices have read that.
        pair.hub.restore(backup)
        pair.wait {
            guard let next = try? run.sync({ try $0.releasing() }) else { return false }
            return next.head != releasing.head && next.head.position >= releasing.head.position
                && pair.one.running?.isInStepNow == true
        }
        try run.sync { $0.note(outcome, asOf: releasing.head) }
        let next = try #require(try run.sync { try $0.releasing() })
        #expect(next.releasedTo == 0)
        try run.sync { $0.note(outcome, asOf: next.head) }
        let last = try #require(try run.sync { try $0.releasing() })
        #expect(last.releasedTo == outcome.releasedTo)
        run.stop()
        pair.end()
    }
}
