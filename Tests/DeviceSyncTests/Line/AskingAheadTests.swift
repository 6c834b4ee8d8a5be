import Dispatch
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Locks
import Sealing
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A start asks the hub what is new before it looks at the folder.
@Suite("What a start asks ahead", .onOwnThreads, .timeLimit(.minutes(2)))
struct AskingAheadTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }

    init() throws {
        pair = try DevicePair()
        let pair = pair
        try pair.one.write("a", to: "a.txt")
        pair.wait { pair.two.text("a.txt") == "a" && pair.isSettled }
        pair.two.stop()
    }

    private func sync(_ hub: any ContainerHub) -> ContainerSync {
        pair.two.line.open()
        return pair.two.sync(at: hub)
    }

    @Test("What comes into the log after it was asked ahead is heard of all the same")
    func later() throws {
        let (one, hub) = (one, pair.hub)
        let count = hub.entryCount
        let watched = WatchedHub(pair.two.line) {
            // The answer is on its way by now, and knows nothing of this.
            do { try one.write("b", to: "b.txt") } catch { Issue.record("\(error)") }
            #expect(one.wait { hub.entryCount > count })
        }
        let running = sync(watched)
        try running.start()
        #expect(one.wait { pair.two.text("b.txt") == "b" && running.status.isSettled })
        let asked = watched.notes.asked
        #expect(
            asked.count >= 2 && !asked[0].waits && asked[1].waits && asked[0].position == asked[1].position
        )
        running.stop()
        pair.end()
    }

    /// A disk that fails at the folder when a start has asked already.
    private final class FailingLate: SystemCallObserver {
        private let place: String
        private let isOn = Locked(true)

        init(_ folder: URL) { place = folder.path }

        func end() { isOn.withLock { $0 = false } }

        func willMake(_ call: SystemCall) -> CInt {
            isOn.withLock { $0 } && call.name.contains("notify_") && call.path.string == place ? EIO : 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "A start that has to wait asks once, and who is stopped meanwhile returns when nothing is asked any more"
    )
    func stopped() throws {
        let disk = FailingLate(pair.two.folder)
        SystemCallObservation.add(disk)
        defer { SystemCallObservation.remove(disk) }
        let watched = WatchedHub(pair.two.line, holdsFirst: true)
        let running = sync(watched)
        try running.start()
        for _ in 0..<3 { running.tryAgain() }
        #expect(running.status.line == .down && running.status.itemCount == 0)
        #expect(one.wait { watched.notes.underWayCount == 1 })
        running.stop()
        let notes = watched.notes
        #expect(notes.asked.count == 1 && notes.underWayCount == 0, "\(notes)")
        pair.end()
    }

    @Test("A start that fails late leaves no line open, and closes none that the next one needs")
    func failedLate() throws {
        let disk = FailingLate(pair.two.folder)
        SystemCallObservation.add(disk)
        defer { SystemCallObservation.remove(disk) }
        let watched = WatchedHub(pair.two.line)
        let running = sync(watched)
        try running.start()
        for _ in 0..<3 { running.tryAgain() }
        #expect(running.status.line == .down && !watched.notes.isClosed)
        disk.end()
        running.tryAgain()
        #expect(one.wait { running.status.isSettled && watched.notes.waitingCount > 0 })
        try one.write("b", to: "b.txt")
        #expect(one.wait { pair.two.text("b.txt") == "b" && running.status.isSettled })
        #expect(one.wait { watched.notes.waitingCount > 0 })
        let notes = watched.notes
        #expect(notes.waitingCountMax == 1 && !notes.isClosed, "\(notes)")
        running.stop()
        pair.end()
    }

    @Test(
        "Contents that are asked for before the hub has answered once come when it has, or are told why not",
        arguments: [true, false]
    )
    func untried(answers: Bool) throws {
        try pair.two.start()
        pair.wait { pair.isSettled }
        let freedCount = pair.two.said.filter { $0 == .freed }.count
        try #require(pair.two.running).evict("a.txt")
        // Until its vault has none of it either, the contents come from there.
        pair.wait { pair.two.said.filter { $0 == .freed }.count > freedCount }
        pair.two.stop()
        let gate = DispatchSemaphore(value: 0)
        let line = pair.two.line
        // Contents could be asked for, and come, while the first question is under way.
        let running = sync(WatchedHub(line, holdsContents: answers ? nil : gate) { gate.wait() })
        try running.start()
        let done = Locked<SyncRefusal??>(nil)
        _ = try running.download("a.txt") { refusal in done.withLock { $0 = .some(refusal) } }
        let state = try #require(running.item("a.txt"))
        #expect(done.withLock { $0 } == nil && state.isDownloadRequested && state.downloadFailure == nil)
        if !answers { line.cut() }
        for _ in 0..<2 { gate.signal() }
        #expect(one.wait { done.withLock { $0 } != nil })
        if answers {
            #expect(done.withLock { $0 } == .some(nil) && pair.two.text("a.txt") == "a")
        } else {
            #expect(done.withLock { $0 }??.code == .unreachable)
        }
        running.stop()
        line.mend()
        pair.end()
    }
}
