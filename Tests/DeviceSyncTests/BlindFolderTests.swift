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
}
