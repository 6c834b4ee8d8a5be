import Foundation
import Testing

@testable import UIKit

/// What tabs do is handled one after the other, however late it is heard of.
@Suite("EventTurns", .timeLimit(.minutes(3)))
@MainActor
struct EventTurnsTests {
    @MainActor
    private final class Text {
        let undoManager = UndoManager()
        var value = ""

        func set(_ new: String) {
            let old = value
            undoManager.registerUndo(withTarget: self) { $0.set(old) }
            value = new
        }
    }

    @Test("Two events that are heard of together are undone one by one")
    func undoneOneByOne() async {
        let text = Text()
        await withCheckedContinuation { continuation in
            for value in ["a", "ab", "abc"] { EventTurns.add { text.set(value) } }
            EventTurns.add { continuation.resume() }
        }
        var values = [text.value]
        while text.undoManager.canUndo {
            text.undoManager.undo()
            values.append(text.value)
        }
        #expect(values == ["abc", "ab", "a", ""])
    }

    @Test("Events keep their order")
    func inOrder() async {
        var order: [Int] = []
        await withCheckedContinuation { continuation in
            for number in 0..<100 { EventTurns.add { order.append(number) } }
            EventTurns.add { continuation.resume() }
        }
        #expect(order == Array(0..<100))
    }
}
