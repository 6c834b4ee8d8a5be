import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Locks
import Sealing
import SyncMessages
import Testing

@testable import DeviceSync

/// A start asks the hub what is new before it looks at the folder.
@Suite("What a start asks ahead", .timeLimit(.minutes(2)))
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

    /// A line that notes how the log was asked for, and does something when it has been for the first time.
    private final class Watched: ContainerHub {
        let line: any ContainerHub
        let asked = Locked<[(position: UInt64, waits: Bool)]>([])
        private let afterFirst: @Sendable () -> Void

        init(_ line: any ContainerHub, afterFirst: @escaping @Sendable () -> Void = {}) {
            (self.line, self.afterFirst) = (line, afterFirst)
        }

        func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
            let count = asked.withLock { asked in
                asked.append((position, waitSeconds > 0))
                return asked.count
            }
            defer { if count == 1 { afterFirst() } }
            return try line.log(after: position, waitSeconds: waitSeconds)
        }

        func close() { line.close() }
        func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers { try line.offer(commits) }
        func missing(_ names: [BlobName]) throws -> [BlobName] { try line.missing(names) }
        func store(_ frames: Data) throws { try line.store(frames) }
        func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] { try line.read(names) }
        func registrations() throws -> [DeviceListing] { try line.registrations() }
        func refuse(_ device: DeviceName) throws { try line.refuse(device) }
        func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws {
            try line.keep(keys, for: device)
        }
        func keys(for device: DeviceName) throws -> [HubProtocol.WrappedKeys] { try line.keys(for: device) }
    }

    private func sync(_ hub: any ContainerHub) -> ContainerSync {
        pair.two.line.open()
        return ContainerSync(
            pair.two.place,
            keys: pair.two.keys,
            by: pair.two.identity,
            hub: hub,
            merger: TypeMerger(),
            versions: pair.two.versions,
            report: { _ in }
        )
    }

    @Test("What comes into the log after it was asked ahead is heard of all the same")
    func later() throws {
        let (one, hub) = (one, pair.hub)
        let count = hub.entryCount
        let watched = Watched(pair.two.line) {
            // The answer is on its way by now, and knows nothing of this.
            do { try one.write("b", to: "b.txt") } catch { Issue.record("\(error)") }
            #expect(one.wait { hub.entryCount > count })
        }
        let running = sync(watched)
        try running.start()
        #expect(one.wait { pair.two.text("b.txt") == "b" && running.status.isSettled })
        let asked = watched.asked.withLock { $0 }
        #expect(
            asked.count >= 2 && !asked[0].waits && asked[1].waits && asked[0].position == asked[1].position
        )
        running.stop()
        pair.end()
    }
}
