internal import Sync

/// Bugs that sync engines have had, planted between an engine and the rest of its world.
package enum PlantedBug: String, CaseIterable {
    /// A rename that has come from elsewhere is reported as done, and is not.
    case lostRename
    /// A removal by the person is not heard of.
    case unheardRemoval
    /// The hub takes a commit that was made from an old state.
    case staleCommit
    /// What the person has written since is overwritten.
    case staleOverwrite
    /// What lost a conflict is not committed.
    case droppedConflict
    /// A merge gives what the other has written.
    case oneSidedMerge
    /// The hub is believed to have what it never got.
    case unsentContents
    /// A removal that came too late removes the edit that was first.
    case removalBeatsEdit
    /// What was sent before the line broke is sent as another item.
    case duplicateAfterRetry
    /// What is put in place is empty.
    case emptyFile
    /// A folder is removed with what somebody has just put into it.
    case removalOfFullFolder
    /// The answer to a commit is taken for another's work.
    case ownWorkTakenForOthers
    /// What has been removed is found again, and taken for new.
    case resurrectedDelete
    /// A package is put in place without one of its members.
    case halfPackage
    /// The hub says that it has contents before they are on stable storage, and dies.
    case undurableUpload
    /// The folder is not there at the start, and all that is missing counts as removed.
    case missingRoot
    /// That the hub was put back to a backup is not noticed.
    case unheededRestore
    /// That an item's contents were evicted is not heard of: they are taken for here.
    case evictedTakenForHere

    /// What is in a folder that becomes another is lost.
    case lostMembers
    /// What becomes another is removed, and so is that.
    case bothRemoved
    /// That an item was paused is not heard of.
    case unheardPause

    /// What the engine hears instead.
    func heard(_ event: SyncEngine.Event, by device: DeviceID) -> SyncEngine.Event? {
        switch (self, event) {
        case (.unheardRemoval, .diskChanged(_, nil)), (.evictedTakenForHere, .evicted),
            (.unheardPause, .paused):
            return nil
        case (.oneSidedMerge, .merged(let item, let base, let ours, let theirs, .some)):
            return .merged(item, base: base, ours: ours, theirs: theirs, theirs)
        case (.ownWorkTakenForOthers, .logRead(let entries)):
            return .logRead(
                entries.map { entry in
                    guard entry.commit.id.device == device else { return entry }
                    var commit = entry.commit
                    commit.id = Commit.ID(DeviceID(99), session: commit.id.session, commit.id.number)
                    return LogEntry(entry.position, commit)
                }
            )
        default: return event
        }
    }

    /// What is done instead of what the engine wants.
    func done(_ effect: SyncEngine.Effect, isRetry: Bool) -> SyncEngine.Effect {
        switch (self, effect) {
        case (.lostRename, .place(let item, var state, let expected?)):
            state.place = expected.place
            return .place(item, state, expecting: expected)
        case (.droppedConflict, .commit(var commit)):
            commit.state?.conflicts = []
            return .commit(commit)
        case (.duplicateAfterRetry, .commit(var commit)) where isRetry && commit.base == 0:
            commit.item = ItemID(2, commit.item.low)
            return .commit(commit)
        case (.emptyFile, .place(let item, var state, let expected)) where state.content != nil:
            state.content = ContentName("")
            return .place(item, state, expecting: expected)
        default: return effect
        }
    }
}
