import Foundation
import Testing
import UIKit

/// What a document without unsaved edits does about its undo stack and its editor's caret when others change its file.
@Suite("UIDocument, read anew", .timeLimit(.minutes(2)))
@MainActor
struct QuietReloadTests {
    private let playground: Playground

    init() throws {
        playground = try Playground()
    }

    @Test(
        "What could be undone and redone has gone with the text it was about; what is edited then is undone as ever"
    )
    func undoStack() async throws {
        let document = try await editedDocument()
        let news = ReloadNews(of: document)
        try Data("theirs".utf8).write(to: document.fileURL)
        await wait(for: document) { news.all.count == 2 }
        #expect(document.text == "theirs")
        #expect(document.loads == 2)
        #expect(!document.undoManager.canUndo)
        #expect(!document.undoManager.canRedo)
        #expect(!document.hasUnsavedChanges)
        // Nobody was asked what to write.
        #expect(!document.calls.take().contains("contents"))

        document.type("mine")
        await wait(for: document) { document.undoManager.groupingLevel == 0 }
        #expect(document.hasUnsavedChanges)
        document.undoManager.undo()
        #expect(document.text == "theirs")
        #expect(!document.hasUnsavedChanges)
        #expect(!document.undoManager.canUndo)
        await document.close()
        #expect(try playground.text("a.txt") == "theirs")
    }

    @Test(
        "An editor is told while the old text and its undo stack are there, and when the new text can be edited"
    )
    func caretHook() async throws {
        let document = try await editedDocument()
        let news = ReloadNews(of: document)
        // By renaming: a file that is open while another test starts a program may be closed last by that, and once before.
        try Data("theirs".utf8).write(to: document.fileURL, options: .atomic)
        await wait(for: document) { news.all.count == 2 }
        let (before, after) = (try #require(news.all.first), try #require(news.all.last))
        #expect(before.name == UIDocument.willReloadNotification)
        #expect(before.text == "two")
        #expect(before.canUndo)
        #expect(before.state == .normal)
        #expect(after.name == UIDocument.didReloadNotification)
        #expect(after.text == "theirs")
        #expect(!after.canUndo)
        #expect(after.state == .normal)
        #expect(before.writer == after.writer)
        await document.close()
    }

    @Test("Where there is nothing to read any more, text and undo stack stay")
    func gone() async throws {
        let document = try await editedDocument()
        let news = ReloadNews(of: document)
        news.onAnnouncement = { try? FileManager.default.removeItem(at: document.fileURL) }
        try Data("theirs".utf8).write(to: document.fileURL)
        await wait(for: document) { !news.all.isEmpty && document.documentState == .normal }
        #expect(news.all.map(\.name) == [UIDocument.willReloadNotification])
        #expect(document.text == "two")
        #expect(!document.hasUnsavedChanges)
        document.undoManager.undo()
        #expect(document.text == "one")
        document.undoManager.redo()
        document.undoManager.redo()
        #expect(document.text == "three")
        document.isAutosaveOff = false
        await document.close()
    }

    /// A document that is saved as "two", from which one can go back to "one" and on to "three".
    private func editedDocument() async throws -> TextDocument {
        let document = TextDocument(fileURL: try playground.put("one", at: "a.txt"))
        document.isAutosaveOff = true
        #expect(await document.open())
        for text in ["two", "three"] {
            document.type(text)
            await wait(for: document) { document.undoManager.groupingLevel == 0 }
        }
        document.undoManager.undo()
        #expect(await document.save(to: document.fileURL, for: .forOverwriting))
        #expect(document.text == "two")
        #expect(document.undoManager.canUndo)
        #expect(document.undoManager.canRedo)
        #expect(!document.hasUnsavedChanges)
        _ = document.calls.take()
        return document
    }
}

/// What a document says before and after it has read itself anew, and how it is then.
@MainActor
private final class ReloadNews {
    struct One {
        let name: Notification.Name
        let writer: Int32?
        let text: String
        let canUndo: Bool
        let state: UIDocument.State
    }

    private(set) var all: [One] = []
    /// Done when it has said that it is about to read itself anew.
    var onAnnouncement = {}
    private var observers: [any NSObjectProtocol] = []

    init(of document: TextDocument) {
        for name in [UIDocument.willReloadNotification, UIDocument.didReloadNotification] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: document, queue: nil) {
                    [weak self] note in
                    let writer = note.userInfo?[UIDocument.writerProcessIDKey] as? Int32
                    MainActor.assumeIsolated { self?.take(name, writer, document) }
                }
            )
        }
    }

    isolated deinit { observers.forEach(NotificationCenter.default.removeObserver) }

    private func take(_ name: Notification.Name, _ writer: Int32?, _ document: TextDocument) {
        all.append(
            One(
                name: name,
                writer: writer,
                text: document.text,
                canUndo: document.undoManager.canUndo,
                state: document.documentState
            )
        )
        if name == UIDocument.willReloadNotification { onAnnouncement() }
    }
}
