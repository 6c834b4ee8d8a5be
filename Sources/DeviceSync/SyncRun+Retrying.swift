internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Sync
internal import SyncMessages

// What cannot be done for now is tried again, as long as there is any.
extension SyncRun {
    /// After so many seconds what could not be done is tried again.
    static let retrySeconds = 10.0

    /// Something has happened: what cannot be done for now, by this or by what comes of it, is tried again in a while, and then
    /// from time to time until all is at rest.
    func retryLater() {
        guard !isRetryDue, !isStopped else { return }
        isRetryDue = true
        queue.asyncAfter(deadline: .now() + Self.retrySeconds) { [box = Confined(Weak(self))] in
            guard let self = box.value.value, !self.isStopped else { return }
            // It is due until it is over: to try is not what has happened.
            self.retry()
            self.isRetryDue = false
            if self.mayHaveToRetry { self.retryLater() }
        }
    }

    /// Whether something may be possible later although nobody tells of it: what waits for the line, for a person, or for what
    /// happens in the folder is told.
    var mayHaveToRetry: Bool {
        guard !isStopped else { return false }
        if unremembered != nil || wayBack != nil || !unkept.isEmpty || !unlisted.isEmpty { return true }
        if lineState == .up, !failedContents.isEmpty { return true }
        if versions.isOn, !conflicts.shown.isEmpty, conflicts.watch == nil { return true }
        if !conflicts.behind.isEmpty || !conflicts.withThemselves.behind.isEmpty { return true }
        if !unfinished.isEmpty || !amidSaves.isEmpty || isLateBehind { return true }
        return stuck.keys.contains { !isExcluded($0) }
    }

    /// Tries again what could not be done.
    func retry() {
        rememberAgain()
        goBackIfPossible()
        clearUnfinished()
        lookAmidSaves()
        showConflictsAgain()
        settleConflictsWithThemselvesAgain()
        followConflicts()
        lookAtLateAgain()
        lookAtUnkept()
        dirtyFolders.formUnion(unlisted.keys.filter { !isStillApart($0) })
        if !dirtyFolders.isEmpty { lookSoon() }
        askAgain()
        forgetSupersededIfHubIsFull()
        retryStuck()
        take([])
    }

    /// Tries again to keep what could not be kept.
    func lookAtUnkept() {
        guard !unkept.isEmpty else { return }
        for item in unkept.keys {
            // What a power cut has damaged may look as it did.
            if suspects.contains(item) { readAnew(item) }
            dirtyFolders.insert(table[item]?.state.place.parent ?? .root)
            // Its own traces do not tell what is deep in it.
            if table[item]?.trace.kind == .directory { dirtyPackages.insert(item) }
        }
        lookSoon()
    }

    /// Tries again what could not be done in the folder.
    ///
    /// What is to become of an item is decided anew: it may have another name by now, which this disk can have.
    func retryStuck() {
        guard !isRootAway else { return }
        let later = isFullHubDue ? [:] : hubRefusals
        let effects = stuck.filter { later[$0.key] == nil }.values.map(\.effect)
        stuck = later
        var withheld: [Event] = []
        for effect in effects {
            switch effect {
            case .place(let item, _, _), .remove(let item, _), .become(let item, _, _): refused.insert(item)
            case .merge, .fetch: carryOut(effect)
            // What was held back while it was excluded, if that is still what the engine waits for.
            case .upload(let content): if engine.isSending(content) { carryOut([effect]) }
            // Anew, by what the item is by now.
            case .commit(let commit): withheld.append(.commitWithheld(commit.id, lacking: []))
            }
        }
        if !withheld.isEmpty { take(withheld) }
        answerRefused()
    }
}
