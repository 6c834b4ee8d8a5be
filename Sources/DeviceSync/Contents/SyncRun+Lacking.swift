internal import FileSystem
internal import Sync
internal import Vault

// Contents that the vault does not have any more though it had them: large files are lent, and whoever writes into one in
// place takes from it what it was. What another document or the hub still has of that is got from there; what has lost a conflict
// before it was sent, from the version that shows it.
extension SyncRun {
    /// The vault lacks some of an item's own contents: its file is read, whatever it looks like.
    ///
    /// Is it as it was, all of it is there then. Is it another, that is an edit.
    func readAnew(_ item: ItemID) {
        guard let known = table[item], !known.isDataless, known.state.kind == .document,
            let path = table.path(of: item, in: place.folder)
        else { return }
        attempt("a document cannot be read") {
            guard let status = try FolderScan.status(at: path) else { return }
            readsAnew.insert(item)
            defer { readsAnew.remove(item) }
            take(changes(of: try keep([item: ItemTrace(status)], atOnce: [item])))
        }
    }

    /// Contents could not be sent, as the vault lacks some of them.
    func lacks(_ names: [ContentName]) {
        let names = Set(names)
        for (item, known) in table.items.all
        where known.state.content.map(names.contains) == true && !known.isDataless {
            readAnew(item)
        }
        for (item, shown) in conflicts.shown {
            for (content, id) in shown where names.contains(content) {
                keepAgain(content, shownAs: id, of: item)
            }
        }
    }

    /// Keeps what has lost a conflict once more, as its version has it: a program that has the file open in which it was lent has
    /// gone on writing into that. It is sent with the next try.
    private func keepAgain(_ content: ContentName, shownAs id: VersionID, of item: ItemID) {
        guard var known = table[item], known.state.conflicts.contains(content),
            let path = table.path(of: item, in: place.folder),
            // What the versions cannot give now stays what is lacking, and that is said.
            let kept = try? keepConflict(id, at: path, of: item), kept != content
        else { return }
        // The volume on which it was laid out did not let it bear all that it did.
        known.state.conflicts.remove(content)
        known.state.conflicts.insert(kept)
        conflicts.shown[item]?[content] = nil
        conflicts.shown[item]?[kept] = id
        conflicts.takenUp.insert(item)
        table[item] = known
        take([.diskChanged(item, known.state)])
    }

    /// A step could not be taken, as the vault lacks contents that it needs: what is not its item's own comes from the hub
    /// again.
    ///
    /// - Returns: Whether it is planned anew.
    func lacks(for effect: Effect, _ error: any Error) -> Bool {
        guard (error as? VaultError)?.code == .damaged else { return false }
        let item = effect.item
        readAnew(item)
        // Nothing is taken for here that no item on the disk has.
        take([.evicted([])])
        refuse(item, effect, "\(error)")
        return true
    }
}
