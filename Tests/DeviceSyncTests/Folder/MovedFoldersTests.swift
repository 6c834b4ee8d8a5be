import DocumentTesting
import FileSystem
import Foundation
import Locks
import TestThreads
import Testing

@testable import DeviceSync

/// Folders that go to another name while they are looked at, or while nobody looks, and what was put into them then.
@Suite("Folders that move", .onOwnThreads, .timeLimit(.minutes(3)))
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

    /// Puts something at a name on the first device, in one step.
    ///
    /// - Returns: Whether its folder is there.
    private func put(at name: String, _ make: (URL) throws -> Void) throws -> Bool {
        // Beside the container's folder: nobody looks at it there.
        let new = pair.base.appendingPathComponent("new")
        try make(new)
        guard rename(new.path, one.folder.appendingPathComponent(name).path) != 0 else { return true }
        try #require(errno == ENOENT && unlink(new.path) == 0)
        return false
    }

    @discardableResult
    private func link(_ text: String, at name: String) throws -> Bool {
        try put(at: name) { try #require(symlink(text, $0.path) == 0) }
    }

    private func write(_ text: String, to name: String) throws -> Bool {
        try put(at: name) { try Data(text.utf8).write(to: $0) }
    }

    /// Of the second device.
    private func text(ofLink name: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(
            atPath: two.folder.appendingPathComponent(name).path
        )
    }

    @Test(
        "What was put into a folder arrives, whenever the folder is renamed while it is looked at",
        arguments: 0..<24
    )
    func renamedInALook(number: Int) throws {
        let (album, book) = (
            one.folder.appendingPathComponent("album"), one.folder.appendingPathComponent("book")
        )
        let mover = Intruder(in: album, after: number) {
            if rename(album.path, book.path) != 0 { Issue.record("\(errno)") }
        }
        SystemCallObservation.add(mover)
        defer { SystemCallObservation.remove(mover) }
        // Where a look makes fewer calls, the next one makes the rest.
        var round = 0
        while !mover.isDone {
            round += 1
            let now = "round \(round)"
            guard try link(now, at: "album/l"), try write(now, to: "album/a.txt") else { break }
            pair.wait {
                mover.isDone
                    || text(ofLink: "album/l") == now && two.text("album/a.txt") == now && pair.isSettled
            }
        }
        let last = try FileManager.default.destinationOfSymbolicLink(
            atPath: book.appendingPathComponent("l").path
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
