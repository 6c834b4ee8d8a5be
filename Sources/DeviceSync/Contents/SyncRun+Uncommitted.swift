internal import Sync

// Contents that are sent and never come into the log: their item was saved again, or removed, before the commit was accepted, or
// this process ended between. At the hub they count against the quota, and no entry of the log tells that they are former.
extension SyncRun {
    /// Of smaller ones nothing is noted: a note is a write to this device's disk, and many small documents that come at once are
    /// sent sooner than that is done. So much may stay at the hub for each of these that is caught between.
    static let notedByteCountMin: UInt64 = 1 << 20

    /// Notes contents before any of them is sent.
    func note(sending names: Set<ContentName>) {
        let new = names.filter {
            !uncommitted.contains($0) && (Self.byteCount(of: $0) ?? 0) >= Self.notedByteCountMin
        }
        guard !new.isEmpty else { return }
        uncommitted.formUnion(new)
        // A disk that is full keeps nothing from being sent: it is known as long as this process lives.
        try? memory.remember(uncommitted: new)
    }

    /// What the log speaks of now, whoever has made the entries: what becomes of that is told by the log.
    func takeCommitted(by heard: [LogDesk.Heard]) -> Set<ContentName> {
        guard !uncommitted.isEmpty else { return [] }
        var committed: Set<ContentName> = []
        for one in heard {
            one.entry.commit.state?.forEachContent { if uncommitted.contains($0) { committed.insert($0) } }
        }
        uncommitted.subtract(committed)
        return committed
    }

    /// What the hub has been told that nothing needs, or that nobody can be told of any more.
    ///
    /// - Throws: What the memory throws: then it is told once more.
    func noteReleased(uncommitted released: Set<ContentName>) throws {
        // What has happened since may have had some of them sent again.
        let released = released.subtracting(comingToLog)
        guard !released.isEmpty else { return }
        try memory.forget(uncommitted: released)
        uncommitted.subtract(released)
    }
}
