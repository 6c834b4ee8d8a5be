import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import Testing

@testable import DeviceSync

/// What happens when a file has come into its place.
private final class Arrival: SystemCallObserver {
    private let place: String
    private let happening: Locked<(@Sendable () -> Void)?>

    init(at place: String, _ happening: @escaping @Sendable () -> Void) {
        self.place = place
        self.happening = Locked(happening)
    }

    var hasCome: Bool { happening.withLock { $0 == nil } }

    func willMake(_ call: SystemCall) -> CInt { 0 }

    func didMake(_ call: SystemCall) {
        guard case .rename = call.effect, call.path.string == place else { return }
        let body = happening.withLock { happening in
            defer { happening = nil }
            return happening
        }
        body?()
    }
}

// A power cut leaves names of which the bytes never came to the disk: files that are empty, or full of zeros.
extension DisasterTests {
    /// How far a device has come with a save when its power goes.
    enum SaveMoment: CaseIterable {
        /// It has not read it.
        case unread
        /// It has it in its vault, and the hub has nothing of it.
        case kept
        /// The hub has its contents, and has not been told of it.
        case sent
    }

    /// How far a device has come with what another one has saved when its power goes.
    enum NewsMoment: CaseIterable {
        /// It has been told, and has not got the contents.
        case told
        /// They are in their place, and it has not written that down.
        case placed
        /// All is in step.
        case inStep
    }

    private func isBlank(_ text: String) -> Bool { text.utf8.allSatisfy { $0 == 0 } }

    /// Leaves of a file what a file system may leave whose journal knows the file, and no bytes of it.
    private func blank(_ name: String, on device: TestDevice, isAsLong: Bool) throws {
        let url = device.folder.appendingPathComponent(name)
        let count = try Data(contentsOf: url).count
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 0)
        if isAsLong { try file.truncate(atOffset: UInt64(count)) }
        try file.close()
    }

    /// Starts the device whose power was cut: its file is whole again, and nothing of zeros has left it.
    private func expectWhole(
        _ text: String,
        _ pair: DevicePair,
        entryCount: Int,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let (one, two) = (pair.one, pair.two)
        try two.start()
        #expect(two.said.contains(.repaired(path: "a.txt")), "\(two.said)", sourceLocation: location)
        pair.wait(location) { one.text("a.txt") == text && two.text("a.txt") == text && pair.isSettled }
        #expect(pair.hub.entryCount == entryCount, "\(one.said)", sourceLocation: location)
        for device in [one, two] {
            #expect(try device.conflicts("a.txt") == [], sourceLocation: location)
        }
        // On the device itself the zeros are a version: that they are no edit nobody can prove.
        let formers = try (one.formerTexts(of: "a.txt"), two.formerTexts(of: "a.txt"))
        #expect(!formers.0.contains(where: isBlank), "\(formers)", sourceLocation: location)
        #expect(formers.1.contains(where: isBlank), "\(formers)", sourceLocation: location)
        pair.end()
    }

    /// Two devices that have a file, the second of which is kept in step over a line that the test holds.
    private func sharing(_ text: String, as name: String) throws -> (DevicePair, HeldDevice) {
        let pair = try DevicePair(isSecondToStart: false)
        let (one, two) = (pair.one, pair.two)
        let held = try HeldDevice(two)
        try one.write(text, to: name)
        pair.wait {
            two.text(name) == text && one.status?.isSettled == true && held.running.status.isSettled
        }
        return (pair, held)
    }

    @Test(
        "Zero bytes after a power cut: a save of which the disk has lost the bytes is had again, and no zeros are sent",
        arguments: SaveMoment.allCases,
        [false, true]
    )
    func zeroBytes(moment: SaveMoment, isAsLong: Bool) throws {
        let (pair, held) = try sharing("text", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        let (count, call) = (pair.hub.entryCount, moment == .sent ? HeldHub.Call.offer : .store)
        held.hub.hold([call])
        if moment != .unread {
            try two.put("saved", at: "a.txt")
            pair.wait { held.hub.isHolding(call) }
        }
        try held.kill()
        if moment == .unread { try two.put("saved", at: "a.txt") }
        #expect(pair.hub.entryCount == count && one.text("a.txt") == "text")
        let received = pair.hub.byteCounts.received
        two.reboot()
        try blank("a.txt", on: two, isAsLong: isAsLong)
        // What nobody has read is nowhere any more: the file is what it was before.
        try expectWhole(
            moment == .unread ? "text" : "saved",
            pair,
            entryCount: moment == .unread ? count : count + 1
        )
        // What is as little as this is sent without asking whether the hub has it.
        #expect((pair.hub.byteCounts.received == received) == (moment == .unread))
    }

    @Test(
        "Zero bytes after a power cut: a file of another device's of which the disk has lost the bytes is had again",
        arguments: NewsMoment.allCases,
        [false, true]
    )
    func zeroBytesOfOthers(moment: NewsMoment, isAsLong: Bool) throws {
        let (pair, held) = try sharing("text", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        let count = pair.hub.entryCount
        let arrival = Arrival(at: two.path("a.txt")) { [two] in
            // From now on the process changes nothing, whatever it goes on with.
            do { try two.breakDisk(.writing) } catch { Issue.record("\(error)") }
        }
        if moment == .told { held.hub.hold([.read]) }
        if moment == .placed { SystemCallObservation.add(arrival) }
        defer { SystemCallObservation.remove(arrival) }
        try one.put("newer", at: "a.txt")
        pair.wait {
            switch moment {
            case .told: held.hub.isHolding(.read)
            case .placed: arrival.hasCome
            case .inStep: two.text("a.txt") == "newer" && held.running.status.isSettled
            }
        }
        try held.kill()
        #expect(two.text("a.txt") == (moment == .told ? "text" : "newer"))
        #expect(one.wait { one.status?.isSettled == true } && pair.hub.entryCount == count + 1)
        let received = pair.hub.byteCounts.received
        two.reboot()
        try blank("a.txt", on: two, isAsLong: isAsLong)
        try expectWhole("newer", pair, entryCount: count + 1)
        #expect(pair.hub.byteCounts.received == received)
    }

    @Test("What a dead process had begun to put in place is no item, and what it was to be comes whole")
    func halfArrived() throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        two.stop()
        let count = pair.hub.entryCount
        try one.put("whole", at: "b.txt")
        #expect(one.wait { pair.hub.entryCount > count })
        // It lies under a name of its own.
        let arriving = two.folder.appendingPathComponent(".sheaf-arriving-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: arriving, withIntermediateDirectories: true)
        try Data().write(to: arriving.appendingPathComponent("0"))
        try two.start()
        pair.wait { two.text("b.txt") == "whole" && two.contents == one.contents && pair.isSettled }
        #expect(!FileManager.default.fileExists(atPath: arriving.path))
        pair.end()
    }

    @Test(
        "After a clean end nobody can tell zeros from an edit: what the file held is a version on every device",
        arguments: [false, true]
    )
    func zeroBytesAfterCleanEnd(isAsLong: Bool) throws {
        let pair = try DevicePair.holding("text", as: "a.txt")
        let (one, two) = (pair.one, pair.two)
        one.stop()
        // Nor does the date tell: a program that copies keeps it.
        let place = one.path("a.txt")
        let modified = try FileManager.default.attributesOfItem(atPath: place)[.modificationDate]
        try blank("a.txt", on: one, isAsLong: isAsLong)
        try FileManager.default.setAttributes(
            [.modificationDate: try #require(modified)],
            ofItemAtPath: place
        )
        try one.start()
        let zeros = isAsLong ? "\0\0\0\0" : ""
        pair.wait { one.text("a.txt") == zeros && two.text("a.txt") == zeros && pair.isSettled }
        for device in [one, two] {
            #expect(try device.formerTexts(of: "a.txt").contains("text"), "\(device.name)")
        }
        pair.end()
    }
}
