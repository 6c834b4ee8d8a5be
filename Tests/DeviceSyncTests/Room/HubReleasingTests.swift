import Cryptography
import DocumentFoundation
import FileSystem
import Foundation
import HTTPService
import Hub
import HubProtocol
import Locks
import Sealing
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// The hub itself, over HTTP and with a clock that tests put forward, gives back what former states took.
@Suite("Releasing at a hub", .onOwnThreads, .timeLimit(.minutes(2)))
struct HubReleasingTests {
    /// A hub whose hours go by as tests say.
    private final class ClockedHub: Sendable {
        let hub: RunningHub
        private let ahead: Locked<Double>

        init(in folder: URL) throws {
            let ahead = Locked(0.0)
            self.ahead = ahead
            var options = HubProcess.Options()
            options.data = folder.appendingPathComponent("hub").path
            options.address = .loopback(port: 0)
            let clock = HubClock.system
            hub = try RunningHub(
                options,
                clock: HubClock(
                    now: { clock.now() + Int(ahead.withLock { $0 }) },
                    uptime: { clock.uptime() + ahead.withLock { $0 } }
                ),
                complain: { Issue.record("\($0)") }
            )
        }

        func pass(hours: Double) { ahead.withLock { $0 += hours * 3600 } }
        var byteCount: Int { hub.blobs.byteCount(of: .first) }

        /// Deletes what is due, and returns once that is done.
        func sweep() {
            let done = DispatchSemaphore(value: 0)
            Task {
                await hub.sweep()
                done.signal()
            }
            done.wait()
        }
    }

    /// A device with a folder of its own, registered at the hub.
    private final class Device {
        let folder: URL
        let identity: DeviceIdentity
        let client: HubClient
        let line: HubContainer
        private let base: URL
        private let sync = Locked<ContainerSync?>(nil)
        private let reports = Locked<[SyncReport]>([])
        private let news = NSCondition()

        init(
            _ name: String,
            in base: URL,
            _ container: ContainerName,
            at hub: ClockedHub,
            _ invitation: String
        ) throws {
            self.base = base.appendingPathComponent(name, isDirectory: true)
            folder = self.base.appendingPathComponent("documents", isDirectory: true)
            for name in ["documents", "memory"] {
                try FileManager.default.createDirectory(
                    at: self.base.appendingPathComponent(name),
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            identity = try DeviceIdentity(random: RandomBytes.make)
            let address = try #require(URL(string: "http://\(hub.hub.address)"))
            let credentials = try HubClient(address).register(
                DeviceRegistration(
                    invitation: invitation,
                    name: name,
                    signing: identity.signing,
                    agreementKey: PublicKeyBytes(unchecked: identity.agreement.publicBytes)
                )
            )
            client = try HubClient(address, token: credentials.token)
            line = HubContainer(container, at: client)
        }

        deinit { stop() }

        var said: [SyncReport] { reports.withLock { $0 } }
        var running: ContainerSync? { sync.withLock { $0 } }

        func start(_ keys: ContainerKeys) throws {
            var place = ContainerSync.Place(
                folder: FilePath(folder.path),
                memory: FilePath(base.appendingPathComponent("memory").path),
                deviceName: "device"
            )
            place.room.formerByteCountMin = 1
            let made = ContainerSync(
                place,
                keys: KeyRing(keys) { _ in },
                by: identity,
                hub: line,
                merger: TypeMerger(),
                versions: VersionStore(
                    VersionSettings(environment: ["HOME": base.path], hostName: "device"),
                    now: { Date() }
                ),
                now: { Date() },
                report: { [reports, news] report in
                    reports.withLock { $0.append(report) }
                    news.withLock { news.broadcast() }
                }
            )
            try made.start()
            sync.withLock { $0 = made }
        }

        func stop() { sync.withLock { $0 }?.stop() }

        func write(_ data: Data, to name: String) throws {
            try data.write(to: folder.appendingPathComponent(name))
        }

        func contents(_ name: String) -> Data? { try? Data(contentsOf: folder.appendingPathComponent(name)) }

        func wait(_ location: SourceLocation = #_sourceLocation, until isSo: () -> Bool) {
            let deadline = Date().addingTimeInterval(60)
            // Asked without the lock: what is asked reports meanwhile.
            while !isSo() {
                guard Date() < deadline else {
                    Issue.record("\(said)", sourceLocation: location)
                    return
                }
                // A report that comes before this waits is looked for again soon.
                news.withLock { _ = news.wait(until: min(deadline, Date().addingTimeInterval(0.05))) }
            }
        }

        func settle(to position: UInt64? = nil, _ location: SourceLocation = #_sourceLocation) {
            wait(location) {
                running?.isInStepNow == true && running?.logPosition ?? 0 >= position ?? 0
            }
        }
    }

    private static func noise(_ byteCount: Int) -> Data {
        Data((0..<byteCount).map { _ in UInt8.random(in: 0...255) })
    }

    @Test("After the retention the room is free, and what is present is there for who comes then")
    func room() async throws {
        try await withCheckedThrowingContinuation { continuation in
            // Off the pool of threads that the server's tasks may need.
            Thread.detachNewThread { continuation.resume(with: Result { try Self.runRoom() }) }
        }
    }

    private static func runRoom() throws {
        let own = try TestFolder("hub-releasing")
        let hub = try ClockedHub(in: own.url)
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        let invitation = try #require(try hub.hub.firstInvitation())
        let one = try Device("one", in: own.url, container, at: hub, invitation)
        try one.client.makeContainer(container)
        let keys = try Founding.found(container, by: one.identity, named: "one", at: one.line)
        let two = try Device("two", in: own.url, container, at: hub, try one.client.invite().invitation)
        try Founding.add(
            two.identity.publicIdentity(named: "two"),
            to: keys,
            by: one.identity,
            at: one.line
        )
        try one.start(keys)
        // Larger than a chunk, so that leaves and what leads to them are among it.
        let states = (0..<3).map { _ in noise(700_000) }
        let other = noise(300_000)
        try one.write(other, to: "other.bin")
        for state in states {
            try one.write(state, to: "a.bin")
            one.settle()
        }
        let full = hub.byteCount
        #expect(full > 3 * 700_000)

        let before = try one.line.log(after: 0, waitSeconds: 0).head
        // An hour later nobody may be about to need it. Each edit has the device look.
        hub.pass(hours: 2)
        for text in ["x", "y"] {
            try one.write(Data(text.utf8), to: "tick")
            one.settle()
        }
        one.wait {
            one.said.contains { if case .released(let count, 30 * 86_400) = $0 { count > 10 } else { false } }
        }
        // Who knows less of the log than there is may take for former what is present.
        #expect {
            try one.line.release([], asOf: before)
        } throws: {
            ($0 as? HubFailure)?.error.code == .conflict
        }
        hub.pass(hours: 29 * 24)
        hub.sweep()
        #expect(hub.byteCount >= full, "it is kept for thirty days")
        hub.pass(hours: 48)
        hub.sweep()
        #expect(hub.byteCount < full - 2 * 700_000, "\(hub.byteCount) of \(full)")

        // What an undo brings back is sent again, though the log has once said that it is there.
        try one.write(states[0], to: "a.bin")
        one.settle()
        one.stop()
        try two.start(keys)
        two.settle(to: one.running?.logPosition)
        two.wait { two.contents("a.bin") == states[0] && two.contents("other.bin") == other }
        two.stop()
        let ended = DispatchSemaphore(value: 0)
        hub.hub.stop { ended.signal() }
        ended.wait()
    }
}
