internal import FileSystem
internal import Sync

// Editors that rename the old file away before they write the new one under its name: Emacs when it saves a file first, Vim each
// time. What bears the mark then is the backup. The name wins: what is new there is the document, as is what a program writes over
// the old one, and the backup is a file of its own, or the one that was there before. Else what others have done to the document
// meanwhile would go to the backup. So it is with a temporary name that is written anew as soon as what had it was renamed onto a
// document.
extension FolderLook {
    /// Has documents stay at their names where something new is at these.
    ///
    /// What was renamed is found in the same look, or was in one before just now, as the new file was not there yet.
    mutating func keepNames(_ files: [Int]) throws {
        var away: [ItemID: Int] = [:]
        var new: [Int] = []
        for index in files where found[index].item == nil && isPlainFile(index) {
            let names = table.items(like: found[index].trace)
            if names.isEmpty {
                if !found[index].hasOtherNames { new.append(index) }
            } else if let known = names.first, names.count == 1, !isMatched(known) {
                away[known] = index
            }
        }
        guard !away.isEmpty || !departed.isEmpty else { return }
        for index in new {
            try readOn(in: knownFolder(above: index)) { look in
                look.found[index].isUnreadable = true
                try look.keepName(index, away)
                look.found[index].isUnreadable = false
            }
        }
    }

    /// The document that a file had the place of before another was renamed onto it.
    func document(replacedBy entry: Found, at place: ItemPlace) -> ItemID? {
        // What has the name of the item that a placeholder stands for is beside that, and not under it.
        guard !entry.isPlaceholder, let known = table.item(at: place), !isPresent(known),
            !isMatched(known), table[known]?.state.kind == .document, mayFollow(known, entry)
        else { return nil }
        return known
    }

    /// Has something be the item whose place it has taken.
    mutating func settle(_ index: Int, replacing item: ItemID) throws {
        if try !isSecondName(index) { try give(item.mark, to: index) }
        try settle(index, as: item)
    }

    private func isPlainFile(_ index: Int) -> Bool {
        let entry = found[index]
        return entry.trace.kind == .regular && !entry.isPlaceholder && !entry.isUnreadable && !isLost(index)
    }

    /// - Parameters:
    ///   - index: A new file.
    ///   - away: Where items are that have been renamed.
    private mutating func keepName(_ index: Int, _ away: [ItemID: Int]) throws {
        let place = place(of: found[index])
        let here = table.item(at: place)
        guard let known = here ?? departed[place], let item = table[known],
            item.state.kind == .document, item.trace.kind == .regular, !item.isDataless,
            // A copy with its attributes is new under the name, too. What bears another's mark is that.
            try mark(of: index).map({ ItemID($0) == known }) ?? true
        else { return }
        guard here == known else { return try takeBack(known, item, to: index) }
        guard let other = away[known], self.place(of: found[other]).parent == place.parent,
            try mark(of: other).map({ ItemID($0) == known }) == true
        else { return }
        // What the item was renamed onto stays what it was, be it the last backup or a document that is saved by way of this name.
        let replaced = document(replacedBy: found[other], at: self.place(of: found[other]))
        let backup = replaced ?? ItemID(fresh())
        // The backup first: should this end in between, what has no mark at the item's name is the item all the same.
        try give(backup.mark, to: other)
        try give(known.mark, to: index)
        try settle(index, as: known)
        try settle(other, as: backup)
    }

    /// Has a document be again at the name that it has left just now.
    private mutating func takeBack(_ known: ItemID, _ item: FolderItem, to index: Int) throws {
        let place = place(of: found[index])
        guard isMatched(known), item.state.parent == place.parent, item.state.place != place,
            table.items(like: item.trace) == [known], let path = table.path(of: known, in: root),
            let there = try FolderScan.status(at: path), ItemTrace(there).isSameItem(as: item.trace)
        else { return }
        let backup = fresh()
        do {
            guard try FileIdentity.mark(at: path) == known.mark,
                try FileIdentity.give(backup, toItemAt: path, replacing: true)
            else { return }
        } catch {
            // Gone meanwhile: the next look tells.
            guard error.isAbsent else { throw error }
            return
        }
        try give(known.mark, to: index)
        for other in found.indices where found[other].item == known { found[other].item = ItemID(backup) }
        unchanged.remove(known)
        try settle(index, as: known)
        outcome.departed[item.state.place] = nil
        let now = ItemTrace(try FolderScan.status(at: path) ?? there)
        table[ItemID(backup)] = FolderItem(
            state: ItemState(.document, at: item.state.place),
            trace: now
        )
        matched.insert(ItemID(backup))
        outcome.touched[ItemID(backup)] = now
    }

    /// Notes that something new at a document's former place is the document, if it comes soon. A move to another folder is no
    /// backup, and what is in a folder that is moved stays where it is in that.
    mutating func noteDeparture(of item: ItemID, _ known: FolderItem, to place: ItemPlace) {
        guard known.state.kind == .document, known.trace.kind == .regular, !known.isDataless,
            known.state.parent == place.parent
        else { return }
        outcome.departed[known.state.place] = item
    }
}
