import DocumentFoundation
import Foundation
import Testing

@Suite("UndoManager: misuse traps")
struct UndoManagerMisuseTests {
    @Test("Undo inside more than one open group")
    func undoInGroups() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let manager = UndoManager()
                manager.beginUndoGrouping()
                manager.undo()
            }
        }
    }

    @Test("Undoing a nested group whose newest action is not in a closed one")
    func undoNestedInOpenGroup() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let manager = UndoManager()
                manager.groupsByEvent = false
                manager.beginUndoGrouping()
                manager.beginUndoGrouping()
                manager.registerUndo(withTarget: manager) { _ in }
                manager.undoNestedGroup()
            }
        }
    }

    @Test("Closing a group that is not open")
    func unbalancedEnd() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run { UndoManager().endUndoGrouping() }
        }
    }

    @Test("Enabling what was not disabled")
    func unbalancedEnable() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run { UndoManager().enableUndoRegistration() }
        }
    }

    @Test("Registering, naming or marking without a group when groups do not open by themselves")
    func noGroup() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let manager = UndoManager()
                manager.groupsByEvent = false
                manager.registerUndo(withTarget: manager) { _ in }
            }
        }
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let manager = UndoManager()
                manager.groupsByEvent = false
                manager.setActionName("Undo the void")
            }
        }
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let manager = UndoManager()
                manager.groupsByEvent = false
                manager.setActionIsDiscardable(true)
            }
        }
    }

    @Test("Redoing or undoing from a handler")
    func callsFromHandlers() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let manager = UndoManager()
                manager.registerUndo(withTarget: manager) { $0.redo() }
                manager.undo()
            }
        }
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let manager = UndoManager()
                manager.registerUndo(withTarget: manager) { $0.undo() }
                manager.undo()
            }
        }
    }

    @Test("A handler that leaves a group open")
    func handlerLeavesGroupOpen() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run {
                let manager = UndoManager()
                manager.registerUndo(withTarget: manager) { $0.beginUndoGrouping() }
                manager.undo()
            }
        }
    }

    @Test("A negative number of levels")
    func negativeLevels() async {
        await #expect(processExitsWith: .failure) {
            await MainActor.run { UndoManager().levelsOfUndo = -1 }
        }
    }
}
