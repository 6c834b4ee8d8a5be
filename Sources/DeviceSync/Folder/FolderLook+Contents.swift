internal import DocumentFoundation
internal import FileSystem
internal import Sync

// Documents whose contents are not here, and what is excluded from sync.
extension FolderLook {
    /// What a name stands for that may be a placeholder's.
    enum StandIn { case nothing, item(String), stranger }

    func standIn(_ entry: Found) throws -> StandIn {
        guard entry.trace.kind == .regular, let name = Placeholder.itemName(of: entry.name) else {
            return .nothing
        }
        if let known = seen(entry), let item = table[known], item.isDataless, item.trace == entry.trace {
            return .item(name)
        }
        guard try Placeholder.ifPresent(at: entry.path) != nil else { return .nothing }
        guard let mark = try Self.mark(of: entry), let item = table[ItemID(mark)],
            item.state.kind == .document
        else { return .stranger }
        return .item(name)
    }

    /// Notes an item that is excluded from sync, with all in it.
    ///
    /// - Returns: Whether it is.
    mutating func leaveOutExcluded(_ entry: Found) throws -> Bool {
        let known = seen(entry)
        // To exclude something is to change it.
        if let known, table[known]?.trace == entry.trace { return false }
        guard try SyncExclusion.isKnownAsMarked(entry.path) else {
            if let known { outcome.included.insert(known) }
            return false
        }
        if let known {
            outcome.excluded.insert(known)
            matched.formUnion(table.subtree(of: known))
        }
        return true
    }

    /// Notes what has become of a document's contents.
    ///
    /// - Returns: Whether there is no more to it: false for one that had its contents and has them.
    mutating func takeContents(
        of item: ItemID,
        _ entry: Found,
        _ known: inout FolderItem
    ) throws -> Bool {
        guard known.isDataless || entry.isPlaceholder else { return false }
        let place = place(of: entry)
        if known.state.place != place { outcome.placed.insert(item) }
        // Whatever its name, and whoever has written it: it must never be taken for the document.
        let isMisnamed = try !entry.isPlaceholder && Placeholder.read(entry.path) != nil
        if isMisnamed { outcome.misnamed[item] = entry.path }
        if entry.isPlaceholder || isMisnamed {
            if !known.isDataless { outcome.evicted.insert(item) }
            known.isDataless = true
            known.trace = entry.trace
        } else {
            known.isDataless = false
            outcome.filled.insert(item)
            outcome.touched[item] = entry.trace
        }
        return true
    }
}
