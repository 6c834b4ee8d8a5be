internal import DocumentFoundation
internal import FileSystem
internal import Sync

// Files of key-value stores that are older than what was in step, as a backup that is put back is.
extension SyncRun {
    /// Has a store's file have all that it had when it was in step last. Whoever stores something adds to that: what lacks some of it
    /// is older, and would take it away on all devices. Processes of the app add what it lacks, but none may run.
    ///
    /// - Parameter former: What it held.
    /// - Returns: Whether something was lacking: then it is to be read anew.
    func addFormerValues(_ former: ContentName?, to item: ItemID) -> Bool {
        guard let former, let path = table.path(of: item, in: place.folder),
            path.name.hasSuffix(KeyValueSettings.fileSuffix),
            path.parent.name == KeyValueSettings.folderName
        else { return false }
        do {
            return try withOwnFolder(for: "values") { folder in
                let copy = folder.appending(path.name)
                try contents.restore(former, to: copy)
                return try KeyValueFile(at: path).add(copy)
            }
        } catch {
            // What is no store's file, or cannot be had any more, is an edit as of any other document.
            return false
        }
    }
}
