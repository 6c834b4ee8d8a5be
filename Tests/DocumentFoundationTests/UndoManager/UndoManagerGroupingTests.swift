import DocumentFoundation
import Foundation
import Testing

@Suite("UndoManager: groups")
@MainActor
struct UndoManagerGroupingTests {
    @Test("Registrations of one pass are one group, closed when the pass ends")
    func eventGroup() async {
        let counter = Counter()
        counter.set(1)
        counter.set(2)
        #expect(counter.manager.groupingLevel == 1)
        await nextMainTurn()
        #expect(counter.manager.groupingLevel == 0 && counter.manager.undoCount == 1)
        counter.set(3)
        await nextMainTurn()
        #expect(counter.manager.undoCount == 2)
        counter.manager.undo()
        #expect(counter.value == 2)
        counter.manager.undo()
        #expect(counter.value == 0)
    }

    @Test(
        "A group opened inside a pass is still open when the pass ends, and then closes with the pass's group"
    )
    func eventGroupWaitsForInnerGroups() async {
        let counter = Counter()
        counter.manager.beginUndoGrouping()
        counter.set(1)
        await nextMainTurn()
        #expect(counter.manager.groupingLevel == 2)
        counter.manager.endUndoGrouping()
        await nextMainTurn()
        #expect(counter.manager.groupingLevel == 0 && counter.manager.undoCount == 1)
    }

    @Test("Undo closes the pass's group first")
    func undoClosesOpenGroup() {
        let counter = Counter()
        counter.set(1)
        counter.manager.undo()
        #expect(counter.value == 0 && counter.manager.groupingLevel == 0)
    }

    @Test("canUndo holds inside an open group that has an action")
    func canUndoInOpenGroup() {
        let counter = Counter(groupsByEvent: false)
        counter.manager.beginUndoGrouping()
        #expect(!counter.manager.canUndo)
        counter.set(1)
        #expect(counter.manager.canUndo && counter.manager.undoCount == 1)
    }

    @Test("With groupsByEvent the first group opened by a call is inside the pass's group")
    func levelsWithEvents() {
        let counter = Counter()
        counter.manager.beginUndoGrouping()
        #expect(counter.manager.groupingLevel == 2)
        counter.manager.beginUndoGrouping()
        #expect(counter.manager.groupingLevel == 3)
        counter.set(1)
        counter.manager.endUndoGrouping()
        counter.manager.endUndoGrouping()
        #expect(counter.manager.groupingLevel == 1)
        counter.step(to: 2)
        counter.manager.undo()
        #expect(counter.value == 0 && counter.manager.groupingLevel == 0)
    }

    @Test("Without groupsByEvent groups count from one, and inner groups are undone with the outer")
    func nesting() {
        let counter = Counter(groupsByEvent: false)
        counter.step(to: 1)
        counter.manager.beginUndoGrouping()
        #expect(counter.manager.groupingLevel == 1)
        counter.step(to: 2)
        counter.set(3)
        counter.step(to: 4)
        counter.manager.endUndoGrouping()
        #expect(counter.manager.undoCount == 2)
        counter.manager.undo()
        #expect(counter.value == 1)
        counter.manager.redo()
        #expect(counter.value == 4)
    }

    @Test("A group opened by a call stays even when empty; the pass's group does not")
    func emptyGroups() async {
        let manager = UndoManager()
        manager.setActionName("Nothing")
        #expect(manager.groupingLevel == 1 && !manager.canUndo)
        await nextMainTurn()
        #expect(manager.groupingLevel == 0 && manager.undoCount == 0)
        manager.beginUndoGrouping()
        manager.endUndoGrouping()
        #expect(manager.canUndo)
        manager.undo()
        #expect(!manager.canUndo)
    }

    @Test("undoNestedGroup takes back closed groups inside the open one, and redo brings them back")
    func undoNested() {
        let counter = Counter()
        for value in 1...4 { counter.step(to: value) }
        counter.manager.undoNestedGroup()
        #expect(counter.value == 3)
        counter.manager.undoNestedGroup()
        #expect(counter.value == 2 && counter.manager.groupingLevel == 1)
        counter.manager.redo()
        counter.manager.redo()
        #expect(counter.value == 4)
        counter.manager.undoNestedGroup()
        #expect(counter.value == 3)
        counter.manager.undo()
        #expect(counter.value == 0 && !counter.manager.canUndo)
    }

    @Test("undoNestedGroup takes back a whole step when no group is open")
    func undoNestedAtTop() {
        let counter = Counter()
        counter.set(1)
        counter.set(2)
        counter.manager.endUndoGrouping()
        counter.manager.undoNestedGroup()
        #expect(counter.value == 0)
    }

    @Test("undoNestedGroup closes the pass's group when nothing is left in it")
    func undoNestedInEmptiedGroup() async {
        let counter = Counter()
        counter.set(1)
        await nextMainTurn()
        counter.step(to: 2)
        counter.manager.undoNestedGroup()
        counter.manager.undoNestedGroup()
        #expect(counter.value == 0)
    }

    @Test("A redo inside a group belongs to that group")
    func redoInsideGroup() {
        let counter = Counter(groupsByEvent: false)
        counter.step(to: 1)
        counter.manager.undo()
        counter.manager.beginUndoGrouping()
        counter.manager.redo()
        #expect(counter.value == 1 && counter.manager.groupingLevel == 1)
        counter.manager.endUndoGrouping()
        #expect(counter.manager.undoCount == 1)
        counter.manager.undo()
        #expect(counter.value == 0)
    }

    @Test("A redo in a pass whose group is empty is a step of its own")
    func redoInEmptyPass() async {
        let counter = Counter()
        counter.set(1)
        counter.manager.undo()
        counter.manager.setActionName("Nothing")
        counter.manager.redo()
        #expect(counter.value == 1 && counter.manager.groupingLevel == 0 && counter.manager.undoCount == 1)
        await nextMainTurn()
        counter.manager.undo()
        #expect(counter.value == 0 && !counter.manager.canUndo)
    }

    @Test("Handlers may open and close groups; the redo is still one group")
    func groupsInHandlers() {
        let counter = Counter(groupsByEvent: false)
        counter.manager.beginUndoGrouping()
        counter.manager.registerUndo(withTarget: counter) { counter in
            counter.step(to: 7)
            counter.step(to: 8)
        }
        counter.manager.endUndoGrouping()
        counter.manager.undo()
        #expect(counter.value == 8 && counter.manager.redoCount == 1)
        counter.manager.redo()
        #expect(counter.value == 0)
    }

    @Test("Turning groupsByEvent off keeps the open group until its pass ends")
    func turningGroupsByEventOff() async {
        let counter = Counter()
        counter.set(1)
        counter.manager.groupsByEvent = false
        #expect(counter.manager.groupingLevel == 1)
        await nextMainTurn()
        #expect(counter.manager.groupingLevel == 0 && counter.manager.undoCount == 1)
    }

    @Test("A manager that is gone before its pass ends does no harm")
    func goneManager() async {
        weak var watched: UndoManager?
        do {
            let manager = UndoManager()
            manager.registerUndo(withTarget: manager) { _ in }
            watched = manager
        }
        await nextMainTurn()
        #expect(watched == nil)
    }

    /// Returns when the main queue has done what stood in it.
    private func nextMainTurn() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }
}
