internal import FileSystem
internal import Locks

extension UIDocument {
    nonisolated func autosaveForPresenter(_ answer: @escaping @Sendable ((any Error)?) -> Void) {
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated {
                autosave { [self] saved in answer(saved ? nil : unsavedError) }
            }
        }
    }

    nonisolated func closeForDeletion(_ answer: @escaping @Sendable ((any Error)?) -> Void) {
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated {
                close { [self] closed in answer(closed ? nil : unsavedError) }
            }
        }
    }

    private var unsavedError: any Error {
        lastError ?? CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: fileURL])
    }

    nonisolated func follow(to newURL: URL) {
        record.withLock { $0.fileURL = newURL.standardizedFileURL }
        fileAccess.queue.async { [self] in
            // The item may have become another inode on its way, to another volume say.
            // Absent or unreadable: the next save tells.
            if let stamp = try? fileAccess.stampIfPresent(of: newURL) {
                record.withLock { if $0.fileURL == newURL.standardizedFileURL { $0.stamp = stamp } }
            }
            fileAccess.startWatching(self)
        }
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated {
                NotificationCenter.default.post(name: UIDocument.changeCountedNotification, object: self)
            }
        }
    }

    /// Looks whether the item is the one that this document read or wrote last, and acts on it if not.
    ///
    /// - Parameter change: What may be another; its members are looked at, and no others.
    nonisolated func checkForOutsideChange(_ change: DocumentWatch.Change = .whole) {
        fileAccess.queue.async { [self] in
            guard record.withLock({ $0.isPresenting }) else { return }
            let url = fileURL
            let known = record.withLock { $0.stamp }
            // Vanished, or unreadable for now: there is nothing to read anew. What is in memory stays, and the
            // next save writes it.
            guard let found = try? fileAccess.stampIfPresent(of: url) else { return }
            guard found != known || fileAccess.membersChanged(change, at: url) else { return }
            DispatchQueue.main.async {
                MainActor.assumeIsolated { self.takeOutsideChange() }
            }
        }
    }

    private func takeOutsideChange() {
        guard lifecycle.phase == .open else {
            if lifecycle.phase != .closed { whenSettled.append { [self] in checkForOutsideChange() } }
            return
        }
        if hasUnsavedChanges || savesRunning > 0 {
            // The save finds the other's item, keeps it beside ours and says so in the state.
            autosave(completionHandler: nil)
        } else {
            revert(toContentsOf: fileURL, completionHandler: nil)
        }
    }

    func noteConflict(_ copy: URL) {
        conflictCopies.append(copy)
        record.withLock { $0.hasConflictCopies = true }
        change { $0.setInConflict(true) }
    }

    nonisolated func reviewConflictsInBackground() {
        guard record.withLock({ $0.hasConflictCopies }) else { return }
        DispatchQueue.main.async {
            MainActor.assumeIsolated { self.reviewConflicts() }
        }
    }

    /// Looks whether the copies that were kept are still there: who has dealt with them has moved or removed
    /// them.
    func reviewConflicts() {
        conflictCopies.removeAll { !FileManager.default.fileExists(atPath: $0.path) }
        record.withLock { [hasConflicts = !conflictCopies.isEmpty] in $0.hasConflictCopies = hasConflicts }
        change { [hasConflicts = !conflictCopies.isEmpty] in $0.setInConflict(hasConflicts) }
    }

    /// Where what others wrote is kept, beside the document; empty when there is no conflict.
    public var conflictCopyURLs: [URL] { conflictCopies }
}
