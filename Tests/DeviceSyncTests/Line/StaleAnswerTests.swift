import DocumentTesting
import Foundation
import HubProtocol
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// An answer of before, from something between a device and its hub, is not a hub that was put back.
@Suite("An old answer of a hub's", .onOwnThreads, .timeLimit(.minutes(2)))
struct StaleAnswerTests {
    /// Who asks for what comes after an entry gets an answer of before, so many times. All else is answered as it is.
    private final class StaleHub: ForwardingHub {
        let hub: any ContainerHub
        private let page: LogPage
        private let position: UInt64
        private let left: Locked<Int>

        init(_ hub: any ContainerHub, _ page: LogPage, after position: UInt64, count: Int) {
            (self.hub, self.page, self.position) = (hub, page, position)
            left = Locked(count)
        }

        func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            let isStale = left.withLock { left in
                guard position == self.position, left > 0 else { return false }
                left -= 1
                return true
            }
            return isStale ? page : try hub.log(after: position, waitSeconds: waitSeconds)
        }
    }

    @Test("It is said and asked again until it is as it should be, and nothing has stopped or gone back")
    func stale() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let former = try pair.hub.line().log(after: 0, waitSeconds: 0).head
        try one.write("a", to: "a.txt")
        pair.wait { two.text("a.txt") == "a" && pair.isSettled }
        two.stop()
        let position = UInt64(pair.hub.entryCount)
        let said = Locked<[SyncReport]>([])
        two.line.open()
        let running = two.sync(
            at: StaleHub(two.line, LogPage([], head: former), after: position, count: 2),
            report: { report in said.withLock { $0.append(report) } }
        )
        try running.start()
        defer { running.stop() }
        let isUp = two.wait { running.status.isSettled }
        #expect(isUp, "\(running.status)")
        let reports = said.withLock { $0 }
        let failures = reports.compactMap { if case .lineDown(let why) = $0 { why } else { nil } }
        #expect(failures.count == 1, "\(reports)")
        let why = try #require(failures.first)
        #expect(
            why.contains("ends with entry \(former.position), and has entry \(position) all the same"),
            "\(why)"
        )
        #expect(running.status.hubDeeds ?? [] == [])
        #expect(!reports.contains { if case .hubPutBack = $0 { true } else { false } })
        try one.write("b", to: "b.txt")
        #expect(two.wait { two.text("b.txt") == "b" && running.status.isSettled })
        pair.end()
    }
}
