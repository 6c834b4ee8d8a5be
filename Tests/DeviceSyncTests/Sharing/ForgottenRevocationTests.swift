import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Sealing
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A hub that is put back to before a device was shut out, under devices that have read of it.
@Suite("A hub that has forgotten who was shut out", .onOwnThreads, .timeLimit(.minutes(2)))
struct ForgottenRevocationTests {
    private let founded: FoundedContainer
    private var hub: HubInMemory { founded.hub }
    private var identities: [DeviceIdentity] { founded.identities }
    private var keys: ContainerKeys { founded.keys }

    init() throws { founded = try FoundedContainer() }

    /// Three devices in step, of which the first has shut out the second since a backup of the hub to which that is put back: the two
    /// others have stopped.
    ///
    /// - Parameter isKnown: Whether the hub knows then that the second was there.
    private func stoppedByPuttingBack(
        leaves: Bool = false,
        isKnown: Bool = true
    ) throws -> (devices: [TestDevice], sharing: Sharing) {
        try founded.share(with: 2)
        let without = hub.backup()
        try founded.share(with: 1)
        let devices = try (0..<3).map(founded.device)
        for name in ["a.txt", "b.txt"] { try devices[0].write(name, to: name) }
        expectSettled(["a.txt": "a.txt", "b.txt": "b.txt"], on: devices)
        try #require(devices[2].running).evict("b.txt")
        #expect(devices[2].wait { devices[2].text("b.txt") == nil && devices[2].status?.isSettled == true })
        let backup = isKnown ? hub.backup() : without
        devices[1].stop()
        let sharing = Sharing(in: devices[0].memory, devices[0].keys, by: identities[0], at: hub.line())
        if leaves {
            try Sharing(in: devices[1].memory, devices[1].keys, by: identities[1], at: hub.line()).leave()
        } else {
            #expect(try sharing.revoke(identities[1].id) == .revoked)
        }
        for device in [devices[0], devices[2]] {
            let hasRead = device.wait {
                device.keys.keys.newest.generation == 2
                    && device.running?.logPosition == UInt64(hub.entryCount)
                    && device.status?.isSettled == true
            }
            #expect(hasRead)
        }
        hub.restore(backup)
        for device in [devices[0], devices[2]] {
            #expect(device.wait { device.status?.line == .stopped }, "\(device.said)")
            #expect(device.status?.lineFailure?.contains("forgotten that a device was shut out") == true)
            #expect(device.status?.hubDeeds?.last?.next.contains("sheaf revoke") == true)
            device.stop()
        }
        return (devices, sharing)
    }

    @Test(
        "Put back to before a device was shut out, or has left, it goes on once that is said again, under no key of that one's",
        arguments: [false, true]
    )
    func revokedAgain(hasLeft: Bool) throws {
        let (devices, sharing) = try stoppedByPuttingBack(leaves: hasLeft)
        let generation: UInt8 = hasLeft ? 3 : 2
        let count = UInt64(hub.entryCount)
        #expect(try sharing.revoke(identities[1].id) == .revoked)
        #expect(
            devices[0].keys.keys.newest.generation == UInt32(generation) && hub.entryCount == Int(count) + 1
        )
        let staying = [devices[0], devices[2]]
        for device in staying { try device.start() }
        try devices[2].write("new", to: "new.txt")
        #expect(devices[0].wait { devices[0].text("new.txt") == "new" }, "\(devices[2].said)")
        // What the hub alone had for this device.
        _ = try #require(devices[2].running).download("b.txt", done: nil)
        #expect(devices[2].wait { devices[2].text("b.txt") == "b.txt" })
        let records = try hub.line().log(after: count + 1, waitSeconds: 0).entries.map {
            Array($0.record[1..<5])
        }
        #expect(!records.isEmpty && records.allSatisfy { $0 == [0, 0, 0, generation] })
        #expect(try sharing.devices().map(\.isRevoked) == [false, false, true])
        try devices[1].start()
        #expect(devices[1].wait { devices[1].status?.isShutOut == true })
        #expect(devices[1].text("new.txt") == nil)
        end(devices)
    }

    @Test("Put back to before it had even joined, it goes on once that is said again, and nobody lets it in")
    func neverJoined() throws {
        let (devices, sharing) = try stoppedByPuttingBack(isKnown: false)
        #expect(try sharing.revoke(identities[1].id) == .revoked)
        let staying = [devices[0], devices[2]]
        for device in staying { try device.start() }
        try devices[2].write("new", to: "new.txt")
        #expect(
            devices[0].wait { devices[0].text("new.txt") == "new" },
            "\(devices[0].said) \(devices[2].said)"
        )
        for device in staying {
            #expect(device.wait { device.status?.isSettled == true && device.status?.line == .up })
        }
        // It is shut out in every state of the log that anybody reads to the end.
        #expect(try sharing.devices().first { $0.id == identities[1].id }?.isRevoked == true)
        #expect(devices[0].keys.keys == devices[2].keys.keys && devices[0].keys.keys.newest.generation == 2)
        end(devices)
    }

    @Test(
        "Whoever is to be shut out is shut out, though the process died at that, and the hub was put back to before that one had joined"
    )
    func planned() throws {
        try founded.share(with: 2)
        let without = hub.backup()
        try founded.share(with: 1)
        let devices = try [0, 2].map(founded.device)
        expectSettled([:], on: devices)
        for device in devices { device.stop() }
        let sharing = Sharing(in: devices[0].memory, devices[0].keys, by: identities[0], at: hub.line())
        let next = try ContainerKey(generation: 2, random: RandomBytes.make)
        let lost = identities[1].publicIdentity(named: "device 1")
        try sharing.keep(PlannedRevocation(of: lost, next: next))
        #expect(try sharing.plan() == PlannedRevocation(of: lost, next: next))
        hub.restore(without)
        // Its memory tells of the log that was: who goes on begins with that of now.
        let own = devices[0].place.memory.parent.appending("another")
        try ItemMoves.createFolder(own, permissions: 0o700)
        let other = Sharing(in: own, devices[0].keys, by: identities[0], at: hub.line())
        try other.keep(try #require(try sharing.plan()))
        #expect(try other.finish())
        #expect(try other.plan() == nil && devices[0].keys.keys.newest.generation == 2)
        let isOut: (Sharing) throws -> Bool = { sharing in
            try sharing.devices().first { $0.id == lost.id }?.isRevoked == true
        }
        #expect(try isOut(other))
        // Who has read that it shares the container does not let it in again.
        for device in devices { try device.start() }
        try devices[1].write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: devices)
        #expect(try isOut(other))
        end(devices)
    }

    @Test("A device that the hub has forgotten itself keeps in mind whom it is to shut out")
    func forgottenItself() throws {
        let empty = hub.backup()
        try founded.share(with: 1)
        try founded.share(with: 2)
        let device = try founded.device(2)
        let sharing = Sharing(in: device.memory, device.keys, by: identities[2], at: hub.line())
        let next = try ContainerKey(generation: 2, random: RandomBytes.make)
        device.stop()
        hub.restore(empty)
        let own = device.place.memory.parent.appending("another")
        try ItemMoves.createFolder(own, permissions: 0o700)
        let other = Sharing(in: own, device.keys, by: identities[2], at: hub.line())
        try other.keep(PlannedRevocation(of: identities[1].publicIdentity(named: "device 1"), next: next))
        #expect(throws: (any Error).self) { try other.finish() }
        #expect(try other.plan()?.device == identities[1].id && sharing.plan() == nil)
        device.stop()
    }

    /// Has a device commit so many names of a folder, one after the other.
    private func rename(_ count: Int, by number: Int, _ folder: ItemID) throws {
        let visit = try LogVisit(KeyRing(keys) { _ in }, by: identities[number], at: hub.line())
        try visit.catchUp()
        var base: LogPosition = 0
        for entry in try entries() where entry.item == ItemName(folder) { base = entry.position }
        let session = UInt64.random(in: 1...UInt64.max)
        var done = 0
        while done < count {
            let first = visit.desk.head.position
            let offers = (done..<min(done + 500, count)).map { index -> LogDesk.Offer in
                defer { base = first + UInt64(index - done) + 1 }
                let state = ItemState(.folder, at: ItemPlace(.root, "\(number) \(index)"))
                let id = Commit.ID(identities[number].id, session: session, UInt64(index))
                let commit = Commit(id, folder, on: base, state)
                return LogDesk.Offer(commit: commit, modified: nil, places: FolderPlaces(root: FilePath("/")))
            }
            _ = try hub.line().offer(visit.desk.seal(offers))
            try visit.catchUp()
            #expect(visit.desk.head.position == first + UInt64(offers.count))
            done += offers.count
        }
    }

    private func entries() throws -> [LogRecord] {
        var all: [LogRecord] = []
        while true {
            let page = try hub.line().log(after: UInt64(all.count), waitSeconds: 0).entries
            if page.isEmpty { return all }
            all += page
        }
    }

    @Test(
        "What who was shut out had written as a member is no reason to stop at a hub that was put back to behind it"
    )
    func rightful() throws {
        try founded.share(with: 1)
        try founded.share(with: 2)
        let device = try founded.device(0)
        try rename(3, by: 1, ItemID(7, 1))
        let sharing = Sharing(in: device.memory, device.keys, by: identities[0], at: hub.line())
        #expect(try sharing.revoke(identities[1].id) == .revoked)
        try rename(20, by: 2, ItemID(7, 2))
        let backup = hub.backup()
        let count = hub.entryCount
        // Farther back than this the device knows a place here and there only.
        try rename(Int(LogWatch.recentCount) + 200, by: 2, ItemID(7, 3))
        #expect(device.wait { device.running?.logPosition == UInt64(hub.entryCount) }, "\(device.said)")
        hub.restore(backup)
        try device.write("new", to: "new.txt")
        let goesOn = device.wait {
            hub.entryCount > count && device.status?.isSettled == true && device.status?.line == .up
        }
        #expect(goesOn, "\(device.said)")
        device.stop()
    }

    /// What who was shut out does at a hub that has forgotten it.
    enum Misuse: CaseIterable { case letsIn, leaves, edits }

    @Test(
        "Where who was shut out has been at the hub that has forgotten it, nothing is said there, before and after",
        arguments: Misuse.allCases
    )
    func usedMeanwhile(_ misuse: Misuse) throws {
        let (devices, sharing) = try stoppedByPuttingBack()
        let friend = try DeviceIdentity(random: RandomBytes.make)
        switch misuse {
        case .letsIn:
            let identity = friend.publicIdentity(named: "friend")
            try Founding.add(identity, to: keys, by: identities[1], at: hub.line())
        case .leaves:
            let own = Sharing(in: devices[1].memory, devices[1].keys, by: identities[1], at: hub.line())
            // With a key of its own making, and one more that is newer than all that the others hold.
            try Founding.add(
                friend.publicIdentity(named: "friend"),
                to: keys,
                by: identities[1],
                at: hub.line()
            )
            #expect(try own.revoke(friend.id) == .revoked)
            try own.leave()
        case .edits:
            let count = hub.entryCount
            try devices[1].write("theirs", to: "c.txt")
            try devices[1].start()
            #expect(devices[1].wait { hub.entryCount > count && devices[1].status?.isSettled == true })
            devices[1].stop()
        }
        let (count, blobs) = (hub.entryCount, hub.blobs)
        #expect(throws: UnsaidRevocation.self) { _ = try sharing.revoke(identities[1].id) }
        for device in [devices[0], devices[2]] {
            try device.write("new", to: "new.txt")
            try device.start()
            #expect(device.wait { device.status?.line == .stopped }, "\(device.said)")
        }
        #expect(hub.entryCount == count && hub.blobs == blobs)
        // Nor is a key taken that he has announced.
        #expect([devices[0], devices[2]].allSatisfy { $0.keys.keys.newest.generation == 2 })
        end(devices)
    }

    @Test("Whom a device has gone back beyond it takes nothing of, whatever the hub shows later")
    func barred() throws {
        let (devices, sharing) = try stoppedByPuttingBack()
        let forgetful = hub.backup()
        #expect(try sharing.revoke(identities[1].id) == .revoked)
        try devices[2].start()
        #expect(devices[2].wait { devices[2].status?.isSettled == true && devices[2].status?.line == .up })
        devices[2].stop()
        // Once more as if it had not been said, with another in its place.
        hub.restore(forgetful)
        let friend = try DeviceIdentity(random: RandomBytes.make)
        let own = Sharing(in: devices[1].memory, devices[1].keys, by: identities[1], at: hub.line())
        try Founding.add(friend.publicIdentity(named: "friend"), to: keys, by: identities[1], at: hub.line())
        #expect(try own.revoke(friend.id) == .revoked)
        try own.leave()
        let (count, blobs) = (hub.entryCount, hub.blobs)
        try devices[2].write("new", to: "new.txt")
        try devices[2].start()
        #expect(devices[2].wait { devices[2].status?.line == .stopped }, "\(devices[2].said)")
        #expect(hub.entryCount == count && hub.blobs == blobs)
        #expect(devices[2].keys.keys.newest.generation == 2)
        end(devices)
    }
}
