internal import FileSystem
internal import Sync

// How an item looks that has just been put in place, or moved.
extension Placer {
    /// What a save has put in place, as it was just before.
    struct SavedStamps {
        /// Nil for all but a file.
        let file: FileStamp?
        /// Nil where the item itself is the former one, of which something was changed.
        let whole: FileStamp?

        init(_ save: StagedSave) { (file, whole) = (save.placedStamps[.top], save.stagedStamp) }
    }

    /// How an item looks that a save has just put in place; nil where it has gone, and was not put there as a whole.
    func trace(of path: FilePath, _ saved: SavedStamps?) throws -> ItemTrace? {
        try trace(of: path, placed: saved?.file, takenAway: saved?.whole)
    }

    /// How an item looks that has just been put in place.
    ///
    /// - Parameters:
    ///   - placed: What was put there. What others have made of it since is different: a look is to find that.
    ///   - whole: The same of whatever was put there: a look is to find also that others have taken it away, or elsewhere. It is
    ///     not to come again, as if it had never been there.
    func trace(of path: FilePath, placed: FileStamp?, takenAway whole: FileStamp?) throws -> ItemTrace? {
        guard let status = try FolderScan.status(at: path) else {
            return whole.map(ItemTrace.init(takenAway:))
        }
        var trace = ItemTrace(status)
        if let placed, placed != status.stamp { trace.changed = 0 }
        return trace
    }

    /// How an item looks that has just been moved. One that others have saved in that moment is looked at anew.
    func trace(of path: FilePath, moved known: FolderItem) throws -> ItemTrace? {
        guard let status = try FolderScan.status(at: path) else { return nil }
        var trace = ItemTrace(status)
        if known.state.kind == .document, !trace.hasContents(of: known.trace) { trace.changed = 0 }
        return trace
    }
}
