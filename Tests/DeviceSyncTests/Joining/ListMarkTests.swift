import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Sealing
import Sync
import TestThreads
import Testing

@testable import DeviceSync

/// A device that was let in, at a hub that shows it another log than the one that was read by who let it in.
@Suite("The log by which a device was let in", .onOwnThreads, .timeLimit(.minutes(2)))
struct ListMarkTests {
    private let founded: FoundedContainer
    private var hub: HubInMemory { founded.hub }
    private var identities: [DeviceIdentity] { founded.identities }
    private var second: PublicIdentity { identities[1].publicIdentity(named: "device 1") }
    private var third: PublicIdentity { identities[2].publicIdentity(named: "device 2") }

    init() throws { founded = try FoundedContainer() }

    private func ring(_ keys: ContainerKeys, _ list: DeviceListMark? = nil) -> KeyRing {
        KeyRing(keys, expecting: list) { _ in }
    }

    private func sharing(_ ring: KeyRing, by number: Int) throws -> Sharing {
        let folder = founded.base.appendingPathComponent("own \(number)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return Sharing(in: FilePath(folder.path), ring, by: identities[number], at: hub.line())
    }

    private func catchUp(_ ring: KeyRing) throws {
        try LogVisit(ring, by: identities[2], at: hub.line()).catchUp()
    }

    @Test("Who was shut out lets in by another log nobody whom somebody else has let in")
    func taken() throws {
        try founded.share(with: 1)
        let backup = hub.backup()
        let own = ring(founded.keys)
        #expect(try sharing(own, by: 0).revoke(second.id) == .revoked)
        let list = try Founding.add(third, to: own, by: identities[0], at: hub.line())
        let given = ring(own.keys, list)
        try catchUp(given)
        #expect(given.keys == own.keys && given.listMark == list)
        // The hub goes on with who was shut out, where that was not yet said.
        hub.restore(backup)
        let shutOut = ring(founded.keys)
        try Founding.add(third, to: shutOut, by: identities[1], at: hub.line())
        let puppet = try DeviceIdentity(random: RandomBytes.make)
        try Founding.add(puppet.publicIdentity(named: "p"), to: shutOut, by: identities[1], at: hub.line())
        let key = try ContainerKey(generation: 3, random: RandomBytes.make)
        let misuse = try sharing(shutOut, by: 1)
        try misuse.keep(PlannedRevocation(of: puppet.id, next: key))
        #expect(try misuse.finish())
        // By that log alone it is as it should be.
        let trusting = ring(own.keys)
        try catchUp(trusting)
        #expect(trusting.keys.newest == key)
        let error = #expect(throws: SyncFailure.self) { try catchUp(given) }
        #expect(
            error?.code == .hubChanged && "\(error as Any)".contains("let this one in"),
            "\(error as Any)"
        )
        #expect(given.keys == own.keys)
    }

    @Test("A log that ends before it was let in is not taken for all that there is")
    func short() throws {
        let backup = hub.backup()
        let list = try Founding.add(third, to: ring(founded.keys), by: identities[0], at: hub.line())
        hub.restore(backup)
        let error = #expect(throws: SyncFailure.self) { try catchUp(ring(founded.keys, list)) }
        #expect(error?.code == .hubChanged)
    }

    @Test("What was read once may come otherwise from a hub that was put back; what was not, may not")
    func goingBack() throws {
        try founded.share(with: 1)
        let own = ring(founded.keys)
        let list = try Founding.add(third, to: own, by: identities[0], at: hub.line())
        let line = hub.line()
        func desk(upTo count: Int) throws -> (desk: LogDesk, ring: KeyRing, heard: [LogDesk.Heard]) {
            let all = ring(founded.keys, list)
            let reader = try LogDesk(all, by: identities[2], known: [])
            let heard = try reader.read(line.log(after: 0, waitSeconds: 0)).heard
            let known = Array(heard.prefix(count))
            let other = ring(founded.keys, list)
            return (try LogDesk(other, by: identities[2], known: known), other, known)
        }
        let (early, earlyRing, heard) = try desk(upTo: 2)
        #expect(!early.speaksOfHeldKeys)
        _ = try early.goBack(to: Array(heard.prefix(1)))
        #expect(earlyRing.listMark == list && !early.devices.isAsExpected)
        let (late, lateRing, all) = try desk(upTo: 3)
        #expect(late.speaksOfHeldKeys)
        _ = try late.goBack(to: Array(all.prefix(1)))
        #expect(lateRing.listMark == nil && late.devices.isAsExpected)
    }

    @Test("A device that the hub has forgotten lets nobody in, and says what helps")
    func forgotten() throws {
        let backup = hub.backup()
        try founded.share(with: 1)
        hub.restore(backup)
        let count = hub.entryCount
        let error = #expect(throws: SyncFailure.self) {
            try Founding.add(third, to: founded.keys, by: identities[1], at: hub.line())
        }
        #expect("\(error as Any)".contains("Start sheaf up"))
        #expect(hub.entryCount == count)
    }
}
