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

/// Devices that are shut out of a container, and those that go on without them.
@Suite("Devices that are shut out", .onOwnThreads, .timeLimit(.minutes(2)))
struct RevocationTests {
    private let founded: FoundedContainer
    private var base: URL { founded.base }
    private var container: ContainerName { founded.name }
    private var hub: HubInMemory { founded.hub }
    private var identities: [DeviceIdentity] { founded.identities }
    private var keys: ContainerKeys { founded.keys }

    init() throws {
        founded = try FoundedContainer(deviceCount: 4)
        for number in 1..<4 { try founded.share(with: number) }
    }

    private func device(_ number: Int) throws -> TestDevice { try founded.device(number) }

    /// What a command on a device does, in a process of its own.
    private func sharing(_ device: TestDevice) -> Sharing {
        let line = hub.line(of: device.identity.publicIdentity(named: device.name))
        return Sharing(in: device.memory, KeyRing(device.keys.keys) { _ in }, by: device.identity, at: line)
    }

    @Test("A hub that has forgotten who was shut out is told of no new key")
    func forgotten() throws {
        let device = try device(0)
        expectSettled([:], on: [device])
        let backup = hub.backup()
        #expect(try sharing(device).revoke(identities[2].id) == .revoked)
        #expect(device.wait { device.keys.keys.newest.generation == 2 })
        hub.restore(backup)
        let count = hub.entryCount
        #expect { _ = try sharing(device).revoke(identities[1].id) } throws: {
            (($0 as? UnsaidRevocation)?.cause as? SyncFailure)?.code == .hubChanged
        }
        #expect(hub.entryCount == count && device.keys.keys.newest.generation == 2)
        end([device])
    }

    @Test("Those who stay go on under a new key; who was shut out stops, keeps its files, and is told so")
    func shutOut() throws {
        let devices = try (0..<3).map(device)
        try devices[0].write("before", to: "a.txt")
        expectSettled(["a.txt": "before"], on: devices)
        devices[2].line.cut()
        #expect(devices[2].wait { devices[2].status?.line == .down })
        try devices[2].write("never sent", to: "mine.txt")
        #expect(try sharing(devices[0]).revoke(identities[2].id) == .revoked)
        let before = hub.entryCount
        try devices[1].write("after", to: "a.txt")
        try devices[0].write("new", to: "b.txt")
        expectSettled(["a.txt": "after", "b.txt": "new"], on: [devices[0], devices[1]])
        #expect(devices.dropLast().allSatisfy { $0.keys.keys.newest.generation == 2 })
        devices[2].goOnline()
        #expect(devices[2].wait { devices[2].status?.line == .stopped })
        let status = try #require(devices[2].status)
        #expect(status.isShutOut && !status.isSettled)
        #expect(status.lineFailure?.contains("was shut out") == true, "\(status)")
        #expect(
            status.lineFailure?.contains("1 item that was changed here was not sent") == true,
            "\(status)"
        )
        let explanation = try #require(devices[2].explanation("mine.txt"))
        #expect(explanation.causes.last?.contains("shut out") == true, "\(explanation)")
        #expect(explanation.chain.last?.kind == .shutOut, "\(explanation)")
        let next = "What is here stays here as it is. To share it again, join anew: sheaf join."
        #expect(explanation.next == next, "\(explanation)")
        let other = try #require(devices[2].explanation("a.txt"))
        #expect(!other.isSettled && other.chain.map(\.kind) == [.shutOut], "\(other)")
        #expect(other.next == next, "\(other)")
        #expect(devices[2].contents == ["a.txt": "before", "mine.txt": "never sent"])
        // What would not come back does not go.
        let refusal = #expect(throws: SyncRefusal.self) { try devices[2].running?.evict("a.txt") }
        #expect(refusal?.code == .unreachable && devices[2].text("a.txt") == "before")
        try checkUnreadable(for: devices[2], after: before)
        // Started again it is none the wiser.
        devices[2].stop()
        try devices[2].start()
        #expect(devices[2].wait { devices[2].status?.isShutOut == true })
        #expect(devices[2].contents == ["a.txt": "before", "mine.txt": "never sent"])
        end(devices)
    }

    /// That neither the entries of a log nor contents can be opened by a device, though it had all that the hub has.
    private func checkUnreadable(for device: TestDevice, after count: Int) throws {
        let line = hub.line()
        let desk = try LogDesk(device.keys, by: device.identity, known: [])
        let reading = try desk.read(try line.log(after: 0, waitSeconds: 0))
        #expect(
            reading.finding == .keysMissing(LogPosition(count + 1)),
            "\(String(describing: reading.finding))"
        )
        #expect(desk.shutOut == ShutOut(by: "device 0"))
        #expect { try desk.fetchKeys(from: line) } throws: { ($0 as? SyncFailure)?.code == .keyMissing }
        let entries = try line.log(after: UInt64(count), waitSeconds: 0).entries
        #expect(!entries.isEmpty && entries.allSatisfy { Array($0.record[1..<5]) == [0, 0, 0, 2] })
    }

    @Test("A device that the hub still lets in reads in the log who has shut it out")
    func readInTheLog() throws {
        let devices = [try device(0), try device(1)]
        try devices[0].write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: devices)
        // A hub that does not refuse: what it is told of is another device.
        let other = Sharing(
            in: devices[0].memory,
            KeyRing(keys) { _ in },
            by: identities[0],
            at: CarelessHub(hub.line())
        )
        #expect(try other.revoke(identities[1].id) == .revoked)
        #expect(devices[1].wait { devices[1].status?.isShutOut == true })
        #expect(devices[1].status?.lineFailure?.contains("“device 0” has shut this device out") == true)
        // Known without a hub, too.
        devices[1].stop()
        devices[1].line.cut()
        try devices[1].start()
        #expect(devices[1].wait { devices[1].status?.isShutOut == true })
        #expect(devices[1].contents == ["a.txt": "a"])
        end(devices)
    }

    @Test("A device that was away while two were shut out, by two others, goes on by itself")
    func away() throws {
        let devices = [try device(0), try device(1), try device(3)]
        try devices[0].write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: devices)
        devices[1].stop()
        let fourth = identities[2].id
        #expect(try sharing(devices[2]).revoke(fourth) == .revoked)
        try devices[0].write("b", to: "b.txt")
        expectSettled(["a.txt": "a", "b.txt": "b"], on: [devices[0], devices[2]])
        #expect(try sharing(devices[0]).revoke(fourth) == .wasRevoked(by: "device 3", isRefusedNow: false))
        #expect(try sharing(devices[0]).revoke(identities[3].id) == .revoked)
        try devices[0].write("c", to: "c.txt")
        #expect(devices[0].wait { devices[0].running?.isInStepNow == true })
        try devices[1].write("mine", to: "d.txt")
        try devices[1].start()
        let expected = ["a.txt": "a", "b.txt": "b", "c.txt": "c", "d.txt": "mine"]
        expectSettled(expected, on: [devices[0], devices[1]])
        #expect(devices[1].keys.keys.keys.map(\.generation) == [1, 2, 3])
        end(devices)
    }

    @Test("Killed after each call to the hub, it goes on with a restart and ends as if nothing had been")
    func killedInBetween() throws {
        let device = try device(1)
        var generation: UInt32 = 1
        for number in 0..<40 {
            let identity = try DeviceIdentity(random: RandomBytes.make)
            try Founding.add(
                identity.publicIdentity(named: "lost \(number)"),
                to: KeyRing(device.keys.keys) { _ in },
                by: identities[1],
                at: hub.line()
            )
            let folder = base.appendingPathComponent("command \(number)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            _ = hub.line(of: identity.publicIdentity(named: "lost \(number)"))
            let line = hub.line()
            line.end(afterCalls: number)
            let before = KeyRing(device.keys.keys) { _ in }
            let dying = Sharing(in: FilePath(folder.path), before, by: identities[1], at: line)
            let isThrough = (try? dying.revoke(identity.id)) == .revoked
            let isPlanned = dying.isPlanned
            #expect(!isThrough || !isPlanned)
            // Another process, which has what the first had made durable.
            let next = Sharing(in: FilePath(folder.path), before, by: identities[1], at: hub.line())
            #expect(try next.finish() == isPlanned, "\(number)")
            if !isThrough { _ = try next.revoke(identity.id) }
            generation += 1
            let found = try next.devices().first { $0.id == identity.id }
            #expect(found?.isRevoked == true && next.keys.keys.newest.generation == generation, "\(number)")
            #expect(try next.plan() == nil)
            try device.write("\(number)", to: "a.txt")
            let count = hub.entryCount
            #expect(
                device.wait { hub.entryCount > count && device.keys.keys.newest.generation == generation }
            )
            if isThrough { return end([device]) }
        }
        Issue.record("It asks the hub more often than is to be expected.")
    }

    @Test("Who has a device's token is shut out with it, under whatever names he has let himself in by it")
    func invitedByItself() throws {
        func made(_ name: String) throws -> PublicIdentity {
            try DeviceIdentity(random: RandomBytes.make).publicIdentity(named: name)
        }
        let lost = hub.line(of: identities[2].publicIdentity(named: "device 2"), at: 5)
        let member = try made("let in")
        try Founding.add(member, to: keys, by: identities[2], at: hub.line())
        let third = hub.line(of: member, invitedBy: lost, at: 6)
        let friend = hub.line(of: try made("a friend of that"), invitedBy: third, at: 7)
        let other = hub.line(of: try made("of another container"), at: 7)
        let again = hub.line(of: try made("again"), invitedBy: lost, at: 8)
        let further = hub.line(of: try made("and again"), invitedBy: again, at: 9)
        let disguised = hub.line(of: member, invitedBy: further, at: 10)
        let place = FilePath(base.path)
        let sharing = Sharing(in: place, KeyRing(keys) { _ in }, by: identities[0], at: hub.line())
        #expect(try sharing.revoke(identities[2].id) == .revoked)
        for line in [lost, again, further, disguised] {
            #expect { _ = try line.log(after: 0, waitSeconds: 0) } throws: {
                ($0 as? HubFailure)?.error.code == .revoked
            }
        }
        for line in [third, friend, other] { _ = try line.log(after: 0, waitSeconds: 0) }
    }

    @Test("Who leaves has those refused first whom it has invited and who are no members")
    func leavingWithOthers() throws {
        let own = hub.line(of: identities[2].publicIdentity(named: "device 2"), at: 5)
        let stranger = try DeviceIdentity(random: RandomBytes.make).publicIdentity(named: "again")
        let again = hub.line(of: stranger, invitedBy: own, at: 6)
        let place = FilePath(base.path)
        try Sharing(in: place, KeyRing(keys) { _ in }, by: identities[2], at: own).leave()
        for line in [own, again] {
            #expect { _ = try line.log(after: 0, waitSeconds: 0) } throws: {
                ($0 as? HubFailure)?.error.code == .revoked
            }
        }
    }

    private func sharing(_ number: Int, at line: any ContainerHub) -> Sharing {
        Sharing(in: FilePath(base.path), KeyRing(keys) { _ in }, by: identities[number], at: line)
    }

    private func isRefused(_ line: HubInMemory.Line) throws -> Bool {
        do { _ = try line.log(after: 0, waitSeconds: 0) } catch let failure as HubFailure
            where failure.error.code == .revoked
        {
            return true
        }
        return false
    }

    @Test(
        "Whatever call is the last one as a device leaves, the hub refuses it once that is said again",
        arguments: [false, true]
    )
    func leavingCutOff(isSaidByItself: Bool) throws {
        var lateCount = 0
        for number in 0..<40 {
            let fresh = try RevocationTests()
            let own = fresh.hub.line(of: fresh.identities[2].publicIdentity(named: "device 2"))
            let leaving = fresh.sharing(2, at: own)
            own.end(afterCalls: number)
            let isThrough = (try? leaving.leave()) != nil
            own.end(afterCalls: nil)
            let isLate = try !fresh.isRefused(own)
            #expect(!isThrough || !isLate)
            let other = fresh.sharing(0, at: fresh.hub.line())
            if isSaidByItself {
                // Where the hub refuses it already it says so.
                try? leaving.leave()
            } else {
                let outcome = try other.revoke(fresh.identities[2].id)
                let hadLeft = outcome == .hadLeft(isRefusedNow: isLate)
                #expect(hadLeft || (outcome == .revoked && isLate), "\(number): \(outcome)")
                lateCount += hadLeft && isLate ? 1 : 0
                // Sealed under none of the keys that the one that has left has had.
                #expect(other.keys.keys.newest.generation == (hadLeft ? 3 : 2), "\(number)")
            }
            #expect(try fresh.isRefused(own), "\(number)")
            #expect(try other.plan() == nil)
            let present = try other.devices().filter { !$0.isRevoked }.map(\.name)
            #expect(present == ["device 0", "device 1", "device 3"], "\(number)")
            if isThrough { return #expect(isSaidByItself || lateCount > 0) }
        }
        Issue.record("It asks the hub more often than is to be expected.")
    }

    @Test("Whatever call is the last one as a key is replaced, it is, and nobody stays who is no device")
    func replacingKeyCutOff() throws {
        for number in 0..<60 {
            let fresh = try RevocationTests()
            let lost = fresh.identities[2]
            try fresh.sharing(2, at: fresh.hub.line(of: lost.publicIdentity(named: "device 2"))).leave()
            let line = fresh.hub.line()
            line.end(afterCalls: number)
            let outcome = try? fresh.sharing(0, at: line).revoke(lost.id)
            let next = fresh.sharing(0, at: fresh.hub.line())
            try next.finish()
            // Who was told nothing says it again.
            if outcome == nil { _ = try next.revoke(lost.id) }
            let present = try next.devices().filter { !$0.isRevoked }.map(\.name)
            #expect(present == ["device 0", "device 1", "device 3"], "\(number)")
            #expect(try next.plan() == nil && next.keys.keys.newest.generation == 3, "\(number)")
            // The others have it, too.
            let other = fresh.sharing(1, at: fresh.hub.line())
            _ = try other.devices()
            #expect(other.keys.keys.newest == next.keys.keys.newest, "\(number)")
            if outcome != nil { return }
        }
        Issue.record("It asks the hub more often than is to be expected.")
    }

    @Test("Keys that nobody has announced, or that are none, keep nobody from going on")
    func otherKeys() throws {
        let devices = [try device(0), try device(1)]
        let wrong = try keys.adding(try ContainerKey(generation: 2, random: RandomBytes.make))
        let line = hub.line()
        let receiver = identities[1].publicIdentity(named: "device 1")
        let box = try Sealing.WrappedKeys(wrong, for: receiver, by: identities[3], random: RandomBytes.make)
        let name = DeviceName(of: identities[1].id)
        for (number, bytes) in [box.encoded, [1, 2, 3], []].enumerated() {
            try line.keep(
                HubProtocol.WrappedKeys(generation: UInt32(number + 1), keys: Data(bytes)),
                for: name
            )
        }
        #expect(try sharing(devices[0]).revoke(identities[2].id) == .revoked)
        try devices[0].write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: devices)
        end(devices)
    }

    @Test("A key that another part of the process has got is used, too")
    func sharedRing() throws {
        let ring = KeyRing(keys) { _ in }
        let first = try LogVisit(ring, by: identities[1], at: hub.line())
        let second = try LogVisit(ring, by: identities[1], at: hub.line())
        let own = KeyRing(keys) { _ in }
        let sharing = Sharing(in: FilePath(base.path), own, by: identities[0], at: hub.line())
        _ = try sharing.revoke(identities[2].id)
        _ = try sharing.revoke(identities[3].id)
        try first.catchUp()
        try second.catchUp()
        #expect(second.devices.generation == 3 && ring.keys == own.keys)
        end([])
    }

    @Test("Who leaves by itself has to rest meanwhile, is out then, and the last one stays")
    func leaving() throws {
        let devices = [try device(0), try device(1)]
        try devices[0].write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: devices)
        #expect { try sharing(devices[1]).leave() } throws: { ($0 as? SyncFailure)?.code == .inUse }
        devices[1].stop()
        try sharing(devices[1]).leave()
        try devices[0].write("b", to: "a.txt")
        expectSettled(["a.txt": "b"], on: [devices[0]])
        try devices[1].start()
        #expect(devices[1].wait { devices[1].status?.isShutOut == true })
        #expect(devices[1].contents == ["a.txt": "a"])
        for number in 2..<4 { #expect(try sharing(devices[0]).revoke(identities[number].id) == .revoked) }
        devices[0].stop()
        #expect { try sharing(devices[0]).leave() } throws: { ($0 as? SyncFailure)?.code == .refused }
        try devices[0].start()
        try devices[0].write("c", to: "a.txt")
        expectSettled(["a.txt": "c"], on: [devices[0]])
        end(devices)
    }

    @Test("Who was shut out does not come back as what it was, nor is anybody given keys for it")
    func noReturn() throws {
        let devices = [try device(0)]
        let sharing = sharing(devices[0])
        _ = try sharing.revoke(identities[1].id)
        let again = identities[1].publicIdentity(named: "device 1")
        #expect {
            try Founding.add(again, to: sharing.keys, by: identities[0], at: hub.line())
        } throws: {
            ($0 as? SyncFailure)?.code == .shutOut
        }
        // Nor does one that was shut out let others in.
        let other = try DeviceIdentity(random: RandomBytes.make).publicIdentity(named: "other")
        #expect {
            try Founding.add(other, to: keys, by: identities[1], at: hub.line())
        } throws: {
            ($0 as? SyncFailure)?.code == .keyMissing || ($0 as? SyncFailure)?.code == .shutOut
        }
        end(devices)
    }
}

extension Sharing {
    /// Whether a revocation was begun and not ended.
    fileprivate var isPlanned: Bool { (try? plan()) != nil }
}

/// A hub that goes on serving devices that it was to refuse.
private struct CarelessHub: ForwardingHub {
    let hub: any ContainerHub

    init(_ hub: any ContainerHub) { self.hub = hub }

    func registrations() throws -> [DeviceListing] { [] }
    func refuse(_ device: DeviceName) throws {}
}
