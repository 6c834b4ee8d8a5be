import DocumentTesting
import Foundation
import HubProtocol
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Lines on which a question and its answer take long, and those that answer too soon.
@Suite("Lines that are long, or answer at once", .onOwnThreads, .timeLimit(.minutes(2)))
struct LongLineTests {
    /// Counts what is asked, and answers questions for many parts of contents only once so many have been under way.
    private final class LongHub: ForwardingHub {
        private struct State {
            var underWay = 0
            var most = 0
            var counts: [String: Int] = [:]
            /// Whether what asks for news is answered at once, though there is none.
            var isHasty = false
        }
        let hub: any ContainerHub
        private let state = Locked(State())
        private let news = NSCondition()
        private let wanted: Int

        init(_ hub: any ContainerHub, answersOnlyTo wanted: Int = 1) {
            (self.hub, self.wanted) = (hub, wanted)
        }

        var most: Int { state.withLock { $0.most } }
        func count(_ call: String) -> Int { state.withLock { $0.counts[call, default: 0] } }
        func beHasty() { state.withLock { $0.isHasty = true } }

        private func note(_ call: String) { state.withLock { $0.counts[call, default: 0] += 1 } }

        func missing(_ names: [BlobName]) throws -> [BlobName] {
            note("missing")
            return try hub.missing(names)
        }

        func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            let isHasty = state.withLock { $0.isHasty }
            if waitSeconds > 0 { note("log") }
            return try hub.log(after: position, waitSeconds: isHasty ? 0 : waitSeconds)
        }

        func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
            state.withLock { state in
                state.underWay += 1
                state.most = max(state.most, state.underWay)
            }
            news.withLock {
                news.broadcast()
                // Lists are few: what they lead to nobody knows before.
                while names.count > 16, state.withLock({ $0.most < wanted }) { news.wait() }
            }
            defer { state.withLock { $0.underWay -= 1 } }
            return try hub.read(names)
        }
    }

    private func running(_ device: TestDevice, _ hub: LongHub) throws -> ContainerSync {
        device.stop()
        device.line.open()
        let running = device.sync(at: hub)
        try running.start()
        return running
    }

    @Test("Contents that are large are asked for by several requests at a time")
    func several() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let hub = LongHub(pair.two.line, answersOnlyTo: 2)
        let running = try running(pair.two, hub)
        defer { running.stop() }
        let bytes = Data((0..<12 << 20).map { _ in UInt8.random(in: 0...255) })
        let source = pair.base.appendingPathComponent("large")
        try bytes.write(to: source)
        try FileManager.default.moveItem(at: source, to: pair.one.folder.appendingPathComponent("a.bin"))
        let target = pair.two.folder.appendingPathComponent("a.bin")
        #expect(
            pair.two.wait { FileManager.default.fileExists(atPath: target.path) && running.status.isSettled }
        )
        #expect(try Data(contentsOf: target) == bytes)
        #expect(hub.most >= 2)
        pair.end()
    }

    @Test("Whether the hub has what is little nobody asks, as to send it takes as long")
    func little() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let hub = LongHub(pair.two.line)
        let running = try running(pair.two, hub)
        defer { running.stop() }
        #expect(pair.two.wait { running.status.isSettled })
        try pair.two.write("second", to: "a.txt")
        #expect(pair.two.wait { pair.one.text("a.txt") == "second" && running.status.isSettled })
        #expect(hub.count("missing") == 0)
        try pair.two.write(String(repeating: "more than little ", count: 8000), to: "b.txt")
        #expect(pair.two.wait { pair.one.text("b.txt") != nil && running.status.isSettled })
        #expect(hub.count("missing") == 1)
        pair.end()
    }

    @Test("Who answers at once that there is nothing new, though asked to wait, is not asked all the time")
    func hasty() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let hub = LongHub(pair.two.line)
        hub.beHasty()
        let running = try running(pair.two, hub)
        defer { running.stop() }
        #expect(pair.two.wait { hub.count("log") > 3 })
        // It is asked every now and then, and so what is new comes.
        for number in 0..<3 {
            try pair.one.write("\(number)", to: "b.txt")
            #expect(pair.two.wait { pair.two.text("b.txt") == "\(number)" })
        }
        #expect(hub.count("log") < 1000, "asked \(hub.count("log")) times")
        pair.end()
    }
}
