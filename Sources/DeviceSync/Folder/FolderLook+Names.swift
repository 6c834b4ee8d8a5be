internal import FileSystem
internal import Sync

// Files that have several names in the folder, hard links to each other: link(2).
//
// Each name is an item of its own, and on other devices a file of its own. The mark is the inode's, so one of them bears it and
// the others are told by their places; it is never taken from the one for another. A name elsewhere on the volume is nobody's
// business: the kernel's count alone says nothing.
extension FolderLook {
    /// What something was when it was seen last, by its inode: of several names the one that is where it is.
    func seen(_ entry: Found) -> ItemID? {
        guard entry.hasOtherNames, case .known(let folder) = entry.parent else {
            return table.item(like: entry.trace)
        }
        let names = table.items(like: entry.trace)
        return names.first { isNamed($0, entry.name, in: folder) } ?? names.first
    }

    func isNamed(_ item: ItemID, _ name: String, in folder: ItemID) -> Bool {
        guard let state = table[item]?.state else { return false }
        return state.parent == folder && state.isNamed(exactly: name)
    }

    /// Whether something whose inode an item has at its place is that item by what it bears. What bears nothing is, and is given
    /// its mark: a program has made it anew, with the same number, and nobody could tell it else once it is moved.
    mutating func isMarked(as known: ItemID, atItsPlace index: Int) throws -> Bool {
        guard let mark = try mark(of: index) else {
            if try !isSecondName(index) { try give(known.mark, to: index) }
            return true
        }
        return try ItemID(mark) == known || keepsItsPlace(known, index, bearing: ItemID(mark))
    }

    /// Whether a file whose inode an item has at its place is that item, though it bears another's mark: as one of the other's
    /// names, or as a copy of it. If neither, it is the other, and has come here.
    private mutating func keepsItsPlace(
        _ known: ItemID,
        _ index: Int,
        bearing other: ItemID
    ) throws -> Bool {
        let entry = found[index]
        if sharesFile(other, with: entry) {
            // Two were told at one name, by marks that came one after the other: the one that has the name has the mark.
            if table.path(of: other, in: root) == entry.path, try !isSecondName(index) {
                try give(known.mark, to: index)
            }
            return true
        }
        guard try isElsewhere(other, than: entry) else { return false }
        if try !isSecondName(index) { try give(known.mark, to: index) }
        return true
    }

    /// Whether an item was seen last as a name of the very file. A directory has one name only.
    private func sharesFile(_ item: ItemID, with entry: Found) -> Bool {
        entry.trace.kind != .directory && table[item]?.trace.isSameItem(as: entry.trace) == true
    }

    /// Whether an item is found somewhere else: what bears its mark here is not the item.
    func isElsewhere(_ item: ItemID, than entry: Found) throws -> Bool {
        try isMatched(item) || !isFree(item, for: entry)
    }

    /// The item that has been moved to where something was found; nil for none.
    ///
    /// Where nothing but its number and its looks say so, it is read anew.
    mutating func movedItem(_ index: Int) throws -> ItemID? {
        let entry = found[index]
        let names = table.items(like: entry.trace)
        guard !names.isEmpty else { return nil }
        let mark = try mark(of: index).map { ItemID($0) }
        // Its own first that it bears the mark of.
        for known in names.sorted(by: { ($0 == mark ? 0 : 1, $0) < ($1 == mark ? 0 : 1, $1) }) {
            // Which of several names has been moved is told by where nothing is any more.
            let isAway =
                entry.hasOtherNames
                ? try hasLeft(known, for: entry) : try !isMatched(known) || hasLeft(known, for: entry)
            guard isAway else { continue }
            guard let mark else {
                guard let item = table[known], try mayBeMoved(known, item, unmarked: entry) else { continue }
                if entry.trace.kind != .symbolicLink { outcome.unproven.insert(known) }
                return known
            }
            if known == mark || isSecondName(known, of: mark, like: entry) { return known }
        }
        return nil
    }

    /// Whether something elsewhere that bears no mark may be an item whose inode it has: if nothing of it is another; of a link,
    /// which cannot bear one, and of a placeholder, which nobody edits, to be moved changes the change time.
    func mayBeMoved(_ known: ItemID, _ item: FolderItem, unmarked entry: Found) throws -> Bool {
        let isLasting = entry.trace.kind == .symbolicLink || item.isDataless
        let isAlike = isLasting ? item.trace.hasContents(of: entry.trace) : item.trace == entry.trace
        return try isAlike && !mayBeNumberedAnew(known, item, entry)
    }

    /// Whether something may have an item's number by chance: FAT has none, and the kernel counts such files as it meets them, anew
    /// after each start. Two that are as large and as old may have each other's then. So it may be if what has the item's name looks
    /// as the item did, or if the item did that has the name of this: what has a name is that, and is read.
    private func mayBeNumberedAnew(_ known: ItemID, _ item: FolderItem, _ entry: Found) throws -> Bool {
        guard !entry.hasOtherNames, entry.trace.kind != .symbolicLink else { return false }
        if let place = identifiedPlace(of: entry), let own = table.item(at: place), own != known,
            table[own]?.trace.looks(like: entry.trace) == true
        {
            return true
        }
        guard let path = table.path(of: known, in: root), path != entry.path else { return false }
        return try FolderScan.status(at: path).map { ItemTrace($0).looks(like: item.trace) } ?? false
    }

    /// Nil where it is not known yet which item the folder is.
    private func identifiedPlace(of entry: Found) -> ItemPlace? {
        if case .found(let index) = entry.parent, found[index].item == nil { return nil }
        return place(of: entry)
    }

    /// Whether something has the name that an item had when it was seen last.
    func isAtItsPlace(_ item: ItemID, _ entry: Found) -> Bool {
        guard case .known(let folder) = entry.parent else { return false }
        return isNamed(item, entry.name, in: folder)
    }

    /// Whether an item was a second name of a file that another bears the mark of.
    private func isSecondName(_ item: ItemID, of other: ItemID, like entry: Found) -> Bool {
        guard entry.hasOtherNames, sharesFile(other, with: entry), let first = table[other]?.trace else {
            return false
        }
        // An inode's number is given again: two names of one file were seen alike.
        return table[item]?.trace.hasContents(of: first) == true
    }

    /// Notes that a name was identified.
    mutating func noteName(_ index: Int) {
        let entry = found[index]
        guard entry.hasOtherNames else { return }
        guard let first = firstNames[entry.trace.key] else { return firstNames[entry.trace.key] = index }
        // It was marked under that name since it was listed under this one.
        found[index].trace.changed = max(found[first].trace.changed, entry.trace.changed)
    }

    /// Whether something is another name of what is an item already, which its mark is of.
    mutating func isSecondName(_ index: Int) throws -> Bool {
        let entry = found[index]
        guard entry.hasOtherNames else { return false }
        if let first = firstNames[entry.trace.key], first != index { return true }
        let place = place(of: entry)
        // One that is put back as another file, with the mark that it bore, is told by that.
        let marked = try mark(of: index).map { ItemID($0) }.flatMap { table[$0] == nil ? nil : $0 }
        let names = table.items(like: entry.trace) + [marked].compactMap { $0 }
        for known in names where !isNamed(known, entry.name, in: place.parent) {
            if try !hasLeft(known, for: entry) { return true }
        }
        return false
    }
}

extension FolderTable {
    /// Has one of the names that a file still has bear a mark of its own.
    ///
    /// - Parameters:
    ///   - item: Whose mark the file bears, and who has no more to do with it.
    ///   - trace: How the file was seen under that name.
    func handOnMark(of item: ItemID, _ trace: ItemTrace, in root: FilePath) {
        guard trace.kind == .regular else { return }
        for other in items(like: trace) where other != item {
            guard let path = path(of: other, in: root) else { continue }
            // What cannot be looked at or marked now is told by its place, as it was until now.
            guard let status = try? FolderScan.status(at: path), ItemTrace(status).isSameItem(as: trace),
                (try? FileIdentity.mark(at: path)) == item.mark
            else { continue }
            if (try? FileIdentity.give(other.mark, toItemAt: path, replacing: true)) == true { return }
        }
    }
}
