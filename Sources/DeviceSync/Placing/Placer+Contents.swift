internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages
internal import Vault

// How an item's contents leave the disk, and come back. At every moment one of the two bears the item's mark: the item
// or its placeholder; where both do, the item counts.
extension Placer {
    /// Who is in the way of an eviction is asked for so long.
    private static let holderSeconds = 0.5

    /// Puts a placeholder in the place of an item.
    ///
    /// - Parameter saysWho: Whether it is found out who is in the way, which may take a moment.
    /// - Throws: `SyncRefusal` when a presenter objects, or a program has it open for writing; what the disk refuses. The item
    ///   is as it was then.
    func evict(_ item: ItemID, in table: FolderTable, saysWho: Bool) throws -> Outcome {
        guard let known = table[item], !known.isDataless, let content = known.state.content,
            let path = table.path(of: item, in: root)
        else { return .another("it has gone since") }
        guard let place = Placeholder.place(for: path) else {
            throw SyncRefusal(
                .failed,
                "“\(path.name)” is too long a name for a placeholder's; shorten it first."
            )
        }
        do {
            try coordinate(path, .forEvicting) {
                guard try isAsSeen(known, at: path), let known = try unedited(item, known, at: path) else {
                    throw Changed()
                }
                let inside = try inside(of: item, known, at: path)
                guard !OpenForWriting.isOpen(anywhereIn: path) else {
                    throw OpenInPrograms(path, saysWho: saysWho)
                }
                try write(try placeholder(for: path, known, content), known, at: place, as: item, in: table)
                do {
                    // There nobody opens it any more.
                    try removeDocument(path, known, inside) { !OpenForWriting.isOpen(anywhereIn: $0) }
                } catch {
                    // It stays, so nothing is to stand for it; nor for what somebody has saved there since. A disk that fails may
                    // have let it go before it said so: then the placeholder stays.
                    if isTaken(path) { try ItemMoves.removeFile(place) }
                    throw error
                }
            }
        } catch let open as OpenInPrograms {
            throw SyncRefusal(
                .inUse,
                "“\(path.name)” stays here, as a program has it open for writing\(open.who). "
                    + "Try again when it is closed there."
            )
        } catch is Changed {
            return .another("it has changed since")
        } catch let error as SystemError {
            throw error
        } catch let error as SyncRefusal {
            throw error
        } catch let access as FolderAccess.Awaited {
            let holders = saysWho ? access.pending.holders(within: Self.holderSeconds) : []
            access.pending.cancel()
            throw SyncRefusal(
                .inUse,
                "“\(path.name)” stays here, as others use it\(holders.isEmpty ? "" : ": ")"
                    + "\(holders.joined(separator: "; ")). Try again when they are done."
            )
        } catch {
            throw SyncRefusal(
                .inUse,
                "“\(path.name)” stays here, as somebody objects who has it open: \(error.localizedDescription)"
            )
        }
        guard let status = try FolderScan.status(at: place) else { return .another("it has gone since") }
        return .done(FolderItem(state: known.state, trace: ItemTrace(status), isDataless: true))
    }

    /// How an item looks that holds what was read last; nil for one that does not. A file's times need not be others when it was read
    /// just after it was written, and that has gone on. What was at rest then is not read again.
    ///
    /// A file that is lent now gets a second name by that, which is a change of it, though not of what it holds.
    private func unedited(_ item: ItemID, _ known: FolderItem, at path: FilePath) throws -> FolderItem? {
        guard known.trace.kind == .regular else { return known }
        let found = try contents.keep(.init(path, as: item.mark, notes: try losses.of(item)))
        guard found == known.state.content, let status = try FolderScan.status(at: path),
            ItemTrace(status).hasContents(of: known.trace)
        else { return nil }
        var known = known
        known.trace = ItemTrace(status)
        return known
    }

    private func placeholder(
        for path: FilePath,
        _ known: FolderItem,
        _ content: ContentName
    ) throws -> Placeholder {
        let isDirectory = try ContentStore.contents(content).kind == .directory
        return Placeholder(
            name: path.name,
            byteCount: try ContentStore.contents(content).byteCount,
            isDirectory: isDirectory,
            typeIdentifier: PackageTypes.identifier(of: path.url(isDirectory: isDirectory)),
            thumbnail: isDirectory
                ? PackageThumbnail.contents(of: path, byteCountMax: Placeholder.thumbnailByteCountMax)
                : SharedThumbnails.users.thumbnail(
                    of: path,
                    modifiedSeconds: known.trace.modified / 1_000_000_000,
                    byteCountMax: Placeholder.thumbnailByteCountMax
                ),
            // Of what is not here any more nobody knows.
            creationDate: (try? ItemStatus(of: path))?.creationDate
        )
    }

    private func write(
        _ placeholder: Placeholder,
        _ known: FolderItem,
        at place: FilePath,
        as item: ItemID,
        in table: FolderTable
    ) throws {
        // One that was left behind, maybe where nothing bears a mark.
        if Placeholder(at: place) != nil, try [nil, item.mark].contains(FileIdentity.mark(at: place)) {
            try ItemMoves.removeFile(place)
        }
        let save = try Target(path: place, folder: known.state.place.parent, table: table).newSave()
        try commit(placeholder, modified: known.trace.modified, by: save, as: item)
    }

    /// - Parameter modified: When its document was modified last, as of `place`: a placeholder is as old as that.
    private func commit(
        _ placeholder: Placeholder,
        modified: Int64?,
        by save: StagedSave,
        as item: ItemID
    ) throws {
        let staged = try save.stagedPath()
        var placeholder = placeholder
        placeholder.mark = item.mark
        try ItemMoves.createFile(staged, contents: try placeholder.encoded())
        try mark(staged, as: item)
        try save.commit(MemberAttributes(permissions: 0o600, modified: contents.date(modified)))
    }

    /// Puts an item in the place of its placeholder.
    func fill(_ item: ItemID, in table: FolderTable) throws -> Outcome {
        guard let known = table[item], known.isDataless, let content = known.state.content,
            let place = table.path(of: item, in: root), let target = table.shownPath(of: item, in: root),
            try isAsSeen(known, at: place)
        else { return .another("it has changed since") }
        guard try FolderScan.status(at: target) == nil else { return .another("something has its name") }
        var placed: SavedStamps?
        do {
            try coordinate(target, []) {
                let save = try Target(path: target, folder: known.state.place.parent, table: table).newSave()
                // The placeholder is as old as its document.
                try stage(content, of: item, modified: known.trace.modified, by: save)
                try save.commit(try attributes(of: content))
                placed = SavedStamps(save)
                try ItemMoves.removeFile(place)
            }
        } catch let error as SystemError where [EEXIST, ENOENT, ENOTDIR, ESTALE].contains(error.errno) {
            return .another("\(error)")
        }
        guard let trace = try trace(of: target, placed, item, as: content) else {
            return .another("it has gone since")
        }
        return .done(FolderItem(state: known.state, trace: trace))
    }

    /// Has a placeholder be where the log has its item, and say what the log says.
    func placeDataless(
        _ item: ItemID,
        _ state: ItemState,
        modified: Int64?,
        _ known: FolderItem,
        from source: FilePath,
        to place: Target
    ) throws -> Outcome {
        let shown = place.path
        guard let target = Placeholder.place(for: shown) else {
            throw SyncRefusal(
                .failed,
                "“\(shown.name)” is too long a name for a placeholder's; download it first."
            )
        }
        if source != target {
            guard try FolderScan.status(at: shown) == nil else {
                return .another("something is at its place")
            }
            let name = Placeholder.itemName(of: source.name) ?? source.name
            try move(source, to: target, as: source.parent.appending(name), place)
        }
        if let content = state.content,
            content != known.state.content || !source.name.isSameInBytes(target.name)
        {
            let save = try StagedSave(item: target, followsSymbolicLink: false)
            var placeholder = try placeholder(for: shown, known, content)
            let isSame = content == known.state.content
            let former = Placeholder(contentsOf: target)
            if isSame { placeholder.thumbnail = former?.thumbnail }
            placeholder.creationDate = former?.creationDate
            try commit(
                placeholder,
                modified: isSame ? known.trace.modified : modified,
                by: save,
                as: item
            )
        }
        guard let status = try FolderScan.status(at: target) else { return .another("it has gone since") }
        return .done(FolderItem(state: state, trace: ItemTrace(status), isDataless: true))
    }
}
