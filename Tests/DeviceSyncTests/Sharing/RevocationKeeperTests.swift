import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Locks
import Sealing
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// Devices that another process was shutting out when it died.
@Suite("Who goes on with shutting devices out", .onOwnThreads, .timeLimit(.minutes(2)))
struct RevocationKeeperTests {
    private let ownFolder: TestFolder
    private var base: URL { ownFolder.url }
    private let hub: HubInMemory
    private let identity: DeviceIdentity
    private let lost: DeviceIdentity
    private let keys: KeyRing
    private let pause = While()
    private let said = Locked<[SyncReport]>([])

    init() throws {
        ownFolder = try TestFolder("revocationKeeper")
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        hub = try HubInMemory(container)
        identity = try DeviceIdentity(random: RandomBytes.make)
        lost = try DeviceIdentity(random: RandomBytes.make)
        let founded = try Founding.found(container, by: identity, named: "device", at: hub.line())
        try Founding.add(lost.publicIdentity(named: "lost"), to: founded, by: identity, at: hub.line())
        keys = KeyRing(founded) { _ in }
    }

    /// As a process of its own sees it.
    private func sharing(_ line: HubInMemory.Line) -> Sharing {
        Sharing(in: FilePath(base.path), keys, by: identity, at: line)
    }

    private func keeper(_ line: HubInMemory.Line) -> RevocationKeeper {
        RevocationKeeper(sharing(line), later: { [pause] in pause.later($0) }) { [said] report in
            said.withLock { $0.append(report) }
        }
    }

    /// Dies at shutting the lost device out, once that is planned.
    private func die() throws {
        let line = hub.line()
        // The first call catches up; nothing is planned before.
        for count in 1..<20 {
            line.end(afterCalls: count)
            #expect(throws: (any Error).self) { try sharing(line).revoke(lost.id) }
            // A keeper may have gone on with it meanwhile.
            if try sharing(line).plan() != nil || isLostRevoked { return }
        }
        Issue.record("Nothing was planned.")
    }

    private var isPlanned: Bool { get throws { try sharing(hub.line()).plan() != nil } }
    private var isLostRevoked: Bool {
        get throws { try sharing(hub.line()).devices().first { $0.id == lost.id }?.isRevoked == true }
    }

    private func wait(
        _ location: SourceLocation = #_sourceLocation,
        until condition: () throws -> Bool
    ) throws {
        let deadline = Date(timeIntervalSinceNow: 60)
        while try !condition() {
            guard Date() < deadline else {
                Issue.record("\(said.withLock { $0 })", sourceLocation: location)
                return
            }
            // Lets others have the processor.
            sched_yield()
        }
    }

    @Test("What a process died at is gone on with when it has died, and nothing is looked at before")
    func death() throws {
        let keeper = keeper(hub.line())
        keeper.note(.lineUp)
        keeper.settle()
        #expect(pause.count == 0)
        try die()
        // It may have looked when the lock was still held.
        try wait {
            pause.end()
            return try !isPlanned
        }
        keeper.settle()
        #expect(try isLostRevoked)
        pause.end()
        keeper.settle()
        #expect(pause.count == 0 && said.withLock { $0 } == [])
    }

    @Test("What was left before it came is gone on with once there is a line")
    func before() throws {
        try die()
        let keeper = keeper(hub.line())
        keeper.settle()
        #expect(try isPlanned)
        keeper.note(.lineUp)
        keeper.settle()
        #expect(try !isPlanned)
        #expect(try isLostRevoked)
        #expect(pause.count == 0)
    }

    @Test("While the hub refuses it is tried again after a while, and not because it was tried")
    func refused() throws {
        try die()
        let line = hub.line()
        line.cut()
        let keeper = keeper(line)
        keeper.note(.lineUp)
        for count in 1...3 {
            keeper.settle()
            #expect(pause.count == 1 && said.withLock { $0.count } == count)
            pause.end()
        }
        keeper.settle()
        // Without a line it waits for one.
        keeper.note(.lineDown("test"))
        pause.end()
        keeper.settle()
        #expect(pause.count == 0 && said.withLock { $0.count } == 4)
        line.mend()
        keeper.note(.lineUp)
        keeper.settle()
        #expect(try !isPlanned && pause.count == 0)
    }

    @Test("The key that another process has made is taken once that is done, whatever there is of a line")
    func keyOfAnother() throws {
        let kept = Locked<ContainerKeys?>(nil)
        let ring = KeyRing(keys.keys, keep: { _ in }, read: { kept.withLock { $0 } })
        let place = FilePath(base.path)
        let own = Sharing(in: place, ring, by: identity, at: hub.line())
        let keeper = RevocationKeeper(own, later: { [pause] in pause.later($0) }) { [said] report in
            said.withLock { $0.append(report) }
        }
        keeper.settle()
        let others = KeyRing(keys.keys) { keys in kept.withLock { $0 = keys } }
        let other = Sharing(in: place, others, by: identity, at: hub.line())
        #expect(try other.revoke(lost.id) == .revoked)
        try wait { ring.keys == others.keys }
        #expect(ring.keys.newest.generation == 2 && said.withLock { $0 } == [])
    }

    @Test("Keys that another process has kept in a device's home are there once they are read again")
    func keptInHome() throws {
        let home = try DeviceHome(at: FilePath(base.appendingPathComponent("home").path))
        let settings = ContainerSettings(
            container: keys.keys.container,
            folder: base.appendingPathComponent("documents").path,
            hub: try #require(URL(string: "http://127.0.0.1:1")),
            deviceName: "device",
            credentials: DeviceCredentials(device: DeviceName(of: identity.id), token: "token")
        )
        let joined = JoinedContainer(settings: settings, keys: keys.keys, identity: identity)
        try home.keep(joined)
        let (one, other) = (home.ring(of: joined), home.ring(of: joined))
        let next = try ContainerKey(generation: 2, random: RandomBytes.make)
        try other.take(try keys.keys.adding(next))
        #expect(one.keys == keys.keys)
        try one.takeKept()
        #expect(one.keys == other.keys && one.keys.newest == next)
    }

    @Test("Where nothing can be watched it looks from time to time")
    func unwatched() throws {
        // No file can be made in what is none.
        let place = base.appendingPathComponent("none")
        let absent = Sharing(in: FilePath(place.path), keys, by: identity, at: hub.line())
        let keeper = RevocationKeeper(absent, later: { [pause] in pause.later($0) }) { [said] report in
            said.withLock { $0.append(report) }
        }
        keeper.note(.lineUp)
        keeper.settle()
        #expect(pause.count == 1)
        pause.end()
        keeper.settle()
        #expect(pause.count == 1)
    }
}

extension RevocationKeeper {
    /// Waits until it has done what it was told to.
    fileprivate func settle() { queue.sync {} }
}
