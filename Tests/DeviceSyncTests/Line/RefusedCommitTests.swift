import DocumentTesting
import Foundation
import HubProtocol
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A hub that refuses a commit for something of before is not asked again at once.
@Suite("Commits that are refused", .onOwnThreads, .timeLimit(.minutes(2)))
struct RefusedCommitTests {
    /// Refuses some offers, as one that knows nothing of what they are about.
    private final class BehindHub: ForwardingHub {
        let hub: any ContainerHub
        private let left = Locked(0)

        init(_ hub: any ContainerHub) { self.hub = hub }

        func refuse(_ count: Int) { left.withLock { $0 = count } }

        func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers {
            let isRefused = left.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            guard isRefused else { return try hub.offer(commits) }
            let head = try hub.log(after: 0, waitSeconds: 0).head
            return CommitAnswers(commits.map { _ in .refused(0) }, head: head)
        }
    }

    @Test("For what the log does not have, the line is down for a while each time, says why, and goes on")
    func behind() throws {
        let pair = try DevicePair.holding("first", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        two.stop()
        two.line.open()
        let said = Locked<[SyncReport]>([])
        let behind = BehindHub(two.line)
        let running = two.sync(at: behind, report: { report in said.withLock { $0.append(report) } })
        try running.start()
        defer { running.stop() }
        #expect(two.wait { running.status.isSettled })
        behind.refuse(3)
        try two.write("second", to: "a.txt")
        let isSent = two.wait { one.text("a.txt") == "second" && running.status.isSettled }
        #expect(isSent, "\(running.status)")
        let failures = said.withLock { $0 }.compactMap { report in
            if case .lineDown(let why) = report { why } else { nil }
        }
        #expect(failures.count == 3, "\(failures)")
        #expect(failures.allSatisfy { $0.contains("refused a commit for entry 0 of its log") }, "\(failures)")
        pair.end()
    }
}
