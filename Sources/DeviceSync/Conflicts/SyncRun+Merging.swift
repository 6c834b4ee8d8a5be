internal import FileSystem
internal import Foundation
internal import Sync
internal import Vault

// What this device and another have made of one document becomes one, or is found to be in conflict.
extension SyncRun {
    func merge(
        _ item: ItemID,
        _ base: ContentName?,
        _ ours: ContentName,
        _ theirs: ContentName
    ) throws {
        let name = table[item]?.state.place.name ?? "document"
        // To lay them out may take more room than there is, and they would be in conflict all the same.
        if try merger.areInConflict(name, base: base, mine: ours, theirs: theirs)
            || contents.areInConflict(base: base, mine: ours, theirs: theirs, by: merger)
        {
            return take([.merged(item, base: base, ours: ours, theirs: theirs, nil)])
        }
        try checkRoom(toLayOut: [base, ours, theirs].compactMap { $0 })
        let result: ContentName? = try withOwnFolder(for: .merge) { folder in
            func restored(_ content: ContentName, _ version: String) throws -> FilePath {
                let own = folder.appending(version)
                try ItemMoves.createFolder(own, permissions: 0o700)
                try contents.restore(content, to: own.appending(name))
                return own.appending(name)
            }
            let outcome = folder.appending("outcome")
            try ItemMoves.createFolder(outcome, permissions: 0o700)
            let target = outcome.appending(name)
            let isMerged = try merger.merge(
                base: try base.map { try restored($0, "base") },
                mine: try restored(ours, "mine"),
                theirs: try restored(theirs, "theirs"),
                to: target
            )
            guard isMerged else { return nil }
            // A merger makes bytes; what bears them was not its business.
            guard let notes = try contents.mergedDress(base: base, mine: ours, theirs: theirs) else {
                return nil
            }
            return try contents.keep(Vault.Keepable(target, as: item.mark, isElsewhere: true, notes: notes))
        }
        take([.merged(item, base: base, ours: ours, theirs: theirs, result)])
        if result != nil { report(.merged(path: path(of: item))) }
    }

    /// Refuses what the memory's volume has no room for before any of it is there. It is tried again and again: to find that out
    /// by writing would fill the volume each time, for all who save something on it.
    ///
    /// - Throws: `SystemError`, `ENOSPC`.
    private func checkRoom(toLayOut versions: [ContentName]) throws {
        let needed = try versions.reduce(UInt64(0)) { sum, name in
            let (next, isOver) = sum.addingReportingOverflow(try ContentStore.contents(name).byteCount)
            return isOver ? .max : next
        }
        // The vault is in the memory, so on the same volume.
        guard needed > UInt64(clamping: try contents.roomByteCount()) else { return }
        throw SystemError(call: "write", errno: ENOSPC, path: place.memory)
    }
}
