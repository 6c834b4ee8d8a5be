internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks

// How a document comes into conflict, and out of it.
//
//     a save finds what others wrote, and it could not be merged ──┐
//     a reading finds unresolved versions ─────────────────────────┼─▶ inConflict ──▶ none is unresolved: not any more
//     another process says so of a version ────────────────────────┘
//
// The versions are looked up on the file queue, where saves add theirs: what the main actor hears of them comes in the
// order in which it happened. So whoever hears of a version has them looked up, whatever the document says now: that may be
// about to change. Where they cannot be looked up, what was known stays, and they are looked up again later.
extension UIDocument {
    func noteConflict(_ loser: ConflictLoser) {
        unsettled.insert(loser)
        showConflicts()
    }

    /// Looks what is unresolved now.
    nonisolated func reviewConflictsInBackground() {
        fileAccess.queue.async { [self] in
            let unresolved = unresolvedConflicts()
            DispatchQueue.main.async {
                MainActor.assumeIsolated { self.reviewConflicts(unresolved) }
            }
        }
    }

    /// Takes over what was found unresolved; nil for what could not be found out.
    func reviewConflicts(_ unresolved: [NSFileVersion]?) {
        switch lifecycle.phase {
        case .open, .closing: break
        case .closed: return
        // It finds out by itself, or has looked just before this.
        case .opening, .reverting: return work.whenSettled.append { [self] in reviewConflictsInBackground() }
        }
        knowConflicts(unresolved)
        showConflicts()
    }

    /// Takes over what was found when the document was read; its state says so when that has ended.
    func knowConflicts(_ unresolved: [NSFileVersion]?) {
        unsettled.review(unresolved) { FileManager.default.fileExists(atPath: $0.path) }
        record.withLock { [isInConflict = !unsettled.isEmpty] in $0.isInConflict = isInConflict }
    }

    private func showConflicts() {
        record.withLock { [isInConflict = !unsettled.isEmpty] in $0.isInConflict = isInConflict }
        change { [isInConflict = !unsettled.isEmpty] in $0.setInConflict(isInConflict) }
        if unsettled.copies.isEmpty {
            fileAccess.stopWatchingCopies()
        } else {
            fileAccess.watchCopies(of: self)
        }
    }

    /// The versions that lost a conflict which nobody has settled. Called on the file queue.
    ///
    /// Also of a document whose class wants no versions: others keep such, as who keeps folders in step does.
    ///
    /// - Returns: Nil where the vault cannot be asked. It is asked again when it may be tried anew.
    nonisolated func unresolvedConflicts() -> [NSFileVersion]? {
        fileAccess.confined()
        let store = fileAccess.versions.store
        guard store.isOn else { return [] }
        do { return try store.unresolvedConflicts(at: fileURL) } catch {
            fileAccess.reportOnce(error)
            reviewConflictsLater()
            return nil
        }
    }

    private nonisolated func reviewConflictsLater() {
        guard !fileAccess.reviewsLater else { return }
        fileAccess.reviewsLater = true
        let seconds = fileAccess.versions.store.retrySeconds
        fileAccess.queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self else { return }
            fileAccess.reviewsLater = false
            // Closed by now, it looks when it is opened again.
            if record.withLock({ $0.isPresenting }) { reviewConflictsInBackground() }
        }
    }

    /// The same after the item was read, inside that access. A save that came to nothing, or was cut off, may have left
    /// a conflict of the item with itself, and so may one that has put back what another had taken the place of.
    ///
    /// - Parameter isElsewhere: Whether the document was another item's until now: what was known of that is of no use.
    nonisolated func unresolvedConflicts(afterReading place: URL, isElsewhere: Bool) -> [NSFileVersion]? {
        if fileAccess.versions.store.isOn {
            do { try fileAccess.versions.store.settleConflictsWithItself(at: place) } catch {
                fileAccess.reportOnce(error)
            }
        }
        return unresolvedConflicts() ?? (isElsewhere ? [] : nil)
    }

    /// Who wrote last, in the words of a sentence.
    var lastWriterText: String {
        let told = record.withLock { $0.lastWriter }
        if let name = told?.name ?? unsettled.versions.last?.writerName { return "“\(name)”" }
        return told == nil ? "someone else" : "another program"
    }

    /// The versions that lost a conflict with this document which nobody has settled, the oldest first. Ours; what
    /// `NSFileVersion.unresolvedConflictVersionsOfItem(at:)` finds, without asking the disk.
    public var conflictVersions: [NSFileVersion] {
        fileAccess.versions.store.noteSeen(unsettled.versions)
        return unsettled.versions
    }

    /// Where what others wrote is kept beside the document: only where no versions of it are kept. Ours.
    public var conflictCopyURLs: [URL] { unsettled.copies }
}
