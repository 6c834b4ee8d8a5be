internal import DocumentFoundation
internal import FileSystem
internal import Sync

// Documents whose contents are not here, and what is excluded from sync.
extension FolderLook {
    /// What a name stands for that may be a placeholder's.
    enum StandIn { case nothing, item(String), stranger }

    func standIn(_ entry: Found) throws -> StandIn {
        guard entry.trace.kind == .regular, let name = Placeholder.itemName(of: entry.name) else {
            return .nothing
        }
        if let known = seen(entry), let item = table[known], item.isDataless, item.trace == entry.trace {
            return .item(name)
        }
        guard try Placeholder.ifPresent(at: entry.path) != nil else { return .nothing }
        guard let known = try mark(of: entry).map({ ItemID($0) }) ?? unmarkedItem(entry, name) else {
            return .stranger
        }
        let isItem = table[known].map { $0.state.kind == .document } ?? (former(known) != nil)
        return isItem ? .item(name) : .stranger
    }

    /// What a placeholder without a mark may stand for. There are none where the volume has no extended attributes, and where a
    /// program that leaves these out has put it back: to take it for nobody's would be to take its item for removed.
    private func unmarkedItem(_ entry: Found, _ name: String) -> ItemID? {
        if let known = seen(entry), let item = table[known], item.isDataless,
            item.trace.hasContents(of: entry.trace)
        {
            return known
        }
        guard case .known(let folder) = entry.parent else { return nil }
        return table.item(at: ItemPlace(folder, name))
    }

    /// Sees to a placeholder that is no item by its inode or its mark: without one it is the item of its name, if that has not been
    /// found; beside its item it was left behind, or is a copy. Any other is nobody's, which somebody is to know who might
    /// remove what it was copied from.
    mutating func takeRemaining(placeholder index: Int) throws {
        let entry = found[index]
        guard let known = table.item(at: place(of: entry)), let item = table[known],
            item.state.kind == .document
        else { return noteStray(entry) }
        let mark = try mark(of: index).map { ItemID($0) }
        if mark == nil, !isMatched(known) {
            try give(known.mark, to: index)
            return try settle(index, as: known)
        }
        if mark == nil || mark == known, !item.isDataless {
            outcome.leftovers.append(entry.path)
        } else {
            noteStray(entry)
        }
    }

    /// Notes a placeholder of an item that the folder did not have.
    mutating func settle(returning item: ItemID, _ entry: Found) {
        let state = ItemState(.document, at: place(of: entry), content: former(item))
        table[item] = FolderItem(state: state, trace: entry.trace, isDataless: true)
        outcome.placed.insert(item)
        outcome.evicted.insert(item)
    }

    /// Notes a placeholder that stands for nothing.
    mutating func noteStray(_ entry: Found) {
        leftOutNames.append((entry.parent, [LeftOut(name: entry.path.name, reason: .strayPlaceholder)]))
    }

    /// Notes an item that is excluded from sync, with all in it.
    ///
    /// - Returns: Whether it is.
    mutating func leaveOutExcluded(_ entry: inout Found) throws -> Bool {
        let known = seen(entry)
        // To exclude something is to change it.
        if let known, !knownExclusions.contains(known), table[known]?.trace == entry.trace { return false }
        // What cannot be told of all attributes is said of the one.
        entry.isBare = (try? FileReading.hasExtendedAttributes(entry.path)) == false
        guard !entry.isBare, try SyncExclusion.isKnownAsMarked(entry.path) else { return false }
        if let known, try isItself(known, entry) {
            noteExcluded(known)
        } else {
            excludedUnseen.append(entry)
        }
        return true
    }

    /// Whether something excluded is the item that was seen with its inode: the number of one that is gone is given again at once.
    private func isItself(_ known: ItemID, _ entry: Found) throws -> Bool {
        if entry.hasOtherNames { return true }
        if case .known(let folder) = entry.parent, isNamed(known, entry.name, in: folder) { return true }
        return try mark(of: entry).map { ItemID($0) } == known
    }

    private mutating func noteExcluded(_ item: ItemID) {
        outcome.excluded.insert(item)
        leaveOut(table.subtree(of: item))
    }

    /// Has items stay what they are, whatever has become of them.
    mutating func leaveOut(_ items: [ItemID]) {
        matched.formUnion(items)
        leftWithExcluded.formUnion(items)
    }

    /// Finds out which items those are that are excluded and were not seen before, and which are not excluded any more: once it
    /// is known of all others where they are.
    ///
    /// - Returns: Which are excluded still, though they may be missing: a document in whose place a program has put a new file with
    ///   the attributes of the old one, and what was removed or moved out by somebody who wants it elsewhere only.
    mutating func takeExcluded() throws -> Set<ItemID> {
        for entry in excludedUnseen {
            try readOn(in: knownFolder(entry.parent)) { look in
                if let known = try look.item(excludedAs: entry) { look.noteExcluded(known) }
            }
        }
        for item in knownExclusions where isMatched(item) && !leftWithExcluded.contains(item) {
            guard let path = table.path(of: item, in: root) else { continue }
            // What nobody can look at stays as it was, and so does what has gone since it was found.
            var (staysExcluded, isAnother) = (true, false)
            try readOn(in: table[item]?.state.parent ?? .root) { look in
                let isMarked = try SyncExclusion.isKnownAsMarked(path)
                guard try !isMarked && FolderScan.status(at: path) != nil else { return }
                isAnother = try look.isAnotherFolder(item, at: path)
                staysExcluded = false
            }
            guard !staysExcluded else {
                noteExcluded(item)
                continue
            }
            outcome.included.insert(item)
            // What was in the former folder went from this device only, and comes from the hub.
            if isAnother { renewed.insert(item) }
        }
        outcome.included.subtract(outcome.excluded)
        return knownExclusions.subtracting(outcome.included).union(outcome.excluded)
    }

    /// Whether a folder that was excluded has been made anew, maybe with the inode of the former one, which lacks the mark then.
    private func isAnotherFolder(_ item: ItemID, at path: FilePath) throws(SystemError) -> Bool {
        guard table[item]?.state.kind == .folder else { return false }
        if try FileIdentity.mark(at: path) == item.mark { return outcome.folders.contains(item) }
        try FileIdentity.give(item.mark, toItemAt: path, replacing: true)
        return true
    }

    /// The item that something excluded is: of its name; or the one whose mark it bears, if that is nowhere else.
    private func item(excludedAs entry: Found) throws -> ItemID? {
        if case .found(let index) = entry.parent, found[index].item == nil { return nil }
        if let known = table.item(at: place(of: entry)), !isMatched(known) { return known }
        guard let mark = try mark(of: entry), table[ItemID(mark)] != nil, !isMatched(ItemID(mark)),
            let path = table.path(of: ItemID(mark), in: root), try FolderScan.status(at: path) == nil
        else { return nil }
        return ItemID(mark)
    }

    /// Notes what has become of a document's contents.
    ///
    /// - Returns: Whether there is no more to it: false for one that had its contents and has them.
    mutating func takeContents(
        of item: ItemID,
        _ entry: Found,
        _ known: inout FolderItem
    ) throws -> Bool {
        guard known.isDataless || entry.isPlaceholder else { return false }
        let place = place(of: entry)
        if known.state.place != place { outcome.placed.insert(item) }
        // Whatever its name, and whoever has written it: it must never be taken for the document.
        let isMisnamed = try !entry.isPlaceholder && Placeholder.read(entry.path) != nil
        if isMisnamed { outcome.misnamed[item] = entry.path }
        if entry.isPlaceholder || isMisnamed {
            if !known.isDataless { outcome.evicted.insert(item) }
            known.isDataless = true
            known.trace = entry.trace
        } else {
            known.isDataless = false
            outcome.filled.insert(item)
            outcome.touched[item] = entry.trace
        }
        return true
    }
}
