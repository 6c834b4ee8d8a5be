/// From closed to open and back: what a document may do now, and what its state is to the outside.
///
/// ```
///            requestOpen          finishOpening(true)
///   closed ─────────────▶ opening ─────────────────▶ open ◀──┐ finishReverting
///     ▲  ▲                  │ finishOpening(false)    │ │ ────┴▶ reverting
///     │  └──────────────────┘                         │ │ requestRevert
///     │   finishClosing(true)             requestClose│ │
///     └──────────────────────────── closing ◀─────────┘ └ finishClosing(false) comes back to open
/// ```
///
/// 1. `.closed` is in the state exactly while the phase is `closed` or `opening`.
/// 2. `.editingDisabled` is in it while closing or reverting, and after a revert that failed.
struct DocumentLifecycle {
    enum Phase: Hashable { case closed, opening, open, reverting, closing }

    /// What an event means for the one who asked.
    enum Decision: Hashable {
        /// Do it now.
        case proceed
        /// It is so already.
        case alreadySo
        /// The same thing is under way: answer when it ends.
        case join
        /// Something else is under way: ask again when it ends.
        case wait
        /// It cannot be done in this phase.
        case refuse
    }

    private(set) var phase = Phase.closed
    private(set) var state: UIDocument.State = .closed

    mutating func requestOpen() -> Decision {
        switch phase {
        case .closed:
            phase = .opening
            return .proceed
        case .opening: return .join
        case .open: return .alreadySo
        case .reverting, .closing: return .wait
        }
    }

    mutating func finishOpening(success: Bool) {
        precondition(phase == .opening, "finishOpening in phase \(phase)")
        phase = success ? .open : .closed
        if success { state.subtract([.closed, .editingDisabled, .savingError]) }
    }

    /// A save made the document's file where there was none: it is open from now on.
    mutating func saved(creating: Bool) {
        state.remove(.savingError)
        guard creating, phase == .closed else { return }
        phase = .open
        state.remove(.closed)
    }

    mutating func saveFailed() {
        state.insert(.savingError)
    }

    mutating func requestRevert() -> Decision {
        switch phase {
        case .closed: return .refuse
        case .opening, .closing, .reverting: return .wait
        case .open:
            phase = .reverting
            state.insert(.editingDisabled)
            return .proceed
        }
    }

    mutating func finishReverting(success: Bool) {
        precondition(phase == .reverting, "finishReverting in phase \(phase)")
        phase = .open
        if success {
            state.subtract([.editingDisabled, .savingError])
        } else {
            state.formUnion([.editingDisabled, .savingError])
        }
    }

    mutating func requestClose() -> Decision {
        switch phase {
        case .closed: return .alreadySo
        case .closing: return .join
        case .opening, .reverting: return .wait
        case .open:
            phase = .closing
            state.insert(.editingDisabled)
            return .proceed
        }
    }

    /// - Parameter saved: Whether nothing is left unsaved. Where something is, the document stays open, so
    ///   that what could not be written is still there to be written.
    mutating func finishClosing(saved: Bool) {
        precondition(phase == .closing, "finishClosing in phase \(phase)")
        state.remove(.editingDisabled)
        if saved {
            phase = .closed
            state = .closed
        } else {
            phase = .open
        }
    }

    mutating func setProgressAvailable(_ isAvailable: Bool) {
        if isAvailable { state.insert(.progressAvailable) } else { state.remove(.progressAvailable) }
    }

    mutating func setInConflict(_ isInConflict: Bool) {
        if isInConflict { state.insert(.inConflict) } else { state.remove(.inConflict) }
    }
}
