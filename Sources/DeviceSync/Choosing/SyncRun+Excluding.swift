internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync

// What a person keeps from sync on this device: it stays as it is at the hub, and nothing of it goes or comes, whatever becomes of
// it here. So it is remembered beyond this process: what is saved anew, moved out or removed to have room was not removed anywhere
// else. That ends when something is in its place again that does not say that it is excluded.
extension SyncRun {
    /// Takes in what was excluded before this process: at the start, before the first look.
    func recallExclusions() throws {
        excluded = try memory.exclusions()
        rememberedExclusions = excluded
    }

    /// Forgets what was excluded and is neither here nor at the hub any more: once the log is known.
    func forgetExclusions() {
        excluded = excluded.filter { table[$0] != nil || engine.tree[$0] != nil }
        rememberExclusions()
    }

    func takeExclusions(_ outcome: FolderLook.Outcome) {
        let included = excluded.intersection(outcome.included)
        excluded.formUnion(outcome.excluded)
        excluded.subtract(included)
        let returned = returnedToTheirPlaces(in: outcome.listed)
        excluded.subtract(returned)
        rememberExclusions()
        guard !included.isEmpty || !returned.isEmpty else { return }
        // What has been done in them meanwhile.
        for item in included.flatMap({ table.subtree(of: $0) }) {
            if table[item]?.state.kind == .folder {
                dirtyFolders.insert(item)
            } else if table[item]?.trace.kind == .directory {
                dirtyPackages.insert(item)
            }
        }
        lookSoon()
        retryLater()
    }

    /// What cannot be written down now is written with the next look; until then this process knows it.
    private func rememberExclusions() {
        guard excluded != rememberedExclusions else { return }
        attempt("what this device remembers cannot be written") {
            let changed = excluded.symmetricDifference(rememberedExclusions)
            try memory.remember(exclusions: changed.reduce(into: [:]) { $0[$1] = excluded.contains($1) })
            rememberedExclusions = excluded
        }
    }

    /// Excluded items that went with the folders they were in, and at whose places is something that is not excluded.
    private func returnedToTheirPlaces(in listed: Set<ItemID>) -> Set<ItemID> {
        excluded.filter { item in
            guard table[item] == nil, let theirs = engine.tree[item]?.place, listed.contains(theirs.parent),
                let path = table.path(of: theirs, in: place.folder)
            else { return false }
            // What cannot be looked at says nothing.
            guard (try? FolderScan.status(at: path)) != nil else { return false }
            return (try? SyncExclusion.isKnownAsMarked(path)) == false
        }
    }

    /// Whether an item is excluded from sync, or in a folder that is.
    func isExcluded(_ item: ItemID) -> Bool {
        guard !excluded.isEmpty else { return false }
        var at = item
        while at != .root {
            if excluded.contains(at) { return true }
            guard let folder = parent(of: at) else { return false }
            at = folder
        }
        return false
    }

    /// What is excluded of all in a folder that is gone, with the folders that lead to it: nobody has removed that.
    func excludedMembers(of folder: ItemID) -> Set<ItemID> {
        var kept: Set<ItemID> = []
        for item in excluded where table[item] != nil {
            var (above, at): ([ItemID], ItemID) = ([], item)
            while at != folder, let parent = table[at]?.state.parent, above.count < 4096 {
                above.append(parent)
                at = parent
            }
            guard at == folder else { continue }
            kept.formUnion(above)
            kept.formUnion(table.subtree(of: item))
        }
        return kept
    }

    // MARK: Held back

    func holdBack(_ item: ItemID, _ effect: Effect) {
        let who =
            switch effect {
            case .upload, .commit: "and was changed here before"
            case .place, .remove, .become, .merge, .fetch: "and was changed elsewhere"
            }
        let why = "It is excluded from sync on this device, \(who)."
        stuck[item] = (effect, DiskRefusal(why, helps: "It goes on by itself once that has ended."))
        news.insert(item)
    }

    /// The excluded item for which alone contents would be sent; nil where others need them, too.
    func excludedItem(sending content: ContentName) -> ItemID? {
        guard !excluded.isEmpty else { return nil }
        let items = engine.waitingItems(for: content)
        return items.allSatisfy(isExcluded) ? items.min() : nil
    }

    /// An excluded item that is nowhere here is what the hub says: others have removed it, too.
    func letGoOfExcluded(_ item: ItemID) {
        forget(item)
        excluded.remove(item)
        refused.remove(item)
        rememberExclusions()
        take([.placed(item)])
    }
}
