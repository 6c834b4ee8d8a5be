import Testing

@testable import UIKit

@Suite("ChangeLine")
struct ChangeLineTests {
    @Test("A new line is clean, an edit makes it dirty, saving makes it clean")
    func editAndSave() {
        var line = ChangeLine()
        #expect(!line.hasUnsavedChanges)
        line.done()
        #expect(line.hasUnsavedChanges)
        line.saved(at: line.current)
        #expect(!line.hasUnsavedChanges)
    }

    @Test("Undoing to what was saved is clean, redoing away from it is not")
    func undoToSaved() {
        var line = ChangeLine()
        line.done()
        line.undone()
        #expect(!line.hasUnsavedChanges)
        line.redone()
        #expect(line.hasUnsavedChanges)
    }

    @Test("An edit after an undo does not lead back to what was saved")
    func savedBranchIsGone() {
        var line = ChangeLine()
        line.done()
        line.cleared()
        line.undone()
        line.done()
        #expect(line.hasUnsavedChanges)
    }

    @Test("What changed while a save ran is still unsaved")
    func changeDuringSave() {
        var line = ChangeLine()
        line.done()
        let token = line.current
        line.done()
        line.saved(at: token)
        #expect(line.hasUnsavedChanges)
        line.undone()
        #expect(!line.hasUnsavedChanges)
    }

    @Test("A change that no undo knows, saved in between, is not taken for what undo leads to")
    func touchedPlacesAreTheirOwn() {
        var line = ChangeLine()
        line.done()
        line.touched()
        line.saved(at: line.current)
        line.touched()
        line.undone()
        #expect(line.hasUnsavedChanges)
        line.redone()
        #expect(line.hasUnsavedChanges)
    }

    @Test("A change that no undo knows stays unsaved when the edit before it is undone to what is saved")
    func touchedStaysWhenUndone() {
        var line = ChangeLine()
        line.done()
        line.touched()
        line.undone()
        #expect(line.hasUnsavedChanges)
        line.redone()
        line.cleared()
        line.undone()
        line.redone()
        #expect(!line.hasUnsavedChanges)
    }

    @Test(
        "A change that no undo knows stays unsaved when what was undone before it is redone to what is saved"
    )
    func touchedStaysWhenRedone() {
        var line = ChangeLine()
        line.done()
        line.cleared()
        line.undone()
        line.touched()
        line.redone()
        #expect(line.hasUnsavedChanges)
    }

    @Test("Undoing further than anything known is unsaved, and redoing comes back")
    func undoBeforeTheStart() {
        var line = ChangeLine()
        line.undone()
        #expect(line.hasUnsavedChanges)
        line.redone()
        #expect(!line.hasUnsavedChanges)
    }

    @Test("A very long line forgets its far end and stays right about its near one")
    func longLine() {
        var line = ChangeLine()
        for _ in 0..<(ChangeLine.placesMax + 50) { line.done() }
        line.cleared()
        line.done()
        line.undone()
        #expect(!line.hasUnsavedChanges)
    }
}
