import DocumentTesting
import Foundation
import HubProtocol
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

    /// A line that breaks whenever more than so much is sent at a time.
    private final class FrailHub: ForwardingHub {
        let hub: any ContainerHub
        private let underWay = Locked(0)
        private static let byteCountMax = 700 << 10

        init(_ hub: any ContainerHub) { self.hub = hub }

        func store(_ frames: Data) throws {
            let isThrough = underWay.withLock { underWay in
                underWay += frames.count
                return underWay <= Self.byteCountMax
            }
            defer { underWay.withLock { $0 -= frames.count } }
            guard isThrough else { throw LineFailure("the line has broken") }
            try hub.store(frames)
        }

        var retrySeconds: ClosedRange<Double> { 0.01...0.02 }
    }

    @Test("Over a line that breaks when much is under way less is sent at a time, and so all of it comes")
    func frail() throws {
        let two = pair.two
        two.stop()
        two.line.open()
        let running = two.sync(at: FrailHub(two.line))
        try running.start()
        defer { running.stop() }
        let source = pair.base.appendingPathComponent("source")
        try Data((0..<6 << 20).map { _ in UInt8.random(in: 0...255) }).write(to: source)
        try FileManager.default.moveItem(at: source, to: two.folder.appendingPathComponent("a.bin"))
        let isSent = two.wait {
            FileManager.default.fileExists(atPath: one.folder.appendingPathComponent("a.bin").path)
        }
        #expect(isSent, "\(running.status)")
        pair.end()
    }

    /// A hub that a test has fail, for this reason or that.
    private final class AilingHub: ForwardingHub {
        let hub: any ContainerHub
        private let failure = Locked<(any Error)?>(nil)

        init(_ hub: any ContainerHub) { self.hub = hub }

        func fail(_ error: (any Error)?) { failure.withLock { $0 = error } }

        func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            if let error = failure.withLock({ $0 }) { throw error }
            // Nobody waits: a failure is noticed at once.
            return try hub.log(after: position, waitSeconds: 0)
        }

        var retrySeconds: ClosedRange<Double> { 0.01...0.02 }
    }

    @Test("Why a line is down, and what helps, are what holds now; it is said once, and what is to be done")
    func reasons() throws {
        let two = pair.two
        two.stop()
        two.line.open()
        let (hub, said) = (AilingHub(two.line), Locked<[SyncReport]>([]))
        let running = two.sync(at: hub, report: { report in said.withLock { $0.append(report) } })
        try running.start()
        defer { running.stop() }
        #expect(two.wait { running.status.isSettled })
        func isShown(_ why: String, _ remedy: String?) -> Bool {
            two.wait { running.status.lineFailure == why && running.status.lineRemedy == remedy }
        }
        hub.fail(LineFailure("no such name"))
        #expect(isShown("no such name", nil))
        hub.fail(LineFailure("a sign-in answers"))
        #expect(isShown("a sign-in answers", nil))
        hub.fail(LineFailure("no proof", remedy: "Renew it."))
        #expect(isShown("no proof", "Renew it."))
        hub.fail(HubFailure(.unavailable, "The hub ends."))
        #expect(two.wait { running.status.lineFailure?.contains("The hub ends.") == true })
        #expect(running.status.lineRemedy == nil)
        hub.fail(nil)
        #expect(two.wait { running.status.line == .up && running.status.lineFailure == nil })
        let losses = said.withLock { $0 }.filter { if case .lineDown = $0 { true } else { false } }
        #expect(losses == [.lineDown("no such name"), .lineDown("no proof. Renew it.")])
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
