internal import FileSystem
internal import Sync

// Saves that have not ended: those that go on beside the documents, those that died, and what could not be put in place. On a
// volume that cannot exchange two names a document is in its staging for a moment, and for longer where the save died then.
extension SyncRun {
    /// Whether a document that is not in its place is in the staging of a save, or was until just now: that is no evidence that
    /// somebody has removed it. It is looked for again then.
    func isAmidSave(_ item: ItemID) -> Bool {
        guard let path = table.path(of: item, in: place.folder), let known = table[item],
            known.state.kind == .document, !known.isDataless
        else { return false }
        do throws(SystemError) {
            // What another has taken the place of is not about to come back to it.
            guard try FileStamp.ifPresent(at: path) == nil else { return false }
            if try !SaveRecovery.recoverWithoutWaiting(item: path), try FileStamp.ifPresent(at: path) == nil {
                return false
            }
        } catch {
            // Whose folder is gone is gone with it.
            guard !error.isAbsent else { return false }
            noteUnlisted(known.state.place.parent, error)
        }
        amidSaves.insert(item)
        news.insert(item)
        retryLater()
        return true
    }

    /// Looks again for what was amid a save.
    func lookAmidSaves() {
        dirtyFolders.formUnion(amidSaves.compactMap { table[$0]?.state.place.parent })
        missing.note(amidSaves.filter { table[$0] != nil }, at: uptimeSeconds())
        // Those that are amid it still are found so again: nothing counts as settled meanwhile.
        news.formUnion(amidSaves)
        amidSaves = []
    }

    /// Notes what is in its place, as a look has found, of what was not.
    func noteBack(_ outcome: FolderLook.Outcome) {
        guard !missing.isEmpty || !amidSaves.isEmpty else { return }
        let isBack: (ItemID) -> Bool = { [table] item in
            guard let parent = table[item]?.state.parent else { return true }
            return outcome.placed.contains(item)
                || outcome.listed.contains(parent) && !outcome.missing.contains(item)
        }
        for item in missing.items where isBack(item) { missing.end(item) }
        for item in amidSaves where isBack(item) {
            amidSaves.remove(item)
            news.insert(item)
        }
    }

    /// Ends the saves that died while nobody looked, and whose documents may never be saved again.
    func endSaves(in stagings: [(folder: ItemID, name: String)]) {
        for (folder, staging) in stagings {
            guard let path = table.path(of: folder, in: place.folder),
                let name = SaveSite.itemName(ofStaging: staging) ?? nameCut(in: folder, for: staging)
            else { continue }
            unfinished.insert(path.appending(name))
        }
        clearUnfinished()
        if !unfinished.isEmpty { retryLater() }
    }

    /// The name of an item that is too long to be in that of its staging.
    private func nameCut(in folder: ItemID, for staging: String) -> String? {
        table.members(of: folder).lazy.compactMap { self.table[$0]?.state.place.name }
            .first { SaveSite.stagingName(for: $0).isSameInBytes(staging) }
    }

    /// Ends the saves of what could not be put in place, and may not be put there any more, and of what others have left. One that
    /// goes on is not ours to end.
    func clearUnfinished() {
        // What cannot be cleared away yet is in nobody's way, and is tried again.
        unfinished = unfinished.filter { (try? SaveRecovery.recoverWithoutWaiting(item: $0)) == nil }
    }
}
