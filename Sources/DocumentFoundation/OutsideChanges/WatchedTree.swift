internal import Coordination
internal import FileSystem

/// A presented directory and what is in it.
struct WatchedTree {
    /// How many folders of a tree are watched and remembered. Each takes one of the user's watches; what
    /// happens in folders beyond is seen when something is coordinated.
    static let foldersMax = 16_384

    /// What differs from what was known.
    struct Difference {
        var appeared: [ItemPath] = []
        var changed: [ItemPath] = []
        var gone: [ItemPath] = []
        var moved: [(from: ItemPath, to: ItemPath)] = []
    }

    /// The numbers under which its folders are watched.
    var watches: [Int] = []
    /// What its folders held when they were looked at last; only where a presenter wants to be told of it.
    private var known: [ItemPath: FolderMarks] = [:]
    let remembersMembers: Bool

    init(remembersMembers: Bool) { self.remembersMembers = remembersMembers }

    /// Looks at a folder of the tree and at all that is in it.
    ///
    /// - Returns: The folders found, the given one first, and what differs from what was known of them.
    mutating func look(at top: ItemPath) -> (folders: [ItemPath], difference: Difference) {
        var (folders, found): ([ItemPath], [ItemPath: FolderMarks]) = ([], [:])
        var next = [top]
        while let folder = next.popLast(), folders.count < Self.foldersMax {
            // What is no folder, or went while we looked, has nothing in it.
            if remembersMembers {
                guard let marks = marks(of: folder) else { continue }
                found[folder] = marks
                next += marks.members.filter(\.value.isFolder).compactMap { ItemPath(folder, $0.key) }
            } else {
                guard let entries = try? FileReading.entries(in: FilePath(folder.string)) else { continue }
                next += entries.filter { $0.kind == .directory }.compactMap { ItemPath(folder, $0.name) }
            }
            folders.append(folder)
        }
        let before = known.filter { top.holds($0.key) }
        for path in before.keys { known[path] = nil }
        known.merge(found) { $1 }
        return (folders, Self.difference(from: before, to: found))
    }

    /// What a folder holds; what it held when it was looked at last, where it cannot be read: nothing in it is gone for that.
    private func marks(of folder: ItemPath) -> FolderMarks? {
        do {
            var marks = try FolderMarks(of: FilePath(folder.string))
            // What stands there until a save is done is no member.
            for name in marks.members.keys where SaveSite.isOwn(name) { marks.members[name] = nil }
            return marks
        } catch {
            return error.isAbsent ? nil : known[folder]
        }
    }

    /// Looks at one member.
    mutating func look(atMember path: ItemPath) -> Difference {
        var difference = Difference()
        guard remembersMembers, let folder = path.parent, !path.isOwn else { return difference }
        let stamp: FileStamp?
        // What cannot be looked at is not gone.
        do { stamp = try FileStamp.ifPresent(at: FilePath(path.string)) } catch { return difference }
        let new = stamp.map(FolderMarks.Mark.init)
        let old = known[folder]?.members.updateValue(new, forName: path.name)
        switch (old ?? nil, new) {
        case (nil, nil): break
        case (nil, _): difference.appeared = [path]
        case (_, nil): difference.gone = [path]
        case (let old, let new): if old != new { difference.changed = [path] }
        }
        if new?.isFolder != true { known[path] = nil }
        return difference
    }

    /// Whether the item that is at a member's place, if one is, is the one that was there when it was looked at last.
    func isUpToDate(atMember path: ItemPath) -> Bool {
        guard let folder = path.parent else { return false }
        // What cannot be looked at is as good as gone until it can.
        let stamp = try? FileStamp.ifPresent(at: FilePath(path.string))
        return known[folder]?.members[path.name]?.inode == stamp?.inode
    }

    /// Something in the tree is elsewhere in it now, as its presenters have been told.
    mutating func moved(from source: ItemPath, to target: ItemPath) {
        var moved: [ItemPath: FolderMarks] = [:]
        for (path, marks) in known { moved[path.moved(from: source, to: target) ?? path] = marks }
        known = moved
        _ = look(atMember: source)
        _ = look(atMember: target)
    }

    private static func difference(
        from before: [ItemPath: FolderMarks],
        to after: [ItemPath: FolderMarks]
    ) -> Difference {
        var difference = Difference()
        var (gone, appeared): ([FolderMarks.Mark: ItemPath], [FolderMarks.Mark: ItemPath]) = ([:], [:])
        for folder in Set(before.keys).union(after.keys) {
            let (old, new) = (before[folder]?.members ?? [:], after[folder]?.members ?? [:])
            for (name, mark) in old where new[name] == nil {
                if let path = ItemPath(folder, name) { gone[mark] = path }
            }
            for (name, mark) in new where old[name] != mark {
                guard let path = ItemPath(folder, name) else { continue }
                if old[name] == nil { appeared[mark] = path } else { difference.changed.append(path) }
            }
        }
        for (mark, path) in appeared {
            // An item of the same number, size and date has been moved: the chance that it is another is nil.
            if let source = gone.removeValue(forKey: mark) {
                difference.moved.append((source, path))
            } else {
                difference.appeared.append(path)
            }
        }
        difference.gone = Array(gone.values)
        return difference
    }
}

extension [String: FolderMarks.Mark] {
    /// Puts or removes; returns what was there.
    fileprivate mutating func updateValue(_ mark: Value?, forName name: String) -> Value? {
        defer { self[name] = mark }
        return self[name]
    }
}

extension ItemPath {
    /// Whether it is one of those that stand beside documents until a save is done, or in one: nobody's item.
    var isOwn: Bool { SaveSite.isOwn(FilePath(string)) }

    /// A member of a folder.
    init?(_ folder: ItemPath, _ name: String) {
        self.init((folder.string == "/" ? "" : folder.string) + "/" + name)
    }

    /// The last component; empty for the root.
    var name: String {
        let bytes = string.utf8
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return string }
        return String(string[bytes.index(after: slash)...])
    }

    /// Where the item is in a directory; nil when it is not in it.
    func member(of directory: ItemPath) -> MemberPath? {
        guard directory.isAncestor(of: self) else { return nil }
        let start = directory.string == "/" ? 1 : directory.string.utf8.count + 1
        return MemberPath(
            string.utf8.dropFirst(start).split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        )
    }
}
