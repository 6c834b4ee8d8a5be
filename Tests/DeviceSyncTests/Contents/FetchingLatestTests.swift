import DocumentTesting
import Foundation
import HubProtocol
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What the hub has of a document now, for who asks for that.
@Suite("Fetching the latest state", .onOwnThreads, .timeLimit(.minutes(2)))
struct FetchingLatestTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try .holding("first", as: "a.txt") }

    private func fetch(_ path: String, by device: ContainerSync?) throws -> QuestionOutcome {
        let outcome = QuestionOutcome()
        _ = try #require(device).fetchLatest(path, done: outcome.take)
        return outcome
    }

    @Test("What the hub has lost is told to who asks for it, and comes to who asks once it is there again")
    func lost() throws {
        two.line.cut()
        pair.wait { two.status?.line == .down }
        let known = Set(pair.hub.blobs.keys)
        try one.write("second", to: "a.txt")
        pair.wait { one.running?.isInStepNow == true && pair.hub.blobCount == known.count + 1 }
        let honest = pair.hub.blobs
        pair.hub.rewriteBlobs { blobs in blobs = blobs.filter { known.contains($0.key) } }
        two.line.mend()
        pair.wait { two.status?.line == .up }
        for _ in 0..<2 {
            let refused = try fetch("a.txt", by: two.running)
            pair.wait { refused.isAnswered }
            #expect(refused.code == .failed && refused.refusal?.hubDeed == .leftOut)
        }
        #expect(two.text("a.txt") == "first")
        pair.hub.rewriteBlobs { $0 = honest }
        let fetched = try fetch("a.txt", by: two.running)
        pair.wait { fetched.isAnswered }
        #expect(fetched.isDone && two.text("a.txt") == "second")
        pair.end()
    }

    @Test("What cannot be put in place is told to who asks for it")
    func refused() throws {
        let file = two.folder.appendingPathComponent("a.txt")
        try two.breakDisk(.writing, at: file)
        try one.write("second", to: "a.txt")
        pair.wait { two.running?.item("a.txt")?.isSettled == false }
        let refused = try fetch("a.txt", by: two.running)
        pair.wait { refused.isAnswered }
        #expect(refused.code == .failed && two.text("a.txt") == "first")
        two.mendDisk()
        let fetched = try fetch("a.txt", by: two.running)
        pair.wait { fetched.isAnswered }
        #expect(fetched.isDone && two.text("a.txt") == "second")
        pair.end()
    }

    @Test(
        "What others have committed and this device has not heard of comes before it is told",
        arguments: [false, true]
    )
    func unheard(isPaused: Bool) throws {
        two.stop()
        let held = try HeldDevice(two)
        pair.wait { held.running.status.line == .up }
        if isPaused { try held.running.pause("a.txt", by: "a test") }
        held.hub.hold([.log])
        try one.write("second", to: "a.txt")
        pair.wait { held.hub.isHolding(.log) }
        let fetched = try fetch("a.txt", by: held.running)
        #expect(!fetched.isAnswered)
        held.hub.letGo()
        pair.wait { fetched.isAnswered }
        #expect(fetched.isDone)
        if isPaused {
            #expect(two.text("a.txt") == "first")
            #expect(try two.formerTexts(of: "a.txt").contains("second"))
        } else {
            #expect(two.text("a.txt") == "second")
        }
        held.stop()
        pair.end()
    }

    @Test("A hub that does not say how far its log goes has said nothing of a document")
    func unanswered() throws {
        two.stop()
        let held = try HeldDevice(two)
        pair.wait { held.running.status.line == .up }
        // The line is up until the request that waits is answered, and it is not.
        held.hub.refuse([.log], HubFailure(.fault, "It is out of order."))
        let refused = try fetch("a.txt", by: held.running)
        pair.wait { refused.isAnswered }
        #expect(refused.code == .unreachable)
        held.stop()
        pair.end()
    }

    @Test("What was renamed a moment ago is found under its name")
    func renamed() throws {
        two.stop()
        let (run, outcome) = (SeenRun(), QuestionOutcome())
        try run.start(two)
        pair.wait { (try? run.sync { $0.lineState }) == .up }
        try run.sync { run in
            try FileManager.default.moveItem(
                at: two.folder.appendingPathComponent("a.txt"),
                to: two.folder.appendingPathComponent("b.txt")
            )
            _ = try run.fetchLatest("b.txt", done: outcome.take)
        }
        pair.wait { outcome.isAnswered }
        #expect(outcome.isDone)
        run.stop()
        pair.end()
    }
}
