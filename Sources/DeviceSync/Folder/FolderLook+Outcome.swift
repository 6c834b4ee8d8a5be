internal import FileSystem
internal import Sync

extension FolderLook {
    /// What a look came to.
    struct Outcome {
        /// Items that are elsewhere, or new folders.
        var placed: Set<ItemID> = []
        /// Documents that are new or whose contents may be others, and how they look now. The table is not told before
        /// their contents are known: it says what goes with the contents that it names.
        var touched: [ItemID: ItemTrace] = [:]
        /// What was moved as far as its number and its looks tell, without a mark: documents are read, whatever they look like.
        var unproven: Set<ItemID> = []
        /// Documents that were here before, as they bear a mark, and are not known any more.
        var returning: Set<ItemID> = []
        /// Items that are not where they were seen last, nor anywhere that was looked at.
        var missing: Set<ItemID> = []
        /// Folders that are new here: to be watched.
        var folders: Set<ItemID> = []
        /// Items of which a placeholder was found, and no contents any more.
        var evicted: Set<ItemID> = []
        /// Items whose contents were found where a placeholder had been.
        var filled: Set<ItemID> = []
        /// Placeholders that were given another name than a placeholder's, and where they are.
        var misnamed: [ItemID: FilePath] = [:]
        /// Placeholders beside items that have their contents.
        var leftovers: [FilePath] = []
        /// Known items that are excluded from sync, all in them left out.
        var excluded: Set<ItemID> = []
        /// Known items that were looked at and are not excluded.
        var included: Set<ItemID> = []
        /// Documents that have been renamed in their folders, by the places that they had before.
        var departed: [ItemPlace: ItemID] = [:]
        /// Folders of which nobody can say what is in them: their lists, or what bears a name in them, cannot be read. What
        /// is missing may be there.
        var unreadable: [ItemID: SystemError] = [:]
        /// Folders that nobody can look at, as something else is in their places.
        var apart: [ItemID: Apart] = [:]
        /// What is not there any more though nobody has removed it.
        var vanished: Set<ItemID> = []
        /// The folders that were looked at.
        var listed: Set<ItemID> = []
        /// What is in folders and left alone, by folder.
        var leftOut: [ItemID: [LeftOut]] = [:]
        /// What saves have beside documents for a moment, or left there when they died, among other names of ours: in known
        /// folders.
        var stagings: [(folder: ItemID, name: String)] = []
    }
}
