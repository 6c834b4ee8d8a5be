internal import Coordination
internal import FileSystem

extension WatchedItems {
    /// Whether a name holds a file with nothing in it, of which somebody is told, and which had something in it as far as
    /// is known.
    func isEmptied(_ place: EventFolding.Place) -> Bool {
        guard let folder = folders.path(place.folder), let path = ItemPath(folder, place.name),
            items[path] != nil || !trees.isDisjoint(with: path.ancestors),
            items[path]?.stamp?.byteCount != 0,
            // What cannot be looked at is told at once: who hears of it looks as well.
            let found = try? FileStamp.ifPresent(at: FilePath(path.string), followsSymbolicLink: true)
        else { return false }
        return found.kind == .regular && found.byteCount == 0
    }
}
