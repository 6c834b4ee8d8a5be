internal import DocumentFoundation
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

    nonisolated func accommodateDeletion(_ answer: @escaping @Sendable ((any Error)?) -> Void) {
        // Who coordinates asks before the item goes. What is gone already was removed by someone who does not.
        if OutsideDeletion.isTold || isAbsent(fileURL) && record.withLock({ $0.stamp != nil }) {
            noteFileGone()
            answer(nil)
            return
        }
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated {
                close { [self] closed in answer(closed ? nil : unsavedError) }
            }
        }
    }

    private var unsavedError: any Error {
        lastError ?? CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: fileURL])
    }

    func noteConflict(_ copy: URL) {
        conflictCopies.append(copy)
        record.withLock { $0.hasConflictCopies = true }
        change { $0.setInConflict(true) }
        fileAccess.watchCopies(of: self)
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
        if conflictCopies.isEmpty { fileAccess.stopWatchingCopies() }
    }

    /// Who wrote last, in the words of a sentence.
    var lastWriterText: String {
        guard let writer = record.withLock({ $0.lastWriter }) else { return "someone else" }
        return writer.name.map { "“\($0)”" } ?? "another program"
    }

    /// Where what others wrote is kept, beside the document; empty when there is no conflict.
    public var conflictCopyURLs: [URL] { conflictCopies }
}
