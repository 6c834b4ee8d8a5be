internal import DocumentFoundation
internal import FileSystem
internal import Locks

extension UIDocument {
    /// Whether someone has removed the document's file, and nothing is at its place.
    ///
    /// Ours. What is in memory stays and can be edited, but is not written by itself: the file would come back
    /// unasked. Saving writes it again, and so does closing where something is unsaved. Should a file appear at
    /// the place, the document reads it. Any thread; announced as a change of state.
    public nonisolated var isFileDeleted: Bool { record.withLock { $0.isFileGone } }

    /// Whether the document's file is in the trash. The document follows it there, and back.
    ///
    /// Ours. Any thread.
    public nonisolated var isFileInTrash: Bool { Trash.holds(fileURL) }

    nonisolated func follow(to newURL: URL) {
        let place = newURL.standardizedFileURL
        fileAccess.noteMoved(to: place)
        // Absent or unreadable: the next save tells.
        let found = try? fileAccess.stampIfPresent(of: place)
        // On another volume it is another inode with the same contents, and maybe of another date.
        let isCopy = found.map { fileAccess.isBase(at: place, stamped: $0) } ?? false
        record.withLock { record in
            if record.fileURL != place { record.leftPlace = (record.fileURL, MonotonicClock.seconds) }
            record.fileURL = place
            guard let found else { return }
            record.isFileGone = false
            if let known = record.stamp, isCopy || known.hasContents(of: found) { record.stamp = found }
        }
        if found != nil { checkForOutsideChange() }
        announceFile()
    }

    /// Notes that nothing was found at the document's place, unless something is there again by now.
    nonisolated func noteFileGone() {
        let isNew = record.withLock { record in
            defer { record.isFileGone = true }
            return !record.isFileGone
        }
        // Looked at when it is noted: what comes before this look is seen by it, what comes later is told and
        // takes the note back.
        guard isAbsent(fileURL) else {
            record.withLock { $0.isFileGone = false }
            checkForOutsideChange()
            return
        }
        if isNew { announceFile() }
    }

    /// Says that something about the file is another now, of which the document's state says nothing.
    nonisolated func announceFile() {
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated {
                updateActivityIfMoved()
                deviceContext.run {
                    NotificationCenter.default.post(name: UIDocument.stateChangedNotification, object: self)
                }
                NotificationCenter.default.post(name: UIDocument.changeCountedNotification, object: self)
            }
        }
    }

    /// Brings the activity up to date, if the document is at another place than it says.
    func updateActivityIfMoved() {
        followUpload()
        if userActivity?.userInfo?[UIDocument.userActivityURLKey] as? URL != fileURL { updateActivity() }
    }

    func updateActivity() {
        guard let userActivity else { return }
        userActivity.needsSave = true
        updateUserActivityState(userActivity)
    }

    /// Saves by itself, where the item is now; not when it is gone. What others have changed is looked at first,
    /// so that it can be merged.
    func autosaveWhereItIs() {
        // A merge under way ends in a save, or in another look.
        guard !isFileDeleted, !work.isMerging else { return }
        let go = MainActorCallback<(place: URL?, isAnother: Bool)>(on: deviceContext) { [self] found in
            guard lifecycle.phase == .open, !work.isMerging else { return }
            if found.place == nil {
                noteFileGone()
                if !isFileDeleted { autosaveWhereItIs() }
            } else if found.isAnother {
                takeOutsideChange()
            } else {
                autosave(completionHandler: nil)
            }
        }
        settleWhereabouts(of: fileURL) { [self] place in
            fileAccess.queue.async { [self] in
                let isAnother = place != nil && isAnother(fileAccess.hintBeforeSaving)
                DispatchQueue.main.async { go((place, isAnother)) }
            }
        }
    }

    /// So long a save to the place that the document's file was moved away from is meant for the document.
    private nonisolated static let leftPlaceSeconds = 5.0

    /// Finds out where the document's item is, if it is not at its place any more.
    ///
    /// - Parameters:
    ///   - url: What is to be written; anything but the document's own place, and the one that it has just left, is
    ///     answered as it is.
    ///   - answer: Called on any thread, with the place to write; nil when the item is gone.
    nonisolated func settleWhereabouts(of url: URL, then answer: @escaping @Sendable (URL?) -> Void) {
        let (own, left, isKnown) = record.withLock {
            ($0.fileURL, $0.leftPlace, $0.isPresenting && $0.stamp != nil)
        }
        // Asked for before it was known that the document has moved.
        if let left, left.url == url, url != own, isAbsent(url),
            MonotonicClock.seconds - left.seconds <= Self.leftPlaceSeconds
        {
            return settleWhereabouts(of: own, then: answer)
        }
        guard url == own, isKnown, isAbsent(url) else {
            answer(url)
            return
        }
        FileAccessRegistry.shared.settle(self) { [self] place in
            if let place {
                fileAccess.noteMoved(to: place.standardizedFileURL)
                record.withLock { if $0.fileURL == url { $0.fileURL = place.standardizedFileURL } }
            }
            answer(place?.standardizedFileURL)
        }
    }
}

extension UIDocument {
    /// Whether nothing is at a place; what cannot be looked at is for an access to find out.
    nonisolated func isAbsent(_ url: URL) -> Bool {
        do { return try fileAccess.stampIfPresent(of: url) == nil } catch { return false }
    }
}

extension FileStamp {
    /// Whether size and date say that the contents are those of the other.
    fileprivate func hasContents(of other: FileStamp) -> Bool {
        kind == other.kind && (kind == .directory || byteCount == other.byteCount)
            && modificationSeconds == other.modificationSeconds
            && modificationNanoseconds == other.modificationNanoseconds
    }
}
