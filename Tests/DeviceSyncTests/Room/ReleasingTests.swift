import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Sealing
import SeededNumbers
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// What only former states need goes from the hub, and nothing else does.
@Suite("Releasing", .onOwnThreads, .timeLimit(.minutes(3)))
final class ReleasingTests {
    private let ownFolder: TestFolder
    private let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
    private let hub: HubInMemory
    private let founder: DeviceIdentity
    private let keys: ContainerKeys
    private var devices: [TestDevice] = []
    private var tickCount = 0

    init() throws {
        ownFolder = try TestFolder("releasing")
        hub = try HubInMemory(container)
        founder = try DeviceIdentity(random: RandomBytes.make)
        keys = try Founding.found(container, by: founder, named: "device 0", at: hub.line())
        for _ in 0..<2 { try join() }
    }

    deinit { for device in devices { device.stop() } }

    private var one: TestDevice { devices[0] }
    private var two: TestDevice { devices[1] }

    /// Another device, which has nothing yet. It gives room back whenever all is in step.
    ///
    /// - Parameter formerByteCountMin: How much that has to be, at least.
    @discardableResult
    private func join(formerByteCountMin: UInt64 = 1) throws -> TestDevice {
        let number = devices.count
        let identity = number == 0 ? founder : try DeviceIdentity(random: RandomBytes.make)
        if number > 0 {
            let added = identity.publicIdentity(named: "device \(number)")
            try Founding.add(added, to: keys, by: founder, at: hub.line())
        }
        var room = ContainerSync.Room()
        room.formerByteCountMin = formerByteCountMin
        let device = try TestDevice(number, in: ownFolder.url, identity, keys, at: hub, room: room)
        try device.start()
        devices.append(device)
        return device
    }

    private func settle(_ some: [TestDevice]? = nil, _ location: SourceLocation = #_sourceLocation) {
        let some = some ?? devices
        guard let first = some.first else { return }
        let isSo = first.wait {
            some.allSatisfy {
                $0.running?.isInStepNow == true && $0.running?.logPosition == UInt64(hub.entryCount)
            }
        }
        #expect(isSo, "\(some.map(\.status)); \(some.map(\.said.last))", sourceLocation: location)
    }

    /// Has an hour go by, and devices release what is former then.
    private func release(
        by some: [TestDevice]? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let count = releaseCount
        // The first two of these become former.
        for _ in 0..<3 {
            hub.passHour()
            tickCount += 1
            try one.write("\(tickCount)", to: "tick")
            settle(some, location)
        }
        let isSo = one.wait { releaseCount > count }
        #expect(isSo, "\(one.said)", sourceLocation: location)
    }

    private var releaseCount: Int {
        devices.reduce(0) { $0 + $1.said.count { if case .released = $0 { true } else { false } } }
    }

    /// Has everybody who is there go, and another one come, who has only what the hub has.
    private func expectAll(
        _ contents: [String: String],
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        for device in devices { device.stop() }
        let late = try join()
        defer { late.stop() }
        let isSo = late.wait {
            var here = late.contents
            here["tick"] = nil
            return here == contents && late.status?.isSettled == true
        }
        #expect(isSo, "\(late.contents); \(late.said)", sourceLocation: location)
    }

    @Test("Former states go after their time, and all that is present can be had")
    func formerStates() throws {
        try one.write("shared", to: "a.txt")
        try one.write("shared", to: "b.txt")
        // Whole at once: sent with one member, it would have another former tree.
        let package = ownFolder.url.appendingPathComponent("p.rtfd", isDirectory: true)
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
        for (name, text) in ["TXT.rtf": "kept", "member.txt": "member"] {
            try Data(text.utf8).write(to: package.appendingPathComponent(name))
        }
        try FileManager.default.moveItem(at: package, to: one.folder.appendingPathComponent("p.rtfd"))
        settle()
        for number in 0..<5 {
            try one.write("state \(number)", to: "a.txt")
            settle()
        }
        try one.write("other member", to: "p.rtfd/member.txt")
        settle()
        let names = Set(hub.blobs.keys)
        try release()
        hub.deleteReleased()
        // Four states of one, and of the package its former tree and a member. One state of the ticking is left, and may be
        // two, of which one was sent just now.
        let gone = names.subtracting(hub.blobs.keys)
        #expect(gone.count == 6, "\(gone.count)")
        try expectAll([
            "a.txt": "state 4", "b.txt": "shared", "p.rtfd": "/", "p.rtfd/TXT.rtf": "kept",
            "p.rtfd/member.txt": "other member",
        ])
    }

    @Test(
        "What was sent and not committed, as its item was saved again, goes like a former state; also after the process has died",
        arguments: [false, true]
    )
    func uncommitted(hasDied: Bool) throws {
        try one.write("base", to: "a.txt")
        settle()
        let (names, entryCount) = (Set(hub.blobs.keys), hub.entryCount)
        // It asks what the hub has of it, and sends it; the commit does not get through.
        one.line.end(afterCalls: 2)
        try one.write((0..<200_000).map { "\($0)\n" }.joined(), to: "a.txt")
        #expect(one.wait { hub.blobs.count > names.count && one.status?.line == .down }, "\(one.said)")
        let sent = Set(hub.blobs.keys).subtracting(names)
        if hasDied { one.stop() }
        try one.write("saved again", to: "a.txt")
        if !hasDied { #expect(one.wait { one.running?.item("a.txt")?.isUploaded == false }) }
        one.line.end(afterCalls: nil)
        if hasDied { try one.start() }
        settle()
        #expect(hub.entryCount == entryCount + 1)
        try release()
        let isGone = one.wait {
            hub.deleteReleased()
            return sent.isDisjoint(with: hub.blobs.keys)
        }
        #expect(isGone, "\(one.said)")
        let memory = try DeviceMemory(beside: try StorageFolder(at: one.memory))
        #expect(one.wait { (try? memory.uncommitted().isEmpty) == true })
        try expectAll(["a.txt": "saved again"])
    }

    @Test("What is committed is not noted any more, and of what is small nothing is")
    func committed() throws {
        let memory = try DeviceMemory(beside: try StorageFolder(at: one.memory))
        one.line.end(afterCalls: 2)
        try one.write((0..<200_000).map { "\($0)\n" }.joined(), to: "large.txt")
        #expect(one.wait { (try? memory.uncommitted().count) == 1 })
        #expect(one.wait { one.status?.line == .down })
        one.line.end(afterCalls: nil)
        try one.write("small", to: "small.txt")
        settle()
        #expect(try memory.uncommitted().isEmpty)
    }

    @Test("What is evicted on all devices stays at the hub, with all that belongs to it")
    func evicted() throws {
        let text = (0..<300_000).map { "\($0)\n" }.joined()
        try one.write("first " + text, to: "a.txt")
        try one.write("x", to: "p.rtfd/TXT.rtf")
        try one.write(text, to: "p.rtfd/large.txt")
        settle()
        try one.write("second " + text, to: "a.txt")
        settle()
        for device in devices {
            for name in ["a.txt", "p.rtfd"] { try #require(device.running).evict(name) }
        }
        settle()
        try release()
        hub.deleteReleased()
        try expectAll([
            "a.txt": "second " + text, "p.rtfd": "/", "p.rtfd/TXT.rtf": "x", "p.rtfd/large.txt": text,
        ])
    }

    @Test("What lost a conflict that nobody has settled stays")
    func conflict() throws {
        try one.write("base", to: "a.bin")
        settle()
        two.line.cut()
        #expect(two.wait { two.status?.line == .down })
        try one.write("one", to: "a.bin")
        settle([one])
        try two.write("two", to: "a.bin")
        two.line.mend()
        settle()
        #expect(try one.wait { try one.conflicts("a.bin").count == 1 })
        try release()
        hub.deleteReleased()
        for device in devices { device.stop() }
        let late = try join()
        #expect(try late.wait { try late.conflicts("a.bin").count == 1 && late.text("a.bin") != nil })
        #expect(try Set(late.conflicts("a.bin") + [try #require(late.text("a.bin"))]) == ["one", "two"])
    }

    @Test(
        "What is used again after it was released is kept, or sent again",
        arguments: [false, true],
        ["a.txt", "copy.txt", "p.rtfd/member.txt"]
    )
    func usedAgain(isDeleted: Bool, name: String) throws {
        try two.write("text", to: "p.rtfd/TXT.rtf")
        try one.write("old", to: "a.txt")
        settle()
        try one.write("new", to: "a.txt")
        settle()
        try release()
        if isDeleted { hub.deleteReleased() }
        // As far as the log says, the hub has this.
        try two.write("old", to: name)
        settle()
        hub.deleteReleased()
        var contents = ["a.txt": "new", "p.rtfd": "/", "p.rtfd/TXT.rtf": "text"]
        contents[name] = "old"
        try expectAll(contents)
    }

    @Test(
        "On a full hub what is to be sent again waits, and says so; all else goes on, and it once there is room"
    )
    func usedAgainWithoutRoom() throws {
        try one.write("old", to: "a.txt")
        for name in ["moved.txt", "removed.txt"] { try one.write(name, to: name) }
        settle()
        try one.write("new", to: "a.txt")
        settle()
        try release()
        hub.deleteReleased()
        hub.limit(toByteCount: 0)
        // As far as the log says, the hub has this.
        try two.write("old", to: "a.txt")
        let isRefused = { self.two.running?.item("a.txt")?.uploadFailure?.code == .quota }
        // While it is being tried again, that is what is said of it.
        let isSaid = two.wait {
            isRefused() && two.explanation("a.txt")?.next.contains("larger quota") == true
        }
        #expect(isSaid, "\(String(describing: two.explanation("a.txt"))); \(two.said)")
        let files = FileManager.default
        try files.moveItem(atPath: two.path("moved.txt"), toPath: two.path("elsewhere.txt"))
        try files.removeItem(atPath: two.path("removed.txt"))
        let isDone = one.wait {
            var contents = one.contents
            contents["tick"] = nil
            return contents == ["a.txt": "new", "elsewhere.txt": "moved.txt"]
        }
        #expect(isDone, "\(one.contents); \(two.said)")
        #expect(two.status?.line == .up && isRefused())
        #expect(!two.said.contains { if case .lineDown = $0 { true } else { false } }, "\(two.said)")
        hub.limit(toByteCount: .max)
        let isThere = one.wait {
            two.tryAgain()
            return one.text("a.txt") == "old"
        }
        #expect(isThere, "\(two.said)")
        settle()
        #expect(two.running?.item("a.txt")?.uploadFailure == nil)
        try expectAll(["a.txt": "old", "elsewhere.txt": "moved.txt"])
    }

    @Test(
        "A hub without room is told what is former, though something waits, and however little it is",
        arguments: [1, 256 << 20]
    )
    func withoutRoom(formerByteCountMin: UInt64) throws {
        for device in devices { device.stop() }
        let three = try join(formerByteCountMin: formerByteCountMin)
        try three.write("removed", to: "a.txt")
        settle([three])
        let sent = Set(hub.blobs.keys)
        for _ in 0..<2 { hub.passHour() }
        hub.limit(toByteCount: 0)
        try three.write("waits", to: "b.txt")
        #expect(three.wait { three.running?.item("b.txt")?.uploadFailure?.code == .quota }, "\(three.said)")
        try FileManager.default.removeItem(atPath: three.path("a.txt"))
        let isReleased = three.wait {
            three.tryAgain()
            return releaseCount > 0
        }
        #expect(isReleased, "\(three.said)")
        #expect(three.running?.item("b.txt")?.isUploaded == false)
        hub.deleteReleased()
        #expect(sent.isDisjoint(with: hub.blobs.keys))
        hub.limit(toByteCount: .max)
        let isThere = three.wait {
            three.tryAgain()
            return three.running?.item("b.txt")?.isUploaded == true
        }
        #expect(isThere, "\(three.said)")
        try expectAll(["b.txt": "waits"])
    }

    @Test("A device that was away for longer than the hub keeps what is former loses nothing")
    func away() throws {
        try one.write("first", to: "a.txt")
        try one.write("first", to: "b.txt")
        settle()
        two.stop()
        try two.write("mine", to: "b.txt")
        try two.write("first", to: "c.txt")
        for text in ["second", "third"] {
            try one.write(text, to: "a.txt")
            settle([one])
        }
        try FileManager.default.removeItem(at: one.folder.appendingPathComponent("b.txt"))
        settle([one])
        try release(by: [one])
        hub.deleteReleased()
        try two.start()
        settle()
        hub.deleteReleased()
        try expectAll(["a.txt": "third", "b.txt": "mine", "c.txt": "first"])
    }

    @Test("A hub that was put back to before something was released is told once more")
    func putBack() throws {
        try one.write("first", to: "a.txt")
        settle()
        try one.write("second", to: "a.txt")
        settle()
        let backup = hub.backup()
        try release()
        hub.restore(backup)
        #expect(one.wait { one.said.contains { if case .hubPutBack = $0 { true } else { false } } })
        settle()
        let names = Set(backup.blobs.keys)
        try release()
        hub.deleteReleased()
        #expect(!names.isSubset(of: hub.blobs.keys))
        try expectAll(["a.txt": "second"])
    }

    @Test("Whatever devices do, all that is present can be had", arguments: 1...6)
    func story(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        try join()
        let texts = ["one", "two", "three", (0..<3000).map { "\($0)\n" }.joined()]
        let names = ["a.txt", "b.txt", "p.rtfd/a.txt", "p.rtfd/b.txt", "q.rtfd/a.txt"]
        var told: [String] = []
        for step in 0..<30 {
            let device = devices[Int.random(in: 0..<3, using: &random)]
            let name = try #require(names.randomElement(using: &random))
            let top = String(name.split(separator: "/")[0])
            switch Int.random(in: 0..<10, using: &random) {
            case 0: hub.passHour()
            case 1: hub.deleteReleased()
            case 2:
                told.append("\(device.name) evicts \(top)")
                do { try device.running?.evict(top) } catch {
                    // What is in conflict, on its way or not there stays as it is.
                    #expect(error is SyncRefusal)
                }
            case 3:
                told.append("\(device.name) removes \(top)")
                let url = device.folder.appendingPathComponent(top)
                if FileManager.default.fileExists(atPath: url.path) {
                    try FileManager.default.removeItem(at: url)
                }
            case 4:
                told.append("\(device.name) is \(device.line.isCut ? "online" : "offline")")
                if device.line.isCut { device.line.mend() } else { device.line.cut() }
            default:
                // Nobody writes into what is not here.
                let placeholder = device.folder.appendingPathComponent(".\(top).icloud").path
                guard !FileManager.default.fileExists(atPath: placeholder) else { continue }
                let text = try #require(texts.randomElement(using: &random))
                told.append("\(device.name) writes \(text.prefix(5)) to \(name)")
                try device.write(text, to: name)
            }
            if step % 3 == 0 { settle(devices.filter { !$0.line.isCut }) }
        }
        for device in devices { device.line.mend() }
        settle()
        try release()
        hub.deleteReleased()
        let count = try #require(one.running).items(below: "").count
        for device in devices { device.stop() }
        let late = try join()
        let isSo = late.wait {
            late.status?.isSettled == true && late.running?.items(below: "").count == count
        }
        #expect(isSo, "seed \(seed): \(told); \(String(describing: late.status)); \(late.said)")
        #expect(late.status?.hubDeeds?.isEmpty == true, "seed \(seed): \(told)")
        late.stop()
    }
}
