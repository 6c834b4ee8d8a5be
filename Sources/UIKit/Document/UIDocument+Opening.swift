internal import FileSystem
internal import Locks
internal import UniformTypeIdentifiers

extension UIDocument {
    func beginOpening(_ handler: ((Bool) -> Void)?) {
        let answer = handler ?? { _ in }
        switch change({ $0.requestOpen() }) {
        case .alreadySo: answer(true)
        case .join: work.openHandlers.append(answer)
        case .wait: work.whenSettled.append { [self] in beginOpening(answer) }
        case .refuse: answer(false)
        case .proceed:
            beginAnew()
            work.openHandlers.append(answer)
            // It may have been evicted since the document was made, and listed then under the placeholder's name.
            record.withLock { $0.fileURL = Self.place(meantBy: $0.fileURL) }
            work.account = .of(fileURL)
            OpenDocuments.insert(self)
            readInBackground(from: fileURL) { [self] result in finishOpening(result) }
        }
    }

    private func finishOpening(_ result: Result<Void, any Error>) {
        switch result {
        case .success:
            changeLine.cleared()
            lastError = nil
            work.isClosedForDeletion = false
            change { [isInConflict = !unsettled.isEmpty] lifecycle in
                lifecycle.finishOpening(success: true)
                lifecycle.setInConflict(isInConflict)
            }
        case .failure(let error):
            OpenDocuments.remove(self)
            fail(error)
            change { $0.finishOpening(success: false) }
        }
        followUpload()
        let handlers = work.openHandlers
        work.openHandlers = []
        handlers.forEach { $0(lifecycle.phase == .open) }
        settle()
    }

    /// Reads the item inside a coordinated read and answers on the main actor.
    ///
    /// The document becomes its presenter inside that read, so that no change falls between the two.
    ///
    /// - Parameter isElsewhere: Whether the document was another item's until now.
    func readInBackground(
        from url: URL,
        isElsewhere: Bool = false,
        then finish: @escaping (Result<Void, any Error>) -> Void
    ) {
        let finish = MainActorCallback<Result<[NSFileVersion]?, any Error>>(on: deviceContext) {
            [self] result in
            show(nil)
            if case .success(let unresolved) = result { knowConflicts(unresolved) }
            finish(result.map { _ in })
        }
        fileAccess.perform(.readingIntent(with: url), for: self) { [self] access in
            let result = Result { try readGranted(access.get(), askedFor: url, isElsewhere: isElsewhere) }
            let found = result.map { unresolvedConflicts(afterReading: $0, isElsewhere: isElsewhere) }
            DispatchQueue.main.async { finish(found) }
            guard case .success(let place) = result else { return }
            fileAccess.versions.othersWrote()
            keepVersion(of: place, readReason)
        }
    }

    /// The place that a URL names: that of the item, where it is a placeholder's, as a listing of the folder gives it.
    nonisolated static func place(meantBy url: URL) -> URL {
        UbiquityAccount.of(url).itemURL(of: url).standardizedFileURL
    }

    /// Shows how far the contents have come that are fetched; nil for no more.
    func show(_ progress: Progress?) {
        guard download !== progress else { return SceneUpdates.request() }
        download = progress
        change { [progress = self.progress] in $0.setProgressAvailable(progress != nil) }
    }

    /// Follows what of the document is on its way to a hub, where it is now, as long as it is open.
    func followUpload() {
        let place = lifecycle.phase == .open ? work.account?.place(of: fileURL)?.path : nil
        guard upload?.place != place else { return }
        upload?.end()
        upload = nil
        if let place, let account = work.account {
            upload = UploadFollowing(place, in: account) { [weak self] in self?.uploadChanged() }
        }
        uploadChanged()
    }

    private func uploadChanged() {
        change { [progress] in $0.setProgressAvailable(progress != nil) }
    }

    /// - Parameter url: Where the item was when it was asked for.
    private nonisolated func readGranted(
        _ place: URL,
        askedFor url: URL,
        isElsewhere: Bool
    ) throws -> URL {
        fileAccess.confined()
        try checkThatProgramRuns(before: "read")
        try fileAccess.recover(place)
        let stamp = try fileAccess.stamp(of: place)
        try read(from: place)
        record.withLock { record in
            // Who presents nothing yet is not told of a move that access was waited for.
            if record.fileURL == url, place != url {
                record.leftPlace = (url, MonotonicClock.seconds)
                record.fileURL = place.standardizedFileURL
            }
            record.stamp = stamp
            record.modificationDate = stamp.modificationDate
            record.isFileGone = false
        }
        if isElsewhere { fileAccess.versions.becameAnotherItem() }
        markBeforePresenting(place, isElsewhere: isElsewhere)
        startPresenting(since: "UIDocument.open")
        if isElsewhere {
            FileAccessRegistry.shared.follow(self)
            itemMayHaveChanged(OutsideHint())
        }
        return place
    }

    /// - Parameter call: What has led to it, for those who are told who presents an item. Where the app called that is not
    ///   known: subclasses override these methods as they are on iOS.
    nonisolated func startPresenting(since call: String) {
        let isNew = record.withLock { record in
            guard !record.isPresenting, !record.hasEnded else { return false }
            record.isPresenting = true
            return true
        }
        guard isNew else { return }
        fileAccess.lateLoserKept.withLock { kept in
            kept = { [weak self] loser in
                DispatchQueue.main.async {
                    MainActor.assumeIsolated {
                        // Closed meanwhile, the document has nothing to say; it is kept all the same.
                        if let self, self.lifecycle.phase != .closed { self.noteConflict(loser) }
                    }
                }
            }
        }
        FileAccessRegistry.shared.add(self, place: call)
        // What changed between the reading and now was not watched yet.
        itemMayHaveChanged(OutsideHint())
    }

    nonisolated func stopPresenting() {
        let wasPresenting = record.withLock { record in
            defer { record.isPresenting = false }
            return record.isPresenting
        }
        guard wasPresenting else { return }
        fileAccess.stopWatchingCopies()
        NSFileCoordinator.removeFilePresenter(self)
    }

    /// Why a document does not read itself anew.
    struct EditedMeanwhile: Error {}

    /// The default of `read(from:)`.
    nonisolated func readContents(at url: URL) throws {
        let contents = try fileAccess.peek(at: url).contents
        let transfer = Transferred(contents)
        // Apple's contract: load(fromContents:ofType:) runs where open was called while this queue waits for it.
        try MainQueue.sync { [self] in
            // Nobody has asked for this reading: what was typed meanwhile is not to be lost by it.
            if work.isReloading, hasUnsavedChanges { throw EditedMeanwhile() }
            try deviceContext.run {
                try load(fromContents: transfer.value, ofType: PackageTypes.identifier(of: url) ?? fileType)
            }
            // Not what the app has refused: what it goes on with has not begun at that.
            fileAccess.know(transfer.value)
            loadedPlace = changeLine.current
        }
    }
}
