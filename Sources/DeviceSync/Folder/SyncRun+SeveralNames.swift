internal import FileSystem
internal import Sync

// Files that have several names in the folder: each name is an item, and the file bears the mark of one of them.
extension SyncRun {
    /// The folders in which changed files have other names that were not looked at: what is written under one name is written
    /// under all, and nobody tells the others' folders.
    func foldersOfOtherNames(of touched: [ItemID: ItemTrace]) -> Set<ItemID> {
        var folders: Set<ItemID> = []
        for (item, trace) in touched where trace.kind == .regular {
            for other in table.items(like: trace) where other != item && touched[other] == nil {
                // What cannot be kept now is looked at again by and by, whatever it looks like.
                guard let known = table[other], known.trace != trace, unkept[other] == nil,
                    writing.waiting[other] == nil
                else { continue }
                folders.insert(known.state.parent)
            }
        }
        return folders
    }

    /// Has another name of a file bear a mark of its own, where the name that bore it is gone, or is another file's now.
    func handOnMark(of item: ItemID, from former: FolderItem?, to now: ItemTrace?) {
        guard let former, !former.isDataless, now?.isSameItem(as: former.trace) != true else { return }
        table.handOnMark(of: item, former.trace, in: place.folder)
    }
}
