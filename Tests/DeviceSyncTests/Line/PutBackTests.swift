import Cryptography
import DocumentFoundation
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

/// A hub that is put back to a backup, under devices that know more than it does.
@Suite("A hub put back to a backup", .onOwnThreads, .timeLimit(.minutes(2)))
struct PutBackTests {
    private let founded: FoundedContainer
    private var base: URL { founded.base }
    private var container: ContainerName { founded.name }
    private var hub: HubInMemory { founded.hub }
    private var identities: [DeviceIdentity] { founded.identities }
    private var keys: ContainerKeys { founded.keys }

    init() throws { founded = try FoundedContainer() }

    private func device(_ number: Int) throws -> TestDevice { try founded.device(number) }
    private func share(with number: Int) throws { try founded.share(with: number) }

    /// Two devices with two files, and a backup of the hub from when there was one.
    private func devicesAheadOfBackup() throws -> ([TestDevice], HubInMemory.Backup) {
        try share(with: 1)
        let devices = [try device(0), try device(1)]
        try devices[0].write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: devices)
        let backup = hub.backup()
        try devices[1].write("b", to: "b.txt")
        expectSettled(["a.txt": "a", "b.txt": "b"], on: devices)
        return (devices, backup)
    }

    @Test("What it has lost it gets again from the devices, each edit once")
    func healed() throws {
        try share(with: 1)
        let devices = [try device(0), try device(1)]
        for number in 0..<5 { try devices[0].write("first \(number)", to: "letters/\(number).txt") }
        var expected = ["letters": "/"]
        for number in 0..<5 { expected["letters/\(number).txt"] = "first \(number)" }
        expectSettled(expected, on: devices)
        let backup = hub.backup()
        // Edited, made, renamed and removed since.
        try devices[1].write("second", to: "letters/0.txt")
        try devices[0].write("new", to: "new.txt")
        try FileManager.default.moveItem(
            at: devices[0].folder.appendingPathComponent("letters/1.txt"),
            to: devices[0].folder.appendingPathComponent("one.txt")
        )
        try FileManager.default.removeItem(at: devices[0].folder.appendingPathComponent("letters/2.txt"))
        expected["letters/0.txt"] = "second"
        expected["new.txt"] = "new"
        expected["one.txt"] = expected.removeValue(forKey: "letters/1.txt")
        expected["letters/2.txt"] = nil
        expectSettled(expected, on: devices)
        let count = hub.entryCount
        hub.restore(backup)
        #expect(devices[0].wait { hub.entryCount >= count })
        expectSettled(expected, on: devices)
        try devices[0].write("third", to: "letters/0.txt")
        expected["letters/0.txt"] = "third"
        expectSettled(expected, on: devices)
        #expect(try devices.allSatisfy { try $0.conflicts("letters/0.txt").isEmpty })
        #expect(devices.allSatisfy { $0.said.contains { if case .hubPutBack = $0 { true } else { false } } })
        end(devices)
    }

    @Test("A device that was away meets another log than it left, and gives and takes")
    func metLater() throws {
        let (devices, backup) = try devicesAheadOfBackup()
        devices[1].stop()
        devices[0].stop()
        hub.restore(backup)
        // The places of what was lost are others' now.
        let third = try { () throws -> TestDevice in
            try share(with: 2)
            return try device(2)
        }()
        for number in 0..<4 { try third.write("\(number)", to: "c \(number).txt") }
        #expect(third.wait { third.status?.isSettled == true && hub.entryCount > 6 })
        try devices[0].start()
        try devices[1].start()
        var expected = ["a.txt": "a", "b.txt": "b"]
        for number in 0..<4 { expected["c \(number).txt"] = "\(number)" }
        expectSettled(expected, on: devices + [third])
        end(devices + [third])
    }

    @Test("It has forgotten a device, and the others let that in again")
    func deviceForgotten() throws {
        let first = try device(0)
        try first.write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: [first])
        let backup = hub.backup()
        try share(with: 1)
        try share(with: 2)
        let devices = [first, try device(1), try device(2)]
        try devices[1].write("b", to: "b.txt")
        expectSettled(["a.txt": "a", "b.txt": "b"], on: devices)
        hub.restore(backup)
        try devices[2].write("c", to: "c.txt")
        expectSettled(["a.txt": "a", "b.txt": "b", "c.txt": "c"], on: devices)
        end(devices)
    }

    @Test("It has lost the whole log, which the device that began it begins again, and no other")
    func logGone() throws {
        let hub = try HubInMemory(container)
        let empty = hub.backup()
        let keys = try Founding.found(container, by: identities[0], named: "device 0", at: hub.line())
        let second = identities[1].publicIdentity(named: "device 1")
        try Founding.add(second, to: keys, by: identities[0], at: hub.line())
        let devices = try (0..<2).map { try TestDevice($0, in: base, identities[$0], keys, at: hub) }
        for device in devices { try device.start() }
        try devices[0].write("a", to: "letters/a.txt")
        try devices[1].write("b", to: "b.txt")
        var expected = ["letters": "/", "letters/a.txt": "a", "b.txt": "b"]
        expectSettled(expected, on: devices)
        hub.restore(empty)
        for device in devices {
            #expect(device.wait { device.status?.lineFailure?.contains("nothing of this folder") == true })
        }
        try devices[0].write("c", to: "c.txt")
        #expect(try !Founding.foundAgain(keys, by: identities[1], named: "device 1", at: hub.line()))
        // What the container's keys were made for has another name in it.
        #expect(try !Founding.foundAgain(keys, by: identities[0], named: "another", at: hub.line()))
        #expect(hub.entryCount == 0)
        #expect(try Founding.foundAgain(keys, by: identities[0], named: "device 0", at: hub.line()))
        expected["c.txt"] = "c"
        expectSettled(expected, on: devices)
        #expect(try devices.allSatisfy { try $0.conflicts("letters/a.txt").isEmpty })
        // One beginning is enough.
        let count = hub.entryCount
        #expect(try Founding.foundAgain(keys, by: identities[0], named: "device 0", at: hub.line()))
        #expect(hub.entryCount == count)
        end(devices)
    }

    @Test("Killed while it goes back, a device goes back anew; twice put back, it is healed twice")
    func twice() throws {
        try share(with: 1)
        let devices = [try device(0), try device(1)]
        let backup = hub.backup()
        try devices[0].write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: devices)
        for round in 0..<3 {
            devices[1].stop()
            hub.restore(backup)
            try devices[1].start()
            try devices[round % 2].write("\(round)", to: "\(round).txt")
            var expected = ["a.txt": "a"]
            for number in 0...round { expected["\(number).txt"] = "\(number)" }
            expectSettled(expected, on: devices)
        }
        end(devices)
    }

    /// What is wrong with a device's disk.
    enum DiskFault: CaseIterable { case full, unwritable, unreadable }

    @Test(
        "On a disk that is full or fails a device does not go back and does not stop; it says why, and goes on with it",
        arguments: DiskFault.allCases,
        [false, true]
    )
    func refused(by fault: DiskFault, isBehind: Bool) throws {
        let (devices, backup) = try devicesAheadOfBackup()
        // What it has read of the log it has not in memory then.
        devices[1].stop()
        try devices[1].start()
        expectSettled(["a.txt": "a", "b.txt": "b"], on: devices)
        switch fault {
        case .full: try devices[1].fillDisk()
        case .unwritable: try devices[1].breakDisk(.writing)
        case .unreadable: try devices[1].breakDisk(.reading)
        }
        var expected = ["a.txt": "a", "b.txt": "b"]
        if isBehind {
            // What it hears of before is not written down either.
            try devices[0].write("c", to: "c.txt")
            expected["c.txt"] = "c"
            #expect(
                devices[1].wait {
                    devices[1].explanation("a.txt")?.causes.first?.contains("cannot be written") == true
                }
            )
        }
        hub.restore(backup)
        #expect(
            devices[1].wait { devices[1].status?.lineFailure?.contains("does not let it follow") == true }
        )
        #expect(devices[1].status?.line == .down)
        let next = try #require(devices[1].explanation("a.txt")?.next)
        #expect(next.contains(fault == .full ? "Free some space" : "reports faults"))
        // Nothing has changed, whatever is tried.
        devices[1].running?.tryAgain()
        #expect(devices[1].status?.line == .down)
        #expect(devices[1].contents["b.txt"] == "b")
        switch fault {
        case .full: devices[1].freeDisk()
        case .unwritable, .unreadable: devices[1].mendDisk()
        }
        expectSettled(expected, on: devices)
        #expect(devices[1].said.contains { if case .hubPutBack = $0 { true } else { false } })
        #expect(!devices[1].said.contains { if case .stopped = $0 { true } else { false } })
        end(devices)
    }

    @Test("A log that forgets that a device was shut out is not gone back to")
    func revocationForgotten() throws {
        try share(with: 1)
        let line = hub.line()
        let desk = try LogDesk(KeyRing(keys) { _ in }, by: identities[0], known: [])
        let before = try desk.read(try line.log(after: 0, waitSeconds: 0)).heard
        let statement = try desk.devices.revoking(
            identities[1].id,
            next: try keys.nextKey(desk.devices, random: RandomBytes.make),
            keys,
            by: identities[0]
        )
        let record = OpenRecord(
            Commit.ID(identities[0].id, session: 7, 1),
            .devices,
            on: desk.head.position,
            RecordBody(.devices(statement), seen: desk.head)
        )
        let sealed = try RecordSealer(keys, desk.devices, by: identities[0]).seal([record])
        let offered = sealed.map {
            OfferedCommit(item: $0.item, base: $0.base, id: $0.id, record: Data($0.record))
        }
        #expect(try line.offer(offered).answers.count == 1)
        let after = try desk.read(try line.log(after: desk.head.position, waitSeconds: 0))
        #expect(after.finding == nil && desk.devices.members[identities[1].id]?.isRevoked == true)
        let head = desk.head
        #expect { _ = try desk.goBack(to: before) } throws: { ($0 as? SyncFailure)?.code == .hubChanged }
        #expect(desk.head == head)
        // What came after it may be forgotten.
        #expect(try desk.goBack(to: before + after.heard) == [])
    }

    @Test(
        "Put back, while a device was off, to before it had shut another one out, it is sent nothing under the former key",
        arguments: [false, true]
    )
    func revocationForgottenAtRest(isMemoryLost: Bool) throws {
        try share(with: 1)
        let devices = [try device(0), try device(1)]
        try devices[0].write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: devices)
        end(devices)
        let backup = hub.backup()
        let sharing = Sharing(in: devices[0].memory, devices[0].keys, by: identities[0], at: hub.line())
        #expect(try sharing.revoke(identities[1].id) == .revoked)
        hub.restore(backup)
        if isMemoryLost {
            for name in try FileManager.default.contentsOfDirectory(atPath: devices[0].memory.string)
            where name.hasPrefix("memory.sqlite") {
                try FileManager.default.removeItem(
                    at: devices[0].memoryFolder.appendingPathComponent(name)
                )
            }
        }
        let (count, blobs) = (hub.entryCount, hub.blobs)
        try devices[0].write("new", to: "new.txt")
        try devices[0].start()
        #expect(devices[0].wait { devices[0].status?.line == .stopped }, "\(devices[0].said)")
        let why = try #require(devices[0].status?.lineFailure)
        #expect(why.contains("forgotten that a device was shut out"), "\(why)")
        #expect(hub.entryCount == count && hub.blobs == blobs)
        #expect(devices[0].contents == ["a.txt": "a", "new.txt": "new"])
        end(devices)
    }

    @Test("A key that comes while the log is being read is no sign of a hub that forgets")
    func keyInBetween() throws {
        try share(with: 1)
        let device = try TestDevice(0, in: base, identities[0], keys, at: hub)
        let lost = identities[1].id
        let place = FilePath(base.path)
        let sharing = Sharing(in: place, device.keys, by: identities[0], at: hub.line())
        // Before the first answer has come.
        let watched = WatchedHub(device.line) {
            do { _ = try sharing.revoke(lost) } catch { Issue.record("\(error)") }
        }
        device.line.open()
        let running = device.sync(at: watched)
        try running.start()
        defer { running.stop() }
        try device.write("a", to: "a.txt")
        let isSent = device.wait { hub.entryCount > 3 && running.status.isSettled }
        #expect(isSent, "\(running.status)")
        #expect(device.keys.keys.newest.generation == 2)
        let records = try hub.line().log(after: 3, waitSeconds: 0).entries.map { Array($0.record[1..<5]) }
        #expect(!records.isEmpty && records.allSatisfy { $0 == [0, 0, 0, 2] })
    }

    @Test("Nothing is sealed under an older key than the newest that is held, until the log announces that")
    func olderKey() throws {
        try share(with: 1)
        let (ring, line, place) = (KeyRing(keys) { _ in }, hub.line(), FilePath(base.path))
        let desk = try LogDesk(ring, by: identities[0], known: [])
        _ = try desk.read(try line.log(after: 0, waitSeconds: 0))
        let commit = Commit(
            Commit.ID(identities[0].id, session: 5, 1),
            ItemID(7, 7),
            on: 0,
            ItemState(.folder, at: ItemPlace(.root, "letters"))
        )
        let offer = LogDesk.Offer(commit: commit, modified: nil, places: FolderPlaces(root: place))
        // Sealed once: what seals is at hand then.
        #expect(try desk.seal([offer]).count == 1)
        let sharing = Sharing(in: place, ring, by: identities[0], at: line)
        #expect(try sharing.revoke(identities[1].id) == .revoked)
        let third = identities[2].publicIdentity(named: "device 2")
        #expect(throws: LineFailure.self) { _ = try desk.seal([offer]) }
        #expect(throws: LineFailure.self) { _ = try desk.sealAddition(of: third) }
        #expect(throws: LineFailure.self) { _ = try desk.blobSealer() }
        _ = try desk.read(try line.log(after: desk.head.position, waitSeconds: 0))
        let sealed = try desk.seal([offer])
        #expect(sealed.map { Array($0.record[1..<5]) } == [[0, 0, 0, 2]])
        _ = try desk.blobSealer()
    }
}
