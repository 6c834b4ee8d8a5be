import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Sealing
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// Devices of a thief's, which say in the log, or have the hub take, what keeps the others from shutting them out.
@Suite("Devices that stand in the way of being shut out", .onOwnThreads, .timeLimit(.minutes(2)))
struct UnsaidRevocationTests {
    private let shared: SharedWithThief
    private var hub: HubInMemory { shared.hub }
    private var owner: DeviceIdentity { shared.owner }
    private var thief: DeviceIdentity { shared.thief }
    private var other: DeviceIdentity { shared.other }
    private var keys: ContainerKeys { shared.keys }
    /// By which the thief's device asks, and the other one.
    private let thiefLine: HubInMemory.Line
    private let otherLine: HubInMemory.Line

    init() throws {
        shared = try SharedWithThief("unsaidRevocation")
        thiefLine = shared.hub.line(of: shared.thief.publicIdentity(named: "thief"))
        otherLine = shared.hub.line(of: shared.other.publicIdentity(named: "other"))
    }

    private func sharing(_ keys: ContainerKeys? = nil) -> Sharing { shared.sharing(keys) }

    /// The thief has another device shut out, with a key that it wraps for nobody.
    private func shutOutOther(_ next: ContainerKey) throws {
        let visit = try LogVisit(KeyRing(keys) { _ in }, by: thief, at: thiefLine)
        let plan = PlannedRevocation(of: other.id, next: next)
        try visit.catchUp()
        let id = Commit.ID(thief.id, session: 1, 1)
        let statement = try #require(try visit.desk.sealRevocation(plan, as: id))
        #expect(
            try thiefLine.offer([statement]).answers.contains {
                if case .accepted = $0 { true } else { false }
            }
        )
    }

    private func key(_ generation: UInt32) throws -> ContainerKey {
        try ContainerKey(generation: generation, random: RandomBytes.make)
    }

    private func isRefused(_ line: HubInMemory.Line) throws -> Bool {
        do { _ = try line.log(after: 0, waitSeconds: 0) } catch let failure as HubFailure
            where failure.error.code == .revoked
        {
            return true
        }
        return false
    }

    /// That something ends with the hub refusing the thief, and nobody else, and with the reason why that is all.
    private func expectRefused(
        _ location: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) throws -> (any Error)? {
        #expect(try !isRefused(thiefLine), sourceLocation: location)
        var unsaid: UnsaidRevocation?
        do { try body() } catch { unsaid = error as? UnsaidRevocation }
        #expect(unsaid?.device == thief.id, sourceLocation: location)
        #expect(unsaid?.description.contains("“thief”") == true, sourceLocation: location)
        #expect(try isRefused(thiefLine), sourceLocation: location)
        #expect(try !isRefused(otherLine), sourceLocation: location)
        return unsaid?.cause
    }

    @Test("An entry that nobody can read, of somebody without keys, keeps nobody from being refused")
    func unreadableEntry() throws {
        let stranger = try DeviceIdentity(random: RandomBytes.make).publicIdentity(named: "stranger")
        var record = try hub.line().log(after: 0, waitSeconds: 0).entries[0].record
        record[record.count - 1] ^= 1
        let item = ItemName(unchecked: Array(repeating: 9, count: ItemName.byteCount))
        let id = try #require(CommitName("1.2-3"))
        let garbage = OfferedCommit(item: item, base: 0, id: id, record: record)
        _ = try hub.line(of: stranger).offer([garbage])
        let sharing = sharing()
        let cause = try expectRefused { _ = try sharing.revoke(thief.id) }
        let failure = try #require(cause as? SyncFailure)
        #expect(failure.code == .hubChanged)
        #expect(failure.description.contains("Entry 4 of the hub's log"), "\(failure)")
        // It is said again once the log is right, and done to the end then.
        #expect(try sharing.plan() == nil)
        try hub.rewriteLog { $0.removeLast() }
        #expect(try sharing.revoke(thief.id) == .revoked)
    }

    /// Says that it has taken what it has dropped.
    private struct DroppingHub: ForwardingHub {
        let hub: any ContainerHub

        func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers {
            let head = try hub.log(after: 0, waitSeconds: 0).head
            return CommitAnswers(commits.map { _ in .accepted(head.position + 1) }, head: head)
        }
    }

    @Test("A hub that drops what it says that it has taken has nobody believe that the others know")
    func dropped() throws {
        let ring = KeyRing(keys) { _ in }
        let lied = Sharing(
            in: FilePath(shared.folder.url.path),
            ring,
            by: owner,
            at: DroppingHub(hub: hub.line())
        )
        let cause = try expectRefused { _ = try lied.revoke(thief.id) }
        let failure = try #require(cause as? SyncFailure)
        #expect(
            failure.code == .hubChanged && failure.description.contains("does not have it there"),
            "\(failure)"
        )
        #expect(ring.keys.newest.generation == 1)
        // It is planned still, and done by who gets a word from an honest hub.
        #expect(try lied.plan()?.device == thief.id)
        let honest = sharing()
        #expect(try honest.finish())
        #expect(try honest.devices().first { $0.id == thief.id }?.isRevoked == true)
        #expect(honest.keys.keys.newest.generation == 2)
    }

    @Test("What was begun before, and cannot be gone on with, keeps nobody from being refused")
    func planned() throws {
        let sharing = sharing()
        let nobody = try DeviceIdentity(random: RandomBytes.make).id
        try sharing.keep(PlannedRevocation(of: nobody, next: try key(2)))
        try shutOutOther(try key(2))
        let cause = try expectRefused { _ = try sharing.revoke(thief.id) }
        #expect((cause as? SyncFailure)?.code == .keyMissing, "\(cause as Any)")
        #expect(try sharing.plan()?.device == nobody)
    }

    /// Takes no keys for some devices, as it says.
    private struct FullHub: ForwardingHub {
        let hub: any ContainerHub
        let failure: HubFailure
        let isFull: @Sendable (DeviceName) -> Bool

        func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws {
            if isFull(device) { throw failure }
            try hub.keep(keys, for: device)
        }
    }

    private func sharing(
        _ ring: KeyRing,
        by device: DeviceIdentity? = nil,
        full code: HubFailureCode,
        isFull: @escaping @Sendable (DeviceName) -> Bool
    ) -> Sharing {
        let full = FullHub(hub: hub.line(), failure: HubFailure(code, "full"), isFull: isFull)
        return Sharing(in: FilePath(shared.folder.url.path), ring, by: device ?? owner, at: full)
    }

    @Test("Who can get no more keys is named, and neither the others nor the statement wait for it")
    func keysFull() throws {
        let further = try DeviceIdentity(random: RandomBytes.make)
        let named = further.publicIdentity(named: "further")
        try Founding.add(named, to: keys, by: owner, at: hub.line())
        let (ring, name) = (KeyRing(keys) { _ in }, DeviceName(of: other.id))
        let sharing = sharing(ring, full: .keysFull) { $0 == name }
        // Who goes by itself stays until all can have its key: nobody could give it to them later.
        let going = self.sharing(KeyRing(keys) { _ in }, by: further, full: .keysFull) { $0 == name }
        #expect { try going.leave() } throws: { ($0 as? HubFailure)?.error.code == .keysFull }
        #expect(try sharing.revoke(thief.id) == .revokedWithoutKeys(for: ["other"]))
        #expect(try isRefused(thiefLine) && !isRefused(otherLine))
        #expect(try sharing.plan() == nil && ring.keys.newest.generation == 2)
        #expect(try sharing.devices().first { $0.id == thief.id }?.isRevoked == true)
        let furtherRing = KeyRing(keys) { _ in }
        func visit(_ ring: KeyRing, _ device: DeviceIdentity) throws {
            try LogVisit(ring, by: device, at: hub.line()).catchUp()
        }
        try visit(furtherRing, further)
        #expect(furtherRing.keys == ring.keys)
        let otherRing = KeyRing(keys) { _ in }
        #expect { try visit(otherRing, other) } throws: { ($0 as? SyncFailure)?.code == .keyMissing }
        // Gone on with by a process that nobody watches, it is said just so; and the next key comes with all before it.
        try sharing.keep(PlannedRevocation(of: further.id, next: try key(3)))
        let error = #expect(throws: UngivenKeys.self) { try sharing.finish() }
        #expect(error?.description.contains("“other”") == true)
        #expect(try sharing.plan() == nil && ring.keys.newest.generation == 3)
        let last = try DeviceIdentity(random: RandomBytes.make)
        try Founding.add(last.publicIdentity(named: "last"), to: ring, by: owner, at: hub.line())
        let roomy = Sharing(in: FilePath(shared.folder.url.path), ring, by: owner, at: hub.line())
        #expect(try roomy.revoke(last.id) == .revoked)
        try visit(otherRing, other)
        #expect(otherRing.keys == ring.keys)
    }

    @Test("Who shuts a device out has its own key, also where the hub takes none for it")
    func ownKeysFull() throws {
        let ring = KeyRing(keys) { _ in }
        let full: Set = [DeviceName(of: owner.id), DeviceName(of: other.id)]
        let sharing = sharing(ring, full: .keysFull) { full.contains($0) }
        guard case .revokedWithoutKeys(let names) = try sharing.revoke(thief.id) else {
            Issue.record("All had room.")
            return
        }
        #expect(Set(names) == ["other", "owner"])
        #expect(try sharing.plan() == nil && ring.keys.newest.generation == 2)
        #expect(try sharing.devices().first { $0.id == thief.id }?.isRevoked == true)
        try LogVisit(ring, by: owner, at: hub.line()).catchUp()
    }

    @Test(
        "A hub that has no room for keys refuses all the same, also while another was to be shut out before"
    )
    func quota() throws {
        let lost = try DeviceIdentity(random: RandomBytes.make)
        try Founding.add(lost.publicIdentity(named: "lost"), to: keys, by: owner, at: hub.line())
        let lostLine = hub.line(of: lost.publicIdentity(named: "lost"))
        let sharing = sharing(KeyRing(keys) { _ in }, full: .quota) { _ in true }
        try sharing.keep(PlannedRevocation(of: lost.id, next: try key(2)))
        let cause = try expectRefused { _ = try sharing.revoke(thief.id) }
        let former = try #require(cause as? UnsaidRevocation)
        #expect(former.device == lost.id && (former.cause as? HubFailure)?.error.code == .quota)
        #expect(try isRefused(lostLine))
        #expect(try sharing.plan()?.device == lost.id)
        // Once there is room all of it is done.
        let honest = self.sharing()
        #expect(try honest.revoke(thief.id) == .revoked)
        let out = try honest.devices().filter(\.isRevoked)
        #expect(Set(out.map(\.id)) == [lost.id, thief.id] && honest.keys.keys.newest.generation == 3)
    }

    @Test("A key beyond all that there can be is nobody's, and who goes on with shutting out lives")
    func lastKey() throws {
        let sharing = sharing()
        try sharing.keep(PlannedRevocation(of: thief.id, next: try key(2)))
        try shutOutOther(try key(.max))
        let cause = try expectRefused { _ = try sharing.finish() }
        #expect((cause as? SyncFailure)?.code == .hubChanged, "\(cause as Any)")
        #expect(throws: UnsaidRevocation.self) { _ = try sharing.revoke(thief.id) }
        #expect(throws: UnsaidRevocation.self) { _ = try sharing.finish() }
    }

    @Test("Once all keys that a container can have are used up, the hub refuses all the same")
    func noKeyLeft() throws {
        var all = keys
        for generation in 2..<UInt32(ContainerKeys.generationCountMax) {
            all = try all.adding(try key(generation))
        }
        let last = try key(UInt32(ContainerKeys.generationCountMax))
        all = try all.adding(last)
        try shutOutOther(last)
        let sharing = sharing(all)
        let cause = try expectRefused { _ = try sharing.revoke(thief.id) }
        #expect((cause as? SealingError)?.code == .beyondLimit, "\(cause as Any)")
        #expect(try sharing.plan() == nil)
    }

    @Test("A key that was sealed for nobody keeps nobody from being refused who has announced it")
    func keyForNobody() throws {
        try shutOutOther(try key(2))
        let cause = try expectRefused { _ = try sharing().revoke(thief.id) }
        #expect((cause as? SyncFailure)?.code == .keyMissing, "\(cause as Any)")
    }
}
