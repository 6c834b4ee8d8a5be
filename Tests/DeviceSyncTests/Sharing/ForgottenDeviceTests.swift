import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Sealing
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// A hub that was put back to before a device joined has forgotten it, and so has whoever knows the log from that hub alone.
@Suite("A device that the hub has forgotten", .onOwnThreads, .timeLimit(.minutes(2)))
struct ForgottenDeviceTests {
    private let founded: FoundedContainer
    private var hub: HubInMemory { founded.hub }
    private var identities: [DeviceIdentity] { founded.identities }
    private var keys: ContainerKeys { founded.keys }

    init() throws { founded = try FoundedContainer(deviceCount: 4) }

    private func share(with number: Int) throws { try founded.share(with: number) }

    private func started(_ number: Int, writing text: String, to name: String) throws -> TestDevice {
        let device = try founded.device(number)
        try device.write(text, to: name)
        return device
    }

    /// The hub is put back to before a second device was let in; neither of the two runs.
    private func forgetSecond() throws -> (first: TestDevice, second: TestDevice) {
        let first = try started(0, writing: "a", to: "a.txt")
        expectSettled(["a.txt": "a"], on: [first])
        let backup = hub.backup()
        try share(with: 2)
        let second = try started(2, writing: "b", to: "b.txt")
        expectSettled(["a.txt": "a", "b.txt": "b"], on: [first, second])
        first.stop()
        second.stop()
        hub.restore(backup)
        return (first, second)
    }

    @Test("Let in again, it has the key too that was made meanwhile by one that knew nothing of it")
    func newKey() throws {
        for number in [1, 3] { try share(with: number) }
        let (first, second) = try forgetSecond()
        // Of another device, which has not read of the second.
        let ring = KeyRing(keys) { _ in }
        let other = Sharing(in: FilePath(founded.base.path), ring, by: identities[3], at: hub.line())
        #expect(try other.revoke(identities[1].id) == .revoked)
        try first.start()
        try second.start()
        try first.write("c", to: "c.txt")
        expectSettled(["a.txt": "a", "b.txt": "b", "c.txt": "c"], on: [first, second])
        #expect(second.keys.keys.newest.generation == 2)
        first.stop()
        second.stop()
    }

    private func hasGoneBack(_ device: TestDevice) -> Bool {
        device.said.contains { if case .hubPutBack = $0 { true } else { false } }
    }

    @Test(
        "A hub without room for letting it in again holds up nothing else, and it is let in once there is some"
    )
    func withoutRoom() throws {
        let (first, second) = try forgetSecond()
        hub.limit(toByteCount: 0, sparing: 0)
        try first.start()
        #expect(first.wait { hasGoneBack(first) && first.status?.line == .up })
        func lossCount() -> Int { first.said.count { if case .lineDown = $0 { true } else { false } } }
        // That it was put back is one.
        let before = lossCount()
        try first.write("c", to: "c.txt")
        #expect(first.wait { first.status?.stuck["c.txt"] != nil }, "\(first.said)")
        #expect(first.status?.line == .up && lossCount() == before, "\(first.said)")
        hub.limit(toByteCount: .max)
        first.tryAgain()
        try second.start()
        expectSettled(["a.txt": "a", "b.txt": "b", "c.txt": "c"], on: [first, second])
        first.stop()
        second.stop()
    }

    @Test("It is let in again also by a device whose process ends when it has just gone back in the log")
    func ended() throws {
        let (first, second) = try forgetSecond()
        let count = hub.entryCount
        for number in 0..<20 where !hasGoneBack(first) {
            first.line.end(afterCalls: number)
            try first.start()
            let isOver = first.wait {
                hasGoneBack(first) || first.status?.lineFailure == "the line is cut"
            }
            #expect(isOver, "\(first.said)")
            first.stop()
        }
        // It had no call left by which to let in anybody.
        #expect(hasGoneBack(first) && hub.entryCount == count)
        first.line.end(afterCalls: nil)
        try first.start()
        try second.start()
        expectSettled(["a.txt": "a", "b.txt": "b"], on: [first, second])
        first.stop()
        second.stop()
    }
}
