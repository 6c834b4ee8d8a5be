internal import DocumentFoundation

extension UIDocument {
    /// Whether an edit is registered in a group of undo actions that has not closed yet. It counts as a change:
    /// a document that is closed in the same turn as it was edited must be saved. What is discardable does not.
    var hasOpenUndoGroup: Bool {
        guard let manager = storedUndoManager else { return false }
        return manager.hasOpenChange && !manager.isUndoing && !manager.isRedoing
    }

    func undoManagerMadeIfNeeded() -> UndoManager {
        if let storedUndoManager { return storedUndoManager }
        let manager = UndoManager()
        adopt(manager)
        return manager
    }

    func adopt(_ manager: UndoManager?) {
        // Nothing is heard of the former one's groups any more.
        if storedUndoManager != nil { countForgotten() }
        undoObservers = NotificationTokens()
        storedUndoManager = manager
        guard let manager else { return }
        observe(.NSUndoManagerDidCloseUndoGroup, of: manager) { document, manager in
            guard manager.groupingLevel == 0, !manager.isUndoing, !manager.isRedoing else { return }
            switch manager.lastClosed {
            case .change: document.countUndoable(.done)
            case .harmless: document.changeLine.stepped()
            case .forgotten: break
            }
        }
        observe(.NSUndoManagerDidUndoChange, of: manager) { document, manager in
            document.countUndoable(.undone, isStep: manager.groupingLevel == 0)
        }
        observe(.NSUndoManagerDidRedoChange, of: manager) { document, manager in
            document.countUndoable(.redone, isStep: manager.groupingLevel == 0)
        }
        observe(UndoManager.willForgetActionsNotification, of: manager) { document, _ in
            document.countForgotten()
        }
    }

    /// - Parameter isStep: Whether it is a step of its own, and not one inside a group that is still open.
    private func countUndoable(_ kind: ChangeKind, isStep: Bool = true) {
        isCountingUndoable = isStep
        updateChangeCount(kind)
        isCountingUndoable = false
    }

    /// What is in an open group has been edited, though nothing may tell of its closing any more.
    private func countForgotten() {
        guard !isForgettingUndo else { return }
        if hasOpenUndoGroup { updateChangeCount(.done) } else { changeLine.lostSteps() }
    }

    /// Forgets what could be undone: it led to what was there before the contents that the document has just taken in.
    func forgetUndo() {
        isForgettingUndo = true
        storedUndoManager?.removeAllActions()
        isForgettingUndo = false
    }

    private func observe(
        _ name: Notification.Name,
        of manager: UndoManager,
        _ body: @escaping @MainActor @Sendable (UIDocument, UndoManager) -> Void
    ) {
        let observer = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
            [weak self, weak manager] _ in
            // An undo manager lives on the main actor and posts there.
            MainActor.assumeIsolated {
                guard let self, let manager else { return }
                body(self, manager)
            }
        }
        undoObservers.add(observer)
    }

    func count(_ kind: ChangeKind) {
        switch kind {
        case .cleared: changeLine.cleared()
        case .done where isCountingUndoable: changeLine.done()
        case .undone where isCountingUndoable: changeLine.undone()
        case .redone where isCountingUndoable: changeLine.redone()
        case .done, .undone, .redone: changeLine.touched()
        }
        if hasUnsavedChanges {
            schedule.changed(at: MonotonicClock.seconds)
            armSchedule()
        } else {
            schedule.cleared()
        }
        NotificationCenter.default.post(name: UIDocument.changeCountedNotification, object: self)
    }

    /// Posted when an edit was counted or a save began or ended, so that what shows the document can follow.
    package nonisolated static let changeCountedNotification = NSNotification.Name(
        "SheafDocumentChangeCountedNotification"
    )

    /// Posted when the document has been written.
    package nonisolated static let savedNotification = NSNotification.Name("SheafDocumentSavedNotification")

    /// Sets a timer for the schedule's deadline; an earlier timer finds that it is not the last one and rests.
    func armSchedule() {
        guard lifecycle.phase == .open, let deadline = schedule.deadline else { return }
        scheduleTimer += 1
        let number = scheduleTimer
        let delay = max(0, deadline - MonotonicClock.seconds)
        DispatchQueue.main.asyncAfter(deadline: .now() + delay) { [weak self] in
            MainActor.assumeIsolated { self?.scheduleFired(number) }
        }
    }

    private func scheduleFired(_ number: Int) {
        guard number == scheduleTimer, lifecycle.phase == .open else { return }
        autosaveWhereItIs()
    }

    /// Lets an event change the lifecycle and announces what it did to the state.
    @discardableResult
    func change<Result>(_ event: (inout DocumentLifecycle) -> Result) -> Result {
        let before = lifecycle.state
        let result = event(&lifecycle)
        let after = lifecycle.state
        guard before != after else { return result }
        deviceContext.run {
            if after.contains(.editingDisabled), !before.contains(.editingDisabled) { disableEditing() }
            if before.contains(.editingDisabled), !after.contains(.editingDisabled), lifecycle.phase == .open
            {
                enableEditing()
            }
            NotificationCenter.default.post(name: UIDocument.stateChangedNotification, object: self)
        }
        return result
    }

    /// Tells of an error, of which a test can ask also where `handleError` is overridden and says nothing to super.
    func fail(_ error: any Error) {
        lastError = error
        handleError(error, userInteractionPermitted: true)
    }

    /// Runs what waited for the document to be open or closed and nothing in between.
    func settle() {
        guard lifecycle.phase == .open || lifecycle.phase == .closed else { return }
        let waiting = work.whenSettled
        work.whenSettled = []
        waiting.forEach { $0() }
    }
}
