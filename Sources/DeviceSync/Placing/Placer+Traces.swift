internal import FileSystem
internal import Sync
internal import Vault

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
    func trace(
        of path: FilePath,
        _ saved: SavedStamps?,
        _ item: ItemID,
        as content: ContentName?
    ) throws -> ItemTrace? {
        try trace(of: path, placed: saved?.file, takenAway: saved?.whole, item, as: content)
    }

    /// How an item looks that has just been put in place.
    ///
    /// - Parameters:
    ///   - placed: What was put there. What others have made of it since is different: a look is to find that.
    ///   - whole: The same of whatever was put there: a look is to find also that others have taken it away, or elsewhere. It is
    ///     not to come again, as if it had never been there.
    ///   - content: What it was put there as.
    func trace(
        of path: FilePath,
        placed: FileStamp?,
        takenAway whole: FileStamp?,
        _ item: ItemID,
        as content: ContentName?
    ) throws -> ItemTrace? {
        guard let status = try FolderScan.status(at: path) else {
            return whole.map(ItemTrace.init(takenAway:))
        }
        var trace = ItemTrace(status)
        if let placed, try placed != status.stamp || !bears(content, item, at: path) { trace.changed = 0 }
        return trace
    }

    /// How an item looks that has just been moved. One that others have saved in that moment is looked at anew.
    func trace(of path: FilePath, moved known: FolderItem, _ item: ItemID) throws -> ItemTrace? {
        guard let status = try FolderScan.status(at: path) else { return nil }
        var trace = ItemTrace(status)
        guard known.state.kind == .document else { return trace }
        if !trace.hasContents(of: known.trace) { trace.changed = 0 }
        if trace.kind == .regular, try !bears(known.state.content, item, at: path) { trace.changed = 0 }
        return trace
    }

    /// Whether a file bears what its contents say. It may have got an attribute from others between the moment in which it had its
    /// name and the one in which it was looked at, of which its times tell nothing then.
    private func bears(_ content: ContentName?, _ item: ItemID, at path: FilePath) throws -> Bool {
        // What no vault has written down says nothing.
        guard let contents = try? content.map(ContentStore.contents), contents.kind == .regular else {
            return true
        }
        do {
            let found = try FileReading.userAttributes(of: path)
            return try contents.bears(found) { try losses.of(item) }
        } catch let error as SystemError where error.isAbsent {
            return false
        }
    }
}
