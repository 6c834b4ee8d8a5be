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
// order in which it happened.
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

    /// Takes over what was found unresolved.
    func reviewConflicts(_ unresolved: [NSFileVersion]) {
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
    func knowConflicts(_ unresolved: [NSFileVersion]) {
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
    nonisolated func unresolvedConflicts() -> [NSFileVersion] {
        fileAccess.confined()
        guard fileAccess.versions.isKeeping else { return [] }
        do { return try fileAccess.versions.store.unresolvedConflicts(at: fileURL) } catch {
            fileAccess.reportOnce(error)
            return []
        }
    }

    /// The same after the item was read, inside that access. A save that came to nothing, or was cut off, may have left
    /// a conflict of the item with itself, and so may one that has put back what another had taken the place of.
    nonisolated func unresolvedConflicts(afterReading place: URL) -> [NSFileVersion] {
        if fileAccess.versions.isKeeping {
            do { try fileAccess.versions.store.settleConflictsWithItself(at: place) } catch {
                fileAccess.reportOnce(error)
            }
        }
        return unresolvedConflicts()
    }

    /// Who wrote last, in the words of a sentence.
    var lastWriterText: String {
        let told = record.withLock { $0.lastWriter }
        if let name = told?.name ?? unsettled.versions.last?.writerName { return "“\(name)”" }
        return told == nil ? "someone else" : "another program"
    }

    /// The versions that lost a conflict with this document which nobody has settled, the oldest first. Ours; what
    /// `NSFileVersion.unresolvedConflictVersionsOfItem(at:)` finds, without asking the disk.
    public var conflictVersions: [NSFileVersion] { unsettled.versions }

    /// Where what others wrote is kept beside the document: only where no versions of it are kept. Ours.
    public var conflictCopyURLs: [URL] { unsettled.copies }
}
