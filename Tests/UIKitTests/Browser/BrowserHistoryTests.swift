import Testing

@testable import UIKit

@Suite("BrowserHistory")
struct BrowserHistoryTests {
    private let there = BrowserCommand.relocate([ItemRelocation(from: "a", to: "b")])
    private let back = BrowserCommand.relocate([ItemRelocation(from: "b", to: "a")])

    @Test("What was done is undone and done again, under its own title")
    func roundTrip() {
        var history = BrowserHistory()
        #expect(history.undoTitle == nil)
        #expect(history.beginUndo() == nil)
        history.record(.rename, inverse: back)
        #expect(history.undoTitle == "Rename")
        #expect(history.redoTitle == nil)
        #expect(history.beginUndo() == back)
        #expect(history.undoTitle == nil)
        history.end(inverse: there)
        #expect(history.redoTitle == "Rename")
        #expect(history.beginRedo() == there)
        history.end(inverse: back)
        #expect(history.undoTitle == "Rename")
        #expect(history.redoTitle == nil)
    }

    @Test("The last act is undone first")
    func order() {
        var history = BrowserHistory()
        history.record(.createFolder, inverse: .trash(["f"]))
        history.record(.move, inverse: back)
        #expect(history.beginUndo() == back)
        history.end(inverse: there)
        #expect(history.beginUndo() == .trash(["f"]))
    }

    @Test("A new act leaves nothing to do again; one that did nothing leaves all as it was")
    func newAct() {
        var history = BrowserHistory()
        history.record(.rename, inverse: back)
        _ = history.beginUndo()
        history.end(inverse: there)
        history.record(.trash, inverse: nil)
        #expect(history.redoTitle == "Rename")
        history.record(.trash, inverse: .putBack([]))
        #expect(history.redoTitle == nil)
        #expect(history.undoTitle == "Move to Trash")
    }

    @Test("What would be undone has a number that nothing had before, itself neither")
    func numbers() {
        var history = BrowserHistory()
        #expect(history.lastNumber == nil)
        history.record(.trash, inverse: .putBack([]))
        let first = history.lastNumber
        history.record(.rename, inverse: back)
        #expect(history.lastNumber != first)
        _ = history.beginUndo()
        history.end(inverse: there)
        #expect(history.lastNumber == first)
        _ = history.beginUndo()
        history.end(inverse: .trash([]))
        #expect(history.lastNumber == nil)
        _ = history.beginRedo()
        history.end(inverse: .putBack([]))
        #expect(history.lastNumber != nil && history.lastNumber != first)
    }

    @Test("What could not be undone is forgotten")
    func failure() {
        var history = BrowserHistory()
        history.record(.duplicate, inverse: .trash(["x"]))
        history.record(.rename, inverse: back)
        _ = history.beginUndo()
        history.end(inverse: nil)
        #expect(history.undoTitle == "Duplicate")
        #expect(history.redoTitle == nil)
    }

    @Test("While a command runs no other begins")
    func running() {
        var history = BrowserHistory()
        history.record(.rename, inverse: back)
        history.record(.rename, inverse: back)
        #expect(history.beginUndo() != nil)
        #expect(history.beginUndo() == nil)
        #expect(history.beginRedo() == nil)
    }

    @Test("A hundred acts are kept, the newest")
    func bound() {
        var history = BrowserHistory()
        for number in 0..<150 { history.record(.trash, inverse: .trash(["\(number)"])) }
        var undone: [BrowserCommand] = []
        while let command = history.beginUndo() {
            undone.append(command)
            history.end(inverse: command)
        }
        #expect(undone.count == 100)
        #expect(undone.first == .trash(["149"]))
        #expect(undone.last == .trash(["50"]))
    }

    @Test("Ending what has not begun is a defect")
    func misuse() async {
        await #expect(processExitsWith: .failure) {
            var history = BrowserHistory()
            history.end(inverse: nil)
        }
    }

    @Test("Every act has a title")
    func titles() {
        let acts: [BrowserAct] = [.createFolder, .rename, .move, .duplicate, .importing, .trash]
        #expect(Set(acts.map(\.title)).count == acts.count)
    }
}
