import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Sealing
import Sync
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// Devices that other devices have let in, of which one may have been in somebody else's hands.
@Suite("Who has let in whom", .onOwnThreads, .timeLimit(.minutes(2)))
struct LettingInTests {
    private let ownFolder: TestFolder
    private var base: URL { ownFolder.url }
    private let hub: HubInMemory
    private let keys: ContainerKeys
    /// Has begun the container, and let in the two others.
    private let first: DeviceIdentity
    private let second: DeviceIdentity
    private let lost: DeviceIdentity

    init() throws {
        ownFolder = try TestFolder("lettingIn")
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        hub = try HubInMemory(container)
        first = try DeviceIdentity(random: RandomBytes.make)
        second = try DeviceIdentity(random: RandomBytes.make)
        lost = try DeviceIdentity(random: RandomBytes.make)
        keys = try Founding.found(container, by: first, named: "first", at: hub.line())
        try letIn(second, "second", by: first, KeyRing(keys) { _ in })
        try letIn(lost, "lost", by: first, KeyRing(keys) { _ in })
    }

    private func letIn(
        _ device: DeviceIdentity,
        _ name: String,
        by other: DeviceIdentity,
        _ ring: KeyRing
    ) throws {
        try Founding.add(device.publicIdentity(named: name), to: ring, by: other, at: hub.line())
    }

    /// A new one.
    private func letIn(_ name: String, by other: DeviceIdentity, _ ring: KeyRing) throws -> DeviceIdentity {
        let device = try DeviceIdentity(random: RandomBytes.make)
        try letIn(device, name, by: other, ring)
        return device
    }

    private func sharing(_ device: DeviceIdentity, _ ring: KeyRing) -> Sharing {
        Sharing(in: FilePath(base.path), ring, by: device, at: hub.line())
    }

    private func isRefused(_ line: HubInMemory.Line) throws -> Bool {
        do { _ = try line.log(after: 0, waitSeconds: 0) } catch let failure as HubFailure
            where failure.error.code == .revoked
        {
            return true
        }
        return false
    }

    @Test("What a lost device has let in is named when that is shut out, and reads nothing once it is, too")
    func named() throws {
        let (ring, strangeRing) = (KeyRing(keys) { _ in }, KeyRing(keys) { _ in })
        let strange = try letIn("strange", by: lost, strangeRing)
        let lostLine = hub.line(of: lost.publicIdentity(named: "lost"), at: 5)
        let strangeLine = hub.line(of: strange.publicIdentity(named: "strange"), invitedBy: lostLine, at: 6)
        let further = try letIn("further", by: strange, strangeRing)
        let disguised = try letIn(RecoveryKey.deviceName, by: lost, strangeRing)
        let own = sharing(first, ring)
        #expect(try own.letIn(by: second.id).isEmpty)
        #expect(try own.revoke(lost.id) == .revoked)
        #expect(try isRefused(lostLine))
        #expect(try !isRefused(strangeLine))
        let found = try own.letIn(by: lost.id)
        #expect(found.map(\.id) == [strange.id, further.id, disguised.id])
        #expect(found.map(\.letInBy) == ["lost", "strange", "lost"])
        #expect(found.map(\.letInByID) == [lost.id, strange.id, lost.id])
        #expect(found.map(\.isPaper) == [false, false, true])
        // Those that nobody has shut out get each new key.
        _ = try sharing(strange, strangeRing).devices()
        #expect(strangeRing.keys == ring.keys && ring.keys.newest.generation == 2)
        for device in found { #expect(try own.revoke(device.id) == .revoked) }
        #expect(try isRefused(strangeLine))
        #expect(try own.letIn(by: lost.id).isEmpty)
        #expect(try own.devices().filter { !$0.isRevoked }.map(\.name) == ["first", "second"])
        _ = try letIn("new", by: first, ring)
        let last = try #require(try hub.line().log(after: 0, waitSeconds: 0).entries.last)
        #expect(Array(last.record[1..<5]) == [0, 0, 0, 5])
        for device in [strange, further, disguised] {
            #expect(try end(of: device, strangeRing) < LogPosition(hub.entryCount), "\(device)")
        }
        // They have got each key that was made before they went, and all together not the last one.
        #expect(strangeRing.keys.newest.generation == 4 && ring.keys.newest.generation == 5)
    }

    /// How far a device can read the log, with all keys that it is given.
    private func end(of device: DeviceIdentity, _ ring: KeyRing) throws -> LogPosition {
        let line = hub.line()
        let desk = try LogDesk(ring, by: device, known: [])
        while true {
            let reading = try desk.read(try line.log(after: desk.head.position, waitSeconds: 0))
            guard case .keysMissing? = reading.finding else { return desk.head.position }
            do { try desk.fetchKeys(from: line) } catch let failure as SyncFailure
                where failure.code == .keyMissing
            {
                return desk.head.position
            }
        }
    }

    @Test("What came by way of a device that was shut out before is named with the one that has let in both")
    func byWayOfAnother() throws {
        let (ring, strangeRing) = (KeyRing(keys) { _ in }, KeyRing(keys) { _ in })
        let strange = try letIn("strange", by: lost, strangeRing)
        let further = try letIn("further", by: strange, strangeRing)
        let own = sharing(first, ring)
        #expect(try own.revoke(strange.id) == .revoked)
        #expect(try own.letIn(by: strange.id).map(\.id) == [further.id])
        #expect(try own.revoke(lost.id) == .revoked)
        #expect(try own.letIn(by: lost.id).map(\.id) == [further.id])
    }

    @Test("A device that came by the lost one itself names neither itself nor what it has let in")
    func cameByIt() throws {
        let ring = KeyRing(keys) { _ in }
        let own = try letIn("own", by: lost, ring)
        let mine = try letIn("mine", by: own, ring)
        let strange = try letIn("strange", by: lost, ring)
        #expect(try sharing(own, ring).letIn(by: lost.id).map(\.id) == [strange.id])
        // Nor where the lost one has begun the container.
        let found = try sharing(own, ring).letIn(by: first.id).map(\.id)
        #expect(found == [second.id, lost.id, strange.id])
        #expect(try sharing(first, ring).letIn(by: lost.id).map(\.id) == [own.id, mine.id, strange.id])
    }

    @Test("Each device has been let in by one, but for the first")
    func listed() throws {
        let devices = try sharing(first, KeyRing(keys) { _ in }).devices()
        #expect(devices.map(\.letInBy) == [nil, "first", "first"])
        #expect(devices.map(\.letInByID) == [nil, first.id, first.id])
        #expect(devices.map(\.letInAt) == [1, 2, 3])
    }

    @Test("All devices say that one has let in another; one that comes says nothing of those before it")
    func reported() throws {
        let devices = try [(1, second), (2, lost)].map { number, identity in
            try TestDevice(number, in: base, identity, keys, at: hub)
        }
        for device in devices { try device.start() }
        #expect(
            devices[0].wait {
                letIn(saidBy: devices[0]).count == 1 && devices.allSatisfy { $0.status?.isSettled == true }
            }
        )
        // Of what came before itself one has nothing to say; the other one came later.
        #expect(letIn(saidBy: devices[0]) == [.letIn(device: "lost", by: "first", isByThis: false)])
        #expect(letIn(saidBy: devices[1]).isEmpty)
        _ = try letIn("strange", by: lost, KeyRing(keys) { _ in })
        #expect(
            devices[0].wait { letIn(saidBy: devices[0]).count == 2 && !letIn(saidBy: devices[1]).isEmpty }
        )
        let report = SyncReport.letIn(device: "strange", by: "lost", isByThis: false)
        #expect(letIn(saidBy: devices[0]).last == report)
        #expect(report.isWrong && report.text.hasPrefix("“lost” has let in “strange”"))
        #expect(letIn(saidBy: devices[1]) == [.letIn(device: "strange", by: "lost", isByThis: true)])
        for device in devices { device.stop() }
    }

    private func letIn(saidBy device: TestDevice) -> [SyncReport] {
        device.said.filter { if case .letIn = $0 { true } else { false } }
    }
}
