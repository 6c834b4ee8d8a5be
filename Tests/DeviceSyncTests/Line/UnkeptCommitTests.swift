import DocumentTesting
import Foundation
import HubProtocol
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A hub says that it has taken a commit, and its log has it nowhere: it deceives, or was put back before anybody read that.
@Suite("Commits that a hub takes and does not keep", .onOwnThreads, .timeLimit(.minutes(2)))
struct UnkeptCommitTests {
    /// Says of some offers that they are in the log now, and has nothing of them.
    private final class ForgetfulHub: ForwardingHub {
        let hub: any ContainerHub
        private let counts = Locked((left: 0, forgotten: 0))

        init(_ hub: any ContainerHub) { self.hub = hub }

        func forget(_ count: Int) { counts.withLock { $0.left = count } }
        var forgottenCount: Int { counts.withLock { $0.forgotten } }

        func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers {
            let isForgotten = counts.withLock { counts in
                guard counts.left > 0 else { return false }
                counts = (counts.left - 1, counts.forgotten + 1)
                return true
            }
            guard isForgotten else { return try hub.offer(commits) }
            let head = try hub.log(after: 0, waitSeconds: 0).head
            let positions = (1...UInt64(commits.count)).map { head.position + $0 }
            return CommitAnswers(positions.map { .accepted($0) }, head: head)
        }

        /// Nobody waits as long here as for a real one.
        func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            try hub.log(after: position, waitSeconds: min(waitSeconds, 1))
        }
    }

    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private let said = Locked<[SyncReport]>([])

    init() throws { pair = try .holding("first", as: "a.txt") }

    /// Has the second device go on at such a hub.
    private func started() throws -> (hub: ForgetfulHub, running: ContainerSync) {
        two.stop()
        two.line.open()
        let hub = ForgetfulHub(two.line)
        let running = two.sync(at: hub, report: { [said] report in said.withLock { $0.append(report) } })
        try running.start()
        #expect(two.wait { running.status.isSettled })
        return (hub, running)
    }

    private func expect(_ deed: HubDeed?, at entry: UInt64, _ location: SourceLocation = #_sourceLocation) {
        #expect(deed?.kind == .leftOut && deed?.entry == entry, sourceLocation: location)
        #expect(
            deed?.text.contains("has taken what this device has sent as entry \(entry)") == true,
            sourceLocation: location
        )
        #expect(deed?.next.contains("do not trust it") == true, sourceLocation: location)
    }

    @Test("Once the log has gone past where it was to be, that is named, and it is sent again")
    func passed() throws {
        let (hub, running) = try started()
        defer { running.stop() }
        let entry = UInt64(pair.hub.entryCount) + 1
        hub.forget(1)
        try two.write("second", to: "a.txt")
        #expect(two.wait { hub.forgottenCount == 1 })
        #expect(!running.status.isSettled)
        // In its place.
        try one.write("b", to: "b.txt")
        #expect(two.wait { two.text("b.txt") == "b" })
        let isSent = two.wait { one.text("a.txt") == "second" && running.status.isSettled }
        #expect(isSent, "\(running.status)")
        let deeds = try #require(running.status.hubDeeds)
        #expect(deeds.count == 1 && deeds.allSatisfy { $0.putRightSeconds != nil }, "\(deeds)")
        expect(deeds.first, at: entry)
        #expect(two.contents == one.contents && two.contents == ["a.txt": "second", "b.txt": "b"])
        pair.end()
    }

    @Test(
        "A log that ends before it is as much of a contradiction; what was not kept goes with the next process, too"
    )
    func withheld() throws {
        let (hub, running) = try started()
        let entry = UInt64(pair.hub.entryCount) + 1
        hub.forget(.max)
        try two.write("second", to: "a.txt")
        // Again and again.
        #expect(two.wait { hub.forgottenCount >= 2 }, "\(running.status)")
        let deeds = try #require(running.status.hubDeeds)
        #expect(deeds.count == 1 && deeds.allSatisfy { $0.putRightSeconds == nil }, "\(deeds)")
        expect(deeds.first, at: entry)
        #expect(!running.status.isSettled)
        let failures = said.withLock { $0 }.compactMap { report in
            if case .lineDown(let why) = report { why } else { nil }
        }
        #expect(failures.contains { $0.contains("which ends with entry \(entry - 1)") }, "\(failures)")
        running.stop()
        #expect(one.text("a.txt") == "first")
        try two.start()
        #expect(two.wait { one.text("a.txt") == "second" && two.status?.isSettled == true })
        #expect(two.status?.hubDeeds?.allSatisfy { $0.putRightSeconds != nil } == true)
        pair.end()
    }
}
