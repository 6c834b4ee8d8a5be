import DocumentTesting
import FileSystem
import Foundation
import Sync
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// What becomes of files that have nothing in them when a device starts again.
@Suite("Files that a power cut has left blank", .onOwnThreads, .timeLimit(.minutes(2)))
struct PowerCutTests {
    private func url(_ name: String, on device: TestDevice) -> URL {
        device.folder.appendingPathComponent(name)
    }

    /// Has nothing be in a file but what a file system may leave there.
    private func blank(_ name: String, on device: TestDevice, zeroCount: Int = 0) throws {
        let file = try FileHandle(forWritingTo: url(name, on: device))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(count: zeroCount))
        try file.close()
    }

    private func isBlank(_ text: String?) -> Bool { text?.utf8.allSatisfy { $0 == 0 } == true }

    @Test(
        "After a cut a blank file is what it was again, and no other device hears of the blank, which is a version",
        arguments: [0, 4, 4096],
        [false, true]
    )
    func restored(zeroCount: Int, isOffline: Bool) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "a.txt")
        try one.write("other", to: "b.txt")
        pair.wait { two.text("b.txt") == "other" && two.text("a.txt") == "text" && pair.isSettled }
        let count = pair.hub.entryCount
        try two.cutPower()
        try blank("a.txt", on: two, zeroCount: zeroCount)
        // What somebody has written in earnest is an edit.
        try two.write("edited", to: "b.txt")
        if isOffline { two.goOffline() }
        try two.start()
        #expect(two.text("a.txt") == "text")
        #expect(two.said.contains(.repaired(path: "a.txt")))
        if isOffline { two.goOnline() }
        pair.wait { one.text("b.txt") == "edited" && pair.isSettled }
        #expect(pair.hub.entryCount == count + 1)
        #expect(one.text("a.txt") == "text" && two.text("a.txt") == "text")
        let formers = try two.formerTexts(of: "a.txt")
        #expect(formers.count == 1 && isBlank(formers.first), "\(formers)")
        #expect(try one.formerTexts(of: "a.txt") == [])
        // It is over with the first look: who empties it now means it.
        try blank("a.txt", on: two)
        pair.wait { one.text("a.txt") == "" && pair.isSettled }
        pair.end()
    }

    @Test("After a clean end, and in the same boot, a blank file is an edit", arguments: [true, false])
    func edit(isCleanEnd: Bool) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        if isCleanEnd {
            two.stop()
            two.reboot()
        } else {
            try two.killAbruptly()
        }
        try blank("a.txt", on: two)
        try two.start()
        pair.wait { one.text("a.txt") == "" && pair.isSettled }
        #expect(two.text("a.txt") == "")
        #expect(try two.formerTexts(of: "a.txt") == ["text"])
        pair.end()
    }

    /// Two devices, the second of which has had its power cut, after which a document is blank that its vault has lent: what is
    /// gone from the file is gone from the vault.
    ///
    /// - Returns: With what the document held, and how many entries the log has.
    private func blankLent() throws -> (pair: DevicePair, text: String, count: Int) {
        var room = ContainerSync.Room()
        room.lentByteCountMin = 1
        let pair = try DevicePair(room: room)
        let text = String(repeating: "text ", count: 4000)
        try pair.one.write(text, to: "a.txt")
        pair.wait { pair.two.text("a.txt") == text && pair.isSettled }
        let count = pair.hub.entryCount
        try pair.two.cutPower()
        try blank("a.txt", on: pair.two, zeroCount: text.utf8.count)
        return (pair, text, count)
    }

    @Test(
        "What the vault has not is waited for, over another start too, and nothing of the blank goes to the hub before"
    )
    func waits() throws {
        let (pair, text, count) = try blankLent()
        let (one, two) = (pair.one, pair.two)
        two.line.cut()
        for _ in 0..<2 {
            try two.start()
            #expect(two.status?.stuck["a.txt"]?.contains("power cut") == true)
            #expect(two.explain(url("a.txt", on: two)).contains { $0.contains("power cut") })
            #expect(two.explain(url("a.txt", on: two)).contains { $0.contains("when the hub answers") })
            #expect(two.status?.isSettled == false)
            #expect(isBlank(two.text("a.txt")))
            // A clean end does not make an edit of it.
            two.stop()
        }
        try two.start()
        two.goOnline()
        pair.wait { two.text("a.txt") == text && pair.isSettled }
        #expect(pair.hub.entryCount == count)
        #expect(one.text("a.txt") == text)
        #expect(try isBlank(two.formerTexts(of: "a.txt").first))
        pair.end()
    }

    /// Has it look as if the device had written something down long after all else.
    private func writeDownLater(on device: TestDevice) throws {
        let folder = device.memoryFolder
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix(DeviceMemory.fileName) {
            let date: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: 3600)]
            try FileManager.default.setAttributes(
                date,
                ofItemAtPath: folder.appendingPathComponent(name).path
            )
        }
    }

    @Test(
        "In a folder that nobody can look into at first a blank file is what it was again, and who empties one later means it",
        arguments: [true, false]
    )
    func blindFolder(isUnreadable: Bool) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let files = ["album/a.txt", "album/b.txt"]
        for name in files { try one.write("text", to: name) }
        pair.wait { files.allSatisfy { two.text($0) == "text" } && pair.isSettled }
        let count = pair.hub.entryCount
        try two.cutPower()
        try blank("album/a.txt", on: two)
        // Not even what looks as it did is read then.
        try writeDownLater(on: two)
        let album = url("album", on: two)
        let kernel = UnwatchedFolder(album, EIO)
        if isUnreadable { try two.breakDisk(.reading, at: album) } else { SystemCallObservation.add(kernel) }
        defer { if !isUnreadable { SystemCallObservation.remove(kernel) } }
        try two.start()
        pair.wait { two.status?.stuck["album"] != nil && two.status?.line == .up }
        if isUnreadable {
            two.mendDisk()
        } else {
            kernel.end()
            two.tryAgain()
        }
        pair.wait { two.text("album/a.txt") == "text" && pair.isSettled }
        #expect(pair.hub.entryCount == count && one.text("album/a.txt") == "text")
        #expect(two.said.contains(.repaired(path: "album/a.txt")))
        // It is over with the first look into it, and the end that comes is a clean one.
        try blank("album/b.txt", on: two)
        pair.wait { one.text("album/b.txt") == "" && pair.isSettled }
        two.stop()
        two.reboot()
        try blank("album/a.txt", on: two)
        try two.start()
        pair.wait { one.text("album/a.txt") == "" && pair.isSettled }
        pair.end()
    }

    @Test(
        "What the vault has not, and others have edited meanwhile, is had from the hub all the same, and becomes what they made"
    )
    func editedElsewhere() throws {
        let (pair, _, count) = try blankLent()
        let (one, two) = (pair.one, pair.two)
        try one.write("edited", to: "a.txt")
        #expect(one.wait { pair.hub.entryCount > count && one.status?.isSettled == true })
        try two.start()
        pair.wait { two.text("a.txt") == "edited" && pair.isSettled }
        // Nobody has heard of the blank, and nothing is in conflict with it.
        #expect(pair.hub.entryCount == count + 1 && one.text("a.txt") == "edited")
        #expect(two.said.contains(.repaired(path: "a.txt")))
        #expect(try one.conflicts("a.txt") == [] && two.conflicts("a.txt") == [])
        #expect(try two.formerTexts(of: "a.txt").contains { isBlank($0) })
        pair.end()
    }

    @Test(
        "What only begins with zeros is not blank: it stays as an edit, and comes again as damage",
        arguments: [true, false]
    )
    func zerosFirst(isDamaged: Bool) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        let text = String(repeating: "\0", count: 64 << 10) + "text"
        let former = isDamaged ? text : "former"
        try one.write(former, to: "a.bin")
        pair.wait { two.text("a.bin") == former && pair.isSettled }
        let count = pair.hub.entryCount
        try two.cutPower()
        if isDamaged { try blank("a.bin", on: two) } else { try two.write(text, to: "a.bin") }
        try two.start()
        pair.wait { one.text("a.bin") == text && two.text("a.bin") == text && pair.isSettled }
        #expect(pair.hub.entryCount == (isDamaged ? count : count + 1))
        #expect(two.said.contains(.repaired(path: "a.bin")) == isDamaged)
        pair.end()
    }

    @Test("A member of a package comes again, and what was edited in the package beside it is an edit")
    func member() throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        for (name, text) in [("TXT.rtf", "text"), ("deep/b.txt", "b"), ("c.txt", "c"), ("empty", "")] {
            try one.write(text, to: "a.rtfd/\(name)")
        }
        pair.wait {
            two.text("a.rtfd/c.txt") == "c" && two.text("a.rtfd/deep/b.txt") == "b" && pair.isSettled
        }
        try two.cutPower()
        try blank("a.rtfd/TXT.rtf", on: two, zeroCount: 4)
        try blank("a.rtfd/deep/b.txt", on: two)
        try two.write("edited", to: "a.rtfd/c.txt")
        try two.start()
        #expect(two.text("a.rtfd/TXT.rtf") == "text" && two.text("a.rtfd/deep/b.txt") == "b")
        pair.wait { one.text("a.rtfd/c.txt") == "edited" && pair.isSettled }
        #expect(one.text("a.rtfd/TXT.rtf") == "text" && one.text("a.rtfd/deep/b.txt") == "b")
        #expect(one.text("a.rtfd/empty") == "" && two.text("a.rtfd/empty") == "")
        #expect(two.said.contains(.repaired(path: "a.rtfd")))
        pair.end()
    }

    @Test(
        "What looks in all as the file did that was in step, and holds something else, is found, too",
        arguments: ["\0\0\0\0", "te\0\0"]
    )
    func sameTrace(damaged: String) throws {
        let pair = try DevicePair()
        let (one, two) = (pair.one, pair.two)
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && pair.isSettled }
        try two.cutPower()
        let count = pair.hub.entryCount
        try Data(damaged.utf8).write(to: url("a.txt", on: two))
        // The kernel had noted all of it but the bytes.
        do {
            let memory = try DeviceMemory(in: try StorageFolder(at: two.memory))
            let table = try memory.folder()
            let item = try #require(table.items.all.first { $0.value.state.place.name == "a.txt" }?.key)
            var seen = try #require(table[item])
            let path = FilePath(two.folder.appendingPathComponent("a.txt").path)
            seen.trace = ItemTrace(try #require(try FolderScan.status(at: path)))
            var changes = DeviceMemory.Changes()
            changes.items[item] = .some(seen)
            try memory.write(changes)
            memory.release()
        }
        try two.start()
        #expect(two.text("a.txt") == "text")
        pair.wait { pair.isSettled }
        #expect(one.text("a.txt") == "text")
        #expect(pair.hub.entryCount == count)
        #expect(try two.formerTexts(of: "a.txt") == [damaged])
        pair.end()
    }

    @Test("What was empty stays so, and what a person deletes while it waits is deleted")
    func others() throws {
        var room = ContainerSync.Room()
        room.lentByteCountMin = 1
        let pair = try DevicePair(room: room)
        let (one, two) = (pair.one, pair.two)
        try one.write("", to: "empty.txt")
        try one.write("text", to: "a.txt")
        pair.wait { two.text("a.txt") == "text" && two.text("empty.txt") == "" && pair.isSettled }
        try two.cutPower()
        try blank("a.txt", on: two)
        two.line.cut()
        try two.start()
        #expect(two.status?.stuck.keys.sorted() == ["a.txt"])
        try FileManager.default.removeItem(at: url("a.txt", on: two))
        #expect(two.wait { two.status?.stuck.isEmpty == true })
        two.goOnline()
        pair.wait { one.text("a.txt") == nil && pair.isSettled }
        #expect(one.text("empty.txt") == "" && two.text("empty.txt") == "")
        pair.end()
    }

    @Test("How the process before ended is told by what it left and by the boot")
    func ends() {
        #expect(FormerEnd(mark: nil, boot: [1]) == .clean)
        #expect(FormerEnd(mark: [], boot: [1]) == .clean)
        #expect(FormerEnd(mark: [1], boot: [1]) == .killed)
        #expect(FormerEnd(mark: [1], boot: [2]) == .cut)
        // Where nobody can say which boot it is, nothing counts as damaged.
        #expect(FormerEnd(mark: [1], boot: []) == .killed)
        #expect(Boot.name().count > 30 && Boot.name() == Boot.name())
    }
}
