internal import FileSystem

extension Restorer {
    /// Makes a large document that is lent from the beginning: of what came as a file of its own that very file, else a copy.
    ///
    /// - Parameter losses: Gets what the volume does not let it bear.
    func restoreLent(
        _ entry: ManifestEntry,
        as name: String,
        in folder: StorageFolder,
        isDated: Bool,
        losses: inout DressNotes
    ) throws {
        let pieces = try pieces(of: entry.content, byteCount: entry.byteCount)
        if let content = entry.content?.name,
            try share(content, pieces, byteCount: entry.byteCount, as: name, in: folder)
        {
            let borne = try folder.open(name).dress(entry.dress, isDated: isDated)
            return losses.note(entry.dress, borne, at: DressNotes.top)
        }
        try restore(entry, as: name, in: folder, isDated: isDated, losses: &losses)
        let file = try folder.source(name)
        guard let loan = try store.borrow(file) else { return }
        loan.pieces = pieces
        try file.sync()
        try store.packs.sync()
        do { try store.writeIndex { try store.tell($0, of: [loan]) } } catch is KeepSession.Stale {
            // Collected meanwhile, as nothing led to it yet: the document has its bytes for itself.
        }
    }

    /// Gives a name to the vault's file that has all of a content, and that nobody else has or has had.
    ///
    /// Each piece was compared with its name when it came into the file, which nobody can have changed since.
    ///
    /// - Parameter pieces: The content's, in order.
    private func share(
        _ content: ObjectName,
        _ pieces: [ContentTree.Piece],
        byteCount: UInt64,
        as name: String,
        in folder: StorageFolder
    ) throws -> Bool {
        guard let row = try store.withIndexAtOneTime({ try $0.lentFile(of: pieces) }),
            row.content == content, let file = try store.open(row),
            try file.byteCount() == Int(clamping: byteCount),
            // Who fills a file has it.
            try file.lock(waits: false)
        else { return false }
        // Before it is: whoever finds it unshared counts on its bytes.
        let isOurs = try store.writeIndex { index in
            guard let row = try index.pack(row.number), row.content == content, !row.isShared, !row.isDead
            else {
                return false
            }
            try index.setShared(row.number)
            return true
        }
        guard isOurs else { return false }
        return try store.packs.share(row.fileName, as: name, in: folder)
    }
}

extension VaultIndex {
    /// The lent file in which pieces stand one behind the other from its beginning on; nil when there is none.
    func lentFile(of pieces: [ContentTree.Piece]) throws -> PackRow? {
        var number: Int?
        var first: [ObjectName: Int] = [:]
        var offset = 0
        for piece in pieces {
            // Others have said how large pieces are.
            guard piece.byteCount <= PackFormat.objectByteCountMax else { return nil }
            defer { offset += Int(piece.byteCount) }
            // Whoever put it there put it wherever it stands.
            guard first.updateValue(offset, forKey: piece.name) == nil else { continue }
            guard let place = try place(of: piece.name), place.header.encoding == .lent,
                place.offset == offset, place.pack == number ?? place.pack
            else { return nil }
            number = place.pack
        }
        return try number.flatMap { try pack($0) }
    }
}
