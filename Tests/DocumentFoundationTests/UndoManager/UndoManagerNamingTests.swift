import DocumentFoundation
import Foundation
import Testing

@Suite("UndoManager: names and what is attached")
@MainActor
struct UndoManagerNamingTests {
    @Test("The name of a group goes from undo to redo and back")
    func nameTravels() {
        let counter = Counter()
        counter.set(1)
        counter.manager.setActionName("Change")
        #expect(counter.manager.undoActionName == "Change" && counter.manager.redoActionName.isEmpty)
        counter.manager.undo()
        #expect(counter.manager.undoActionName.isEmpty && counter.manager.redoActionName == "Change")
        counter.manager.redo()
        #expect(counter.manager.undoActionName == "Change")
    }

    @Test("A handler may give the redo another name")
    func handlerNames() {
        let manager = UndoManager()
        manager.registerUndo(withTarget: manager) { manager in
            manager.registerUndo(withTarget: manager) { _ in }
            manager.setActionName("Set to 6")
        }
        manager.setActionName("Set to 4")
        #expect(manager.undoActionName == "Set to 4")
        manager.undo()
        #expect(manager.redoActionName == "Set to 6")
    }

    @Test("A name set in an inner group names the outermost; an empty name takes it off")
    func outermostIsNamed() {
        let counter = Counter(groupsByEvent: false)
        counter.manager.beginUndoGrouping()
        counter.manager.beginUndoGrouping()
        counter.set(1)
        counter.manager.setActionName("Typing")
        counter.manager.endUndoGrouping()
        counter.manager.endUndoGrouping()
        #expect(counter.manager.undoActionName == "Typing")
        counter.manager.beginUndoGrouping()
        counter.set(2)
        counter.manager.setActionName("Drawing")
        counter.manager.setActionName("")
        counter.manager.endUndoGrouping()
        #expect(counter.manager.undoActionName.isEmpty)
    }

    @Test("A name given before the first registration of a pass holds")
    func nameFirst() {
        let counter = Counter()
        counter.manager.setActionName("Paste")
        counter.set(1)
        #expect(counter.manager.undoActionName == "Paste" && counter.manager.groupingLevel == 1)
    }

    @Test("A group undone from inside a named group is redone under that name")
    func nestedName() {
        let counter = Counter()
        counter.step(to: 1)
        counter.manager.setActionName("Step")
        counter.manager.undoNestedGroup()
        #expect(counter.manager.redoActionName == "Step")
    }

    @Test("Menu titles put the command before the name, or stand alone")
    func titles() {
        let counter = Counter()
        #expect(counter.manager.undoMenuItemTitle == "Undo" && counter.manager.redoMenuItemTitle == "Redo")
        counter.set(1)
        counter.manager.setActionName("Typing 100 %")
        #expect(counter.manager.undoMenuItemTitle == "Undo Typing 100 %")
        counter.manager.undo()
        #expect(counter.manager.redoMenuItemTitle == "Redo Typing 100 %")
        #expect(counter.manager.undoMenuTitle(forUndoActionName: "Cut") == "Undo Cut")
        #expect(counter.manager.redoMenuTitle(forUndoActionName: "") == "Redo")
    }

    @Test("A subclass's words for the commands are used in its titles")
    func overriddenTitles() {
        final class German: UndoManager {
            override func undoMenuTitle(forUndoActionName actionName: String) -> String {
                "\(actionName) widerrufen"
            }
        }
        let manager = German()
        manager.registerUndo(withTarget: manager) { _ in }
        manager.setActionName("Tippen")
        #expect(manager.undoMenuItemTitle == "Tippen widerrufen")
    }

    @Test("A group is discardable when each of its actions is")
    func discardable() {
        let counter = Counter(groupsByEvent: false)
        #expect(!counter.manager.undoActionIsDiscardable && !counter.manager.redoActionIsDiscardable)
        counter.manager.beginUndoGrouping()
        counter.set(1)
        counter.manager.setActionIsDiscardable(true)
        #expect(counter.manager.undoActionIsDiscardable)
        counter.set(2)
        #expect(!counter.manager.undoActionIsDiscardable)
        counter.manager.setActionIsDiscardable(true)
        counter.step(to: 3)
        counter.manager.setActionIsDiscardable(true)
        counter.manager.endUndoGrouping()
        #expect(counter.manager.undoActionIsDiscardable)
    }

    @Test("A handler may mark the redo discardable")
    func discardableRedo() {
        let manager = UndoManager()
        manager.registerUndo(withTarget: manager) { manager in
            manager.registerUndo(withTarget: manager) { _ in }
            manager.setActionIsDiscardable(true)
        }
        manager.undo()
        #expect(manager.redoActionIsDiscardable)
    }

    @Test("What is attached to a group goes along to the redo, and nil takes it off")
    func userInfo() {
        let key = UndoManager.UserInfoKey("selection"), other = UndoManager.UserInfoKey(rawValue: "other")
        let counter = Counter()
        counter.set(1)
        counter.manager.setActionUserInfoValue(3..<5, forKey: key)
        counter.manager.setActionUserInfoValue(true, forKey: other)
        counter.manager.setActionUserInfoValue(nil, forKey: other)
        #expect(counter.manager.undoActionUserInfoValue(forKey: key) as? Range<Int> == 3..<5)
        #expect(counter.manager.undoActionUserInfoValue(forKey: other) == nil)
        counter.manager.undo()
        #expect(counter.manager.undoActionUserInfoValue(forKey: key) == nil)
        #expect(counter.manager.redoActionUserInfoValue(forKey: key) as? Range<Int> == 3..<5)
    }
}
