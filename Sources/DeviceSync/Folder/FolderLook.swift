internal import FileSystem
internal import Foundation
internal import Sync

/// One look at some folders of a container: what is in them, and which item each is.
///
/// An item is told, in this order, by being the very inode at its place; by its inode elsewhere with its mark, so it was
/// moved; by its mark on another inode, where the inode that bore it is gone, and what is in the item's place is not this one
/// under another name; by its name, where something has taken the place of what is gone, as editors save. All else is new and
/// gets a mark. What is just as it was seen last is passed over at once. A file may be moved between the looks at two folders,
/// and is found in both: where it is not any more does not count.
///
/// What is renamed onto a document becomes that document, whatever it was before: an editor's temporary file may have been
/// seen under its own name, and is an item until then. A document that is renamed away, and written anew under its name at once, is
/// what has the name (`FolderLook+Successors.swift`).
///
/// A file with several names in the folder is as many items (`FolderLook+Names.swift`).
///
/// A placeholder is the item that it stands for, under that's name; it is told by its mark, and one without by its inode or its
/// name. One that is back after it was moved away, or that has outlived what it was copied from, is the item as the log had it
/// last. One of an item that was never in the log is left alone, and so is what is excluded from sync.
struct FolderLook {
    let root: FilePath
    let isPackage: (String) -> Bool
    /// Makes a mark for a new item.
    let fresh: () -> FileMark
    /// Which folders are excluded from sync, of those that were asked about.
    var exclusions: [ItemID: Bool] = [:]
    /// What was excluded before: what is not there any more has not been removed by that.
    var knownExclusions: Set<ItemID> = []
    /// New documents that are going to be read anyway, as they were seen.
    var unread = UnreadDocuments()
    /// What was in documents, by the log, that the folder does not have; nil for what was never one.
    var former: (ItemID) -> ContentName? = { _ in nil }
    /// Documents that have left these places for others in their folders just now.
    var departed: [ItemPlace: ItemID] = [:]
    var table: FolderTable

    var outcome = Outcome()
    var found: [Found] = []
    var matched: Set<ItemID> = []
    /// All that was found, by what it was when it was seen last.
    private var present: Set<ItemID> = []
    /// Which name was identified first, of files that have others.
    var firstNames: [ItemID: Int] = [:]
    /// What is where it was seen last, and as it was: there is nothing else to find out about it.
    var unchanged: Set<ItemID> = []
    /// What is left alone in folders that were listed.
    var leftOutNames: [(folder: Parent, names: [LeftOut])] = []
    /// Folders that bear the marks of others by now, or have others' numbers, and which.
    private var renamed: [ItemID: ItemID] = [:]
    /// Folders that are not in their places: the folder above tells where they are, and so what is in them.
    var away: Set<ItemID> = []
    /// Folders that are other directories than they were, on another volume mostly.
    var renewed: Set<ItemID> = []
    /// What is excluded from sync, and nobody has seen before.
    var excludedUnseen: [Found] = []
    /// All that was left out with what is excluded.
    var leftWithExcluded: Set<ItemID> = []
    /// What was found that has been listed, too.
    private var listedAnew: Set<Int> = []

    enum Parent { case known(ItemID), found(Int) }

    struct Found {
        let parent: Parent
        /// The item's own name, which a placeholder has in its.
        var name: String
        let path: FilePath
        var trace: ItemTrace
        /// Whether it is a file that has other names, in the folder or elsewhere.
        var hasOtherNames = false
        var isPlaceholder = false
        /// Whether it is a document, if it is a directory and new.
        var isPackage = false
        var isUnreadable = false
        /// Whether something else is in the place of a folder.
        var isApart = false
        var item: ItemID?
        /// Whether it bears no extended attribute, which spares asking for each.
        var isBare = false
        /// What it bears, once that was looked at.
        var mark: Bearing?
        /// The mark that it has been given as something new.
        var fresh: FileMark?
    }

    init(
        _ table: FolderTable,
        at root: FilePath,
        isPackage: @escaping (String) -> Bool,
        fresh: @escaping () -> FileMark = { FileMark.fresh() }
    ) {
        (self.table, self.root, self.isPackage, self.fresh) = (table, root, isPackage, fresh)
    }

    /// Looks.
    ///
    /// - Parameter folders: Which folders; of one that is not in its place any more the folder above is looked at.
    mutating func look(at folders: Set<ItemID>) throws -> Outcome {
        let folders = try listAll(folders)
        try listFound(folders)
        for index in found.indices { try notePresent(index) }
        // Folders first, from the top: the place of what is in them depends on it.
        for index in found.indices where found[index].trace.kind == .directory { try identify(index) }
        let files = found.indices.filter { found[$0].trace.kind != .directory }
        for pass in Pass.allCases {
            if pass == .moved { try keepNames(files) }
            if pass == .new { markNew(files) }
            for index in files where found[index].item == nil { try identify(index, pass) }
        }
        for (folder, names) in leftOutNames {
            switch folder {
            case .known(let item): outcome.leftOut[item, default: []] += names
            case .found(let index):
                if let item = found[index].item, !isDocument(item) {
                    outcome.leftOut[item, default: []] += names
                }
            }
        }
        // Where the former is not in its place, nothing was told of what is in that as being in it.
        for (former, now) in renamed where !away.contains(former) { moveMembers(of: former, to: now) }
        let excluded = try takeExcluded()
        let anew = Set(listedAnew.compactMap { found[$0].item })
        for folder in folders where !away.contains(folder) || anew.contains(folder) {
            outcome.listed.insert(folder)
            outcome.missing.formUnion(table.members(of: folder).filter { !isMatched($0) })
        }
        outcome.missing.subtract(excluded)
        takeVanished()
        return outcome
    }

    /// Lists folders, and those above what is not in its place, or is another there.
    ///
    /// - Returns: All of them.
    private mutating func listAll(_ folders: Set<ItemID>) throws -> Set<ItemID> {
        var (all, next) = (folders, folders)
        while !next.isEmpty {
            try list(next.sorted())
            // What was told of one is of the folder that is there instead.
            let others = away.compactMap { table.folder(insteadOf: $0, in: root) }
            next = Set(away.compactMap { table[$0]?.state.place.parent } + others).subtracting(all)
            all.formUnion(next)
        }
        return all
    }

    /// Lists what was found that is a folder, and is new or elsewhere.
    private mutating func listFound(_ folders: Set<ItemID>) throws {
        var index = 0
        while index < found.count {
            if isToBeListed(found[index], folders), try !isApart(index) {
                let path = found[index].path
                try readOn(in: knownFolder(above: index)) { look in
                    if try look.list(path, as: .found(index)) { look.listedAnew.insert(index) }
                }
            }
            index += 1
        }
    }

    /// Whether something else is in the place of a folder, whose own place is known before anything is identified.
    private mutating func isApart(_ index: Int) throws -> Bool {
        guard case .known = found[index].parent else { return false }
        var isApart = false
        try readOn(in: knownFolder(above: index)) { look in
            if case .apart = try look.lying(index) { isApart = true }
        }
        return isApart
    }

    /// Whether something was found, whatever it is by now.
    func isPresent(_ item: ItemID) -> Bool { present.contains(item) }

    /// Notes which item something is that was found, by its inode. The number of one that is gone is given again at once: what has
    /// been changed or moved since it was seen is asked for its mark, as it is anyway to tell what has been moved.
    private mutating func notePresent(_ index: Int) throws {
        let entry = found[index]
        guard let known = seen(entry), !present.contains(known), let item = table[known] else { return }
        var isItself = true
        if !entry.hasOtherNames, !isAtItsPlace(known, entry) {
            try readOn(in: knownFolder(above: index)) { look in
                if let mark = try look.mark(of: index) {
                    isItself = item.trace == entry.trace || ItemID(mark) == known
                } else {
                    isItself = try look.mayBeMoved(known, item, unmarked: entry)
                }
            }
        }
        if isItself { present.insert(known) }
    }

    // MARK: What cannot be read

    /// Notes what cannot be read, which is in the way of nothing else.
    mutating func readOn(in folder: ItemID, _ body: (inout FolderLook) throws -> Void) throws {
        do { try body(&self) } catch let error as SystemError { outcome.unreadable[folder] = error }
    }

    /// The folder that something was found in, or below.
    func knownFolder(above index: Int) -> ItemID { knownFolder(found[index].parent) }

    func knownFolder(_ parent: Parent) -> ItemID {
        switch parent {
        case .known(let folder): folder
        case .found(let index): knownFolder(above: index)
        }
    }

    /// Whether something is in a folder that could not be identified, or that turned out to be a package: what is in that is no
    /// item.
    func isLost(_ index: Int) -> Bool {
        guard case .found(let parent) = found[index].parent else { return false }
        return found[parent].item.map(isDocument) ?? true
    }

    private func isDocument(_ item: ItemID) -> Bool { table[item]?.state.kind == .document }

    // MARK: Identifying

    private enum Pass: CaseIterable { case filled, sameInode, moved, marked, replaced, new }

    func isMatched(_ item: ItemID) -> Bool { unchanged.contains(item) || matched.contains(item) }

    private mutating func identify(_ index: Int) throws {
        for pass in Pass.allCases where found[index].item == nil { try identify(index, pass) }
    }

    private mutating func identify(_ index: Int, _ pass: Pass) throws {
        guard !found[index].isUnreadable, !found[index].isApart, !isLost(index) else { return }
        try readOn(in: knownFolder(above: index)) { look in
            look.found[index].isUnreadable = true
            if try pass != .filled || !look.takeLying(index) { try look.take(index, pass) }
            look.found[index].isUnreadable = false
        }
    }

    private mutating func take(_ index: Int, _ pass: Pass) throws {
        let entry = found[index]
        let place = place(of: entry)
        switch pass {
        case .filled:
            // Both are there when nobody could take the placeholder away any more.
            guard !entry.isPlaceholder, let known = table.item(at: place), table[known]?.isDataless == true,
                try mark(of: index).map({ ItemID($0) }) == known
            else { return }
            try settle(index, as: known)
        case .sameInode:
            guard let known = table.item(at: place), !entry.isPlaceholder || !isMatched(known),
                table[known]?.trace.isSameItem(as: entry.trace) == true
            else { return }
            // An inode's number is given again: a look at the mark tells, where anything else is another now.
            if table[known]?.trace != entry.trace, try !isMarked(as: known, atItsPlace: index) { return }
            try settle(index, as: known)
        case .moved:
            guard let known = try movedItem(index) else { return }
            guard let replaced = document(replacedBy: entry, at: place) else {
                return try settle(index, as: known)
            }
            try settle(index, replacing: replaced)
        case .marked:
            guard let mark = try mark(of: index), !isMatched(ItemID(mark)) else { return }
            guard try isFree(ItemID(mark), for: entry) else { return }
            if table[ItemID(mark)] == nil, !entry.isPlaceholder { outcome.returning.insert(ItemID(mark)) }
            try settle(index, as: ItemID(mark))
        case .replaced:
            guard !entry.isPlaceholder, let known = table.item(at: place), !isMatched(known),
                mayFollow(known, entry),
                // A copy of another document, or a name of one, is no document of its own by its mark.
                try mark(of: index).map({ try isElsewhere(ItemID($0), than: entry) }) ?? true
            else { return }
            try settle(index, replacing: known)
        case .new:
            guard !entry.isPlaceholder else { return try takeRemaining(placeholder: index) }
            if let mark = entry.fresh, !isMatched(ItemID(mark)) { return try settle(index, as: ItemID(mark)) }
            guard try !isFoundTwice(index) else { return }
            // The mark is of the name that was found first.
            if try isSecondName(index) { return try settle(index, as: ItemID(fresh())) }
            try settle(index, as: try giveFresh(fresh(), to: index))
        }
    }

    /// Whether something bears the mark of an item that has been found at the very place: it is that, and no copy. Its folder may
    /// have been replaced between two listings, or have told of a name twice as that was moved. The next look tells what it is.
    private mutating func isFoundTwice(_ index: Int) throws -> Bool {
        guard let item = try mark(of: index).map({ ItemID($0) }), isMatched(item) else { return false }
        return table.path(of: item, in: root) == found[index].path
    }

    /// Whether an item that was found under one name is not there any more, but where this look came later: two names of one
    /// file both stand.
    func hasLeft(_ item: ItemID, for entry: Found) throws -> Bool {
        guard !entry.isPlaceholder, let path = table.path(of: item, in: root), path != entry.path else {
            return false
        }
        guard let there = try FolderScan.status(at: path) else { return true }
        return !ItemTrace(there).isSameItem(as: entry.trace)
    }

    /// Whether something may be what an item has become: one that is saved flat was a package before, or the other way round, but
    /// what is in a folder is somebody else's.
    func mayFollow(_ known: ItemID, _ entry: Found) -> Bool {
        guard let item = table[known] else { return false }
        let isDirectory = entry.trace.kind == .directory
        if (item.trace.kind == .directory) == isDirectory { return true }
        // What is still there is itself, though that is identified later than this: a placeholder, or what was moved.
        guard !present.contains(known) else { return false }
        return item.state.kind == .document && (!isDirectory || isPackage(entry.name))
    }

    func place(of entry: Found) -> ItemPlace {
        switch entry.parent {
        case .known(let item): ItemPlace(item, entry.name)
        // Folders are identified before what is in them.
        case .found(let index): ItemPlace(found[index].item ?? .root, entry.name)
        }
    }

    /// Whether an item that is known by its mark is nowhere else: what else bears the mark is a copy, or another name of the file
    /// that is in the item's place by now.
    func isFree(_ item: ItemID, for entry: Found) throws -> Bool {
        guard let known = table[item] else { return true }
        let isOfOneKind = (known.trace.kind == .directory) == (entry.trace.kind == .directory)
        guard isOfOneKind || known.isDataless || entry.isPlaceholder,
            let path = table.path(of: item, in: root)
        else { return false }
        guard let there = try FolderScan.status(at: path).map({ ItemTrace($0) }) else { return true }
        return !there.isSameItem(as: known.trace)
            && (path == entry.path || !there.isSameItem(as: entry.trace))
    }

    /// What is in a folder that has become another is in that, though nothing has happened to it.
    private mutating func moveMembers(of former: ItemID, to now: ItemID) {
        guard !isDocument(now) else { return }
        for member in table.members(of: former) where isMatched(member) {
            table[member]?.state.place.parent = now
            outcome.placed.insert(member)
        }
    }

    mutating func settle(_ index: Int, as item: ItemID) throws {
        found[index].item = item
        matched.insert(item)
        noteName(index)
        let entry = found[index]
        if entry.trace.kind == .directory, let former = table.item(like: entry.trace), former != item {
            renamed[former] = item
        }
        let place = place(of: entry)
        guard var known = table[item] else {
            if entry.isPlaceholder { return settle(returning: item, entry) }
            let isFolder = entry.trace.kind == .directory && !entry.isPackage
            table[item] = FolderItem(
                state: ItemState(isFolder ? .folder : .document, at: place),
                trace: entry.trace
            )
            if isFolder {
                outcome.folders.insert(item)
                outcome.placed.insert(item)
            } else {
                outcome.touched[item] = entry.trace
            }
            return
        }
        if known.state.kind == .document, try takeContents(of: item, entry, &known) {
            known.state.place = place
            table[item] = known
            return
        }
        let isElsewhere = known.state.place != place
        // What moved on before it could be read is to be read where it is now.
        let isUnread = known.state.kind == .document && known.state.content == nil
        guard isElsewhere || isUnread || known.trace != entry.trace else { return }
        if isElsewhere {
            outcome.placed.insert(item)
            noteDeparture(of: item, known, to: place)
        }
        known.state.place = place
        if known.state.kind == .document {
            if isUnread || known.trace != entry.trace { outcome.touched[item] = entry.trace }
        } else {
            if !known.trace.isSameItem(as: entry.trace) { outcome.folders.insert(item) }
            known.trace = entry.trace
        }
        table[item] = known
    }
}
