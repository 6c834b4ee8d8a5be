import DocumentTesting
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A line is up again as soon as it can be used, whatever became of one call.
@Suite("A call that fails", .onOwnThreads, .timeLimit(.minutes(2)))
struct LineLossTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }

    init() throws {
        pair = try DevicePair()
        let pair = pair
        pair.wait { pair.isSettled }
    }

    private var lossCount: Int {
        one.said.count { if case .lineDown = $0 { true } else { false } }
    }

    @Test("One that began before the line came up again says nothing of the line")
    func late() throws {
        // Longer than the test takes.
        one.slowDown(toSeconds: 3600)
        try one.write("text", to: "a.txt")
        pair.wait { one.line.isTransferring }
        one.line.hold()
        one.line.cut()
        pair.wait { one.status?.line == .down }
        one.slowDown(toSeconds: 0)
        one.line.mend()
        pair.wait { one.status?.line == .up }
        one.line.letGo()
        pair.wait { pair.two.text("a.txt") == "text" && pair.isSettled }
        #expect(lossCount == 1)
        pair.end()
    }

    @Test("One that fails while the log is waited for is made again at once, not when the waiting is over")
    func single() throws {
        one.line.failTransfers(1)
        try one.write("text", to: "a.txt")
        #expect(pair.two.wait(seconds: 30) { pair.two.text("a.txt") == "text" }, "\(one.said)")
        #expect(lossCount == 1)
        pair.end()
    }

    @Test("The first one that fails after a start is told, once, and so is who waits for contents")
    func first() throws {
        let two = pair.two
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        try #require(two.running).evict("a.txt")
        pair.wait { two.said.contains(.freed) }
        two.stop()
        two.line.cut()
        try two.start()
        let done = Locked<SyncRefusal?>(nil)
        _ = try #require(two.running).download("a.txt") { refusal in done.withLock { $0 = refusal } }
        pair.wait { done.withLock { $0?.code } == .unreachable }
        pair.wait { two.status?.lineFailure?.contains("the line is cut") == true }
        #expect(two.status?.line == .down)
        let losses = two.said.filter { if case .lineDown = $0 { true } else { false } }
        #expect(losses == [.lineDown("the line is cut")])
        two.line.mend()
        _ = try #require(two.running).download("a.txt", done: nil)
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        pair.end()
    }
}
