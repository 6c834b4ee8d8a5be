import DocumentTesting
import FileSystem
import Foundation
import Locks
import Testing

@testable import DeviceSync

/// Folders that go to another name while they are looked at, or while nobody looks, and what was put into them then.
@Suite("Folders that move", .timeLimit(.minutes(3)))
struct MovedFoldersTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws {
        pair = try DevicePair()
        try one.write("first", to: "album/a.txt")
        try link("first", at: "album/l")
        pair.wait {
            two.text("album/a.txt") == "first" && text(ofLink: "album/l") == "first" && pair.isSettled
        }
    }

    private func link(_ text: String, at name: String) throws {
        let new = one.folder.appendingPathComponent("new")
        try #require(symlink(text, new.path) == 0)
        try #require(rename(new.path, one.folder.appendingPathComponent(name).path) == 0)
    }

    /// Of the second device.
    private func text(ofLink name: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(
            atPath: two.folder.appendingPathComponent(name).path
        )
    }

    /// Somebody who renames a folder just before one of the calls that are made in it.
    private final class Mover: SystemCallObserver {
        private let folder: URL
        private let other: URL
        private let left: Locked<Int>

        init(_ folder: URL, to other: URL, before number: Int) {
            (self.folder, self.other, left) = (folder, other, Locked(number))
        }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.path.string == folder.path || call.path.string.hasPrefix(folder.path + "/") else {
                return 0
            }
            left.withLock { left in
                left -= 1
                if left == -1, rename(folder.path, other.path) != 0 { Issue.record("\(errno)") }
            }
            return 0
        }

        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "What was put into a folder arrives, whenever the folder is renamed while it is looked at",
        arguments: 0..<24
    )
    func renamedInALook(number: Int) throws {
        let mover = Mover(
            one.folder.appendingPathComponent("album"),
            to: one.folder.appendingPathComponent("book"),
            before: number
        )
        SystemCallObservation.add(mover)
        defer { SystemCallObservation.remove(mover) }
        try link("second", at: "album/l")
        try? one.write("second", to: "album/a.txt")
        pair.wait { !pair.isSettled || text(ofLink: "album/l") == "second" }
        // Where a look makes fewer calls, the next one makes the rest.
        var round = 0
        while one.text("book/a.txt") == nil {
            round += 1
            try link("again \(round)", at: "album/l")
            pair.wait { pair.isSettled }
        }
        let last = try FileManager.default.destinationOfSymbolicLink(
            atPath: one.folder.appendingPathComponent("book/l").path
        )
        pair.wait { text(ofLink: "book/l") == last && two.text("book/a.txt") == one.text("book/a.txt") }
        pair.wait { pair.isSettled && two.contents == one.contents }
        pair.end()
    }

    @Test("What is put into a folder that was renamed while nobody looked arrives, at once after the start")
    func renamedWhileDown() throws {
        for round in 0..<6 {
            let (now, then) = ("album \(round)", round == 0 ? "album" : "album \(round - 1)")
            one.stop()
            try FileManager.default.moveItem(
                at: one.folder.appendingPathComponent(then),
                to: one.folder.appendingPathComponent(now)
            )
            try one.start()
            try link("of \(round)", at: now + "/l")
            try one.write("of \(round)", to: now + "/a.txt")
            pair.wait {
                text(ofLink: now + "/l") == "of \(round)" && two.text(now + "/a.txt") == "of \(round)"
            }
            pair.wait { pair.isSettled && two.contents == one.contents }
        }
        pair.end()
    }
}
