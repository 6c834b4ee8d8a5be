internal import FileSystem

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

    mutating func give(_ mark: FileMark, to index: Int) throws {
        guard found[index].trace.kind != .symbolicLink else { return }
        let path = found[index].path
        let isForeign = try self.mark(of: index) != nil
        // Somebody who marks it at the same time is left alone: the next look finds that mark.
        do { try FileIdentity.give(mark, toItemAt: path, replacing: isForeign) } catch {
            // Gone meanwhile: the next look tells.
            guard error.isAbsent else { throw error }
            return
        }
        found[index].mark = .mark(mark)
        if let status = try FolderScan.status(at: path) {
            let now = ItemTrace(status)
            if now.isSameItem(as: found[index].trace) { found[index].trace.changed = now.changed }
        }
    }
}
