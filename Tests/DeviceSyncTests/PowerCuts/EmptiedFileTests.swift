import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What a file held before others emptied it, on a device that does not come to keep it at once.
@Suite("Files that others have emptied", .onOwnThreads, .timeLimit(.minutes(2)))
struct EmptiedFileTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// What happens to a device when one of its files has come into its place.
    private final class Arrival: SystemCallObserver {
        /// Where it is then.
        private let place: String
        /// Whether it happens as soon as somebody opens the file, or at once.
        private let isAtOpening: Bool
        private let hasCome = Locked(false)
        private let happening: Locked<(@Sendable () -> CInt)?>

        init(
            of name: String,
            on device: TestDevice,
            isAtOpening: Bool,
            _ happening: @escaping @Sendable () -> CInt
        ) {
            place = device.folder.appendingPathComponent(name).path
            self.isAtOpening = isAtOpening
            self.happening = Locked(happening)
        }

        var hasHappened: Bool { happening.withLock { $0 == nil } }

        private func happen() -> CInt {
            let body = happening.withLock { happening in
                defer { happening = nil }
                return happening
            }
            return body?() ?? 0
        }

        func willMake(_ call: SystemCall) -> CInt {
            guard isAtOpening, call.name == "openat", call.path.string == place, hasCome.withLock({ $0 })
            else {
                return 0
            }
            return happen()
        }

        func didMake(_ call: SystemCall) {
            guard case .rename = call.effect, call.path.string == place else { return }
            hasCome.withLock { $0 = true }
            if !isAtOpening { _ = happen() }
        }
    }

    @Test(
        "A device that is killed between placing one and keeping what it held has a version of that after all",
        arguments: [false, true]
    )
    func killed(isAtOpening: Bool) throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        let arrival = Arrival(of: "a.txt", on: two, isAtOpening: isAtOpening) { [two] in
            // From now on the process changes nothing, whatever it goes on with.
            do { try two.breakDisk() } catch { Issue.record("\(error)") }
            return EIO
        }
        SystemCallObservation.add(arrival)
        defer { SystemCallObservation.remove(arrival) }
        try one.write("", to: "a.txt")
        pair.wait { arrival.hasHappened }
        two.stop()
        two.mendDisk()
        #expect(two.text("a.txt") == "")
        #expect(try two.formerTexts(of: "a.txt") == [])
        try two.start()
        pair.wait { pair.isSettled }
        #expect(one.text("a.txt") == "" && two.text("a.txt") == "")
        #expect(try two.formerTexts(of: "a.txt") == ["text"])
        pair.end()
    }

    @Test(
        "What cannot be kept as the disk is full is kept once there is room, and is not said to be in step before"
    )
    func noRoom() throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        let arrival = Arrival(of: "a.txt", on: two, isAtOpening: true) { [two] in
            do { try two.fillDisk() } catch { Issue.record("\(error)") }
            return 0
        }
        SystemCallObservation.add(arrival)
        defer { SystemCallObservation.remove(arrival) }
        try one.write("", to: "a.txt")
        pair.wait { two.status?.stuck["a.txt"] != nil }
        #expect(two.status?.isSettled == false)
        #expect(try two.formerTexts(of: "a.txt") == [])
        two.freeDisk()
        pair.wait { pair.isSettled }
        #expect(two.text("a.txt") == "")
        #expect(try two.formerTexts(of: "a.txt") == ["text"])
        pair.end()
    }

    @Test("A link that takes the place of a file is no file that has been emptied: nothing goes wrong")
    func link() throws {
        try one.write("target", to: "target.txt")
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        let link = pair.base.appendingPathComponent("link").path
        try #require(symlink("target.txt", link) == 0 && rename(link, one.path("a.txt")) == 0)
        pair.wait { two.descriptions["a.txt"] == "link to target.txt" && pair.isSettled }
        for device in [one, two] {
            #expect(!device.said.contains { if case .failed = $0 { true } else { false } }, "\(device.said)")
        }
        pair.end()
    }

    @Test("As long as there is no room, that is what is said, however often it is tried again")
    func saidWithoutRoom() throws {
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        let shortage = Shortage(at: two.memoryFolder.appendingPathComponent("remote-").path)
        SystemCallObservation.add(shortage)
        defer { SystemCallObservation.remove(shortage) }
        try one.write("", to: "a.txt")
        pair.wait { two.status?.stuck["a.txt"] != nil }
        for _ in 0..<2 {
            let count = two.said.count
            two.tryAgain()
            // Placed, it is found to be another than it is taken for, until that is given up for now.
            pair.wait { two.said[count...].contains { $0.isGivenUp } }
            #expect(two.status?.stuck["a.txt"]?.contains("No space left on device") == true)
        }
        SystemCallObservation.remove(shortage)
        two.tryAgain()
        pair.wait { pair.isSettled }
        #expect(try two.formerTexts(of: "a.txt") == ["text"])
        pair.end()
    }
}

extension SyncReport {
    /// Said once for an item that cannot be placed; why its former contents are not kept is said each time.
    fileprivate var isGivenUp: Bool {
        if case .failed(path: "a.txt", let why) = self {
            !why.hasPrefix("What it held before")
        } else {
            false
        }
    }
}
