internal import DocumentFoundation
internal import FileSystem
internal import Locks
internal import UniformTypeIdentifiers

/// What others wrote and what is unsaved here become one.
///
///     read theirs ──▶ take mine ──▶ merge ──▶ nothing edited meanwhile? ──▶ load, and save
///      file queue      main actor   file queue       │ no: again
extension UIDocument {
    /// So often a merge begins anew because of edits; then the main actor waits for one.
    private static let attemptCountMax = 4

    /// Merges what others wrote with what is unsaved; where that comes to nothing, saves, which keeps theirs beside.
    func mergeOutsideChange() {
        work.isMerging = true
        attemptMerge(1)
    }

    private func attemptMerge(_ attempt: Int) {
        let proceed = MainActorCallback<Result<OthersVersion, any Error>>(on: deviceContext) {
            [self] theirs in
            meet(theirs, attempt)
        }
        fileAccess.perform(.readingIntent(with: fileURL), for: self) { [self] access in
            let theirs = Result {
                let found = try fileAccess.peek(at: access.get())
                // What they started from: a save that takes its place begins on the main actor, and is seen there.
                return OthersVersion(
                    contents: Transferred(found.contents),
                    stamp: found.stamp,
                    base: Transferred(fileAccess.knownContents),
                    ancestor: fileAccess.versions.version(lookingLike: record.withLock { $0.stamp })
                )
            }
            DispatchQueue.main.async { proceed(theirs) }
        }
    }

    /// What was edited or saved meanwhile is looked at anew.
    private var canMerge: Bool {
        isInHand && work.savesRunning == 0 && (hasUnsavedChanges || !work.delayedSaves.isEmpty)
    }

    /// Whether the document may take something in: the last save before it closes may have to merge, too.
    var isInHand: Bool { lifecycle.phase == .open || lifecycle.phase == .closing }

    private func meet(_ theirs: Result<OthersVersion, any Error>, _ attempt: Int) {
        guard canMerge else { return endMerging(.looksAgain) }
        let meeting: Meeting
        do { meeting = try Meeting(mine: takeMine(), theirs: theirs.get()) } catch {
            // What cannot be read or handed over cannot be merged: both are kept.
            return endMerging(.keepsBoth)
        }
        guard attempt < Self.attemptCountMax else { return take(Result { try merge(meeting) }, meeting) }
        let proceed = MainActorCallback<Result<MergeOutcome?, any Error>>(on: deviceContext) {
            [self] outcome in
            guard canMerge else { return endMerging(.looksAgain) }
            if isAsTaken(meeting.mine) {
                take(outcome, meeting)
            } else {
                attemptMerge(attempt + 1)
            }
        }
        fileAccess.queue.async { [self] in
            let outcome = Result { try merge(meeting) }
            DispatchQueue.main.async { proceed(outcome) }
        }
    }

    private nonisolated func merge(_ meeting: Meeting) throws -> MergeOutcome? {
        let mine = meeting.mine.contents.value
        func merged(from base: Any?) throws -> Any? {
            try mergedContents(
                ofType: meeting.mine.type,
                base: base,
                mine: mine,
                theirs: meeting.theirs.contents.value
            )
        }
        var outcome = try merged(from: meeting.theirs.base.value)
        // A large file is not in memory twice, and of a package's members only those that were read: the version knows.
        if outcome == nil, let ancestor = meeting.theirs.ancestor,
            // One that has been removed, or is damaged, is known to nobody.
            let base = try? fileAccess.peek(at: ancestor.url).contents
        {
            outcome = try merged(from: base)
        }
        return outcome.map {
            MergeOutcome(contents: Transferred($0), former: Transferred(FormerContents(mine, before: $0)))
        }
    }

    private func take(_ outcome: Result<MergeOutcome?, any Error>, _ meeting: Meeting) {
        do {
            if let outcome = try outcome.get() {
                try take(outcome, meeting)
                return endMerging(.saves)
            }
        } catch {
            // Who cannot merge keeps both.
            lastError = nil
        }
        record.withLock { $0.unmergedStamp = meeting.theirs.stamp }
        endMerging(.keepsBoth)
    }

    private enum Ending { case looksAgain, keepsBoth, saves }

    private func endMerging(_ ending: Ending) {
        work.isMerging = false
        let looksAgain = work.looksAfterMerging || ending == .looksAgain
        work.looksAfterMerging = false
        if !work.delayedSaves.isEmpty {
            let begin = { [self] in beginDelayedSaves(mergesAgain: ending != .keepsBoth) }
            // What is being read anew is saved as it is then.
            if isInHand || lifecycle.phase == .closed { begin() } else { work.whenSettled.append(begin) }
        } else if ending == .keepsBoth {
            return autosave(completionHandler: nil)
        }
        if looksAgain { checkForOutsideChange() }
        armSchedule()
    }

    // MARK: Mine

    func takeMine() throws -> OwnVersion {
        let type = savingFileType ?? fileType
        let contents = try contents(forType: type ?? UTType.data.identifier)
        return OwnVersion(
            contents: Transferred(contents),
            type: type,
            place: hasOpenUndoGroup ? nil : changeLine.current,
            serial: (contents as? FileWrapper)?.changeSerial
        )
    }

    /// Whether nothing was edited since.
    ///
    /// An app may count its changes in a way of its own: its bytes are compared, too, and its tree.
    func isAsTaken(_ mine: OwnVersion) -> Bool {
        guard !hasOpenUndoGroup, mine.place == changeLine.current,
            // What cannot be asked for any more is not the same.
            let contents = try? contents(forType: mine.type ?? UTType.data.identifier)
        else { return false }
        switch (contents, mine.contents.value) {
        case (let now as Data, let then as Data): return now == then
        case (let now as FileWrapper, let then as FileWrapper):
            return now !== then || now.changeSerial == mine.serial
        default: return true
        }
    }

    // MARK: Taking the outcome

    private func take(_ outcome: MergeOutcome, _ meeting: Meeting) throws {
        // A file that was only written anew, as it was, takes nothing away from what can be undone.
        let isMine = (outcome.contents.value as? Data).map { $0 == meeting.mine.contents.value as? Data }
        if isMine != true { try load(fromContents: outcome.contents.value, ofType: meeting.mine.type) }
        record.withLock {
            $0.stamp = meeting.theirs.stamp
            $0.modificationDate = meeting.theirs.stamp.modificationDate
        }
        fileAccess.know(meeting.theirs.contents.value)
        if isMine != true { countMerge(outcome) }
        noteMerge()
    }

    /// Takes a merge over for what is in memory; the next save writes it.
    func take(_ outcome: MergeOutcome, insteadOf mine: OwnVersion) throws {
        try load(fromContents: outcome.contents.value, ofType: mine.type)
        countMerge(outcome)
        noteMerge()
    }

    private func countMerge(_ outcome: MergeOutcome) {
        // They lead back to what was there without theirs.
        forgetUndo()
        changeLine.touched()
        registerReturn(to: outcome.former.value)
    }

    private func noteMerge() {
        schedule.changed(at: MonotonicClock.seconds)
        armSchedule()
        NotificationCenter.default.post(name: UIDocument.changeCountedNotification, object: self)
    }
}

/// What someone else wrote while this document was edited.
private struct OthersVersion: Sendable {
    let contents: Transferred<Any>
    let stamp: FileStamp
    /// What both started from, as far as it is known.
    let base: Transferred<Any?>
    /// The same among the document's versions.
    let ancestor: NSFileVersion?
}

/// What this document holds.
struct OwnVersion: Sendable {
    let contents: Transferred<Any>
    let type: String?
    /// Where the edits stood; nil in the middle of some.
    let place: ChangeLine.Place?
    /// The tree's number then.
    let serial: UInt64?
}

/// What is to be merged.
private struct Meeting: Sendable {
    let mine: OwnVersion
    let theirs: OthersVersion
}

/// What a merge came to, and the way back.
struct MergeOutcome: Sendable {
    let contents: Transferred<Any>
    let former: Transferred<FormerContents>
}
