internal import FileSystem
internal import Sync

// The marks that items bear. Of ten thousand new documents each call counts, so each is asked once, and by its place.
extension FolderLook {
    enum Bearing { case nothing, mark(FileMark) }

    func mark(of entry: Found) throws -> FileMark? {
        guard entry.trace.kind == .regular || entry.trace.kind == .directory else { return nil }
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
        found[index].mark = nil
        guard let given = try mark(of: index) else { return ItemID(fresh) }
        if table[ItemID(given)] == nil, !matched.contains(ItemID(given)) { return ItemID(given) }
        try give(fresh, to: index)
        return ItemID(fresh)
    }

    /// - Returns: False when it cannot bear one, or bears one that was not replaced.
    @discardableResult
    private mutating func give(_ mark: FileMark, to index: Int, replacing: Bool) throws -> Bool {
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
