internal import DocumentFoundation
internal import FileSystem
internal import Sync

// Documents whose contents are not here.
extension FolderLook {
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
        if known.state.place.parent != place.parent
            || ExactName(known.state.place.name) != ExactName(place.name)
        {
            outcome.placed.insert(item)
        }
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
