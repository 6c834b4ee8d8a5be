import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Documents that have no room in the vault of a device, which is on another volume than the folder, and those beside them.
@Suite(
    "A vault with little room",
    .onOwnThreads,
    .enabled(if: MountedVolume.isPossible),
    .timeLimit(.minutes(2))
)
struct LittleRoomTests {
    private let pair: DevicePair
    private let volume: MountedVolume
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws {
        pair = try DevicePair(isSecondToStart: false)
        volume = try MountedVolume(
            over: pair.two.memoryFolder,
            keptAt: pair.base.appendingPathComponent("volume"),
            byteCount: 32 << 20
        )
        try pair.two.start()
    }

    /// How much was free on a volume, at the least, after any write to it.
    private final class LeastRoom: SystemCallObserver {
        private let folder: String
        private let least = Locked(UInt64.max)

        init(_ folder: URL) { self.folder = folder.path }

        var byteCount: UInt64 { least.withLock { $0 } }

        func willMake(_ call: SystemCall) -> CInt { 0 }

        func didMake(_ call: SystemCall) {
            guard call.effect.isMutating, call.path.string.hasPrefix(folder) else { return }
            var status = statvfs()
            guard statvfs(folder, &status) == 0 else { return }
            let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
            least.withLock { $0 = min($0, free) }
        }
    }

    /// A user's quota, of which the volume does not tell: so much is not written at a time.
    private final class Quota: SystemCallObserver {
        private let folder: String

        init(_ folder: URL) { self.folder = folder.path + "/" }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.path.string.hasPrefix(folder), case .write(_, let bytes) = call.effect else {
                return 0
            }
            return bytes.count >= 1 << 20 ? EDQUOT : 0
        }

        func didMake(_ call: SystemCall) {}
    }

    /// What nothing can press together.
    private func noise(_ byteCount: Int) throws -> Data {
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/urandom"))
        defer { try? source.close() }
        return try #require(try source.read(upToCount: byteCount))
    }

    @Test("A document for which there is no room waits alone, and takes none of what there is")
    func large() throws {
        let room = LeastRoom(two.memoryFolder)
        SystemCallObservation.add(room)
        defer { SystemCallObservation.remove(room) }
        try noise(48 << 20).write(to: two.folder.appendingPathComponent("large.bin"))
        pair.wait { two.status?.stuck["large.bin"]?.contains("No space left") == true }
        try two.write("edited", to: "a.txt")
        pair.wait { one.text("a.txt") == "edited" }
        #expect(two.explanation("large.bin")?.next.contains("Free some space") == true)
        #expect(room.byteCount > 8 << 20, "\(room.byteCount)")
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("large.bin"))
        pair.wait { pair.isSettled && two.status?.stuck.isEmpty == true }
        pair.end()
    }

    @Test("A package that had no room comes once there is some: nothing of it is in its way")
    func package() throws {
        let filler = two.memoryFolder.appendingPathComponent("filler")
        try noise(8 << 20).write(to: filler)
        let package = pair.base.appendingPathComponent("p.rtfd")
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: false)
        try noise(20 << 20).write(to: package.appendingPathComponent("large.bin"))
        try FileManager.default.moveItem(at: package, to: one.folder.appendingPathComponent("p.rtfd"))
        pair.wait { two.status?.stuck["p.rtfd"]?.contains("No space left") == true }
        try FileManager.default.removeItem(at: filler)
        pair.wait {
            two.tryAgain()
            return two.folder.appendingPathComponent("p.rtfd/large.bin").isThere && pair.isSettled
        }
        pair.end()
    }

    @Test("What there is no room to lay out is not merged, and nothing of it is laid out to find that")
    func merging() throws {
        let text = { (first: String, last: String) in "\(first)\n\(last)\n" }
        try noise(12 << 20).write(to: pair.base.appendingPathComponent("noise"))
        try one.write(text("one", "two\nthree"), to: "p.rtfd/notes.txt")
        try FileManager.default.moveItem(
            at: pair.base.appendingPathComponent("noise"),
            to: one.folder.appendingPathComponent("p.rtfd/large.bin")
        )
        pair.wait {
            pair.isSettled && two.folder.appendingPathComponent("p.rtfd/large.bin").isThere
                && one.status?.isSettled == true
        }
        two.line.cut()
        pair.wait { two.status?.line == .down }
        let entryCount = pair.hub.entryCount
        try one.put(text("ONE", "two\nthree"), at: "p.rtfd/notes.txt")
        pair.wait { pair.hub.entryCount == entryCount + 1 && one.status?.isSettled == true }
        try two.put(text("one", "two\nTHREE"), at: "p.rtfd/notes.txt")
        let room = LeastRoom(two.memoryFolder)
        SystemCallObservation.add(room)
        defer { SystemCallObservation.remove(room) }
        two.line.mend()
        #expect(two.wait { two.status?.stuck["p.rtfd"]?.contains("No space left") == true }, "\(two.said)")
        #expect(two.explanation("p.rtfd")?.next.contains("Free some space") == true)
        #expect(room.byteCount > 12 << 20, "\(room.byteCount)")
        #expect(two.text("p.rtfd/notes.txt") == text("one", "two\nTHREE"))
        pair.end()
    }

    @Test("Of a document that is there already only what is new of it needs room")
    func edited() throws {
        let large = two.folder.appendingPathComponent("large.bin")
        // Lent to nobody: it is on another volume.
        try noise(15 << 20).write(to: large)
        pair.wait { one.folder.appendingPathComponent("large.bin").isThere && pair.isSettled }
        let file = try FileHandle(forWritingTo: large)
        try file.seekToEnd()
        try file.write(contentsOf: Data("new".utf8))
        try file.close()
        let next = try Data(contentsOf: large)
        pair.wait {
            (try? Data(contentsOf: one.folder.appendingPathComponent("large.bin"))) == next && pair.isSettled
        }
        pair.end()
    }

    @Test("Where a disk does not tell how much there is, what has room is not in one's way that has none")
    func besides() throws {
        let quota = Quota(two.memoryFolder)
        SystemCallObservation.add(quota)
        defer { SystemCallObservation.remove(quota) }
        // Both are new, and read together.
        two.stop()
        try noise(3 << 20).write(to: two.folder.appendingPathComponent("large.bin"))
        try two.write("small", to: "small.txt")
        try two.start()
        pair.wait { one.text("small.txt") == "small" && two.status?.stuck["large.bin"] != nil }
        SystemCallObservation.remove(quota)
        two.tryAgain()
        pair.wait { one.folder.appendingPathComponent("large.bin").isThere && pair.isSettled }
        pair.end()
    }

    @Test("Where a disk does not tell how much there is, an edit has room that a smaller document has not")
    func editedBesides() throws {
        let large = two.folder.appendingPathComponent("large.bin")
        try noise(8 << 20).write(to: large)
        pair.wait { one.folder.appendingPathComponent("large.bin").isThere && pair.isSettled }
        let quota = Quota(two.memoryFolder)
        SystemCallObservation.add(quota)
        defer { SystemCallObservation.remove(quota) }
        // Both are read together.
        two.stop()
        try noise(3 << 20).write(to: two.folder.appendingPathComponent("new.bin"))
        let file = try FileHandle(forWritingTo: large)
        try file.seekToEnd()
        try file.write(contentsOf: Data("new".utf8))
        try file.close()
        let next = try Data(contentsOf: large)
        try two.start()
        pair.wait {
            two.status?.stuck["new.bin"] != nil
                && (try? Data(contentsOf: one.folder.appendingPathComponent("large.bin"))) == next
        }
        pair.end()
    }
}

extension URL {
    fileprivate var isThere: Bool { FileManager.default.fileExists(atPath: path) }
}
