internal import DocumentFoundation
internal import FileSystem
internal import Locks
internal import Sync
internal import Threads

// The marks that items bear. Of ten thousand new documents each call counts, so each is asked once, and by its place.
extension FolderLook {
    enum Bearing { case nothing, mark(FileMark) }

    func mark(of entry: Found) throws -> FileMark? {
        let own = try Self.ownMark(of: entry)
        guard entry.trace.kind == .regular, Placeholder.itemName(of: entry.path.name) != nil else {
            return own
        }
        if let own, table[ItemID(own)]?.isDataless == true { return own }
        // A program that copies no attributes has copied what a placeholder says all the same; and one that was looked at before
        // all of it was there has been given a mark as a new file.
        return try Placeholder.ifPresent(at: entry.path)?.mark ?? own
    }

    private static func ownMark(of entry: Found) throws -> FileMark? {
        guard !entry.isBare, entry.trace.kind == .regular || entry.trace.kind == .directory else {
            return nil
        }
        do { return try FileIdentity.mark(at: entry.path) } catch {
            // Gone meanwhile: the next look tells.
            guard error.isAbsent else { throw error }
            return nil
        }
    }

    mutating func mark(of index: Int) throws -> FileMark? {
        switch found[index].mark {
        case .mark(let mark): return mark
        case .nothing: return nil
        case nil:
            let mark = try mark(of: found[index])
            found[index].mark = mark.map { .mark($0) } ?? .nothing
            return mark
        }
    }

    /// Gives something the mark of the item that it is, whatever it bears.
    mutating func give(_ mark: FileMark, to index: Int) throws {
        try give(mark, to: index, replacing: true)
    }

    /// Gives something new a mark. One that somebody has given it since it was looked at stays, if it is no known item's: who
    /// marks a document knows it by that.
    ///
    /// - Returns: What it is known by.
    mutating func giveFresh(_ fresh: FileMark, to index: Int) throws -> ItemID {
        let isForeign = try mark(of: index) != nil
        if try give(fresh, to: index, replacing: isForeign) { return ItemID(fresh) }
        (found[index].mark, found[index].isBare) = (nil, false)
        guard let given = try mark(of: index) else { return ItemID(fresh) }
        if table[ItemID(given)] == nil, !matched.contains(ItemID(given)) { return ItemID(given) }
        try give(fresh, to: index)
        return ItemID(fresh)
    }

    /// From how many on new files are marked by two threads: what takes time is the kernel's work for each.
    private static let sharedCountMin = 64

    /// Gives new files their marks, many at a time. What is in the way of one is told of when that is seen to by itself.
    mutating func markNew(_ files: [Int]) {
        let new = files.filter { index in
            let entry = found[index]
            guard entry.item == nil, entry.trace.kind == .regular, !entry.hasOtherNames,
                case .nothing? = entry.mark
            else { return false }
            return !entry.isPlaceholder && !entry.isUnreadable && !isLost(index)
        }
        guard new.count >= Self.sharedCountMin else { return }
        let marks = new.map { (index: $0, path: found[$0].path, mark: fresh()) }
        let threadCount = 2
        let given = Locked<[(number: Int, status: MemberStatus)]>([])
        SharedWork.perform(threadCount) { thread in
            let own = stride(from: thread, to: marks.count, by: threadCount).compactMap { number in
                Self.marked(marks[number].path, marks[number].mark).map { (number, $0) }
            }
            given.withLock { $0 += own }
        }
        for (number, status) in given.withLock({ $0 }) {
            let (index, now) = (marks[number].index, ItemTrace(status))
            (found[index].mark, found[index].fresh) = (.mark(marks[number].mark), marks[number].mark)
            if now.isSameItem(as: found[index].trace) { found[index].trace.changed = now.changed }
        }
    }

    /// How a file is that bore no mark and bears this one now; nil for any other.
    private static func marked(_ path: FilePath, _ mark: FileMark) -> MemberStatus? {
        guard (try? FileIdentity.give(mark, toItemAt: path, replacing: false)) == true else { return nil }
        return try? FolderScan.status(at: path)
    }

    /// - Returns: False when it cannot bear one, or bears one that was not replaced.
    @discardableResult
    mutating func give(_ mark: FileMark, to index: Int, replacing: Bool) throws -> Bool {
        guard found[index].trace.kind != .symbolicLink else { return false }
        let path = found[index].path
        let isGiven: Bool
        do { isGiven = try FileIdentity.give(mark, toItemAt: path, replacing: replacing) } catch {
            // Gone meanwhile: the next look tells.
            guard error.isAbsent else { throw error }
            return true
        }
        if isGiven { found[index].mark = .mark(mark) }
        if let status = try FolderScan.status(at: path) {
            let now = ItemTrace(status)
            if now.isSameItem(as: found[index].trace) { found[index].trace.changed = now.changed }
        }
        return isGiven
    }
}
