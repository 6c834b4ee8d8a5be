import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Locks
import Sealing
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// The key on paper, with a hub in memory. What `sheaf join --recovery` does over HTTP, test_sharing.py does with processes.
@Suite("The key on paper", .onOwnThreads)
struct RecoveryTests {
    private let ownFolder: TestFolder
    private var base: URL { ownFolder.url }
    private let hub: HubInMemory
    private let identity: DeviceIdentity
    private let keys: KeyRing

    init() throws {
        ownFolder = try TestFolder("recovery")
        let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        hub = try HubInMemory(container)
        identity = try DeviceIdentity(random: RandomBytes.make)
        keys = KeyRing(try Founding.found(container, by: identity, named: "first", at: hub.line())) { _ in }
    }

    private func sharing(_ line: HubInMemory.Line? = nil) -> Sharing {
        Sharing(in: FilePath(base.path), keys, by: identity, at: line ?? hub.line())
    }

    private func typed(_ groups: [String]) throws -> RecoveryKey {
        try RecoveryKey(typed: groups.joined(separator: " "))
    }

    /// What was shown, typed.
    private func made(by sharing: Sharing, replacesFormer: Bool) throws -> RecoveryKey {
        var shown: [String] = []
        try sharing.makeRecoveryKey(replacesFormer: replacesFormer) { shown = $0 }
        return try typed(shown)
    }

    @Test("It goes on being right when devices are shut out, and stops being so when it is replaced")
    func revocations() throws {
        let sharing = sharing()
        let first = try made(by: sharing, replacesFormer: false)
        try sharing.check(first)
        for number in 0..<2 {
            let other = try DeviceIdentity(random: RandomBytes.make).publicIdentity(named: "\(number)")
            try Founding.add(other, to: keys, by: identity, at: hub.line())
            #expect(try sharing.revoke(other.id) == .revoked)
        }
        #expect(keys.keys.newest.generation == 3)
        try sharing.check(first)
        #expect {
            try sharing.makeRecoveryKey(replacesFormer: false) { _ in Issue.record("shown") }
        } throws: {
            ($0 as? SyncFailure)?.code == .refused
        }
        let second = try made(by: sharing, replacesFormer: true)
        #expect(keys.keys.newest.generation == 4)
        try sharing.check(second)
        #expect { try sharing.check(first) } throws: { ($0 as? SyncFailure) == .paperRevoked }
        let devices = try sharing.devices()
        #expect(devices.map(\.isPaper) == [false, true, true, false, false])
        #expect(devices.map(\.isRevoked) == [false, false, true, true, true])
        #expect { try sharing.check(try RecoveryKey(random: RandomBytes.make)) } throws: {
            ($0 as? SyncFailure) == .paperUnknown
        }
    }

    @Test("It is right also at a hub that was put back to before it was made, whichever device is there then")
    func putBack() throws {
        let second = try DeviceIdentity(random: RandomBytes.make)
        try Founding.add(second.publicIdentity(named: "second"), to: keys, by: identity, at: hub.line())
        let devices = try [identity, second].enumerated().map { number, identity in
            try TestDevice(number, in: base, identity, keys.keys, at: hub)
        }
        for device in devices { try device.start() }
        defer { for device in devices { device.stop() } }
        try devices[0].write("a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: devices)
        let backup = hub.backup()
        let sharing = Sharing(in: devices[0].memory, devices[0].keys, by: identity, at: hub.line())
        let key = try made(by: sharing, replacesFormer: false)
        let kits = devices.map { $0.memoryFolder.appendingPathComponent("recovery-kits") }
        let isKept = devices[1].wait { kits.allSatisfy { FileManager.default.fileExists(atPath: $0.path) } }
        #expect(isKept)
        // The one that has made it is gone.
        devices[0].stop()
        hub.restore(backup)
        let isRight = devices[1].wait { (try? sharing.check(key)) != nil }
        #expect(isRight)
        #expect(try hub.line().keys(for: DeviceName(of: try key.identity().id)).count == 1)
    }

    @Test("It lets a new device in, which has all keys that came later")
    func letsIn() throws {
        let sharing = sharing()
        let paper = try made(by: sharing, replacesFormer: false)
        let lost = try DeviceIdentity(random: RandomBytes.make).publicIdentity(named: "lost")
        try Founding.add(lost, to: keys, by: identity, at: hub.line())
        _ = try sharing.revoke(lost.id)
        // All that is left is the paper and the hub.
        let line = hub.line()
        let kept = try line.keys(for: DeviceName(of: try paper.identity().id))
        let found = KeyRing(try #require(try Sharing.kit(paper, among: kept))) { _ in }
        #expect(found.keys.newest.generation == 1)
        let new = try DeviceIdentity(random: RandomBytes.make)
        try Founding.add(new.publicIdentity(named: "new"), to: found, by: try paper.identity(), at: line)
        #expect(found.keys == keys.keys)
        let next = Sharing(in: FilePath(base.path), found, by: new, at: line)
        #expect(try next.revoke(identity.id) == .revoked)
        try next.check(paper)
    }

    @Test("Whatever call is the last one, the new key was shown and is right, or the former one is")
    func cutOff() throws {
        var lateCount = 0
        for number in 0..<60 {
            let fresh = try RecoveryTests()
            let former = try fresh.made(by: fresh.sharing(), replacesFormer: false)
            let line = fresh.hub.line()
            line.end(afterCalls: number)
            var shown: [String]?
            var failure: (any Error)?
            do {
                try fresh.sharing(line).makeRecoveryKey(replacesFormer: true) { shown = $0 }
            } catch { failure = error }
            try fresh.sharing().finish()
            #expect((failure is FormerPaperFailure) == (shown != nil && failure != nil), "\(number)")
            if let shown {
                try fresh.sharing().check(try typed(shown))
            } else {
                try fresh.sharing().check(former)
            }
            if let failure = failure as? FormerPaperFailure {
                lateCount += 1
                // As it says.
                #expect("\(failure)".contains("sheaf revoke FOLDER"))
                for device in failure.staying { _ = try fresh.sharing().revoke(device) }
            }
            guard shown != nil else { continue }
            #expect { try fresh.sharing().check(former) } throws: { ($0 as? SyncFailure) == .paperRevoked }
            #expect(try fresh.sharing().devices().filter { $0.isPaper && !$0.isRevoked }.count == 1)
            if failure == nil { return #expect(lateCount > 0) }
        }
        Issue.record("It asks the hub more often than is to be expected.")
    }

    @Test("A key that is announced while the paper is made is the paper's, too")
    func announcedMeanwhile() throws {
        let (other, lost) = (
            try DeviceIdentity(random: RandomBytes.make), try DeviceIdentity(random: RandomBytes.make)
        )
        for (device, name) in [(other, "other"), (lost, "lost")] {
            try Founding.add(device.publicIdentity(named: name), to: keys, by: identity, at: hub.line())
        }
        let folder = base.appendingPathComponent("other")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let revoking = Sharing(
            in: FilePath(folder.path),
            KeyRing(keys.keys) { _ in },
            by: other,
            at: hub.line()
        )
        let busy = BusyHub(hub.line()) {
            let outcome = try revoking.revoke(lost.id)
            #expect(outcome == .revoked)
        }
        var shown: [String] = []
        try Sharing(in: FilePath(base.path), keys, by: identity, at: busy)
            .makeRecoveryKey(replacesFormer: false) { shown = $0 }
        #expect(keys.keys.newest.generation == 2)
        let paper = try typed(shown)
        try sharing().check(paper)
        // All that is left is the paper and the hub.
        let line = hub.line()
        let kept = try line.keys(for: DeviceName(of: try paper.identity().id))
        let found = KeyRing(try #require(try Sharing.kit(paper, among: kept))) { _ in }
        #expect(found.keys.newest.generation == 1)
        let new = try DeviceIdentity(random: RandomBytes.make)
        try Founding.add(new.publicIdentity(named: "new"), to: found, by: try paper.identity(), at: line)
        #expect(found.keys == keys.keys)
        let reading = try LogDesk(found, by: new, known: []).read(try line.log(after: 0, waitSeconds: 0))
        #expect(reading.finding == nil && reading.heard.count == hub.entryCount)
    }

    @Test("What would bring nothing back is not shown, and the former key stays right")
    func wouldOpenNothing() throws {
        let former = try made(by: sharing(), replacesFormer: false)
        let forgetful = Sharing(in: FilePath(base.path), keys, by: identity, at: ForgetfulHub(hub.line()))
        #expect {
            try forgetful.makeRecoveryKey(replacesFormer: true) { _ in Issue.record("shown") }
        } throws: {
            ($0 as? SyncFailure) == .paperUnknown
        }
        try sharing().check(former)
    }

    @Test("A key that could not be shown takes nothing from the former one")
    func notShown() throws {
        let sharing = sharing()
        let former = try made(by: sharing, replacesFormer: false)
        #expect(throws: LineFailure.self) {
            try sharing.makeRecoveryKey(replacesFormer: true) { _ in throw LineFailure("no terminal") }
        }
        try sharing.finish()
        try sharing.check(former)
        // The next one replaces both.
        try sharing.check(try made(by: sharing, replacesFormer: true))
        #expect(try sharing.devices().filter { $0.isPaper && !$0.isRevoked }.count == 1)
    }
}

/// A hub at which something happens just before keys are kept for the first time.
private struct BusyHub: ForwardingHub {
    let hub: any ContainerHub
    private let act: @Sendable () throws -> Void
    private let isDone = Locked(false)

    init(_ hub: any ContainerHub, _ act: @escaping @Sendable () throws -> Void) {
        (self.hub, self.act) = (hub, act)
    }

    func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws {
        let isFirst = isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
        if isFirst { try act() }
        try hub.keep(keys, for: device)
    }
}

/// A hub that keeps no keys.
private struct ForgetfulHub: ForwardingHub {
    let hub: any ContainerHub

    init(_ hub: any ContainerHub) { self.hub = hub }

    func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws {}
}
