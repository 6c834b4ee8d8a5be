import DocumentTesting
import Foundation
import HubProtocol
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What stands before a hub and refuses single requests, such as a proxy for which they are too large.
@Suite("A proxy that refuses single requests", .onOwnThreads, .timeLimit(.minutes(2)))
struct ProxyTests {
    /// Answers requests with a status in the hub's place, as a test says.
    private final class ProxiedHub: ForwardingHub {
        struct Rules: Sendable {
            var store: @Sendable (_ byteCount: Int) -> Int? = { _ in nil }
            var offer: @Sendable ([ItemName]) -> Int? = { _ in nil }
            var read: Int?
            var log: Int?
        }
        let hub: any ContainerHub
        private let rules = Locked(Rules())
        private let storedCounts = Locked<[Int]>([])
        private let offeredCounts = Locked<[Int]>([])

        init(_ hub: any ContainerHub) { self.hub = hub }

        func rule(_ change: (inout Rules) -> Void) { rules.withLock { change(&$0) } }
        /// How many bytes the requests had that the hub got.
        var stored: [Int] { storedCounts.withLock { $0 } }
        /// How many commits the requests had that the hub got.
        var offered: [Int] { offeredCounts.withLock { $0 } }

        private func check(_ status: Int?, _ route: HubRoute) throws {
            if let status { throw LineFailure(notOfHub: status, to: route) }
        }

        private static let container = ContainerName(unchecked: Array(0..<16))

        func store(_ frames: Data) throws {
            try check(rules.withLock { $0 }.store(frames.count), .blobs(Self.container))
            storedCounts.withLock { $0.append(frames.count) }
            try hub.store(frames)
        }
        func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers {
            try check(rules.withLock { $0 }.offer(commits.map(\.item)), .commits(Self.container))
            offeredCounts.withLock { $0.append(commits.count) }
            return try hub.offer(commits)
        }
        func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] {
            try check(rules.withLock { $0.read }, .readBlobs(Self.container))
            return try hub.read(names)
        }
        func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            try check(rules.withLock { $0.log }, .log(Self.container))
            return try hub.log(after: position, waitSeconds: waitSeconds)
        }
    }

    private let pair: DevicePair
    private let hub: ProxiedHub
    private let running: ContainerSync
    private let said = Locked<[SyncReport]>([])
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws {
        pair = try DevicePair.holding("first", as: "a.txt")
        pair.two.stop()
        pair.two.line.open()
        let (hub, said) = (ProxiedHub(pair.two.line), said)
        self.hub = hub
        running = pair.two.sync(at: hub, report: { report in said.withLock { $0.append(report) } })
        try running.start()
        let running = running
        #expect(pair.two.wait { running.status.isSettled })
    }

    private func end() {
        running.stop()
        pair.end()
    }

    private var losses: [SyncReport] {
        said.withLock { $0 }.filter { if case .lineDown = $0 { true } else { false } }
    }

    /// A file that no compression makes small.
    private func put(byteCount: Int, at name: String) throws {
        let source = pair.base.appendingPathComponent("source")
        try Data((0..<byteCount).map { _ in UInt8.random(in: 0...255) }).write(to: source)
        try FileManager.default.moveItem(at: source, to: two.folder.appendingPathComponent(name))
    }

    private func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: one.path(name)) }

    @Test(
        "Contents that are too much for it wait with the remedy, all else goes on, and so do they once they may"
    )
    func upload() throws {
        hub.rule { $0.store = { $0 > 48 << 10 ? 413 : nil } }
        try put(byteCount: 3 << 20, at: "large.bin")
        let isTold = two.wait {
            running.item("large.bin")?.uploadFailure?.description.contains("413") == true
        }
        #expect(isTold, "\(running.status), \(said.withLock { $0 })")
        #expect(running.status.line == .up)
        #expect(running.status.remedies?["large.bin"]?.contains("client_max_body_size 64m") == true)
        #expect(running.explain("large.bin").next.contains("client_max_body_size 64m"))
        // Together they would be too much, too.
        for number in 0..<8 { try put(byteCount: 20 << 10, at: "small \(number)") }
        try one.write("theirs", to: "b.txt")
        let isRest = two.wait {
            (0..<8).allSatisfy { isThere("small \($0)") } && two.text("b.txt") == "theirs"
        }
        #expect(isRest, "\(running.status), \(said.withLock { $0 })")
        #expect(running.status.stuck.keys.sorted() == ["large.bin"] && losses.isEmpty, "\(running.status)")
        hub.rule { $0.store = { _ in nil } }
        running.tryAgain()
        #expect(two.wait { isThere("large.bin") && running.status.isSettled }, "\(running.status)")
        #expect(losses.isEmpty)
        end()
    }

    @Test("Contents that are too much for it at a time go in smaller requests")
    func smaller() throws {
        hub.rule { $0.store = { $0 > 1 << 20 ? 413 : nil } }
        try put(byteCount: 6 << 20, at: "large.bin")
        #expect(two.wait { isThere("large.bin") && running.status.isSettled }, "\(running.status)")
        let failures = said.withLock { $0 }.filter { if case .failed = $0 { true } else { false } }
        #expect(failures.isEmpty && losses.isEmpty && hub.stored.max() ?? 0 <= 1 << 20, "\(failures)")
        end()
    }

    @Test("Commits that are too many for it at a time go in several requests")
    func commits() throws {
        hub.rule { $0.offer = { $0.count > 3 ? 413 : nil } }
        for number in 0..<40 { try two.put("\(number)", at: "\(number).txt") }
        let isSent = two.wait { (0..<40).allSatisfy { isThere("\($0).txt") } && running.status.isSettled }
        #expect(isSent, "\(running.status)")
        #expect(losses.isEmpty && hub.offered.allSatisfy { $0 <= 3 })
        end()
    }

    @Test("A commit that it does not let through waits with the remedy, and all else goes on")
    func commit() throws {
        let refused = Locked<ItemName?>(nil)
        hub.rule { rules in
            rules.offer = { items in
                refused.withLock { refused in
                    refused = refused ?? items.first
                    return refused.map(items.contains) == true ? 403 : nil
                }
            }
        }
        try two.put("second", at: "b.txt")
        #expect(two.wait { running.status.stuck["b.txt"]?.contains("403") == true }, "\(running.status)")
        #expect(running.status.remedies?["b.txt"]?.contains("let its requests through") == true)
        #expect(running.item("b.txt")?.uploadFailure?.code == .failed)
        #expect(running.explain("b.txt").chain.map(\.kind) == [.cannotSend])
        for number in 0..<5 { try two.put("\(number)", at: "\(number).txt") }
        let isRest = two.wait { (0..<5).allSatisfy { isThere("\($0).txt") } }
        #expect(isRest, "\(running.status)")
        #expect(!isThere("b.txt") && running.status.line == .up && losses.isEmpty)
        hub.rule { $0.offer = { _ in nil } }
        running.tryAgain()
        #expect(two.wait { isThere("b.txt") && running.status.isSettled }, "\(running.status)")
        end()
    }

    @Test("Contents that it does not give wait, and what is sent and told goes on")
    func fetch() throws {
        hub.rule { $0.read = 403 }
        try one.write("theirs", to: "b.txt")
        let isTold = two.wait { running.item("b.txt")?.downloadFailure?.description.contains("403") == true }
        #expect(isTold, "\(running.status)")
        try two.put("ours", at: "c.txt")
        #expect(two.wait { one.text("c.txt") == "ours" }, "\(running.status)")
        #expect(losses.isEmpty && running.status.line == .up)
        hub.rule { $0.read = nil }
        running.tryAgain()
        #expect(two.wait { two.text("b.txt") == "theirs" && running.status.isSettled }, "\(running.status)")
        end()
    }

    @Test("Who refuses all that is asked is no proxy that refuses one request: the line is down")
    func all() throws {
        hub.rule { rules in
            rules.log = 403
            rules.store = { _ in 403 }
        }
        try two.put("ours", at: "c.txt")
        #expect(two.wait { running.status.line == .down }, "\(running.status)")
        #expect(running.status.lineFailure?.contains("403") == true)
        #expect(running.status.lineRemedy?.contains("Sign in to this network") == true)
        hub.rule { $0 = ProxiedHub.Rules() }
        #expect(two.wait { one.text("c.txt") == "ours" && running.status.isSettled }, "\(running.status)")
        end()
    }
}
