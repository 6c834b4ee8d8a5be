internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks
internal import Vault

// How a document's states come into the user's vault.
//
// Nobody waits for it but the next access of this document: the handler of an opening or a saving has been called by
// then. A state is kept in a turn of its own right after the access, and not on the file queue: others get access
// meanwhile, and the document looks at once at what they do. A package of which nobody knows what changed is looked at
// until two looks agree. Whatever this document does next comes after it. A save that finds a state which is not kept
// keeps it first.

extension UIDocument {
    /// Why a state is kept that was found: others have written it, or it was there before any version.
    nonisolated var readReason: VersionReason {
        let writer = record.withLock { $0.lastWriter }
        let name = writer.flatMap { $0.processID == getpid() ? nil : $0.name }
        return .outsideWriter(process: name ?? "")
    }

    /// Marks the item, whose versions are known by that, before changes of it are watched for.
    ///
    /// - Parameter isElsewhere: Whether the document was another item's until now.
    nonisolated func markBeforePresenting(_ place: URL, isElsewhere: Bool) {
        guard fileAccess.versions.isKeeping, isElsewhere || !record.withLock({ $0.isPresenting }) else {
            return
        }
        // What keeps it from being marked is told when its state is kept.
        try? fileAccess.versions.store.markEarly(place)
    }

    /// Keeps the state that the document has just read or written. Called on the file queue.
    nonisolated func keepVersion(of place: URL, _ reason: VersionReason) {
        fileAccess.confined()
        guard fileAccess.versions.isKeeping else { return }
        fileAccess.performNext { [self] done in
            fileAccess.versions.queue.async { [self] in
                keep(place, reason, mayBeWritten: true)
                done()
            }
        }
    }

    /// Keeps the state that a save is about to replace, unless it is kept. Called on the file queue.
    nonisolated func keepVersionToBeReplaced(at place: URL) {
        if place != fileURL { fileAccess.versions.othersWrote() }
        // What cannot be looked at is for the save to report.
        guard fileAccess.versions.isKeeping, let stamp = try? fileAccess.stampIfPresent(of: place),
            !fileAccess.versions.isKept(stamp)
        else { return }
        keep(place, readReason)
    }

    private nonisolated func keep(_ place: URL, _ reason: VersionReason, mayBeWritten: Bool = false) {
        let versions = fileAccess.versions
        let othersCount = versions.othersCount
        do {
            // What has gone elsewhere is kept there.
            guard let stamp = try fileAccess.stampIfPresent(of: place) else { return versions.othersWrote() }
            let changed = versions.changed
            let keeping = VersionKeeping(
                reason,
                changed: changed,
                lastKnown: place == fileURL ? versions.mark : nil,
                mayBeWritten: mayBeWritten && changed == nil,
                retention: Swift.type(of: self).versionRetention
            )
            let kept = try versions.store.keep(place, keeping)
            // Written to meanwhile, the item is looked at again before it is replaced.
            if try fileAccess.stampIfPresent(of: place) == stamp {
                let looked = OutsideHint(members: changed ?? [], isWhole: changed == nil)
                versions.kept(
                    stamp,
                    as: kept,
                    isKnown: !fileAccess.membersChanged(looked, at: place),
                    othersCount
                )
            }
        } catch {
            fileAccess.reportOnce(error)
        }
    }
}
