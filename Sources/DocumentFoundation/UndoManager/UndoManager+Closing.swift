internal import Foundation

/// Groups that nobody closes by a call: the one of a pass of the run loop.
extension UndoManager {
    /// Opens the group of this pass and sees to its closing.
    ///
    /// Posts `NSUndoManagerDidOpenUndoGroup`.
    func openEventGroup() {
        stack.openGroup(isAutomatic: true)
        closeEventGroupLater()
        postDidOpenGroup()
    }

    /// Closes the pass's group when the pass ends.
    ///
    /// Whoever is on the main actor is either called by the main run loop or, where no run loop runs (an
    /// asynchronous `main`, a test), by the main queue; then the next turn of the queue is the end of the
    /// pass.
    func closeEventGroupLater() {
        guard !isClosingScheduled else { return }
        isClosingScheduled = true
        let close: @Sendable () -> Void = { [weak self] in
            MainActor.assumeIsolated { self?.closeEventGroup() }
        }
        if RunLoop.main.currentMode != nil {
            RunLoop.main.perform(inModes: runLoopModes, block: close)
        } else {
            DispatchQueue.main.async(execute: close)
        }
    }

    /// Closes the pass's group unless it is closed already or has open groups inside; closing the last of
    /// those schedules this again.
    private func closeEventGroup() {
        isClosingScheduled = false
        guard !isUndoing, !isRedoing, stack.groupingLevel == 1,
            let group = stack.outermostOpen, group.isAutomatic
        else { return }
        endUndoGrouping()
    }

    /// Closes the innermost group and tells.
    ///
    /// The checkpoint has been posted.
    func closeGroup() {
        postGroup(.NSUndoManagerWillCloseUndoGroup, isDiscardable: stack.innermostOpen?.isDiscardable ?? true)
        // Who was waiting for that may have registered.
        let isDiscardable = stack.innermostOpen?.isDiscardable ?? true
        let isKept = stack.closeGroup()
        if stack.mode == .idle { lastClosed = isKept ? isDiscardable ? .harmless : .change : .forgotten }
        if stack.groupingLevel == 1, let outermost = stack.outermostOpen, outermost.isAutomatic {
            closeEventGroupLater()
        }
        postGroup(.NSUndoManagerDidCloseUndoGroup, isDiscardable: isDiscardable)
    }

    /// Closes the pass's group if it is all that is open, and nothing is in it.
    func closeEmptyEventGroup() {
        guard groupingLevel == 1, let group = stack.outermostOpen else { return }
        if group.isAutomatic, group.isEmpty { closeGroup() }
    }

    /// Makes sure there is a group to put something into.
    ///
    /// - Parameter call: What needs the group, for the message of the trap.
    func openGroupIfNeeded(for call: StaticString) {
        guard stack.groupingLevel == 0 else { return }
        if stack.mode != .idle {
            // A handler forgot everything, then went on registering: its undo or redo is still one group.
            stack.openGroup(isAutomatic: false)
            postDidOpenGroup()
        } else {
            precondition(
                groupsByEvent,
                "\(call) needs an open group: call beginUndoGrouping() first or set groupsByEvent"
            )
            openEventGroup()
        }
    }
}
