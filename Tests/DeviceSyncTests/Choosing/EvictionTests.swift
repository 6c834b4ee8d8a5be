import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Locks
import SyncMessages
import TestThreads
import Testing

@testable import DeviceSync

/// Contents that leave one of two devices, and come back.
@Suite("Eviction", .onOwnThreads, .timeLimit(.minutes(2)))
struct EvictionTests {
    private let pair: DevicePair
    private var hub: HubInMemory { pair.hub }
    private var one: TestDevice { pair.one }
    private var two: TestDevice { pair.two }
    private let files = FileManager.default

    init() throws { pair = try DevicePair() }

    private func end() { pair.end() }

    private func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        pair.wait(location, until: condition)
    }

    private var isSettled: Bool { pair.isSettled }

    /// Has both have something, and evicts it on the second.
    private func evict(_ text: String, _ name: String) throws {
        try one.write(text, to: name)
        wait { two.text(name) == text && isSettled }
        try #require(two.running).evict(name)
        // Until then they are here all the same, and need no line.
        wait { two.said.contains(.freed) }
    }

    @Test(
        "What is copied of a placeholder is told to stand for nothing, and is the file once the original is removed",
        arguments: [false, true]
    )
    func copied(bearsMark: Bool) throws {
        try evict("text", "folder/a.txt")
        let (original, copy) = ("folder/.a.txt.icloud", "copy/.a.txt.icloud")
        try files.createDirectory(
            at: two.folder.appendingPathComponent("copy"),
            withIntermediateDirectories: false
        )
        let bytes = try Data(contentsOf: two.folder.appendingPathComponent(original))
        try bytes.write(to: two.folder.appendingPathComponent(copy))
        if bearsMark {
            let mark = try #require(try FileIdentity.mark(at: FilePath(two.path(original))))
            try FileIdentity.give(mark, toItemAt: FilePath(two.path(copy)), replacing: true)
        }
        wait { two.status?.notes.contains { $0.path == copy && $0.isLeftOut } == true && isSettled }
        wait { one.contents.keys.sorted() == ["copy", "folder", "folder/a.txt"] }
        wait { two.explanation(copy)?.next.contains("sheaf download") == true }
        try files.removeItem(at: two.folder.appendingPathComponent("folder"))
        wait { one.contents.keys.sorted() == ["copy", "copy/a.txt"] && isSettled }
        #expect(one.text("copy/a.txt") == "text")
        wait { two.status?.noteCount == 0 }
        let done = Locked<[SyncRefusal?]>([])
        _ = try #require(two.running).download("copy") { refusal in done.withLock { $0.append(refusal) } }
        wait { two.text("copy/a.txt") == "text" && done.withLock { $0 } == [nil] }
        end()
    }

    @Test("So it is if it was looked at, and sent, before all of it was written")
    func copiedSlowly() throws {
        try evict("text", "a.txt")
        let bytes = try Data(contentsOf: two.folder.appendingPathComponent(".a.txt.icloud"))
        let copy = "copy/.a.txt.icloud"
        try two.write("", to: copy)
        wait { one.contents[copy] == "" && isSettled }
        let handle = try FileHandle(forWritingTo: two.folder.appendingPathComponent(copy))
        try handle.write(contentsOf: bytes)
        try handle.close()
        wait { one.contents.keys.sorted() == ["a.txt", "copy"] && isSettled }
        wait { two.status?.notes.contains { $0.path == copy && $0.isLeftOut } == true }
        wait { two.explanation(copy)?.next.contains("sheaf download") == true }
        end()
    }

    @Test("A placeholder takes the place of an item, and the room of its contents is free")
    func placeholder() throws {
        let text = String((0..<200_000).map { _ in Character(UnicodeScalar(UInt8.random(in: 33...126))) })
        try one.write(text, to: "a.txt")
        wait { two.text("a.txt") == text && isSettled }
        // The index's log takes room of its own beside it, for as long as the disk is busy.
        let packs = two.memory.appending("vault").appending("packs")
        let before = try FolderScan.summary(of: packs, memberCountMax: 10_000)?.byteCount
        try #require(two.running).evict("a.txt")
        #expect(two.contents.keys.sorted() == [".a.txt.icloud"])
        let place = FilePath(two.folder.path).appending(".a.txt.icloud")
        let found = try #require(Placeholder(at: place))
        #expect(found.name == "a.txt" && found.byteCount == 200_000 && !found.isDirectory)
        let state = try #require(two.running?.item("a.txt"))
        #expect(state.contents == .missing && state.isUploaded && !state.isUploading)
        // In the background.
        wait {
            let now = try? FolderScan.summary(of: packs, memberCountMax: 10_000)
            return (now?.byteCount ?? .max) < (before ?? 0) - 100_000
        }
        #expect(isSettled && one.text("a.txt") == text)
        // Nothing of it is news to anybody, in another process either.
        let entryCount = hub.entryCount
        two.stop()
        try two.start()
        wait { isSettled }
        #expect(two.contents.keys.sorted() == [".a.txt.icloud"] && hub.entryCount == entryCount)
        let done = Locked<SyncRefusal??>(nil)
        _ = try #require(two.running).download("a.txt") { refusal in done.withLock { $0 = .some(refusal) } }
        wait { done.withLock { $0 } != nil }
        #expect(done.withLock { $0 } == .some(nil))
        #expect(two.contents == ["a.txt": text])
        #expect(two.running?.item("a.txt")?.contents == .current)
        try two.write("edited", to: "a.txt")
        wait { one.text("a.txt") == "edited" }
        end()
    }

    @Test(
        "What a program has open for writing stays, with all that it writes, and who it is is said",
        arguments: ["log.txt", "p.rtfd/log.txt"]
    )
    func openForWriting(name: String) throws {
        try one.write("first", to: name)
        wait { two.text(name) == "first" && isSettled }
        let file = try FileHandle(forWritingTo: two.folder.appendingPathComponent(name))
        try file.seekToEnd()
        let item = String(name.prefix { $0 != "/" })
        let refusal = #expect(throws: SyncRefusal.self) { try two.running?.evict(item) }
        #expect(refusal?.code == .inUse)
        let program = ProcessInfo.processInfo.processName.prefix(15)
        let said = refusal?.description ?? ""
        #expect(said.hasPrefix("“\(item)” stays here, as a program has it open for writing: \(program)"))
        #expect(said.hasSuffix(" Try again when it is closed there."), "\(said)")
        #expect(two.contents.keys.sorted() == one.contents.keys.sorted())
        try file.write(contentsOf: Data(" and more".utf8))
        try file.close()
        wait { one.text(name) == "first and more" && isSettled }
        try #require(two.running).evict(item)
        #expect(two.text(name) == nil)
        end()
    }

    /// Opens a file for writing just before its contents leave.
    private final class LateOpener: SystemCallObserver {
        private let path: String
        private let file = Locked<CInt>(-1)

        init(_ path: String) { self.path = path }

        func willMake(_ call: SystemCall) -> CInt {
            guard call.name == "renameat2", call.path.name.hasPrefix(".sheaf-removed-") else { return 0 }
            // Two devices have one of this name.
            guard call.path.parent.appending(FilePath(path).name).string == path else { return 0 }
            file.withLock { if $0 < 0 { $0 = open(path, O_WRONLY | O_APPEND) } }
            return 0
        }

        func didMake(_ call: SystemCall) {}

        /// - Returns: Whether it had it open.
        func writeAndClose(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return file.withLock { write($0, bytes, bytes.count) == bytes.count && close($0) == 0 }
        }
    }

    @Test("What a program opens in the moment in which it would go stays")
    func openedLate() throws {
        try one.write("first", to: "a.txt")
        wait { two.text("a.txt") == "first" && isSettled }
        let opener = LateOpener(two.path("a.txt"))
        SystemCallObservation.add(opener)
        defer { SystemCallObservation.remove(opener) }
        #expect(throws: SyncRefusal.self) { try two.running?.evict("a.txt") }
        #expect(two.contents == ["a.txt": "first"])
        #expect(opener.writeAndClose(" and more"))
        for device in [one, two] { wait { device.text("a.txt") == "first and more" } }
        wait { isSettled }
        #expect(two.contents == ["a.txt": "first and more"])
        end()
    }

    @Test("A placeholder is renamed, moved and removed as its item is, here and elsewhere")
    func followed() throws {
        try evict("text", "a.txt")
        let folder = two.folder
        func move(_ source: String, _ target: String) throws {
            try files.moveItem(
                at: folder.appendingPathComponent(source),
                to: folder.appendingPathComponent(target)
            )
        }
        try move(".a.txt.icloud", ".b.txt.icloud")
        wait { one.contents == ["b.txt": "text"] }
        try files.createDirectory(
            at: one.folder.appendingPathComponent("in"),
            withIntermediateDirectories: true
        )
        try files.moveItem(
            at: one.folder.appendingPathComponent("b.txt"),
            to: one.folder.appendingPathComponent("in/c.txt")
        )
        wait { two.contents.keys.sorted() == ["in", "in/.c.txt.icloud"] }
        // Edited elsewhere: nothing is fetched, and the placeholder says what is new.
        try one.write("a longer text", to: "in/c.txt")
        let place = FilePath(folder.path).appending("in").appending(".c.txt.icloud")
        wait { Placeholder(at: place)?.byteCount == 13 }
        // Who takes the placeholder's name for the item's gives the item that name.
        try move("in/.c.txt.icloud", "in/d.txt")
        wait { one.contents == ["in": "/", "in/d.txt": "a longer text"] }
        wait { two.contents.keys.sorted() == ["in", "in/.d.txt.icloud"] }
        let done = Locked(false)
        _ = try #require(two.running).download("in") { refusal in done.withLock { $0 = refusal == nil } }
        wait { done.withLock { $0 } }
        #expect(two.text("in/d.txt") == "a longer text")
        wait { isSettled }
        try #require(two.running).evict("in")
        try files.removeItem(at: folder.appendingPathComponent("in/.d.txt.icloud"))
        wait { one.contents == ["in": "/"] }
        end()
    }

    @Test("A package goes as a whole and comes back as it was; what is removed elsewhere goes here, too")
    func package() throws {
        try one.write("text", to: "p.rtfd/TXT.rtf")
        try one.write("picture", to: "p.rtfd/picture.png")
        wait { two.contents == one.contents && two.contents.count == 3 && isSettled }
        try #require(two.running).evict("p.rtfd")
        #expect(two.contents.keys.sorted() == [".p.rtfd.icloud"])
        #expect(Placeholder(at: FilePath(two.folder.path).appending(".p.rtfd.icloud"))?.isDirectory == true)
        let done = Locked(false)
        _ = try #require(two.running).download("p.rtfd") { refusal in done.withLock { $0 = refusal == nil } }
        wait { done.withLock { $0 } }
        #expect(two.contents == one.contents)
        wait { isSettled }
        try #require(two.running).evict("p.rtfd")
        try files.removeItem(at: one.folder.appendingPathComponent("p.rtfd"))
        wait { two.contents == [:] && isSettled }
        end()
    }

    @Test("What is not at the hub stays; what cannot be had is said, and comes with the line")
    func refused() throws {
        try evict("text", "a.txt")
        two.line.cut()
        wait { two.status?.line == .down }
        try two.write("new", to: "b.txt")
        let refusal = #expect(throws: SyncRefusal.self) { try two.running?.evict("b.txt") }
        #expect(refusal?.code == .notUploaded && two.text("b.txt") == "new")
        #expect(throws: SyncRefusal.self) { try two.running?.evict("nothing.txt") }
        let done = Locked<SyncRefusal?>(nil)
        _ = try #require(two.running).download("a.txt") { refusal in done.withLock { $0 = refusal } }
        wait { done.withLock { $0?.code } == .unreachable }
        // Asked for without waiting, it is tried again.
        _ = try #require(two.running).download("a.txt", done: nil)
        #expect(two.running?.item("a.txt")?.downloadFailure?.code == .unreachable)
        #expect(two.running?.item("a.txt")?.isDownloadRequested == true)
        two.line.mend()
        wait { two.contents == ["a.txt": "text", "b.txt": "new"] && one.contents == two.contents }
        #expect(two.running?.item("a.txt")?.isDownloadRequested == false)
        end()
    }

    @Test("A new item at the name of one whose contents are not here is another item")
    func sameName() throws {
        try evict("text", "a.txt")
        try two.write("another", to: "a.txt")
        wait { one.contents == ["a.txt": "text", "a 2.txt": "another"] }
        wait { two.contents.keys.sorted() == [".a.txt.icloud", "a 2.txt"] }
        end()
    }

    @Test("What is excluded from sync stays here, and nothing of it goes or comes")
    func excluded() throws {
        try one.write("text", to: "cache/a.txt")
        wait { two.text("cache/a.txt") == "text" && isSettled }
        var folder = two.folder.appendingPathComponent("cache", isDirectory: true)
        var values = URLResourceValues()
        values.ubiquitousItemIsExcludedFromSync = true
        try folder.setResourceValues(values)
        try two.write("own", to: "cache/b.txt")
        try two.write("marker", to: "m.txt")
        wait { one.text("m.txt") == "marker" && isSettled }
        #expect(one.contents == ["cache": "/", "cache/a.txt": "text", "m.txt": "marker"])
        let refusal = #expect(throws: SyncRefusal.self) { try two.running?.evict("cache/a.txt") }
        #expect(refusal?.code == .notUploaded)
        try files.removeItem(at: one.folder.appendingPathComponent("cache/a.txt"))
        wait { two.status?.stuck["cache/a.txt"] != nil }
        #expect(two.text("cache/a.txt") == "text")
        values.ubiquitousItemIsExcludedFromSync = false
        try folder.setResourceValues(values)
        wait { one.text("cache/b.txt") == "own" }
        end()
    }
}
