import DocumentFoundation
import DocumentTesting
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What other processes hear of changes so large that a person is asked.
@Suite("News of large changes", .onOwnThreads, .timeLimit(.minutes(2)))
struct LargeChangeNewsTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private static let names = (0..<24).map { "\($0).txt" }

    /// What somebody is told; nil for: nobody says anything any more.
    private final class Ear: Sendable {
        let heard = Locked<[LargeChanges?]>([])
        var last: LargeChanges? { heard.withLock { $0.last ?? nil } }
        var count: Int { heard.withLock { $0.count } }

        func take(_ news: SyncFollowing.News) {
            switch news {
            case .said(.largeChanges(let changes), _): heard.withLock { $0.append(changes) }
            case .said(let answer, _): Issue.record("\(answer)")
            case .silence: heard.withLock { $0.append(nil) }
            }
        }
    }

    /// Has all documents go on the first device, and waits until the second one asks a person.
    private func removeAll() throws {
        var off = BrakeLimits()
        off.isOff = true
        try one.running?.limit(off)
        for name in Self.names {
            try FileManager.default.removeItem(at: one.folder.appendingPathComponent(name))
        }
        let isAsked = two.wait {
            two.status?.brakes.first.map { $0.waitingCount + $0.doneCount } == Self.names.count
        }
        #expect(isAsked, "\(String(describing: two.status))")
    }

    @Test(
        "Who follows hears what waits and what has gone on, from whoever comes to answer, and when nobody does"
    )
    func followed() throws {
        for name in Self.names { try one.write("good", to: name) }
        pair.wait { two.contents.count == Self.names.count && pair.isSettled }
        let places = ["SHEAF_HOME": pair.accountHome.path, "SHEAF_RUNTIME_DIR": pair.base.path + "/run"]
        let ear = Ear()
        // Nobody is there yet.
        let following = SyncFollowing(
            .followLargeChanges(folder: two.folder.path),
            of: UbiquityAccount(environment: places, information: [:]),
            threadName: "large changes"
        ) { ear.take($0) }
        pair.wait { ear.count == 1 }
        #expect(ear.last == nil)
        let endAnswering = try pair.serve().end
        pair.wait { ear.last == LargeChanges() }
        try removeAll()
        pair.wait { ear.last?.waiting == two.status?.brakes }
        #expect(ear.last?.waiting.first?.isLeaving == false)
        #expect(two.decide(goesOn: true))
        pair.wait { ear.last?.last?.itemCount == Self.names.count }
        #expect(ear.last == LargeChanges(waiting: [], last: two.status?.largeChange))
        endAnswering()
        pair.wait { ear.last == nil }
        try two.start()
        let endAgain = try pair.serve().end
        pair.wait { ear.last?.last?.itemCount == Self.names.count }
        let (count, witness) = (ear.count, Ear())
        following.end()
        let another = SyncFollowing(
            .followLargeChanges(folder: two.folder.path),
            of: UbiquityAccount(environment: places, information: [:]),
            threadName: "large changes"
        ) { witness.take($0) }
        pair.wait { witness.last?.last?.itemCount == Self.names.count }
        endAgain()
        pair.wait { witness.last == nil }
        #expect(ear.count == count)
        another.end()
        pair.end()
    }

    @Test("Nothing is said twice, and nothing while nothing is the matter")
    func quiet() throws {
        let heard = Locked<[LargeChanges]>([])
        let end = try #require(two.running).followLargeChanges { changes in
            heard.withLock { $0.append(changes) }
        }
        for name in Self.names { try one.write("good", to: name) }
        pair.wait { two.contents.count == Self.names.count && pair.isSettled }
        #expect(heard.withLock { $0 } == [LargeChanges()])
        two.goOffline()
        for name in Self.names {
            try FileManager.default.removeItem(at: two.folder.appendingPathComponent(name))
        }
        pair.wait { heard.withLock { $0.last?.waiting.first?.waitingCount } == Self.names.count }
        #expect(heard.withLock { $0.last?.waiting } == two.status?.brakes)
        let said = heard.withLock { $0 }
        #expect(zip(said, said.dropFirst()).allSatisfy { $0 != $1 }, "\(said)")
        #expect(two.decide(goesOn: false))
        pair.wait { two.contents.count == Self.names.count }
        pair.wait { heard.withLock { $0.last } == LargeChanges() }
        end()
        pair.end()
    }

    @Test("Where nothing is kept in step any more, nothing waits for a person")
    func stopped() throws {
        for name in Self.names { try one.write("good", to: name) }
        pair.wait { two.contents.count == Self.names.count && pair.isSettled }
        try removeAll()
        let heard = Locked<[LargeChanges]>([])
        let end = try #require(two.running).followLargeChanges { changes in
            heard.withLock { $0.append(changes) }
        }
        #expect(heard.withLock { $0.last?.waiting.isEmpty } == false)
        two.stop()
        #expect(heard.withLock { $0.last } == LargeChanges())
        end()
        pair.end()
    }
}
