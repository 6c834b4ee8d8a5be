import DocumentFoundation
import Foundation
import Testing

/// Writes down the notifications of one manager.
@MainActor
final class UndoNotificationLog {
    private(set) var entries: [String] = []
    private var tokens: [any NSObjectProtocol] = []

    init(of manager: UndoManager) {
        let names: [(Notification.Name, String)] = [
            (.NSUndoManagerCheckpoint, "checkpoint"), (.NSUndoManagerDidOpenUndoGroup, "didOpen"),
            (.NSUndoManagerWillCloseUndoGroup, "willClose"), (.NSUndoManagerDidCloseUndoGroup, "didClose"),
            (.NSUndoManagerWillUndoChange, "willUndo"), (.NSUndoManagerDidUndoChange, "didUndo"),
            (.NSUndoManagerWillRedoChange, "willRedo"), (.NSUndoManagerDidRedoChange, "didRedo"),
        ]
        for (name, word) in names {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { note in
                    let discardable = note.userInfo?[NSUndoManagerGroupIsDiscardableKey] as? Bool
                    MainActor.assumeIsolated {
                        self.append(discardable == true ? word + "(discardable)" : word)
                    }
                }
            )
        }
    }

    func append(_ entry: String) { entries.append(entry) }

    func take() -> [String] {
        defer { entries = [] }
        return entries
    }

    func stop() { tokens.forEach(NotificationCenter.default.removeObserver) }
}

@Suite("UndoManager: notifications")
@MainActor
struct UndoManagerNotificationTests {
    @Test("An undo announces itself in the documented order")
    func undoOrder() {
        let counter = Counter()
        let log = UndoNotificationLog(of: counter.manager)
        defer { log.stop() }
        counter.manager.registerUndo(withTarget: counter) { _ in log.append("first handler") }
        counter.manager.registerUndo(withTarget: counter) { _ in log.append("second handler") }
        #expect(log.take() == ["didOpen"])
        counter.manager.undo()
        #expect(
            log.take() == [
                "checkpoint", "willClose", "didClose", "checkpoint", "willUndo", "didOpen", "second handler",
                "first handler", "willClose(discardable)", "didClose(discardable)", "didUndo",
            ]
        )
    }

    @Test("A redo announces itself in the documented order")
    func redoOrder() {
        let counter = Counter()
        counter.set(1)
        counter.manager.undo()
        let log = UndoNotificationLog(of: counter.manager)
        defer { log.stop() }
        counter.manager.redo()
        #expect(log.take() == ["checkpoint", "willRedo", "didOpen", "willClose", "didClose", "didRedo"])
    }

    @Test("Opening and closing a group post a checkpoint first")
    func groupOrder() {
        let counter = Counter(groupsByEvent: false)
        let log = UndoNotificationLog(of: counter.manager)
        defer { log.stop() }
        counter.manager.beginUndoGrouping()
        #expect(log.take() == ["checkpoint", "didOpen"])
        counter.set(1)
        counter.manager.endUndoGrouping()
        #expect(log.take() == ["checkpoint", "willClose", "didClose"])
    }

    @Test("Closing tells when the whole group is discardable, before and after")
    func discardableKey() {
        let counter = Counter(groupsByEvent: false)
        let log = UndoNotificationLog(of: counter.manager)
        defer { log.stop() }
        counter.manager.beginUndoGrouping()
        counter.set(1)
        counter.manager.setActionIsDiscardable(true)
        counter.manager.endUndoGrouping()
        #expect(log.take().suffix(2) == ["willClose(discardable)", "didClose(discardable)"])
        counter.manager.beginUndoGrouping()
        counter.set(1)
        counter.manager.setActionIsDiscardable(true)
        counter.set(2)
        counter.manager.endUndoGrouping()
        #expect(log.take().suffix(2) == ["willClose", "didClose"])
    }

    @Test("What is registered while a group is about to close tells whether it is discardable")
    func discardableAtClosing() {
        let counter = Counter(groupsByEvent: false)
        let log = UndoNotificationLog(of: counter.manager)
        let token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerWillCloseUndoGroup,
            object: counter.manager,
            queue: nil
        ) { _ in MainActor.assumeIsolated { counter.set(1) } }
        defer {
            NotificationCenter.default.removeObserver(token)
            log.stop()
        }
        counter.manager.beginUndoGrouping()
        counter.manager.endUndoGrouping()
        #expect(log.take().last == "didClose")
    }

    @Test("canRedo posts a checkpoint at which a registrar that waited can register")
    func lazyRegistrar() {
        let counter = Counter()
        counter.set(1)
        counter.manager.undo()
        var isPending = true
        let token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint,
            object: counter.manager,
            queue: nil
        ) { _ in
            MainActor.assumeIsolated {
                guard isPending else { return }
                isPending = false
                counter.set(2)
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        #expect(!counter.manager.canRedo)
        isPending = true
        counter.manager.undo()
        #expect(counter.value == 0, "what was registered at the checkpoint is undone with the open group")
    }

    @Test("What is registered at the last checkpoint before an undo is what gets undone")
    func registeringAtUndo() {
        let counter = Counter(groupsByEvent: true)
        counter.set(1)
        counter.manager.endUndoGrouping()
        var isPending = true
        let token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint,
            object: counter.manager,
            queue: nil
        ) { _ in
            MainActor.assumeIsolated {
                guard isPending else { return }
                isPending = false
                counter.set(2)
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        counter.manager.undo()
        #expect(counter.value == 1 && counter.manager.groupingLevel == 0)
    }

    @Test("Once a group has closed an observer may undo it")
    func undoFromDidClose() {
        let counter = Counter(groupsByEvent: false)
        let token = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerDidCloseUndoGroup,
            object: counter.manager,
            queue: nil
        ) { _ in
            MainActor.assumeIsolated { if !counter.manager.isUndoing { counter.manager.undo() } }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        counter.step(to: 1)
        #expect(counter.value == 0)
    }

    @Test("Typed messages come with their notifications")
    func typedMessages() {
        let counter = Counter()
        var seen: [String] = []
        let center = NotificationCenter.default
        let manager = counter.manager
        let tokens = [
            center.addObserver(of: manager, for: UndoManager.CheckpointMessage.self) { _ in
                seen.append("checkpoint")
            },
            center.addObserver(of: manager, for: UndoManager.WillUndoChangeMessage.self) { _ in
                seen.append("willUndo")
            },
            center.addObserver(of: manager, for: UndoManager.DidUndoChangeMessage.self) { _ in
                seen.append("didUndo")
            },
            center.addObserver(of: manager, for: UndoManager.WillRedoChangeMessage.self) { _ in
                seen.append("willRedo")
            },
            center.addObserver(of: manager, for: UndoManager.DidRedoChangeMessage.self) { _ in
                seen.append("didRedo")
            },
        ]
        counter.set(1)
        counter.manager.undo()
        counter.manager.redo()
        #expect(
            seen == ["checkpoint", "checkpoint", "willUndo", "didUndo", "checkpoint", "willRedo", "didRedo"]
        )
        tokens.forEach(center.removeObserver)
        #expect(UndoManager.DidUndoChangeMessage.name == .NSUndoManagerDidUndoChange)
    }
}
