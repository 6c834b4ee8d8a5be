import DocumentTesting
import FileSystem
import Foundation
import Glibc
import Locks
import TestThreads
import Testing

@testable import DeviceSync

/// Hard links in the folder of a device.
@Suite("Files with several names, on two devices", .onOwnThreads, .timeLimit(.minutes(2)))
struct SeveralNamesTests {
    private let pair: DevicePair
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }

    init() throws { pair = try DevicePair() }

    private func link(_ name: String, _ other: String) throws {
        try #require(Glibc.link(one.path(name), one.path(other)) == 0, "\(errno)")
    }

    /// Writes into a file without making another of it.
    private func append(_ text: String, to name: String) throws {
        let file = try FileHandle(forWritingTo: one.folder.appendingPathComponent(name))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    @Test(
        "Each name is a file elsewhere; here none gets another name, and what is written under one counts for all"
    )
    func names() throws {
        try one.write("text", to: "x.txt")
        try one.write("other", to: "folder/z.txt")
        pair.expectBoth(["x.txt": "644 text", "folder": "755 folder", "folder/z.txt": "644 other"])
        try link("x.txt", "y.txt")
        try link("x.txt", "folder/x again.txt")
        var expected = [
            "x.txt": "644 text", "y.txt": "644 text", "folder": "755 folder", "folder/z.txt": "644 other",
            "folder/x again.txt": "644 text",
        ]
        pair.expectBoth(expected)
        try pair.expectRest()
        #expect(try one.inode("x.txt") == one.inode("folder/x again.txt"))
        for name in ["y.txt", "folder/x again.txt"] {
            try append(" and more", to: name)
            for linked in ["x.txt", "y.txt", "folder/x again.txt"] { expected[linked]? += " and more" }
            pair.expectBoth(expected)
        }
        // Named otherwise, each is still what it was.
        let entryCount = pair.hub.entryCount
        try FileManager.default.moveItem(atPath: one.path("y.txt"), toPath: one.path("folder/y.txt"))
        expected["folder/y.txt"] = expected.removeValue(forKey: "y.txt")
        pair.expectBoth(expected)
        #expect(pair.hub.entryCount == entryCount + 1)
        try pair.expectRest()
        #expect(try one.inode("x.txt") == one.inode("folder/y.txt"))
        pair.end()
    }

    /// A vault whose packs nothing can be added to.
    private final class FullPacks: SystemCallObserver {
        let refusalCount = Locked(0)
        private let folder: String

        init(_ folder: FilePath) { self.folder = folder.string }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "write", call.path.string.hasPrefix(folder + "/") else { return 0 }
            refusalCount.withLock { $0 += 1 }
            return ENOSPC
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "A file that cannot be kept is tried again now and then, not under each of its names in turn without end"
    )
    func unkept() throws {
        try one.write("text", to: "a/x.txt")
        try one.makeFolder("b")
        try link("a/x.txt", "b/y.txt")
        var expected = ["a": "755 folder", "a/x.txt": "644 text", "b": "755 folder", "b/y.txt": "644 text"]
        pair.expectBoth(expected)
        try pair.expectRest()
        let full = FullPacks(one.memory.appending("vault/packs"))
        SystemCallObservation.add(full)
        try append(" and more", to: "a/x.txt")
        #expect(one.wait { full.refusalCount.withLock { $0 } > 0 })
        #expect(!one.wait(seconds: 1) { full.refusalCount.withLock { $0 } > 10 })
        SystemCallObservation.remove(full)
        for name in ["a/x.txt", "b/y.txt"] { expected[name] = "644 text and more" }
        pair.expectBoth(expected)
        pair.end()
    }

    @Test("Names are removed and changed one by one, here and elsewhere, whichever was first")
    func removed() throws {
        try one.write("text", to: "x.txt")
        pair.expectBoth(["x.txt": "644 text"])
        try one.makeFolder("folder")
        for name in ["y.txt", "z.txt", "folder/w.txt"] { try link("x.txt", name) }
        var expected = [
            "x.txt": "644 text", "y.txt": "644 text", "z.txt": "644 text", "folder": "755 folder",
            "folder/w.txt": "644 text",
        ]
        pair.expectBoth(expected)
        // The name that bears the mark goes; another has it from then on.
        try FileManager.default.removeItem(atPath: one.path("x.txt"))
        expected["x.txt"] = nil
        pair.expectBoth(expected)
        try append(", more", to: "folder/w.txt")
        for name in ["y.txt", "z.txt", "folder/w.txt"] { expected[name] = "644 text, more" }
        pair.expectBoth(expected)
        // Elsewhere they are files of their own.
        try two.write("changed", to: "y.txt")
        expected["y.txt"] = "644 changed"
        pair.expectBoth(expected)
        try FileManager.default.removeItem(atPath: two.path("z.txt"))
        expected["z.txt"] = nil
        pair.expectBoth(expected)
        try append(" and more", to: "folder/w.txt")
        expected["folder/w.txt"] = "644 text, more and more"
        pair.expectBoth(expected)
        try FileManager.default.removeItem(atPath: one.path("folder/w.txt"))
        expected["folder/w.txt"] = nil
        pair.expectBoth(expected)
        try pair.expectRest()
        pair.end()
    }

    @Test("A document in whose place another's name is put stays that document")
    func linkedOver() throws {
        try one.write("text", to: "x.txt")
        try one.write("other", to: "y.txt")
        pair.expectBoth(["x.txt": "644 text", "y.txt": "644 other"])
        let entryCount = pair.hub.entryCount
        try link("x.txt", ".new")
        #expect(rename(one.path(".new"), one.path("y.txt")) == 0)
        pair.expectBoth(["x.txt": "644 text", "y.txt": "644 text"])
        try pair.expectRest()
        try append(" and more", to: "x.txt")
        pair.expectBoth(["x.txt": "644 text and more", "y.txt": "644 text and more"])
        #expect(pair.hub.entryCount <= entryCount + 5, "\(pair.hub.entryCount - entryCount)")
        pair.end()
    }

    @Test("The contents of one name leave the device, and the others stay what they are")
    func evicted() throws {
        try one.write("text", to: "x.txt")
        pair.expectBoth(["x.txt": "644 text"])
        try link("x.txt", "y.txt")
        pair.expectBoth(["x.txt": "644 text", "y.txt": "644 text"])
        try one.evict(one.folder.appendingPathComponent("x.txt"))
        try append(" and more", to: "y.txt")
        let isSo = two.wait { two.contents == ["x.txt": "text", "y.txt": "text and more"] }
        #expect(isSo, "\(two.contents); \(one.said) and \(two.said)")
        #expect(one.contents.keys.sorted() == [".x.txt.icloud", "y.txt"])
        pair.end()
    }
}
