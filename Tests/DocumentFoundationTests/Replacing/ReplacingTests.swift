import Dispatch
import DocumentFoundation
import FileSystem
import Foundation
import TestFolders
import Testing

@Suite("FileManager.replaceItem")
struct ReplacingTests {
    private let folder: TestFolder
    private let files = FileManager.default

    init() throws { folder = try TestFolder("replacing") }

    private func write(_ name: String, _ text: String) throws -> URL {
        let url = folder.url.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url
    }

    private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    private var names: [String] {
        get throws { try files.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    @Test("A file is replaced by each spelling, and what results is where the original was")
    func spellings() throws {
        let note = try write("note.txt", "0")
        var resulting: NSURL?
        try files.replaceItem(
            at: note,
            withItemAt: write("new", "1"),
            backupItemName: nil,
            resultingItemURL: &resulting
        )
        #expect(resulting?.path == note.path)
        #expect(try text(note) == "1")
        try files.replaceItem(
            at: note,
            withItemAt: write("new", "2"),
            backupItemName: nil,
            resultingItemURL: nil
        )
        #expect(try text(note) == "2")
        #expect(try files.replaceItemAt(note, withItemAt: write("new", "3"))?.path == note.path)
        #expect(try text(note) == "3")
        #expect(try names == ["note.txt"])
    }

    @Test(
        "In an async function each closure of one expression replaces, and with each argument that may be left out"
    )
    func closuresOfOneExpression() async throws {
        let note = try write("note.txt", "0")
        let (new, name, queue) = (
            folder.url.appendingPathComponent("new"), String?.none, DispatchQueue(label: "replacing")
        )
        func replaces(
            sourceLocation: SourceLocation = #_sourceLocation,
            _ replace: () async throws -> Void
        ) async throws {
            _ = try write("new", "\(sourceLocation.line)")
            try await replace()
            #expect(try text(note) == "\(sourceLocation.line)", sourceLocation: sourceLocation)
            #expect(try names == ["note.txt"], sourceLocation: sourceLocation)
        }
        try await replaces { _ = try files.replaceItemAt(note, withItemAt: new) }
        try await replaces {
            NSFileCoordinator().coordinate(writingItemAt: note, options: .forReplacing, error: nil) { place in
                _ = try? FileManager.default.replaceItemAt(place, withItemAt: new)
            }
        }
        try await replaces {
            _ = try await Task { try FileManager.default.replaceItemAt(note, withItemAt: new) }.value
        }
        try await replaces {
            _ = try await Task.detached { try FileManager.default.replaceItemAt(note, withItemAt: new) }.value
        }
        try await replaces {
            _ = try Result { try files.replaceItemAt(note, withItemAt: new, backupItemName: nil) }.get()
        }
        try await replaces {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    _ = try FileManager.default.replaceItemAt(note, withItemAt: new, options: [])
                }
                try await group.waitForAll()
            }
        }
        try await replaces {
            _ = try await MainActor.run { try FileManager.default.replaceItemAt(note, withItemAt: new) }
        }
        try await replaces {
            try [new].forEach {
                _ = try files.replaceItemAt(note, withItemAt: $0, backupItemName: name, options: [])
            }
        }
        try await replaces {
            await withCheckedContinuation { goOn in
                queue.async { _ = try? FileManager.default.replaceItemAt(note, withItemAt: new) }
                queue.async { goOn.resume() }
            }
        }
        try await replaces { try [files.replaceItemAt].forEach { _ = try $0(note, new, name, []) } }
    }

    @Test("A bookmark of the original leads to what has taken its place, unless its metadata was left behind")
    func bookmarks() throws {
        let note = try write("note.txt", "0")
        let bookmark = try note.bookmarkData()
        _ = try files.replaceItemAt(note, withItemAt: write("new", "1"))
        let moved = folder.url.appendingPathComponent("moved.txt")
        try files.moveItem(at: note, to: moved)
        var isStale = false
        let found = try URL(resolvingBookmarkData: bookmark, bookmarkDataIsStale: &isStale)
        #expect(found.path == moved.resolvingSymlinksInPath().path)
    }

    @Test("A backup is kept only when it is to stay; else what has its name is let alone")
    func backups() throws {
        let (note, other) = (try write("note.txt", "0"), try write("before.txt", "other"))
        _ = try files.replaceItemAt(note, withItemAt: write("new", "1"), backupItemName: "before.txt")
        #expect(try text(other) == "other")
        _ = try files.replaceItemAt(
            note,
            withItemAt: write("new", "2"),
            backupItemName: "before.txt",
            options: .withoutDeletingBackupItem
        )
        #expect(try text(other) == "1")
        #expect(try text(note) == "2")
        #expect(try names == ["before.txt", "note.txt"])
    }

    @Test("What cannot be done is Apple's error with the kernel's underneath, and nothing has changed")
    func errors() throws {
        let (note, none) = (try write("note.txt", "0"), folder.url.appendingPathComponent("none"))
        for (original, new) in [(none, note), (note, none)] {
            let error = #expect(throws: CocoaError.self) {
                _ = try files.replaceItemAt(original, withItemAt: new)
            }
            #expect(error?.code == .fileNoSuchFile)
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(ENOENT))
            #expect(error?.userInfo["NSFileOriginalItemLocationKey"] == nil)
        }
        let page = try #require(URL(string: "https://example.org/a"))
        let error = #expect(throws: CocoaError.self) { _ = try files.replaceItemAt(page, withItemAt: note) }
        #expect(error?.code == .fileWriteUnsupportedScheme)
        var resulting: NSURL?
        #expect(throws: CocoaError.self) {
            try files.replaceItem(
                at: none,
                withItemAt: note,
                backupItemName: nil,
                resultingItemURL: &resulting
            )
        }
        #expect(resulting == nil)
        #expect(try names == ["note.txt"])
    }

    @Test("An original that cannot be removed is where the error says, and the new one is in place")
    func location() throws {
        let note = try write("note.txt", "0")
        let new = try write("new", "1")
        let error = #expect(throws: CocoaError.self) {
            try SystemCallObservation.withObserver(RefusesRemoval()) {
                _ = try files.replaceItemAt(note, withItemAt: new)
            }
        }
        #expect((error?.userInfo["NSFileOriginalItemLocationKey"] as? URL)?.path == new.path)
        #expect(try text(note) == "1")
        #expect(try text(new) == "0")
    }
}

/// A folder from which nothing can be removed.
private struct RefusesRemoval: SystemCallObserver {
    func willMake(_ call: SystemCall) -> CInt { call.name == "unlinkat" ? EPERM : 0 }
    func didMake(_ call: SystemCall) {}
}
