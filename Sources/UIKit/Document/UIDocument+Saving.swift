internal import FileSystem
internal import Locks
internal import UniformTypeIdentifiers
internal import Vault

extension UIDocument {
    /// So often a save merges what others wrote; what they write then is kept beside.
    private static let mergeCountMax = 4

    func beginSaving(to url: URL, for operation: SaveOperation, _ handler: ((Bool) -> Void)?) {
        request(
            RequestedSave(
                url: Self.place(meantBy: url),
                operation: operation,
                isAutosave: work.isAutosaving,
                mergesLeft: Self.mergeCountMax,
                handler: handler
            )
        )
    }

    private func request(_ save: RequestedSave) {
        if lifecycle.phase == .closed, save.operation == .forCreating { beginAnew() }
        switch lifecycle.phase {
        case .closed, .open, .closing: begin(save)
        // What is in memory is about to be replaced: written after that, it would be on disk and nowhere else.
        case .opening, .reverting: work.whenSettled.append { [self] in beginSettled(save) }
        }
    }

    private func beginSettled(_ save: RequestedSave) {
        guard lifecycle.phase == .closed else { return request(save) }
        fail(DocumentError.notOpen("saved", at: fileURL))
        save.handler?(false)
    }

    /// Begins the saves that had to wait for a merge.
    ///
    /// - Parameter mergesAgain: Whether what others have written since is to be merged, too.
    func beginDelayedSaves(mergesAgain: Bool) {
        // One that fails at once must not be taken for the last one.
        for _ in work.delayedSaves.indices {
            var save = work.delayedSaves.removeFirst()
            save.mergesLeft = mergesAgain ? save.mergesLeft - 1 : 0
            begin(save)
        }
    }

    private func begin(_ save: RequestedSave) {
        let (operation, handler) = (save.operation, save.handler)
        let token = changeCountToken(for: operation)
        let snapshot: SaveSnapshot
        do {
            snapshot = try takeSnapshot(for: save)
        } catch {
            finishSaving(.failure(error), operation: operation, token: token, handler)
            return
        }
        schedule.saveStarted()
        work.savesRunning += 1
        work.savesBegun += 1
        NotificationCenter.default.post(name: UIDocument.changeCountedNotification, object: self)
        let finish = MainActorCallback<Result<SavedItem, any Error>>(on: deviceContext) { [self] result in
            work.savesRunning -= 1
            if case .failure(is OthersWroteFirst) = result { return mergeBefore(save) }
            finishSaving(result, operation: operation, token: token, handler)
        }
        let options: NSFileCoordinator.WritingOptions = operation == .forCreating ? .forReplacing : []
        fileAccess.performSave(to: snapshot.url, options: options, for: self) { [self] access in
            fileAccess.confined()
            let result = Result { try write(snapshot, at: access.get()) }
            DispatchQueue.main.async { finish(result) }
            if case .success(let item) = result { keepVersion(of: item.url, snapshot.reason) }
        }
    }

    private func mergeBefore(_ save: RequestedSave) {
        work.delayedSaves.append(save)
        if !work.isMerging { mergeOutsideChange() }
    }

    private func takeSnapshot(for save: RequestedSave) throws -> SaveSnapshot {
        let operation = save.operation
        let type = savingFileType ?? fileType ?? UTType.data.identifier
        var target = save.url.standardizedFileURL
        if type != fileType {
            let wanted = fileNameExtension(forType: type, saveOperation: operation)
            if !wanted.isEmpty, target.pathExtension.lowercased() != wanted.lowercased() {
                target = target.deletingPathExtension().appendingPathExtension(wanted)
            }
        }
        let attributes = try fileAttributesToWrite(to: target, for: operation)
        let contents = try contents(forType: type)
        return SaveSnapshot(
            url: target,
            operation: operation,
            contents: Transferred(contents),
            capture: Transferred(fileAccess.captured(contents)),
            attributes: Transferred(attributes),
            reason: save.isAutosave ? .autosave : .explicit,
            mergesFirst: save.mergesLeft > 0 && operation == .forOverwriting && target == fileURL && isInHand
        )
    }

    private nonisolated func write(_ snapshot: SaveSnapshot, at place: URL) throws -> SavedItem {
        // Another save must not find it, however this one ends.
        fileAccess.capture = snapshot.capture.value
        defer { fileAccess.capture = nil }
        try checkThatProgramRuns(before: "saved")
        try fileAccess.recover(place, before: .writing)
        let loser = try keepWhatOthersWrote(at: place, mergesFirst: snapshot.mergesFirst)
        if loser == nil { keepVersionToBeReplaced(at: place) }
        fileAccess.beginWriting()
        try writeContents(
            snapshot.contents.value,
            andAttributes: snapshot.attributes.value,
            safelyTo: place,
            for: snapshot.operation
        )
        fileAccess.endWriting()
        let stamp = try fileAccess.takeWrittenStamp(of: place)
        let isAnother = record.withLock { record in
            // One that was moved while this save waited for access is the same at its new place.
            let isAnother = record.fileURL != place && record.fileURL != snapshot.url
            record.fileURL = place
            record.stamp = stamp
            record.modificationDate = stamp.modificationDate
            record.isFileGone = false
            return isAnother
        }
        if isAnother { fileAccess.versions.becameAnotherItem() }
        startPresenting(since: "UIDocument.save")
        FileAccessRegistry.shared.hold(self)
        return SavedItem(url: place, losers: [loser].compactMap { $0 } + fileAccess.takeLosers())
    }

    /// Keeps the item when it is not the one that this document read or wrote last.
    ///
    /// - Throws: `OthersWroteFirst` when it may be merged.
    private nonisolated func keepWhatOthersWrote(at place: URL, mergesFirst: Bool) throws -> ConflictLoser? {
        let found = try fileAccess.stampIfPresent(of: place)
        let (known, ownPlace, unmerged) = record.withLock { ($0.stamp, $0.fileURL, $0.unmergedStamp) }
        let mergesFirst = mergesFirst && known != nil && found != unmerged
        fileAccess.expect(found, from: readReason, at: place == ownPlace, mergesFirst: mergesFirst)
        guard let found else { return nil }
        if place == ownPlace, found == known { return nil }
        if mergesFirst { throw OthersWroteFirst() }
        // An overwriting save to another place than the document's own is what an app does to "save as": it has
        // asked the person already. The item found there is kept all the same.
        return try fileAccess.keepOthers(at: place)
    }

    private func finishSaving(
        _ result: Result<SavedItem, any Error>,
        operation: SaveOperation,
        token: Any,
        _ handler: ((Bool) -> Void)?
    ) {
        let now = MonotonicClock.seconds
        switch result {
        case .success(let item):
            updateChangeCount(withToken: token, for: operation)
            schedule.saveSucceeded(at: now)
            if hasUnsavedChanges { schedule.changed(at: now) } else { schedule.cleared() }
            lastError = nil
            updateActivityIfMoved()
            change { $0.saved(creating: operation == .forCreating) }
            if operation == .forCreating {
                work.account = work.account ?? .of(fileURL)
                work.isClosedForDeletion = false
            }
            followUpload()
            if lifecycle.phase == .closed { endPresenting() } else { OpenDocuments.insert(self) }
            item.losers.forEach(noteConflict)
            NotificationCenter.default.post(name: UIDocument.savedNotification, object: self)
            handler?(true)
        case .failure(let error):
            schedule.saveFailed(at: now)
            change { $0.saveFailed() }
            fail(error)
            handler?(false)
        }
        armSchedule()
        NotificationCenter.default.post(name: UIDocument.changeCountedNotification, object: self)
        if work.looksAfterSaving, work.savesRunning == 0 {
            work.looksAfterSaving = false
            checkForOutsideChange()
        }
        guard !work.isSaving else { return }
        let waiting = work.whenSaved
        work.whenSaved = []
        waiting.forEach { $0() }
    }

    // MARK: The defaults of the writing methods, on the file queue

    nonisolated func writeSafely(
        _ contents: Any,
        attributes: [AnyHashable: Any]?,
        to url: URL,
        for operation: SaveOperation
    ) throws {
        let original =
            operation == .forOverwriting && FileManager.default.fileExists(atPath: url.path) ? url : nil
        let isOpenToAll = WritingOverride.isOverridden(by: Swift.type(of: self))
        try fileAccess.stage(url, attributes: attributes ?? [:], isOpenToAll: isOpenToAll) { staged in
            try writeContents(contents, to: staged, for: operation, originalContentsURL: original)
        }
    }

    nonisolated func writeStaged(
        _ contents: Any,
        to url: URL,
        for operation: SaveOperation,
        original: URL?
    ) throws {
        switch contents {
        case let data as Data: try fileAccess.write(data, to: url)
        case let data as NSData: try fileAccess.write(Data(referencing: data), to: url)
        case let wrapper as FileWrapper: try fileAccess.write(wrapper, to: url, original: original)
        default: throw DocumentError.contentsUnknown(contents, at: fileURL)
        }
    }
}

/// A save as it was asked for.
struct RequestedSave {
    let url: URL
    let operation: UIDocument.SaveOperation
    let isAutosave: Bool
    /// So often it may still be put off to merge.
    var mergesLeft: Int
    let handler: ((Bool) -> Void)?
}

/// What a save took from the main actor.
private struct SaveSnapshot: Sendable {
    let url: URL
    let operation: UIDocument.SaveOperation
    let contents: Transferred<Any>
    let capture: Transferred<PackageCapture?>
    let attributes: Transferred<[AnyHashable: Any]>
    let reason: VersionReason
    /// Whether what others wrote is to be merged before it is replaced.
    let mergesFirst: Bool
}

/// What a save left on disk.
private struct SavedItem: Sendable {
    let url: URL
    let losers: [ConflictLoser]
}
