import DocumentFoundation
import Foundation
import Testing

/// Something with a value whose changes can be undone and redone.
@MainActor
final class Counter {
    let manager = UndoManager()
    var value = 0

    init(groupsByEvent: Bool = true) {
        manager.groupsByEvent = groupsByEvent
    }

    func set(_ newValue: Int) {
        let old = value
        manager.registerUndo(withTarget: self) { $0.set(old) }
        value = newValue
    }

    /// One change, one group.
    func step(to newValue: Int) {
        manager.beginUndoGrouping()
        set(newValue)
        manager.endUndoGrouping()
    }
}

@Suite("UndoManager")
@MainActor
struct UndoManagerTests {
    @Test("A new manager has nothing to undo, nothing to redo, no open group, and groups by event")
    func initial() {
        let manager = UndoManager()
        #expect(!manager.canUndo && !manager.canRedo)
        #expect(manager.undoCount == 0 && manager.redoCount == 0)
        #expect(manager.groupingLevel == 0 && manager.groupsByEvent)
        #expect(manager.levelsOfUndo == 0 && manager.runLoopModes == [.default])
        #expect(manager.isUndoRegistrationEnabled && !manager.isUndoing && !manager.isRedoing)
    }

    @Test("Undo calls the handler with its target")
    func simpleUndo() {
        let counter = Counter()
        counter.set(5)
        #expect(counter.manager.canUndo)
        counter.manager.undo()
        #expect(counter.value == 0)
        #expect(!counter.manager.canUndo)
    }

    @Test("A handler may change a captured variable")
    func capturedVariable() {
        let manager = UndoManager()
        var text = "new"
        manager.registerUndo(withTarget: manager) { _ in text = "old" }
        manager.undo()
        #expect(text == "old")
    }

    @Test("What handlers register while undone can be redone, and undone again")
    func redoAndUndoAgain() {
        let counter = Counter()
        counter.set(1)
        counter.set(2)
        counter.manager.undo()
        #expect(counter.value == 0 && counter.manager.canRedo)
        counter.manager.redo()
        #expect(counter.value == 2 && !counter.manager.canRedo)
        counter.manager.undo()
        #expect(counter.value == 0 && counter.manager.redoCount == 1)
    }

    @Test("Handlers run newest first")
    func order() {
        let manager = UndoManager()
        var seen: [Int] = []
        for number in 1...3 { manager.registerUndo(withTarget: manager) { _ in seen.append(number) } }
        manager.undo()
        #expect(seen == [3, 2, 1])
    }

    @Test("A redo whose handlers register nothing leaves an empty group to undo, and does no harm")
    func redoWithoutRegistration() {
        let manager = UndoManager()
        var value = 5
        manager.registerUndo(withTarget: manager) { manager in
            value = 4
            manager.registerUndo(withTarget: manager) { _ in value = 6 }
        }
        manager.undo()
        #expect(value == 4)
        manager.redo()
        #expect(value == 6 && manager.canUndo)
        manager.undo()
        #expect(value == 6)
    }

    @Test("Undo and redo with nothing to do change nothing")
    func nothingToDo() {
        let counter = Counter()
        counter.manager.undo()
        counter.manager.redo()
        counter.manager.undoNestedGroup()
        #expect(counter.value == 0 && counter.manager.groupingLevel == 0)
    }

    @Test("Registering anew empties what can be redone; registering while redoing does not")
    func clearingRedo() {
        let counter = Counter(groupsByEvent: false)
        for value in 1...3 { counter.step(to: value) }
        counter.manager.undo()
        counter.manager.undo()
        #expect(counter.manager.redoCount == 2)
        counter.manager.redo()
        #expect(counter.manager.redoCount == 1)
        counter.step(to: 9)
        #expect(counter.manager.redoCount == 0 && counter.manager.undoCount == 3)
    }

    @Test("isUndoing and isRedoing hold while handlers run, and only then")
    func states() {
        let manager = UndoManager()
        var seen: [String] = []
        func note(_ manager: UndoManager) {
            seen.append(manager.isUndoing ? "undoing" : manager.isRedoing ? "redoing" : "idle")
            manager.registerUndo(withTarget: manager) { note($0) }
        }
        note(manager)
        manager.undo()
        manager.redo()
        #expect(seen == ["idle", "undoing", "redoing"])
        #expect(!manager.isUndoing && !manager.isRedoing)
    }

    @Test("The closure of a target that is gone does not run, and the target is not kept")
    func deadTarget() {
        let manager = UndoManager()
        var ran = false
        var target: NSObject? = NSObject()
        weak let watched = target
        if let target { manager.registerUndo(withTarget: target) { _ in ran = true } }
        target = nil
        #expect(watched == nil)
        manager.undo()
        #expect(!ran)
    }

    @Test("Disabled registrations are dropped; disabling nests")
    func disabling() {
        let counter = Counter()
        counter.manager.disableUndoRegistration()
        counter.manager.disableUndoRegistration()
        counter.manager.enableUndoRegistration()
        #expect(!counter.manager.isUndoRegistrationEnabled)
        counter.set(1)
        counter.manager.setActionName("Dropped")
        #expect(!counter.manager.canUndo && counter.manager.groupingLevel == 0)
        counter.manager.enableUndoRegistration()
        counter.set(2)
        #expect(counter.manager.canUndo)
    }

    @Test("Forgetting everything closes groups and enables registration")
    func removeAll() {
        let counter = Counter()
        counter.set(1)
        counter.manager.undo()
        counter.set(2)
        counter.manager.disableUndoRegistration()
        counter.manager.removeAllActions()
        #expect(!counter.manager.canUndo && !counter.manager.canRedo)
        #expect(counter.manager.groupingLevel == 0 && counter.manager.isUndoRegistrationEnabled)
    }

    @Test("A handler may forget everything and register again")
    func removeAllWhileUndoing() {
        let manager = UndoManager()
        var redone = false
        manager.registerUndo(withTarget: manager) { manager in
            manager.removeAllActions()
            manager.registerUndo(withTarget: manager) { _ in redone = true }
        }
        manager.undo()
        #expect(manager.redoCount == 1 && manager.groupingLevel == 0)
        manager.redo()
        #expect(redone)
    }

    @Test("Forgetting one target keeps the others' actions and drops the groups that held no others")
    func removeTarget() {
        let first = NSObject(), second = NSObject()
        let manager = UndoManager()
        manager.groupsByEvent = false
        var seen: [String] = []
        for targets in [[("1", first)], [("2", second)], [("1", first), ("2", second)]] {
            manager.beginUndoGrouping()
            manager.beginUndoGrouping()
            for (name, target) in targets {
                manager.registerUndo(withTarget: target) { _ in seen.append(name) }
            }
            manager.endUndoGrouping()
            manager.endUndoGrouping()
        }
        manager.removeAllActions(withTarget: first)
        #expect(manager.undoCount == 2)
        manager.undo()
        manager.undo()
        #expect(seen == ["2", "2"] && !manager.canUndo)
    }

    @Test("Forgetting a target also reaches open groups and what can be redone")
    func removeTargetFromOpenAndRedo() {
        let counter = Counter(groupsByEvent: false)
        counter.step(to: 1)
        counter.manager.undo()
        #expect(counter.manager.canRedo)
        counter.manager.removeAllActions(withTarget: counter)
        #expect(!counter.manager.canRedo)
        counter.manager.beginUndoGrouping()
        counter.set(2)
        counter.manager.disableUndoRegistration()
        counter.manager.removeAllActions(withTarget: counter)
        #expect(!counter.manager.canUndo && counter.manager.groupingLevel == 1)
        #expect(!counter.manager.isUndoRegistrationEnabled)
    }

    @Test("Only the newest levels are kept, and lowering the number forgets at once")
    func levels() {
        let counter = Counter(groupsByEvent: false)
        counter.manager.levelsOfUndo = 3
        for value in 1...5 { counter.step(to: value) }
        #expect(counter.manager.undoCount == 3)
        for _ in 0..<4 { counter.manager.undo() }
        #expect(counter.value == 2 && counter.manager.redoCount == 3)
        counter.manager.levelsOfUndo = 1
        #expect(counter.manager.redoCount == 1)
        counter.manager.levelsOfUndo = 0
        for value in 1...100 { counter.step(to: value) }
        #expect(counter.manager.undoCount == 100)
    }

    @Test("Random changes undone and redone restore every state")
    func randomWalk() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let counter = Counter(groupsByEvent: false)
        var past: [Int] = [0]
        var future: [Int] = []
        for _ in 0..<500 {
            switch random(4) {
            case 0 where past.count > 1:
                counter.manager.undo()
                future.append(past.removeLast())
            case 1 where !future.isEmpty:
                counter.manager.redo()
                past.append(future.removeLast())
            default:
                let value = random(1000)
                counter.step(to: value)
                past.append(value)
                future = []
            }
            #expect(counter.value == past.last, "seed \(seed)")
            #expect(counter.manager.undoCount == past.count - 1, "seed \(seed)")
            #expect(counter.manager.redoCount == future.count, "seed \(seed)")
        }
    }
}
