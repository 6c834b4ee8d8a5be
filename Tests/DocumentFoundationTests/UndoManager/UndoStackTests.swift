import Testing

@testable import DocumentFoundation

@Suite("UndoStack")
struct UndoStackTests {
    private func stack(_ steps: [[Int]]) -> UndoStack<Int> {
        var stack = UndoStack<Int>()
        for step in steps {
            stack.openGroup(isAutomatic: false)
            for action in step { stack.append(action) }
            stack.closeGroup()
        }
        return stack
    }

    @Test("An undo hands out its actions newest first and records on the redo side")
    func undo() {
        var stack = stack([[1, 2], [3, 4]])
        #expect(stack.beginUndo()?.actionsNewestFirst == [4, 3])
        #expect(stack.mode == .undoing && stack.groupingLevel == 1)
        stack.append(30)
        stack.closeGroup()
        stack.finish()
        #expect(stack.undoCount == 1 && stack.redoCount == 1 && stack.mode == .idle)
        #expect(stack.beginRedo()?.actionsNewestFirst == [30])
    }

    @Test("With nothing to do neither undo nor redo begins")
    func nothing() {
        var stack = UndoStack<Int>()
        #expect(stack.beginUndo()?.isEmpty == nil && stack.beginRedo()?.isEmpty == nil)
        #expect(stack.mode == .idle)
    }

    @Test("A group inside an open one is its newest entry, and can be taken back alone")
    func nested() {
        var stack = stack([[1]])
        stack.openGroup(isAutomatic: false)
        stack.append(2)
        #expect(!stack.canUndoNested)
        stack.openGroup(isAutomatic: false)
        stack.append(3)
        stack.closeGroup()
        #expect(stack.canUndoNested && stack.undoCount == 2)
        #expect(stack.nextUndo?.actionsNewestFirst == [3, 2])
        #expect(stack.beginUndo()?.actionsNewestFirst == [3])
        stack.closeGroup()
        stack.finish()
        #expect(stack.groupingLevel == 1 && !stack.canUndoNested)
    }

    @Test("A side keeps the newest levels, an automatic group only if something is in it")
    func trimming() {
        var stack = stack([[1], [2], [3]])
        stack.levelsMax = 2
        #expect(stack.undoCount == 2)
        stack.openGroup(isAutomatic: true)
        stack.closeGroup()
        #expect(stack.undoCount == 2 && stack.nextUndo?.actionsNewestFirst == [3])
        stack.openGroup(isAutomatic: false)
        stack.closeGroup()
        #expect(stack.nextUndo?.isEmpty == true)
    }

    @Test("Removing actions drops the groups that lost their last entry, and no others")
    func removing() {
        var stack = stack([[1], [], [1, 2]])
        stack.removeActions { $0 == 1 }
        #expect(stack.undoCount == 2 && stack.nextUndo?.actionsNewestFirst == [2])
    }

    @Test("Steps that make no sense trap")
    func traps() async {
        await #expect(processExitsWith: .failure) {
            var stack = UndoStack<Int>()
            stack.append(1)
        }
        await #expect(processExitsWith: .failure) {
            var stack = UndoStack<Int>()
            stack.finish()
        }
        await #expect(processExitsWith: .failure) {
            var stack = UndoStack<Int>()
            stack.openGroup(isAutomatic: false)
            stack.append(1)
            stack.closeGroup()
            _ = stack.beginUndo()
            _ = stack.beginRedo()
        }
    }
}
