import Foundation
import Testing
import UIKit

/// A document that always says that something is unsaved.
@MainActor
private final class RestlessDocument: UIDocument {
    private(set) var saves = 0

    override var hasUnsavedChanges: Bool { true }

    override func contents(forType typeName: String) throws -> Any {
        saves += 1
        // What a save changes itself does not keep the document open, either.
        updateChangeCount(.done)
        return Data("saved".utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {}
}

/// Closing a document that cannot be brought to rest, or is at something else.
@Suite("UIDocument, closing", .timeLimit(.minutes(2)))
@MainActor
struct ClosingDocumentTests {
    private let playground: Playground

    init() throws {
        playground = try Playground()
    }

    @Test("A document that always has something unsaved is saved, and closes")
    func alwaysUnsaved() async throws {
        let document = RestlessDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        #expect(await document.close())
        #expect(document.documentState == .closed)
        #expect((1...8).contains(document.saves))
        #expect(try playground.text("a.txt") == "saved")
    }

    @Test("A document closes though a group of undo actions stays open, and what is in it is saved")
    func openGroup() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        #expect(await document.open())
        document.undoManager.groupsByEvent = false
        document.undoManager.beginUndoGrouping()
        document.type("new")
        #expect(await document.close())
        #expect(document.documentState == .closed)
        #expect(try playground.text("a.txt") == "new")
    }

    @Test("A document that is closed while it is being created is closed when it has been")
    func closedWhileCreated() async throws {
        let document = TextDocument(fileURL: playground["a.txt"])
        document.text = "new"
        var isSaved = false
        document.save(to: document.fileURL, for: .forCreating) { isSaved = $0 }
        #expect(await document.close())
        #expect(isSaved)
        #expect(document.documentState == .closed)
        #expect(try playground.text("a.txt") == "new")
    }

    @Test("A document that becomes another item's while it is saved is that one afterwards")
    func revertedElsewhereWhileSaved() async throws {
        let document = TextDocument(fileURL: try playground.put("old", at: "a.txt"))
        let other = try playground.put("other", at: "b.txt")
        #expect(await document.open())
        document.text = "edited"
        document.updateChangeCount(.done)
        var isSaved = false
        document.save(to: document.fileURL, for: .forOverwriting) { isSaved = $0 }
        #expect(await document.revert(toContentsOf: other))
        #expect(isSaved)
        #expect(document.fileURL == other && document.text == "other")
        #expect(document.conflictVersions.isEmpty)
        document.type("typed")
        #expect(await document.close())
        #expect(try playground.text("a.txt") == "edited" && playground.text("b.txt") == "typed")
    }
}
