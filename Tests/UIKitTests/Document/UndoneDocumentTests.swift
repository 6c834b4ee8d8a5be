import Foundation
import Testing
import UIKit

/// What a document takes for a change of what its undo manager tells.
@Suite("UIDocument and its undo manager", .timeLimit(.minutes(2)))
@MainActor
struct UndoneDocumentTests {
    private let playground: Playground

    init() throws {
        playground = try Playground()
    }

    @Test("A change that no undo knows is saved, though the edit before it is undone")
    func changedBeside() async throws {
        let document = try await openDocument()
        edit(document, "b")
        document.updateChangeCount(.done)
        document.undoManager.undo()
        #expect(document.hasUnsavedChanges)
        document.isAutosaveOff = false
        #expect(await document.close())
    }

    @Test("What is discardable leaves a document clean, in an open group and a closed one, undone and redone")
    func discardable() async throws {
        let document = try await openDocument()
        let manager: UndoManager = document.undoManager
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: document) { _ in }
        manager.setActionIsDiscardable(true)
        #expect(!document.hasUnsavedChanges)
        manager.endUndoGrouping()
        #expect(!document.hasUnsavedChanges)
        edit(document, "b")
        manager.undo()
        #expect(!document.hasUnsavedChanges)
        manager.undo()
        manager.redo()
        #expect(!document.hasUnsavedChanges)
        manager.redo()
        #expect(document.hasUnsavedChanges && document.text == "b")
        document.isAutosaveOff = false
        #expect(await document.close())
    }

    @Test("A group in which nothing is leaves a document clean, open or closed")
    func empty() async throws {
        let document = try await openDocument()
        let manager: UndoManager = document.undoManager
        manager.beginUndoGrouping()
        #expect(!document.hasUnsavedChanges)
        manager.endUndoGrouping()
        #expect(!document.hasUnsavedChanges)
        #expect(await document.close())
    }

    @Test("A pass in which only a name was given is no step: undoing leads away from what is saved")
    func namedPass() async throws {
        let document = try await openDocument()
        edit(document, "b")
        document.updateChangeCount(.cleared)
        document.undoManager.groupsByEvent = true
        document.undoManager.setActionName("Nothing")
        document.undoManager.endUndoGrouping()
        #expect(!document.hasUnsavedChanges)
        document.undoManager.undo()
        #expect(document.hasUnsavedChanges && document.text == "a")
        document.isAutosaveOff = false
        #expect(await document.close())
    }

    @Test(
        "An edit whose undo is forgotten before its group has closed is a change all the same",
        arguments: [false, true]
    )
    func forgottenInOpenGroup(onlyTarget: Bool) async throws {
        let document = try await openDocument()
        document.undoManager.beginUndoGrouping()
        document.type("b")
        if onlyTarget {
            document.undoManager.removeAllActions(withTarget: document)
        } else {
            document.undoManager.removeAllActions()
        }
        #expect(document.hasUnsavedChanges)
        document.isAutosaveOff = false
        #expect(await document.close())
        #expect(try playground.text("a.txt") == "b")
    }

    @Test("An edit in an open group is a change though the document gets another undo manager")
    func otherManager() async throws {
        let document = try await openDocument()
        document.undoManager.beginUndoGrouping()
        document.type("b")
        document.undoManager = nil
        #expect(document.hasUnsavedChanges)
        document.isAutosaveOff = false
        #expect(await document.close())
        #expect(try playground.text("a.txt") == "b")
    }

    @Test("Undoing past a step that was forgotten does not lead to what is saved")
    func forgottenStep() async throws {
        let document = try await openDocument()
        edit(document, "b")
        document.updateChangeCount(.cleared)
        let other = NSObject()
        document.undoManager.beginUndoGrouping()
        document.undoManager.registerUndo(withTarget: other) { _ in }
        document.undoManager.endUndoGrouping()
        document.undoManager.removeAllActions(withTarget: other)
        document.undoManager.undo()
        #expect(document.hasUnsavedChanges && document.text == "a")
        document.isAutosaveOff = false
        #expect(await document.close())
    }

    @Test("Undoing inside an open group is no step back from the edits before it")
    func nestedUndo() async throws {
        let document = try await openDocument()
        edit(document, "b")
        let manager: UndoManager = document.undoManager
        manager.beginUndoGrouping()
        edit(document, "c")
        manager.undoNestedGroup()
        manager.endUndoGrouping()
        #expect(document.hasUnsavedChanges && document.text == "b")
        document.isAutosaveOff = false
        #expect(await document.close())
        #expect(try playground.text("a.txt") == "b")
    }

    @Test("An undo manager, with all that it holds, goes when its document goes or gets another")
    func managerGoes() async throws {
        weak var own: UndoManager?
        weak var other: UndoManager?
        do {
            let document = TextDocument(fileURL: playground["a.txt"])
            document.undoManager.groupsByEvent = false
            edit(document, "b")
            own = document.undoManager
            document.undoManager = UndoManager()
            document.undoManager.groupsByEvent = false
            edit(document, "c")
            other = document.undoManager
        }
        await Task.yield()
        #expect(own == nil && other == nil)
    }

    /// An open document that holds "a", does not save by itself, and whose groups are opened by calls.
    private func openDocument() async throws -> TextDocument {
        let document = TextDocument(fileURL: try playground.put("a", at: "a.txt"))
        #expect(await document.open())
        document.isAutosaveOff = true
        document.undoManager.groupsByEvent = false
        return document
    }

    /// One edit, one group.
    private func edit(_ document: TextDocument, _ text: String) {
        document.undoManager.beginUndoGrouping()
        document.type(text)
        document.undoManager.endUndoGrouping()
    }
}
