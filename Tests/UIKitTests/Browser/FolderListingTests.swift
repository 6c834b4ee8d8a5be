import DocumentFoundation
import FileSystem
import Foundation
import Testing

@testable import UIKit

/// Keeps what a listing tells, and lets a test wait until it comes to something.
@MainActor
private final class Watcher {
    private(set) var items: [String: FolderItem] = [:]
    private(set) var updateCount = 0
    private(set) var isGone = false
    private(set) var failure: BrowserError?
    private(set) var unwatched: BrowserError?
    private(set) var hasList = false
    private var listing: FolderListing?
    private var waiting: (condition: (Watcher) -> Bool, continuation: CheckedContinuation<Void, Never>)?

    init(_ id: String, of location: BrowserLocation) {
        listing = FolderListing(id, of: location) { [weak self] in self?.take($0) }
    }

    func look(at names: [String]) { listing?.look(at: names) }
    func lookAnew(at names: [String]) { listing?.lookAnew(at: names) }
    func stop() { listing?.stop() }

    /// Changes what has been told.
    func change(_ body: (inout [String: FolderItem]) -> Void) { body(&items) }

    /// Returns as soon as it holds.
    func until(_ condition: @escaping (Watcher) -> Bool) async {
        if condition(self) { return }
        await withCheckedContinuation { waiting = (condition, $0) }
    }

    private func take(_ update: FolderUpdate) {
        updateCount += 1
        switch update {
        case .listed(let listed):
            #expect(!hasList, "a second list")
            hasList = true
            for item in listed { items[item.id] = item }
        case .changed(let difference):
            #expect(hasList, "a change before the list")
            for item in difference.put { items[item.id] = item }
            for id in difference.drop { items[id] = nil }
        case .unwatched(let error): unwatched = error
        case .gone: isGone = true
        case .failed(let error): failure = error
        }
        guard let waiting, waiting.condition(self) else { return }
        self.waiting = nil
        waiting.continuation.resume()
    }
}

@Suite("FolderListing", .timeLimit(.minutes(3)))
@MainActor
struct FolderListingTests {
    let shelf: Shelf

    init() throws { shelf = try Shelf() }

    @Test("The list comes first, also of an empty folder")
    func lists() async throws {
        try shelf.makeFolder("empty")
        try shelf.write("a.txt")
        try shelf.write(".hidden")
        let (full, empty) = (Watcher("", of: shelf.location), Watcher("empty", of: shelf.location))
        await full.until { $0.hasList }
        await empty.until { $0.hasList }
        #expect(Set(full.items.keys) == ["empty", "a.txt"])
        #expect(empty.items.isEmpty)
    }

    @Test("What is made, written, renamed and removed shows by itself")
    func changes() async throws {
        try shelf.makeFolder("sub")
        let watcher = Watcher("sub", of: shelf.location)
        await watcher.until { $0.hasList }
        try shelf.write("sub/a.txt", "1")
        await watcher.until { $0.items["sub/a.txt"]?.byteCount == 1 }
        try shelf.write("sub/a.txt", "12345")
        await watcher.until { $0.items["sub/a.txt"]?.byteCount == 5 }
        try FileManager.default.moveItem(at: shelf.at("sub/a.txt"), to: shelf.at("sub/b.txt"))
        await watcher.until { $0.items.keys.sorted() == ["sub/b.txt"] }
        try shelf.makeFolder("sub/folder")
        await watcher.until { $0.items["sub/folder"]?.kind == .folder }
        try FileManager.default.moveItem(at: shelf.at("sub/b.txt"), to: shelf.at("out.txt"))
        await watcher.until { $0.items.keys.sorted() == ["sub/folder"] }
        try FileManager.default.removeItem(at: shelf.at("sub/folder"))
        await watcher.until { $0.items.isEmpty }
        try FileManager.default.moveItem(at: shelf.at("out.txt"), to: shelf.at("sub/in.txt"))
        await watcher.until { $0.items["sub/in.txt"] != nil }
    }

    @Test("A package gets its size after the list, and a new one after a change")
    func packages() async throws {
        try shelf.write("Doc.pack/deep/a.txt", "12345")
        let watcher = Watcher("", of: shelf.location)
        await watcher.until { $0.items["Doc.pack"]?.byteCount == 5 }
        try shelf.write("Doc.pack/deep/b.txt", "123")
        watcher.look(at: ["Doc.pack"])
        await watcher.until { $0.items["Doc.pack"]?.byteCount == 8 }
    }

    @Test("Who has changed the list is told again what is there and what is not")
    func doubted() async throws {
        for name in ["a.txt", "b.txt", "c.txt"] { try shelf.write(name) }
        let watcher = Watcher("", of: shelf.location)
        await watcher.until { $0.hasList }
        var ghost = try #require(watcher.items["a.txt"])
        (ghost.id, ghost.name) = ("ghost.txt", "ghost.txt")
        watcher.change {
            $0["a.txt"] = nil
            $0["b.txt"]?.byteCount = 1000
            $0["ghost.txt"] = ghost
        }
        watcher.lookAnew(at: ["a.txt", "b.txt", "ghost.txt"])
        await watcher.until { $0.items["ghost.txt"] == nil }
        #expect(watcher.items.keys.sorted() == ["a.txt", "b.txt", "c.txt"])
        #expect(watcher.items["b.txt"]?.byteCount == 1)
    }

    @Test("A burst is told in few updates, and in the end all is right")
    func bursts() async throws {
        let watcher = Watcher("", of: shelf.location)
        await watcher.until { $0.hasList }
        let before = watcher.updateCount
        // The main actor is held, so that all of it is one turn or few.
        for number in 0..<500 {
            try shelf.write("\(number).txt")
            if number.isMultiple(of: 2) { try FileManager.default.removeItem(at: shelf.at("\(number).txt")) }
        }
        try shelf.write("last.txt")
        await watcher.until { $0.items["last.txt"] != nil && $0.items.count == 251 }
        #expect(watcher.updateCount - before <= 50)
    }

    @Test("A folder that vanishes, or is renamed, is told gone", arguments: [true, false])
    func vanishes(removed: Bool) async throws {
        try shelf.write("sub/a.txt")
        let watcher = Watcher("sub", of: shelf.location)
        await watcher.until { $0.hasList }
        if removed {
            try FileManager.default.removeItem(at: shelf.at("sub"))
        } else {
            try FileManager.default.moveItem(at: shelf.at("sub"), to: shelf.at("other"))
        }
        await watcher.until { $0.isGone }
        #expect(watcher.failure == nil)
    }

    @Test("A folder that was never there is gone, and one outside cannot be listed")
    func never() async throws {
        let missing = Watcher("none", of: shelf.location)
        await missing.until { $0.isGone }
        try shelf.write("a.txt")
        let file = Watcher("a.txt", of: shelf.location)
        await file.until { $0.failure != nil }
        #expect(file.failure?.code == .notFolder)
        let outside = Watcher("../outside", of: shelf.location)
        await outside.until { $0.failure != nil }
        #expect(outside.failure?.code == .notInLocation)
    }

    @Test("Moves that are seen are told to bookmarks; what a save puts in place is no move")
    func moves() async throws {
        for name in ["a.txt", ".hidden", "f/inner.txt"] { try shelf.write(name) }
        let (moves, continuation) = AsyncStream.makeStream(of: (source: String?, target: String).self)
        let core = FolderWatcher(
            folderID: "",
            location: shelf.location,
            outbox: FolderOutbox { if case .listed = $0 { continuation.yield((nil, "listed")) } },
            moved: { continuation.yield(($0?.name, $1.name)) }
        )
        core.start()
        var iterator = moves.makeAsyncIterator()
        #expect(await iterator.next()?.target == "listed")
        let root = shelf.location.root
        for (source, target) in [
            ("a.txt", "b.txt"), (".hidden", "b.txt"), ("f/inner.txt", "inner.txt"), ("f", "g"),
        ] {
            #expect(rename(root.appending(source).string, root.appending(target).string) == 0)
        }
        var told: [String] = []
        while told.count < 3, let move = await iterator.next() {
            told.append("\(move.source ?? "elsewhere") \(move.target)")
        }
        #expect(told == ["a.txt b.txt", "elsewhere inner.txt", "f g"])
        core.stop()
    }

    @Test("A folder that cannot be watched is listed all the same, and that is told")
    func unwatched() async throws {
        try shelf.write("a.txt")
        let (updates, continuation) = AsyncStream<FolderUpdate>.makeStream()
        let core = FolderWatcher(
            folderID: "",
            location: shelf.location,
            outbox: FolderOutbox { continuation.yield($0) },
            makeWatch: { path, _, _ in try DirectoryWatch(path.appending("none"), on: .main) { _ in } }
        )
        core.start()
        var iterator = updates.makeAsyncIterator()
        guard case .listed(let items) = await iterator.next() else {
            Issue.record("no list")
            return
        }
        #expect(items.map(\.id) == ["a.txt"])
        guard case .unwatched(let error) = await iterator.next() else {
            Issue.record("not told")
            return
        }
        #expect(error.code == .unwatched)
        try shelf.write("b.txt")
        core.look(at: ["b.txt"])
        guard case .changed(let difference) = await iterator.next() else {
            Issue.record("not looked")
            return
        }
        #expect(difference.put.map(\.id) == ["b.txt"])
        core.stop()
    }

    @Test("After a stop nothing is told")
    func stops() async throws {
        let (stopped, other) = (Watcher("", of: shelf.location), Watcher("", of: shelf.location))
        await stopped.until { $0.hasList }
        await other.until { $0.hasList }
        stopped.stop()
        try shelf.write("a.txt")
        await other.until { $0.items["a.txt"] != nil }
        // The other has been told later than the stopped one would have been, or just before: one more round.
        try shelf.write("b.txt")
        await other.until { $0.items["b.txt"] != nil }
        #expect(stopped.items.isEmpty)
    }

    @Test("A save in place of a document shows as one change, and its staging never")
    func saves() async throws {
        try shelf.write("a.txt", "1")
        let watcher = Watcher("", of: shelf.location)
        await watcher.until { $0.hasList }
        let save = try StagedSave(item: FilePath(shelf.at("a.txt").path))
        try save.write(Data("1234".utf8))
        _ = try save.commit()
        await watcher.until { $0.items["a.txt"]?.byteCount == 4 }
        #expect(Set(watcher.items.keys) == ["a.txt"])
    }

    @Test("Deeds show in a listing that is open")
    func deeds() async throws {
        try shelf.write("a.txt", "1")
        let watcher = Watcher("", of: shelf.location)
        await watcher.until { $0.hasList }
        let operations = FolderOperations(location: shelf.location)
        _ = await operations.duplicate(["a.txt"])
        await watcher.until { $0.items["a 2.txt"] != nil }
        _ = try await operations.rename("a 2.txt", to: "b", showsExtension: false)
        await watcher.until { Set($0.items.keys) == ["a.txt", "b.txt"] }
    }

    @Test("Many entries are listed quickly")
    func many() async throws {
        let count = 20_000
        for number in 0..<count {
            let fd = open(shelf.at("\(number).txt").path, O_CREAT | O_WRONLY, 0o600)
            #expect(fd >= 0)
            close(fd)
        }
        let start = ContinuousClock.now
        let watcher = Watcher("", of: shelf.location)
        await watcher.until { $0.hasList }
        print("FolderListing: \(count) entries in \(ContinuousClock.now - start)")
        #expect(watcher.items.count == count)
    }
}
