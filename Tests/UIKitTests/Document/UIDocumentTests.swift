import Coordination
import DocumentFoundation
import Foundation
import Testing
import UIKit

@Suite("UIDocument", .timeLimit(.minutes(2)))
@MainActor
struct UIDocumentTests {
    let playground: Playground

    init() throws {
        playground = try Playground()
    }

    // MARK: Opening

    @Test("A new document is closed, knows its place and name, and has read nothing")
    func new() throws {
        let document = TextDocument(fileURL: playground["Notes.txt"])
        #expect(document.documentState == .closed)
        #expect(document.fileURL == playground["Notes.txt"])
        #expect(document.localizedName == "Notes")
        #expect(document.fileType == "public.plain-text")
        #expect(document.fileModificationDate == nil)
        #expect(!document.hasUnsavedChanges)
        #expect(document.calls.take().isEmpty)
    }

    @Test("Whoever looks who presents an item sees what the document did when it began to")
    func registration() async throws {
        let opened = TextDocument(fileURL: try playground.put("hello", at: "opened.txt"))
        let made = TextDocument(fileURL: playground["made.txt"])
        #expect(await opened.open())
        #expect(await made.save(to: playground["made.txt"], for: .forCreating))
        let presenters = FileAccessRegistry.shared.report.presenters
        let places = [opened, made].map { document in
            presenters.first { $0.path == document.fileURL.path }?.registeredAt
        }
        #expect(places == ["UIDocument.open", "UIDocument.save"])
        #expect(await opened.close())
        #expect(await made.close())
    }

    @Test("Opening reads in the background, loads on the main actor, and leaves the state normal")
    func open() async throws {
        let document = TextDocument(fileURL: try playground.put("hello", at: "a.txt"))
        #expect(await document.open())
        #expect(document.text == "hello")
        #expect(document.documentState == .normal)
        #expect(document.calls.take() == ["read", "load"])
        let onDisk = try FileManager.default.attributesOfItem(atPath: document.fileURL.path)[
            .modificationDate
        ]
        let known = try #require(document.fileModificationDate)
        #expect(abs(known.timeIntervalSince(try #require(onDisk as? Date))) < 0.001)
        #expect(await document.close())
    }

    @Test(
        "A file that somebody moves while its opening waits for him is open where it is then, and saved there"
    )
    func openWhileMoved() async throws {
        let document = TextDocument(fileURL: try playground.put("hello", at: "a.txt"))
        let coordinator = NSFileCoordinator()
        let isOpen = await withCheckedContinuation { goOn in
            var failure: NSError?
            coordinator.coordinate(
                writingItemAt: document.fileURL,
                options: .forMoving,
                writingItemAt: playground["b.txt"],
                options: .forReplacing,
                error: &failure
            ) { source, target in
                document.open { goOn.resume(returning: $0) }
                #expect(throws: Never.self) { try FileManager.default.moveItem(at: source, to: target) }
                coordinator.item(at: source, didMoveTo: target)
            }
            #expect(failure == nil)
        }
        #expect(isOpen && document.text == "hello" && document.fileURL == playground["b.txt"])
        document.text = "edited"
        document.updateChangeCount(.done)
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(await document.close())
        #expect(try playground.text("b.txt") == "edited" && playground.names == ["b.txt"])
    }

    @Test("A file that is not there: the error is handled before the handler gets false, and it stays closed")
    func openMissing() async throws {
        let document = TextDocument(fileURL: playground["none.txt"])
        #expect(await document.open() == false)
        #expect(document.documentState == .closed)
        #expect(document.calls.take().contains("handleError"))
        let error = try #require(document.errors.first as? CocoaError)
        #expect(error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile)
    }

    @Test("Contents that load(fromContents:ofType:) refuses leave the document closed")
    func openRefused() async throws {
        let document = TextDocument(fileURL: try playground.put("broken", at: "a.txt"))
        #expect(await document.open() == false)
        #expect(document.documentState == .closed)
        #expect((document.errors.first as? CocoaError)?.code == .fileReadCorruptFile)
        try Data("mended".utf8).write(to: document.fileURL)
        #expect(await document.open())
        #expect(document.text == "mended")
        await document.close()
    }

    @Test("Two openings at once are answered by one reading; opening an open document succeeds at once")
    func openTwice() async throws {
        let document = TextDocument(fileURL: try playground.put("x", at: "a.txt"))
        async let first = document.open()
        async let second = document.open()
        let both = await [first, second]
        #expect(both == [true, true])
        #expect(document.loads == 1)
        #expect(await document.open())
        #expect(document.loads == 1)
        await document.close()
    }

    // MARK: Saving

    @Test("Saving for creating writes the file, and the document is open from then on")
    func create() async throws {
        let url = playground["new.txt"]
        let document = TextDocument(fileURL: url)
        document.text = "first"
        #expect(await document.save(to: url, for: .forCreating))
        #expect(document.documentState == .normal)
        #expect(try playground.text("new.txt") == "first")
        #expect(await document.close())
        #expect(try playground.names == ["new.txt"])
        #expect(document.documentState == .closed)
    }

    @Test(
        "A save asks in the documented order: token, attributes, contents, then writes, then the token again"
    )
    func order() async throws {
        let document = TextDocument(fileURL: try playground.put("x", at: "a.txt"))
        await document.open()
        _ = document.calls.take()
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(
            document.calls.take()
                == ["token", "attributes", "contents", "writeSafely", "write over", "updateToken"]
        )
        await document.close()
    }

    @Test("The date that the document knows is set before the handler is called")
    func dateBeforeHandler() async throws {
        let document = TextDocument(fileURL: playground["a.txt"])
        await withCheckedContinuation { continuation in
            document.save(to: document.fileURL, for: .forCreating) { success in
                #expect(success)
                #expect(document.fileModificationDate != nil)
                continuation.resume()
            }
        }
        await document.close()
    }

    @Test("contents(forType:) that throws: false, an error, and the old file untouched")
    func contentsThrow() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        await document.open()
        document.text = "new"
        document.contentsError = CocoaError(.fileWriteInapplicableStringEncoding)
        #expect(await document.save(to: document.fileURL, for: .forOverwriting) == false)
        #expect(document.documentState == .savingError)
        #expect(try playground.text("a.txt") == "old")
        document.contentsError = nil
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(document.documentState == .normal)
        await document.close()
    }

    @Test("A folder that is gone: the save fails, says so in the state, and what is in memory stays unsaved")
    func folderGone() async throws {
        try FileManager.default.createDirectory(at: playground["in"], withIntermediateDirectories: false)
        let document = TextDocument(fileURL: try playground.put("x", at: "in/a.txt"))
        await document.open()
        document.type("y")
        try FileManager.default.removeItem(at: playground["in"])
        #expect(await document.save(to: document.fileURL, for: .forOverwriting) == false)
        #expect(document.documentState.contains(.savingError))
        #expect(document.hasUnsavedChanges)
        #expect(await document.close() == false)
        #expect(!document.documentState.contains(.closed))
        try FileManager.default.createDirectory(at: playground["in"], withIntermediateDirectories: false)
        #expect(await document.close())
        #expect(try playground.text("in/a.txt") == "y")
    }

    @Test("A type to save as that is another one gives the name its extension")
    func otherType() async throws {
        final class Retyping: UIDocument {
            override var savingFileType: String? { "public.html" }
            override func contents(forType typeName: String) throws -> Any { Data(typeName.utf8) }
        }
        let document = Retyping(fileURL: playground["page.txt"])
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        #expect(document.fileURL == playground["page.html"])
        #expect(try playground.text("page.html") == "public.html")
        await document.close()
    }

    @Test("Attributes are set on what is written, and those of an overwritten file survive")
    func attributes() async throws {
        let document = TextDocument(fileURL: playground["a.txt"])
        document.attributes = [FileAttributeKey.posixPermissions: NSNumber(value: 0o640)]
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        func permissions() throws -> Int? {
            let all = try FileManager.default.attributesOfItem(atPath: document.fileURL.path)
            return (all[.posixPermissions] as? NSNumber)?.intValue
        }
        #expect(try permissions() == 0o640)
        document.attributes = [:]
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(try permissions() == 0o640)
        await document.close()
    }

    @Test("Contents of a kind that cannot be written are refused by name")
    func unknownContents() async throws {
        final class Odd: UIDocument {
            override func contents(forType typeName: String) throws -> Any { 42 }
        }
        let document = Odd(fileURL: playground["a.odd"])
        #expect(await document.save(to: document.fileURL, for: .forCreating) == false)
        #expect((document.lastError as? DocumentError)?.code == .contentsUnknown)
        #expect(try playground.names.isEmpty)
    }

    @Test("An override that writes the staged place itself is put in place in one step, a file or a folder")
    func ownWriting() async throws {
        final class Own: UIDocument {
            override func contents(forType typeName: String) throws -> Any { ["a", "b"] }
            nonisolated override func writeContents(
                _ contents: Any,
                to url: URL,
                for saveOperation: SaveOperation,
                originalContentsURL: URL?
            ) throws {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
                for name in contents as? [String] ?? [] {
                    try Data(name.utf8).write(to: url.appendingPathComponent(name))
                }
            }
        }
        let document = Own(fileURL: playground["own.bundle"])
        #expect(await document.save(to: document.fileURL, for: .forCreating))
        #expect(try playground.text("own.bundle/b") == "b")
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        // What the save has replaced is removed after it.
        await withCheckedContinuation { removed in
            document.performAsynchronousFileAccess { removed.resume() }
        }
        #expect(try playground.names == ["own.bundle"])
        await document.close()
    }

    // MARK: Closing and reverting

    @Test("An app that says all is saved without saving is believed when its document closes")
    func closingWithoutSaving() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.isAutosaveOff = true
        document.type("not to be kept")
        #expect(await document.close())
        #expect(try playground.text("a.txt") == "old")
    }

    @Test("Closing saves what is unsaved, disables editing first, and writes nothing when nothing changed")
    func close() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        await document.open()
        document.type("new")
        _ = document.calls.take()
        #expect(await document.close())
        #expect(document.calls.take().first == "disableEditing")
        #expect(try playground.text("a.txt") == "new")
        #expect(document.documentState == .closed)

        let second = TextDocument(fileURL: document.fileURL)
        await second.open()
        _ = second.calls.take()
        await second.close()
        #expect(!second.calls.take().contains("contents"))
    }

    @Test("A document that is edited and closed in the same turn is saved")
    func closeInTheSameTurn() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        await document.open()
        let closed = await withCheckedContinuation { continuation in
            document.type("last word")
            document.close { continuation.resume(returning: $0) }
        }
        #expect(closed)
        #expect(try playground.text("a.txt") == "last word")
    }

    @Test("Closing while opening waits for it; closing twice is answered twice")
    func closeWhileOpening() async throws {
        let document = TextDocument(fileURL: try playground.put("x", at: "a.txt"))
        async let opened = document.open()
        async let first = document.close()
        async let second = document.close()
        let all = await [opened, first, second]
        #expect(all == [true, true, true])
    }

    @Test("Reverting gives up changes and the undo stack, between disabling and enabling editing")
    func revert() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        await document.open()
        document.type("unsaved")
        _ = document.calls.take()
        #expect(await document.revert(toContentsOf: document.fileURL))
        #expect(document.text == "old")
        #expect(!document.hasUnsavedChanges)
        #expect(!document.undoManager.canUndo)
        let calls = document.calls.take()
        #expect(calls.first == "disableEditing")
        #expect(calls.last == "enableEditing")
        await document.close()
    }

    @Test("A revert that fails leaves editing disabled and says so in the state")
    func revertFails() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        await document.open()
        document.type("typed")
        let bad = try playground.put("broken", at: "b.txt")
        #expect(await document.revert(toContentsOf: bad) == false)
        #expect(document.documentState == [.editingDisabled, .savingError])
        // It is the document that it was, and what was typed goes there.
        #expect(document.fileURL == playground["a.txt"])
        #expect(await document.close())
        #expect(try playground.text("b.txt") == "broken" && playground.text("a.txt") == "typed")
    }

    @Test("A document that has become another item's is asked about that one, and follows it, and no other")
    func revertedElsewhere() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        await document.open()
        let other = try playground.put("other", at: "b.txt")
        #expect(await document.revert(toContentsOf: other))
        #expect(document.fileURL == other && document.text == "other")
        document.type("typed")
        let coordinator = NSFileCoordinator(filePresenter: nil)
        let intent = NSFileAccessIntent.readingIntent(with: other)
        let read = await withCheckedContinuation { continuation in
            coordinator.coordinate(with: [intent], queue: OperationQueue()) { _ in
                continuation.resume(returning: try? String(contentsOf: intent.url, encoding: .utf8))
            }
        }
        #expect(read == "typed")
        try FileManager.default.moveItem(at: playground["a.txt"], to: playground["c.txt"])
        try FileManager.default.moveItem(at: other, to: playground["d.txt"])
        await wait(for: document) { document.fileURL == playground["d.txt"] }
        #expect(await document.close())
    }

    @Test("A document that is saved while it closes is no presenter afterwards, and goes")
    func savedWhileClosing() async throws {
        let url = try playground.put("old", at: "a.txt")
        weak var gone: TextDocument?
        do {
            let document = TextDocument(fileURL: url)
            gone = document
            await document.open()
            async let isClosed = document.close()
            async let isSaved = document.save(to: url, for: .forOverwriting)
            _ = await (isClosed, isSaved)
            // Whatever was still to be done on its queue.
            await withCheckedContinuation { continuation in
                document.performAsynchronousFileAccess { continuation.resume() }
            }
            #expect(!NSFileCoordinator.filePresenters.contains { $0 === document })
        }
        await Task.yield()
        #expect(gone == nil)
    }

    @Test("Every change of the state is announced once, with the document and nothing else")
    func announced() async throws {
        let document = TextDocument(fileURL: try playground.put("x", at: "a.txt"))
        let log = CallLog()
        let observer = NotificationCenter.default.addObserver(
            forName: UIDocument.stateChangedNotification,
            object: document,
            queue: nil
        ) { note in
            let infoCount = note.userInfo?.count ?? 0
            MainActor.assumeIsolated { log.note("\(document.documentState.rawValue) \(infoCount)") }
        }
        await document.open()
        await document.close()
        #expect(log.take() == ["0 0", "8 0", "1 0"])
        NotificationCenter.default.removeObserver(observer)
    }

    // MARK: Changes

    @Test("Edits through the undo manager make it unsaved; undoing them makes it clean again")
    func undo() async throws {
        let document = TextDocument(fileURL: try playground.put("a", at: "a.txt"))
        await document.open()
        document.isAutosaveOff = true
        document.type("b")
        #expect(document.hasUnsavedChanges)
        await wait(for: document) { document.undoManager.groupingLevel == 0 }
        document.undoManager.undo()
        #expect(document.text == "a")
        #expect(!document.hasUnsavedChanges)
        document.undoManager.redo()
        #expect(document.hasUnsavedChanges)
        document.isAutosaveOff = false
        await document.close()
        #expect(try playground.text("a.txt") == "b")
    }

    @Test("updateChangeCount marks changes that no undo manager knows; clearing makes it clean")
    func changeCount() async throws {
        let document = TextDocument(fileURL: try playground.put("a", at: "a.txt"))
        await document.open()
        document.updateChangeCount(.done)
        #expect(document.hasUnsavedChanges)
        document.updateChangeCount(.cleared)
        #expect(!document.hasUnsavedChanges)
        await document.close()
    }

    @Test("A change saves itself after a while, and many changes become few saves")
    func autosave() async throws {
        let document = TextDocument(fileURL: try playground.put("a", at: "a.txt"))
        await document.open()
        _ = document.calls.take()
        for step in 1...20 {
            document.text = "step \(step)"
            document.updateChangeCount(.done)
        }
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("a.txt") == "step 20")
        #expect(document.calls.take().filter { $0 == "contents" }.count == 1)
        await document.close()
    }

    @Test("What was edited while a save ran is saved by the next one")
    func editWhileSaving() async throws {
        let document = TextDocument(fileURL: try playground.put("a", at: "a.txt"))
        await document.open()
        document.text = "one"
        document.updateChangeCount(.done)
        await withCheckedContinuation { continuation in
            document.save(to: document.fileURL, for: .forOverwriting) { saved in
                #expect(saved)
                #expect(document.hasUnsavedChanges)
                continuation.resume()
            }
            document.text = "two"
            document.updateChangeCount(.done)
        }
        await wait(for: document) { !document.hasUnsavedChanges }
        #expect(try playground.text("a.txt") == "two")
        await document.close()
    }

    @Test("An empty place traps")
    func emptyURL() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run { _ = UIDocument(fileURL: URL(string: "https://example.org/a.txt")!) }
        }
    }
}
