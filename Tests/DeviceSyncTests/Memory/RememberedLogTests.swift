import Cryptography
import DocumentTesting
import Foundation
import HubProtocol
import Sealing
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What a command says to all devices it says in the log that its own device has read.
@Suite("A command and what its device remembers", .onOwnThreads, .timeLimit(.minutes(2)))
struct RememberedLogTests {
    private let pair: DevicePair
    private let count: Int
    private var hub: HubInMemory { pair.hub }
    private var one: TestDevice { pair.one }

    /// Two devices that do not run and have read more than a hub that was put back has.
    init() throws {
        let pair = try DevicePair()
        self.pair = pair
        count = pair.hub.entryCount
        let backup = pair.hub.backup()
        try pair.one.write("text", to: "a.txt")
        pair.wait { pair.two.text("a.txt") == "text" && pair.isSettled }
        pair.end()
        pair.hub.restore(backup)
    }

    private var sharing: Sharing {
        Sharing(in: one.memory, one.keys, by: one.identity, at: hub.line())
    }

    private func add(_ device: DeviceIdentity) throws {
        let new = device.publicIdentity(named: "new")
        _ = try Founding.add(new, to: one.keys, by: one.identity, at: hub.line(), remembered: one.memory)
    }

    /// Has the device meet the hub again.
    private func meet() throws {
        try one.start()
        let isMet = one.wait {
            one.status?.isSettled == true && (one.running?.logPosition ?? 0) > UInt64(count)
        }
        #expect(isMet, "\(one.said)")
        one.stop()
    }

    @Test(
        "At a hub that was put back, or goes on otherwise, nobody is let in before sheaf up has met that",
        arguments: [false, true]
    )
    func letIn(isForked: Bool) throws {
        let new = try DeviceIdentity(random: RandomBytes.make)
        if isForked {
            let other = try DeviceIdentity(random: RandomBytes.make).publicIdentity(named: "other")
            try Founding.add(other, to: pair.two.keys, by: pair.two.identity, at: hub.line())
        }
        let before = hub.entryCount
        let words = isForked ? "shows another log than it showed before" : "was put back to entry \(count)"
        let isSaid = { (error: any Error) -> Bool in
            guard let failure = error as? SyncFailure, failure.code == .hubChanged else { return false }
            return failure.description.contains(words) && failure.description.contains("start sheaf up here")
        }
        #expect { try add(new) } throws: { isSaid($0) }
        var unread: (any Error)?
        let known = try sharing.devices { unread = $0 }
        #expect(unread.map(isSaid) == true, "\(unread as Any)")
        // As of what the device has read.
        #expect(known.map(\.name) == ["device 1", "device 2"])
        #expect(hub.entryCount == before)
        try meet()
        try add(new)
        let names = try sharing.devices { Issue.record("\($0)") }.map(\.name)
        #expect(names == ["device 1", "device 2"] + (isForked ? ["other"] : []) + ["new"])
    }

    @Test("A hub that was put back refuses a device at once; the others are told when sheaf up has met that")
    func revoke() throws {
        let lost = pair.two.identity.id
        let isUnsaid = { (error: any Error) -> Bool in
            let unsaid = error as? UnsaidRevocation
            return unsaid?.device == lost && (unsaid?.cause as? SyncFailure)?.code == .hubChanged
        }
        #expect { _ = try sharing.revoke(lost) } throws: { isUnsaid($0) }
        #expect(hub.entryCount == count)
        pair.two.line.open()
        #expect { _ = try pair.two.line.log(after: 0, waitSeconds: 0) } throws: {
            ($0 as? HubFailure)?.error.code == .revoked
        }
        try meet()
        #expect(try sharing.revoke(lost) == .revoked)
    }

    @Test("A memory that cannot be read keeps nobody from being shut out")
    func unreadable() throws {
        let place = one.memoryFolder.appendingPathComponent(DeviceMemory.fileName)
        for end in ["-wal", "-shm"] {
            let file = URL(fileURLWithPath: place.path + end)
            // Neither need be there.
            try? FileManager.default.removeItem(at: file)
        }
        try Data("no database".utf8).write(to: place)
        #expect(try sharing.revoke(pair.two.identity.id) == .revoked)
    }
}
