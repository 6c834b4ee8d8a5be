internal import Locks

extension UIDocument {
    /// So often a document is saved before it closes, or reads another version, that says each time that something is unsaved,
    /// and tells of no change.
    static let restSavesMax = 4

    func beginClosing(_ handler: ((Bool) -> Void)?) {
        let answer = handler ?? { _ in }
        switch change({ $0.requestClose() }) {
        // A save for creating opens it.
        case .alreadySo where work.isSaving: work.whenSaved.append { [self] in beginClosing(answer) }
        case .alreadySo: answer(true)
        case .join: work.closeHandlers.append(answer)
        case .wait: work.whenSettled.append { [self] in beginClosing(answer) }
        case .refuse: answer(false)
        case .proceed:
            work.closeHandlers.append(answer)
            saveRest()
        }
    }

    /// Saves until nothing is unsaved: a last change may come while the save before it is still running.
    ///
    /// An app whose `autosave` says that all is on disk without saving is believed. A document that always has something
    /// unsaved, as an override says so or a group of undo actions stays open, closes after a few saves.
    private func saveRest(_ saveCount: Int = 1) {
        let savesBegun = work.savesBegun
        // What asking for the contents changes is no news.
        var taken: ChangeLine.Place?
        autosave { [self] saved in
            guard saved else {
                finishClosing(saved: false)
                return
            }
            guard hasUnsavedChanges, work.savesBegun != savesBegun else { return stopAndFinish() }
            if let taken, taken != changeLine.current { return saveRest() }
            if saveCount < Self.restSavesMax { saveRest(saveCount + 1) } else { stopAndFinish() }
        }
        taken = changeLine.current
    }

    /// Closes without saving: what is not on a disk is gone, as it is with a process that dies.
    ///
    /// For who stands in for such a process.
    package func abandon() async {
        await withCheckedContinuation { goOn in beginAbandoning { goOn.resume() } }
    }

    func beginAbandoning(_ handler: @escaping () -> Void) {
        switch change({ $0.requestClose() }) {
        case .alreadySo, .refuse: handler()
        case .wait: work.whenSettled.append { [self] in beginAbandoning(handler) }
        case .join:
            work.closeHandlers.append { [self] saved in
                if saved { handler() } else { beginAbandoning(handler) }
            }
        case .proceed:
            changeLine.cleared()
            work.closeHandlers.append { _ in handler() }
            stopAndFinish()
        }
    }

    private func stopAndFinish() {
        let finish = MainActorCallback<Void>(on: deviceContext) { [self] in finishClosing(saved: true) }
        endPresenting { DispatchQueue.main.async { finish(()) } }
    }

    /// Has the document present its item no more, when all that waits has been done. With a save a document becomes its
    /// item's presenter, be it closed.
    ///
    /// - Parameter done: Called then, on the queue of the file accesses.
    func endPresenting(_ done: @escaping @Sendable () -> Void = {}) {
        performAsynchronousFileAccess { [self] in
            stopPresenting()
            fileAccess.forget()
            done()
        }
    }

    private func finishClosing(saved: Bool) {
        if saved {
            OpenDocuments.remove(self)
            schedule.cleared()
            unsettled = DocumentConflicts()
            record.withLock { $0.isInConflict = false }
        }
        change { $0.finishClosing(saved: saved) }
        followUpload()
        let handlers = work.closeHandlers
        work.closeHandlers = []
        handlers.forEach { $0(saved) }
        armSchedule()
        settle()
    }

    func beginReverting(to other: URL, _ handler: ((Bool) -> Void)?) {
        let url = Self.place(meantBy: other)
        // A save under way ends where the document was when it was asked for, and takes that for the document's place.
        if work.isSaving, lifecycle.phase == .open, url != fileURL {
            work.whenSaved.append { [self] in beginReverting(to: url, handler) }
            return
        }
        switch change({ $0.requestRevert() }) {
        case .wait, .join:
            work.whenSettled.append { [self] in beginReverting(to: url, handler) }
        case .alreadySo, .refuse:
            fail(DocumentError.notOpen("reverted", at: fileURL))
            handler?(false)
        case .proceed:
            let former = record.withLock { record in
                defer { record.fileURL = url }
                return record.fileURL
            }
            readInBackground(from: url, isElsewhere: url != former) { [self] result in
                // What is at the other place is not the document: nothing of it is to be written there.
                if case .failure = result {
                    record.withLock { if $0.fileURL == url { $0.fileURL = former } }
                }
                finishReverting(result, handler)
            }
        }
    }

    /// Reads the document anew; it is reverting already.
    func readBack(from url: URL, _ handler: ((Bool) -> Void)?) {
        readInBackground(from: url) { [self] result in finishReverting(result, handler) }
    }

    private func finishReverting(_ result: Result<Void, any Error>, _ handler: ((Bool) -> Void)?) {
        switch result {
        case .success:
            forgetUndo()
            updateActivityIfMoved()
            // What was edited after the contents were taken in, and before this, is on no disk.
            if let loadedPlace { changeLine.saved(at: loadedPlace) } else { changeLine.cleared() }
            loadedPlace = nil
            schedule.cleared()
            if hasUnsavedChanges { schedule.changed(at: MonotonicClock.seconds) }
            lastError = nil
            change { [isInConflict = !unsettled.isEmpty] lifecycle in
                lifecycle.finishReverting(success: true)
                lifecycle.setInConflict(isInConflict)
            }
            armSchedule()
            handler?(true)
        case .failure where work.isReloading && !FileManager.default.fileExists(atPath: fileURL.path):
            // Gone again before it could be read: what was read before stays, and the watch tells the rest.
            change { $0.finishReverting(success: true) }
            handler?(false)
        case .failure(is EditedMeanwhile):
            // Both are there, as if the edit had been first.
            change { $0.finishReverting(success: true) }
            work.whenSettled.append { [self] in checkForOutsideChange() }
            armSchedule()
            handler?(false)
        case .failure(let error):
            change { $0.finishReverting(success: false) }
            fail(error)
            handler?(false)
        }
        NotificationCenter.default.post(name: UIDocument.changeCountedNotification, object: self)
        settle()
    }
}
