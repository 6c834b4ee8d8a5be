import DocumentFoundation
import Foundation
import Locks
import Testing
import UIKit

@testable import UIKit

/// What becomes of a document whose file others move and remove without a word.
@Suite("UIDocument and uncoordinated moves", .timeLimit(.minutes(2)))
@MainActor
struct OutsideMoveTests {
    let playground: Playground
    /// What no other test's file holds: a lone file of the same bytes on another volume may be taken for a copy of one that is
    /// gone.
    private let old = "old \(UUID().uuidString)"
    private let new = "new \(UUID().uuidString)"

    init() throws {
        playground = try Playground()
    }

    private func opened(_ name: String = "a.txt") async throws -> TextDocument {
        let document = TextDocument(fileURL: try playground.put(old, at: name))
        #expect(await document.open())
        return document
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(at: playground[name], withIntermediateDirectories: true)
    }

    /// What mv(1) does on one volume.
    private func move(_ source: String, _ target: String) {
        #expect(rename(playground[source].path, playground[target].path) == 0)
    }

    @Test("A file that is there again when its end is noted is not taken for gone, and what it holds is read")
    func backAlready() async throws {
        let document = TextDocument(fileURL: try playground.put(old, at: "a.txt"))
        #expect(await document.open())
        try FileManager.default.removeItem(at: document.fileURL)
        _ = try playground.put(new, at: "a.txt")
        document.noteFileGone()
        #expect(!document.isFileDeleted)
        await wait(for: document) { document.text == new }
        await document.close()
    }

    @Test("News of a deletion does not close a document whose file is there again: it reads it")
    func backWhenTold() async throws {
        let document = try await opened()
        try FileManager.default.removeItem(at: document.fileURL)
        _ = try playground.put(new, at: "a.txt")
        await withCheckedContinuation { continuation in
            OutsideDeletion.$isTold.withValue(true) {
                document.accommodatePresentedItemDeletion { _ in continuation.resume() }
            }
        }
        await wait(for: document) { document.text == new }
        #expect(document.documentState == .normal)
        #expect(!document.isFileDeleted)
        await document.close()
    }

    @Test("A document follows its file when a shell renames it, and saves to the new name")
    func renamed() async throws {
        let document = try await opened()
        move("a.txt", "b.txt")
        await wait(for: document) { document.fileURL.lastPathComponent == "b.txt" }
        #expect(document.localizedName == "b")
        document.type("after")
        #expect(await document.close())
        #expect(try playground.names == ["b.txt"])
        #expect(try playground.text("b.txt") == "after")
        #expect(document.loads == 1)
    }

    @Test(
        "Of a package that a shell renames, members that nobody had read are read and saved where it is now"
    )
    func renamedPackage() async throws {
        try makeFolder("Book.book")
        _ = try playground.put("one", at: "Book.book/a.txt")
        let document = MemberDocument(fileURL: playground["Book.book"])
        #expect(await document.open())
        move("Book.book", "Other.book")
        await wait(for: document) { document.fileURL.lastPathComponent == "Other.book" }
        #expect(document.text(of: "a.txt") == "one")
        document.write("two", to: "b.txt")
        #expect(await document.close())
        #expect(try playground.names == ["Other.book"])
        #expect(try playground.text("Other.book/a.txt") == "one")
        #expect(try playground.text("Other.book/b.txt") == "two")
    }

    /// An editor's steps, each seen before the next.
    @Test(
        "A document that has followed its file away goes back to its name when something new is there at once",
        arguments: [(folder: "", isRemoved: false), ("", true), ("away/", true)]
    )
    func slowSave(folder: String, isRemoved: Bool) async throws {
        if !folder.isEmpty { try makeFolder(folder) }
        let (document, name, other) = try await promptly(withinSeconds: 1.5) { attempt in
            let (name, other) = ("a\(attempt).txt", folder + "b\(attempt).txt")
            let document = try await opened(name)
            move(name, other)
            await wait(for: document) { document.fileURL == playground[other] }
            _ = try playground.put(new, at: name)
            if isRemoved { try FileManager.default.removeItem(at: playground[other]) }
            return (document, name, other)
        }
        await wait(for: document) { document.fileURL == playground[name] && document.text == new }
        #expect(!document.isFileDeleted)
        document.type("after")
        #expect(await document.close())
        #expect(try playground.text(name) == "after")
        if !isRemoved { #expect(try playground.text(other) == old) }
    }

    @Test(
        "A save to the old name, asked for just when the document has followed its file, goes to the new one"
    )
    func savedToOldName() async throws {
        // So long a save to the old name is meant for the document.
        let (document, old, name) = try await promptly(withinSeconds: 4) { attempt in
            let (old, name) = ("a\(attempt).txt", "b\(attempt).txt")
            let document = try await opened(old)
            move(old, name)
            await wait(for: document) { document.fileURL == playground[name] }
            document.type("unsaved")
            #expect(await document.save(to: playground[old], for: .forOverwriting))
            return (document, old, name)
        }
        #expect(try playground.text(name) == "unsaved")
        // What a save has staged is removed after its handler was called, and before a close is over.
        await document.close()
        #expect(try !playground.names.contains { $0 == old || $0.hasPrefix(".") })
    }

    @Test("The document's activity says where it is, also after a move")
    func activity() async throws {
        let document = try await opened()
        let activity = NSUserActivity(activityType: "editing")
        document.userActivity = activity
        #expect(activity.userInfo?[UIDocument.userActivityURLKey] as? URL == playground["a.txt"])
        #expect(activity.needsSave)
        activity.needsSave = false
        move("a.txt", "b.txt")
        await wait(for: document) { document.fileURL == playground["b.txt"] && activity.needsSave }
        #expect(activity.userInfo?[UIDocument.userActivityURLKey] as? URL == playground["b.txt"])
        activity.needsSave = false
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(!activity.needsSave)
        await document.close()
    }

    @Test("A save right after the renaming goes to the new name: the old one does not come back")
    func savedAtOnce() async throws {
        let document = try await opened()
        document.type("unsaved")
        move("a.txt", "b.txt")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("b.txt") == "unsaved")
        await document.close()
        #expect(try playground.names == ["b.txt"])
    }

    @Test("A document follows when the folder above is renamed, or moved into another")
    func parentMoved() async throws {
        try makeFolder("x/y")
        try makeFolder("z")
        let document = try await opened("x/y/a.txt")
        move("x", "w")
        await wait(for: document) { document.fileURL.path == playground["w/y/a.txt"].path }
        move("w/y", "z/y")
        await wait(for: document) { document.fileURL.path == playground["z/y/a.txt"].path }
        document.type("after")
        #expect(await document.close())
        #expect(try playground.text("z/y/a.txt") == "after")
    }

    @Test("A document follows into a folder that nobody watches, and back")
    func movedAway() async throws {
        try makeFolder("far/away")
        let document = try await opened()
        move("a.txt", "far/away/c.txt")
        await wait(for: document) { document.fileURL.path == playground["far/away/c.txt"].path }
        move("far/away/c.txt", "a.txt")
        await wait(for: document) { document.fileURL.path == playground["a.txt"].path }
        await document.close()
    }

    @Test("Moved onto a name that another document has: the one follows, the other reads what is there now")
    func movedOnto() async throws {
        let first = try await opened("a.txt")
        let second = TextDocument(fileURL: try playground.put("other", at: "b.txt"))
        #expect(await second.open())
        move("a.txt", "b.txt")
        await wait(for: first) { first.fileURL.lastPathComponent == "b.txt" }
        await wait(for: second) { second.text == old && second.documentState == .normal }
        await first.close()
        await second.close()
    }

    @Test("An editor that renames the old file away and writes a new one has changed it, not moved it")
    func backupDance() async throws {
        let document = try await opened()
        move("a.txt", "a.txt~")
        try Data("edited".utf8).write(to: playground["a.txt"])
        #expect(unlink(playground["a.txt~"].path) == 0)
        await wait(for: document) { document.text == "edited" && document.documentState == .normal }
        #expect(document.fileURL.lastPathComponent == "a.txt")
        await document.close()
    }

    @Test("A deleted file does not come back by itself; what is edited is written when the document closes")
    func deleted() async throws {
        let document = try await opened()
        #expect(unlink(document.fileURL.path) == 0)
        await wait(for: document) { document.isFileDeleted }
        #expect(!document.documentState.contains(.closed))
        document.type("kept in memory")
        #expect(try playground.names == [])
        #expect(await document.close())
        #expect(try playground.text("a.txt") == "kept in memory")
    }

    @Test("Who reads where a deleted file was does not make it come back")
    func deletedAndRead() async throws {
        let document = try await opened()
        #expect(unlink(document.fileURL.path) == 0)
        await wait(for: document) { document.isFileDeleted }
        document.type("kept in memory")
        let intent = NSFileAccessIntent.readingIntent(with: document.fileURL)
        let error = await withCheckedContinuation { continuation in
            NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) {
                continuation.resume(returning: $0)
            }
        }
        #expect(error == nil)
        #expect(try playground.names == [])
        #expect(document.isFileDeleted && document.hasUnsavedChanges)
        #expect(await document.close())
        #expect(try playground.text("a.txt") == "kept in memory")
    }

    @Test("A clean document whose file was deleted closes without a trace")
    func deletedClean() async throws {
        let document = try await opened()
        #expect(unlink(document.fileURL.path) == 0)
        await wait(for: document) { document.isFileDeleted }
        #expect(await document.close())
        #expect(try playground.names == [])
    }

    @Test("Deleted and put back by another program: the document reads it")
    func comesBack() async throws {
        let document = try await opened()
        #expect(unlink(document.fileURL.path) == 0)
        await wait(for: document) { document.isFileDeleted }
        try Data("back".utf8).write(to: document.fileURL)
        await wait(for: document) { document.text == "back" && document.documentState == .normal }
        #expect(!document.isFileDeleted)
        await document.close()
    }

    @Test("Into a trash and back by renaming: the document follows, and says that it is there")
    func trashed() async throws {
        try makeFolder("Trash/files")
        let document = try await opened()
        move("a.txt", "Trash/files/a.txt")
        await wait(for: document) { document.isFileInTrash }
        document.type("edited in the trash")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try playground.text("Trash/files/a.txt") == "edited in the trash")
        move("Trash/files/a.txt", "a.txt")
        await wait(for: document) { !document.isFileInTrash }
        #expect(document.fileURL.path == playground["a.txt"].path)
        await document.close()
    }

    @Test("An override of the presenter's methods hears what others do")
    func overrides() async throws {
        let document = ListeningDocument(fileURL: try playground.put(old, at: "a.txt"))
        #expect(await document.open())
        var heard = document.stream.makeAsyncIterator()
        // In one step: emptied and filled are two changes to who looks in between.
        _ = try playground.put(new, at: "new.txt")
        move("new.txt", "a.txt")
        #expect(await heard.next() == "changed")
        move("a.txt", "b.txt")
        #expect(await heard.next() == "moved to b.txt")
        #expect(unlink(playground["b.txt"].path) == 0)
        let last = await heard.next()
        #expect(last == "deleted")
        await document.close()
    }
}

/// Says what it hears as a presenter.
private final class ListeningDocument: UIDocument {
    nonisolated let (stream, continuation) = AsyncStream.makeStream(of: String.self)

    override func load(fromContents contents: Any, ofType typeName: String?) throws {}

    nonisolated override func presentedItemDidChange() { continuation.yield("changed") }

    nonisolated override func presentedItemDidMove(to newURL: URL) {
        super.presentedItemDidMove(to: newURL)
        continuation.yield("moved to \(newURL.lastPathComponent)")
    }

    nonisolated override func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        continuation.yield("deleted")
        completionHandler(nil)
    }
}
