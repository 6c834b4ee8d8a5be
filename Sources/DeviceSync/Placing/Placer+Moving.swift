internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync

// How an item comes to another name or into another folder.
extension Placer {
    /// Where an item goes: what it is to be called, in the folder that was seen there last.
    struct Target {
        let path: FilePath
        let folder: ItemID
        let table: FolderTable

        /// Whether a folder is that one, and not another that has come in its place.
        func isFolder(_ status: MemberStatus) -> Bool {
            table.trace(ofFolder: folder).map(ItemTrace(status).isSameItem) ?? true
        }

        /// Begins a save of something new there. The save stays with the folder in which it has begun.
        ///
        /// - Throws: `ESTALE` where the folder is another: while others made way one may have come.
        func newSave() throws -> StagedSave {
            let save = try StagedSave(item: path, mustNotExist: true, followsSymbolicLink: false)
            guard isFolder(try save.folderStatus()) else {
                throw SystemError(call: "openat", errno: ESTALE, path: path)
            }
            return save
        }
    }

    /// Moves an item, also to another volume below the folder.
    ///
    /// - Returns: How it looks then; nil where it has gone since.
    func moved(
        _ item: ItemID,
        _ known: FolderItem,
        from source: FilePath,
        to target: Target
    ) throws -> ItemTrace? {
        do { try move(source, to: target.path, as: source, target) } catch let error as SystemError
            where error.isAcrossVolumes && known.state.kind == .document
        {
            return try trace(
                of: target.path,
                try moveAcross(item, known, from: source, to: target),
                item,
                as: known.state.content
            )
        }
        return try trace(of: target.path, moved: known, item)
    }

    /// Moves a document to another volume: there it is whole, and lasts, before it goes here. A power cut between the two leaves
    /// both.
    private func moveAcross(
        _ item: ItemID,
        _ known: FolderItem,
        from source: FilePath,
        to place: Target
    ) throws -> SavedStamps? {
        guard let content = known.state.content else { throw Changed() }
        let target = place.path
        var placed: SavedStamps?
        try access.coordinate([.init(source, .forMoving), .init(target, .forReplacing)]) {
            let inside = try inside(of: item, known, at: source)
            let save = try place.newSave()
            try stage(content, of: item, modified: known.trace.modified, by: save)
            try save.commit(try attributes(of: content))
            placed = SavedStamps(save)
            do { try removeDocument(source, known, inside) } catch {
                // It stays where it is, and what is at the other place is no second document. What somebody has made of that stays;
                // and so does all of it where a disk that fails may have let the former one go.
                if isTaken(source) {
                    _ = try Removal.remove(target, if: { status, _ in status.stamp == placed?.file })
                }
                throw error
            }
            access.coordinator.item(
                at: source.url(isDirectory: false),
                didMoveTo: target.url(isDirectory: false)
            )
        }
        return placed
    }

    /// Whether something is at an item's place without a doubt: the item, or what somebody has saved there since.
    func isTaken(_ path: FilePath) -> Bool { (try? FolderScan.status(at: path)) != nil }

    /// Moves what stands for an item, for those who know the item by its own name.
    func move(
        _ file: FilePath,
        to newFile: FilePath,
        as source: FilePath,
        _ target: Target
    ) throws {
        let (from, to) = (source.url(isDirectory: false), target.path.url(isDirectory: false))
        try access.coordinate([.init(source, .forMoving), .init(target.path, .forReplacing)]) {
            try ItemMoves.move(file, toFree: newFile, ifFolder: target.isFolder)
            access.coordinator.item(at: from, didMoveTo: to)
        }
    }
}
