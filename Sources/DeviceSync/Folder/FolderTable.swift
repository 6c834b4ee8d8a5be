internal import DocumentFoundation
internal import FileSystem
internal import Sync

/// The items of a container's folder as they were seen last, by identity, by place and by inode. Pure.
struct FolderTable {
    private(set) var items = PlacedItems<FolderItem>()
    /// The container's folder itself; nil where nobody has looked at it.
    var root: ItemTrace?
    /// A volume that begins at a folder.
    struct Volume: Hashable, Sendable {
        /// The inode of the folder that it was mounted over; 0 where nobody has seen that.
        var beneath: UInt64
        /// Whether its top folder bears the mark of the item.
        var isMarked: Bool
        /// What its top folder is: a copy of it may bear the mark as well.
        var top = TopFolder.unknown
    }

    /// The folders at which other volumes begin than those of the folders above them.
    private(set) var volumes: [ItemID: Volume] = [:]
    /// Those that begin there, or do so no more, since that was written down.
    private(set) var unwrittenVolumes: Set<ItemID> = []
    /// What has lost its name to another item, and is somewhere else, or nowhere.
    private var nameless: Set<ItemID> = []
    /// Another number for each state of the table in which items have other names.
    private(set) var nameVersion = 0
    /// The items that have been written since somebody asked last.
    private var written: Set<ItemID> = []
    /// The folders that have come to other places since somebody asked last.
    private var moved: Set<ItemID> = []

    init() {}

    subscript(item: ItemID) -> FolderItem? {
        get { items[item] }
        set {
            nameless.remove(item)
            written.insert(item)
            let former = items[item]?.state
            if former?.place != newValue?.state.place {
                nameVersion += 1
                if former?.kind == .folder { moved.insert(item) }
            }
            guard let newValue else {
                if volumes[item] != nil { note(volume: nil, at: item) }
                return items[item] = nil
            }
            recall(item, as: newValue)
        }
    }

    /// Has an item be known as another from now on, with all that is in it.
    mutating func rename(_ item: ItemID, to other: ItemID, as seen: FolderItem) {
        let (members, volume) = (members(of: item), volumes[item])
        self[item] = nil
        self[other] = seen
        if let volume { note(volume: volume, at: other) }
        for member in members {
            guard var known = self[member] else { continue }
            known.state.place.parent = other
            self[member] = known
        }
    }

    /// Notes how an item was seen of which nothing is in the table any more, or yet. It does not count as written for that.
    mutating func recall(_ item: ItemID, as seen: FolderItem) {
        items[item] = seen
        while let other = bearer(of: seen.state.place, besides: item) { nameless.insert(other) }
    }

    /// - Parameter isAnother: Whether it is to be written down though nothing of the note is another.
    mutating func note(volume: Volume?, at folder: ItemID, isAnother: Bool = false) {
        guard isAnother || volumes[folder] != volume else { return }
        volumes[folder] = volume
        unwrittenVolumes.insert(folder)
    }

    /// - Parameter volumes: As they were written down.
    mutating func recall(volumes: [ItemID: Volume]) { self.volumes = volumes.filter { items[$0.key] != nil } }

    /// - Parameter volumes: What has been written down of them.
    mutating func noteWritten(volumes: [ItemID: Volume?]) {
        for (folder, volume) in volumes where self.volumes[folder] == volume {
            unwrittenVolumes.remove(folder)
        }
    }

    mutating func reserveCapacity(_ count: Int) { items.reserveCapacity(count) }

    /// What has come to be otherwise since this was asked last.
    mutating func takeWritten() -> Set<ItemID> {
        defer { written = [] }
        return written
    }

    /// The folders that have come to other places since this was asked last: what is in them has other paths.
    mutating func takeMoved() -> Set<ItemID> {
        defer { moved = [] }
        return moved
    }

    /// Whether something has come to be otherwise since then.
    var isWritten: Bool { !written.isEmpty }

    /// How all folders are, and all documents whose contents are known.
    var readStates: ItemMap<ItemState> { items.all.compactMapValues { $0.isRead ? $0.state : nil } }

    /// How an item is as it is written down: only where its contents are known.
    func writtenState(of item: ItemID) -> ItemState? { items[item].flatMap { $0.isRead ? $0.state : nil } }

    /// All folders, with the container's own.
    var folders: Set<ItemID> { Set(items.all.keys { $0.state.kind == .folder }).union([.root]) }

    /// All documents that are packages.
    var packages: Set<ItemID> {
        Set(items.all.keys { $0.trace.kind == .directory && $0.state.kind == .document })
    }

    /// All items that have lost conflicts which nobody has settled.
    var inConflict: [ItemID] { items.all.keys { $0.state.hasConflicts } }

    func item(at place: ItemPlace) -> ItemID? { bearer(of: place) }

    /// The item that has the name of a place.
    private func bearer(of place: ItemPlace, besides other: ItemID? = nil) -> ItemID? {
        // Nothing else of the table is for the closure: it would be copied for that.
        let nameless = nameless
        return items.item(at: place) { item, _ in
            item != other && !nameless.contains(item)
        }
    }

    /// Has what is said of items take room once only.
    mutating func share(_ states: DiskItems) {
        items.updateInPlace { item, seen in seen.state.share(states[item]) }
    }

    /// What was seen in a folder; also what has lost its name to another item.
    func members(of folder: ItemID) -> [ItemID] { items.members(of: folder) }

    /// An item that was seen last as the very thing that something is, whatever became of it.
    func item(like trace: ItemTrace) -> ItemID? {
        items.item(keyed: trace.key) { $0.trace.isSameItem(as: trace) }
    }

    /// All such items: one file may have several names, each of which is an item.
    func items(like trace: ItemTrace) -> [ItemID] {
        items.items(keyed: trace.key).filter { items[$0]?.trace.isSameItem(as: trace) == true }
    }

    /// The item that something is of which nothing is another than when it was seen last, with its contents here and known, or about
    /// to be.
    ///
    /// - Parameter unread: Those that are going to be read anyway.
    func unchanged(
        _ name: String,
        _ trace: ItemTrace,
        in folder: ItemID,
        unread: UnreadDocuments
    ) -> ItemID? {
        func isSame(_ known: FolderItem) -> Bool {
            known.trace == trace && known.state.parent == folder && !known.isDataless
                && known.state.isNamed(exactly: name)
        }
        if let item = items.item(keyed: trace.key, where: { $0.isRead && isSame($0) }) { return item }
        guard !unread.isEmpty, trace.kind == .regular else { return nil }
        return items.items(keyed: trace.key).first { item in
            unread[item] == trace && items[item].map(isSame) == true
        }
    }

    /// The item that a member of a folder is, as the kernel has just told of it, if nothing of it is another.
    func unchanged(
        _ member: FolderMember,
        in folder: ItemID,
        unread: UnreadDocuments
    ) -> ItemID? {
        unchanged(member.name, ItemTrace(member.status), in: folder, unread: unread)
    }

    /// The folder that is the very directory of another at that one's place, which it has the name of: the other was told by a mark
    /// that somebody has replaced since, and is nowhere.
    func folder(insteadOf folder: ItemID, in root: FilePath) -> ItemID? {
        guard let known = items[folder] else { return nil }
        let others = items(like: known.trace).filter { $0 != folder }
        guard !others.isEmpty, !hasItsPlace(folder), let path = path(of: folder, in: root) else { return nil }
        return others.first {
            items[$0]?.state.kind == .folder && hasItsPlace($0) && self.path(of: $0, in: root) == path
        }
    }

    /// Whether an item has not lost its name to another, nor has a folder above it.
    private func hasItsPlace(_ item: ItemID) -> Bool {
        var (at, depth) = (item, 0)
        while at != .root {
            guard let place = items[at]?.state.place, depth < 4096, bearer(of: place) == at else {
                return false
            }
            (at, depth) = (place.parent, depth + 1)
        }
        return true
    }

    /// A folder as it was seen last.
    func trace(ofFolder folder: ItemID) -> ItemTrace? { folder == .root ? root : items[folder]?.trace }

    /// An item and all in it, what is deepest first.
    func subtree(of item: ItemID) -> [ItemID] {
        var found = [item]
        var index = 0
        while index < found.count {
            found += members(of: found[index])
            index += 1
        }
        return found.reversed()
    }

    /// Where what is on the disk of an item is, a placeholder maybe; nil for one that is not there.
    func path(of item: ItemID, in root: FilePath) -> FilePath? {
        guard let path = shownPath(of: item, in: root) else { return nil }
        return items[item]?.isDataless == true ? Placeholder.place(for: path) : path
    }

    /// The items that placeholders stand for.
    var dataless: Set<ItemID> { Set(items.lazy.filter { $0.value.isDataless }.map(\.key)) }

    /// Where an item is under its own name; nil for one that is not there.
    func shownPath(of item: ItemID, in root: FilePath) -> FilePath? {
        var names: [String] = []
        var at = item
        while at != .root {
            guard let place = items[at]?.state.place, names.count < 4096 else { return nil }
            names.append(place.name)
            at = place.parent
        }
        return names.reversed().reduce(root) { $0.appending($1) }
    }

    func path(of place: ItemPlace, in root: FilePath) -> FilePath? {
        path(of: place.parent, in: root)?.appending(place.name)
    }
}
