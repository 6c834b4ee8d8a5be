internal import DocumentFoundation

/// What a document is doing now, and what waits until that has ended.
struct DocumentWork {
    /// What waits until the document is open or closed.
    var whenSettled: [() -> Void] = []
    /// Who is told of the opening that is under way.
    var openHandlers: [(Bool) -> Void] = []
    /// Who is told of the closing that is under way.
    var closeHandlers: [(Bool) -> Void] = []

    /// Whether the document closes, or is closed, because somebody was about to delete or replace its file.
    var isClosedForDeletion = false

    /// How many saves are under way.
    var savesRunning = 0
    /// How many there have been, those under way among them.
    var savesBegun = 0
    /// Whether the item is to be looked at when the saves under way have ended.
    var looksAfterSaving = false
    /// Whether what is saved now was not asked for by anybody.
    var isAutosaving = false

    /// Whose containers the document may be in; nil for one that was never opened or created.
    var account: UbiquityAccount?

    /// Whether the document reads itself anew because others changed its file.
    var isReloading = false

    /// Whether what others wrote is being merged with what is unsaved.
    var isMerging = false
    /// Whether the item is to be looked at when that has ended.
    var looksAfterMerging = false
    /// What was to be saved meanwhile.
    var delayedSaves: [RequestedSave] = []

    /// Whether a save has begun, or been put off, that has not ended.
    var isSaving: Bool { savesRunning > 0 || !delayedSaves.isEmpty }
    /// What waits until no save is under way.
    var whenSaved: [() -> Void] = []
}
