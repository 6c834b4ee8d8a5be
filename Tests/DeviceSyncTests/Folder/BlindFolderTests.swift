import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Folders that cannot be looked at, or watched, and what goes on beside them.
@Suite("Folders that nobody can look at", .onOwnThreads, .timeLimit(.minutes(2)))
struct BlindFolderTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    /// Somebody who writes into a file just before another one is put in its place.
    private final class LastMoment: SystemCallObserver {
        private let file: URL
        private let staging: String
        private let text: Locked<String?>

        init(_ text: String, into file: URL) {
            (self.text, self.file) = (Locked(text), file)
            staging = file.deletingLastPathComponent().path + "/.sheaf-"
        }

        var hasCome: Bool { text.withLock { $0 == nil } }

        func willMake(_ call: SystemCall) -> CInt {
            // What is to take its place is made beside it.
            guard call.effect.isMutating, call.path.string.hasPrefix(staging),
                let text = text.withLock({ text in
                    defer { text = nil }
                    return text
                })
            else { return 0 }
            do { try Data(text.utf8).write(to: file) } catch { Issue.record("\(error)") }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "What is refused elsewhere is looked at and merged, though something may be in a folder that cannot be looked at"
    )
    func refusedElsewhere() throws {
        try one.write("one\ntwo\nthree\n", to: "a.txt")
        try one.write("moved", to: "m.txt")
        try one.write("in it", to: "album/in.txt")
        pair.wait { two.text("album/in.txt") == "in it" && pair.isSettled }
        let album = two.folder.appendingPathComponent("album")
        try two.breakDisk(.reading, at: album)
        // It may be there: it is missing for as long as nobody can look.
        try FileManager.default.moveItem(
            at: two.folder.appendingPathComponent("m.txt"),
            to: album.appendingPathComponent("m.txt")
        )
        pair.wait { two.status?.stuck["album"] != nil }
        let writer = LastMoment("one\ntwo\nTHREE\n", into: two.folder.appendingPathComponent("a.txt"))
        SystemCallObservation.add(writer)
        defer { SystemCallObservation.remove(writer) }
        try one.write("ONE\ntwo\nthree\n", to: "a.txt")
        let merged = "ONE\ntwo\nTHREE\n"
        pair.wait { one.text("a.txt") == merged && two.text("a.txt") == merged }
        #expect(writer.hasCome)
        #expect(two.status?.stuck["album"] != nil && one.text("m.txt") == "moved")
        two.mendDisk()
        pair.wait { one.text("album/m.txt") == "moved" && pair.isSettled }
        #expect(one.text("m.txt") == nil && one.text("album/in.txt") == "in it")
        #expect(try two.conflicts("a.txt") == [])
        pair.end()
    }

    @Test(
        "A folder that comes and cannot be watched says so, and is watched as soon as that can be",
        arguments: [ENOSPC, EIO]
    )
    func unwatched(errno: CInt) throws {
        let letters = two.folder.appendingPathComponent("letters")
        let kernel = UnwatchedFolder(letters, errno)
        SystemCallObservation.add(kernel)
        defer { SystemCallObservation.remove(kernel) }
        try one.write("first", to: "letters/a.txt")
        pair.wait { two.text("letters/a.txt") == "first" && two.status?.stuck["letters"] != nil }
        let next = try #require(two.explanation("letters")?.next)
        #expect(next.contains(errno == ENOSPC ? "max_user_watches" : "reports faults"))
        #expect(two.status?.isSettled == false)
        kernel.end()
        two.running?.tryAgain()
        pair.wait { pair.isSettled && two.status?.stuck.isEmpty == true }
        // Nobody looks at it now but for the watch.
        try two.write("second", to: "letters/a.txt")
        try two.write("new", to: "letters/b.txt")
        pair.wait { one.text("letters/a.txt") == "second" && one.text("letters/b.txt") == "new" }
        pair.end()
    }

    @Test(
        "Where the folder itself cannot be watched when a device starts, it is looked at from time to time, until it can be",
        arguments: [ENOSPC, EMFILE]
    )
    func unwatchedRoot(errno: CInt) throws {
        two.stop()
        let kernel = UnwatchedFolder(two.folder, errno)
        SystemCallObservation.add(kernel)
        defer { SystemCallObservation.remove(kernel) }
        try two.start()
        try one.write("theirs", to: "a.txt")
        pair.wait { two.text("a.txt") == "theirs" }
        let next = try #require(two.explanation("")?.next)
        #expect(next.contains(errno == ENOSPC ? "max_user_watches" : "max_user_instances"))
        for name in ["b.txt", "c.txt"] {
            try two.write("mine", to: name)
            two.running?.tryAgain()
            pair.wait { one.text(name) == "mine" }
        }
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("b.txt"))
        two.running?.tryAgain()
        pair.wait { one.text("b.txt") == nil }
        kernel.end()
        two.running?.tryAgain()
        pair.wait { pair.isSettled && two.status?.stuck.isEmpty == true }
        try two.write("watched", to: "c.txt")
        pair.wait { one.text("c.txt") == "watched" }
        pair.end()
    }

    @Test("What is missing waits for a folder that cannot be looked at, and that is said of the folder")
    func waiting() throws {
        try one.write("text", to: "a.txt")
        try one.write("text", to: "album/b.txt")
        pair.wait { two.text("album/b.txt") == "text" && pair.isSettled }
        let lock = Shortage(at: two.folder.appendingPathComponent("album").path, EACCES, "openat")
        SystemCallObservation.add(lock)
        defer { SystemCallObservation.remove(lock) }
        try two.write("new", to: "album/c.txt")
        pair.wait { two.status?.stuck["album"] != nil }
        try FileManager.default.removeItem(at: two.folder.appendingPathComponent("a.txt"))
        pair.wait { two.status?.stuck["album"]?.contains("1 item that is missing waits for that") == true }
        var checkup = FolderCheckup(folder: two.folder.path, hub: "http://hub", now: 0)
        let explanation = try #require(two.explanation("album"))
        checkup.waiting = [FolderCheckup.Waiting(explanation, changedSeconds: nil)]
        #expect(checkup.findings.contains { $0.text.contains("Nothing counts as deleted until") })
        #expect(one.text("a.txt") == "text")
        SystemCallObservation.remove(lock)
        two.tryAgain()
        pair.wait { one.text("a.txt") == nil && pair.isSettled }
        pair.end()
    }

    @Test(
        "What cannot be read, or kept, is told of once, however often it is tried",
        arguments: [EPERM, ENOSPC]
    )
    func toldOnce(errno: CInt) throws {
        let shortage =
            errno == EPERM
            ? Shortage(at: two.folder.appendingPathComponent("a.txt").path, errno, "pread")
            : Shortage(at: two.memoryFolder.appendingPathComponent("vault/packs/").path + "/", errno)
        SystemCallObservation.add(shortage)
        defer { SystemCallObservation.remove(shortage) }
        for name in ["a.txt", "b.txt"] { try two.write("text", to: name) }
        pair.wait { two.status?.stuck["a.txt"] != nil }
        for _ in 0..<3 {
            let count = shortage.refusalCount
            two.running?.tryAgain()
            pair.wait {
                shortage.refusalCount > count && two.running?.ask(\.isLookDue, or: { _ in true }) == false
            }
        }
        let told = two.said.filter { if case .failed = $0 { true } else { false } }
        #expect(told.count == 1, "\(told)")
        #expect(!told.contains { "\($0)".contains("permission to write") })
        SystemCallObservation.remove(shortage)
        two.running?.tryAgain()
        pair.wait { one.text("a.txt") == "text" && one.text("b.txt") == "text" && pair.isSettled }
        pair.end()
    }
}
