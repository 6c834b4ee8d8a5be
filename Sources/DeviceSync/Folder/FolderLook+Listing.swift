internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync

// What is in folders, before anything is made of it.
extension FolderLook {
    /// - Parameter ahead: What was listed ahead of it, if anything.
    private mutating func list(_ folder: ItemID, _ ahead: () -> FolderListing?) throws {
        guard let path = table.path(of: folder, in: root) else { return }
        if folder != .root, table[folder]?.state.kind != .folder { return }
        if try isExcluded(folder) { return leaveOut(table.members(of: folder)) }
        if try !list(path, as: .known(folder), ahead()) { away.insert(folder) }
    }

    /// Whether a folder is excluded from sync, or in one that is. Each folder is looked at once.
    private mutating func isExcluded(_ folder: ItemID) throws -> Bool {
        guard folder != .root, let known = table[folder], let path = table.path(of: folder, in: root) else {
            return false
        }
        if let answer = exclusions[folder] { return answer }
        let isMarked = try SyncExclusion.isKnownAsMarked(path)
        if isMarked { outcome.excluded.insert(folder) }
        let staysSo = try isMarked || staysExcluded(folder, known, path)
        let answer = try staysSo || isExcluded(known.state.place.parent)
        exclusions[folder] = answer
        return answer
    }

    /// Whether a folder that was excluded is so for what can be said without it: what is not there any more says nothing else.
    private mutating func staysExcluded(
        _ folder: ItemID,
        _ known: FolderItem,
        _ path: FilePath
    ) throws -> Bool {
        guard knownExclusions.contains(folder) else { return false }
        guard let there = try FolderScan.status(at: path) else { return true }
        guard ItemTrace(there).isSameItem(as: known.trace) else { return false }
        // Another may have its inode: the folder above tells what that is.
        guard try FileIdentity.mark(at: path) == folder.mark else { return true }
        outcome.included.insert(folder)
        return false
    }

    /// Lists folders, all of them before anything is made of what is in them: nothing of the table changes meanwhile.
    mutating func list(_ folders: [ItemID]) throws {
        let paths = folders.map { table.path(of: $0, in: root) }
        let listings = FolderListings(of: paths) { [table, unread] in
            table.unchanged($1, in: folders[$0], unread: unread)
        }
        defer { listings?.end() }
        for (index, folder) in folders.enumerated() {
            try readOn(in: folder) { try $0.list(folder) { listings?.listing(at: index) } }
        }
    }

    /// - Returns: Whether the folder is there.
    mutating func list(
        _ path: FilePath,
        as parent: Parent,
        _ ahead: FolderListing? = nil
    ) throws -> Bool {
        let listing: FolderListing
        var members: [FolderMember]
        do {
            listing = try Removal.listingAfterPuttingBack(
                in: path,
                ahead,
                names: { names(ofAside: $0, in: path) },
                seen: { [table, unread] member in
                    guard case .known(let folder) = parent else { return nil }
                    return table.unchanged(member, in: folder, unread: unread)
                }
            )
            members = try listing.members.get()
        } catch {
            // Gone, or a file by now: the folder above tells. Unreadable: nobody can say what is in it.
            guard error.isAbsent || error.errno == ENOTDIR else { throw error }
            return false
        }
        if case .known(let folder) = parent, try isAway(folder, from: path) { return false }
        if let unreadable = listing.unreadable { outcome.unreadable[knownFolder(parent)] = unreadable }
        var leftOut = LeftOut.all(of: members, unnamed: listing.unnamed)
        if let index = try lostAndFound(in: path, among: members) {
            leftOut.append(LeftOut(name: members.remove(at: index).name, reason: .lostAndFound))
        }
        if !leftOut.isEmpty { leftOutNames.append((parent, leftOut)) }
        // Each is in one folder, under one name: nothing else has been matched with it.
        unchanged.formUnion(listing.unchanged)
        for member in members {
            switch LeftOut.reason(for: member) {
            case nil: try readOn(in: knownFolder(parent)) { try $0.note(member, in: path, as: parent) }
            case .passing:
                if case .known(let folder) = parent { outcome.stagings.append((folder, member.name)) }
            case .notUnicode, .reserved, .special, .strayPlaceholder, .lostAndFound: break
            }
        }
        return true
    }

    /// Which of a folder's members a check of its volume has made for itself; nil for none. One that is an item already stays one.
    private func lostAndFound(in path: FilePath, among members: [FolderMember]) throws -> Int? {
        guard let index = members.firstIndex(where: { $0.name == LostAndFound.name }),
            table.item(like: ItemTrace(members[index].status)) == nil,
            try LostAndFound.isPresent(in: path)
        else { return nil }
        return index
    }

    /// What the items were called that something may be which stands aside: by its inode, and by its mark.
    private func names(ofAside member: FolderMember, in folder: FilePath) -> [String] {
        // What cannot be asked for its mark is told by its inode.
        let mark = try? FileIdentity.mark(at: folder.appending(member.name))
        let items = table.items(like: ItemTrace(member.status)) + [mark.map { ItemID($0) }].compactMap { $0 }
        return items.compactMap { table.path(of: $0, in: root)?.name }
    }

    private mutating func note(_ member: FolderMember, in path: FilePath, as parent: Parent) throws {
        var entry = Found(
            parent: parent,
            name: member.name,
            path: path.appending(member.name),
            trace: ItemTrace(member.status),
            hasOtherNames: member.status.hasOtherNames
        )
        entry.isPackage = isNewPackage(entry)
        if try leaveOutExcluded(&entry) { return }
        switch try standIn(entry) {
        case .nothing: break
        case .item(let name): (entry.name, entry.isPlaceholder) = (name, true)
        case .stranger: return noteStray(entry)
        }
        found.append(entry)
    }

    /// Whether a folder is new, or is one of those to look at and has been moved.
    func isToBeListed(_ entry: Found, _ folders: Set<ItemID>) -> Bool {
        guard entry.trace.kind == .directory else { return false }
        if let known = table.item(like: entry.trace), let item = table[known] {
            return item.state.kind == .folder && folders.contains(known)
                && table.path(of: known, in: root) != entry.path
        }
        return !entry.isPackage
    }

    /// Whether a directory is a package if it is new: by its name, or as the document was that had that, whose type may be
    /// unknown here.
    private func isNewPackage(_ entry: Found) -> Bool {
        guard entry.trace.kind == .directory else { return false }
        if isPackage(entry.name) { return true }
        guard case .known(let folder) = entry.parent,
            let known = table.item(at: ItemPlace(folder, entry.name)), let item = table[known]
        else { return false }
        return item.state.kind == .document && item.trace.kind == .directory
    }
}
