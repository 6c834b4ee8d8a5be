internal import FileSystem

/// A large document that is lent: the vault counts on its own file, by a hard link, instead of copying its bytes.
///
/// The file's bytes, cut as ever, are objects; what the index says of them is compared with their names whenever they
/// are read, or with checksums that were noted along with these a moment ago (`ChunkChecks`). So a copy is spared, and
/// what whoever owns the file makes of it in place is found, never taken for what it was: those bytes are missing then,
/// to be had from wherever else they are. What an app saves in the usual way, by putting another file in its place,
/// leaves the lent one alone.
///
/// 1. Only documents that are lone files are lent, and only to a vault that was opened to borrow.
/// 2. What is not part of a lent document never counts on it: for that it is as if its bytes were not there.
/// 3. A file that is lent is durable before the index speaks of it, or a version does.
/// 4. Its row is in the index before it has a name in the vault, and goes after it: no file stays that nobody knows.
final class Loan {
    /// Its number among the packs.
    let number: Int
    var file: SourceFile
    /// The pieces of the file, in order, once they are known.
    var pieces: [ContentTree.Piece]? {
        didSet { isSynced = false }
    }
    /// Whether all of it is durable.
    var isSynced = false

    init(number: Int, file: SourceFile) {
        (self.number, self.file) = (number, file)
    }

    /// Each piece once, where it stands first.
    var places: [(name: ObjectName, offset: Int, byteCount: Int)] {
        Self.places(of: pieces ?? [])
    }

    static func places(
        of pieces: [ContentTree.Piece]
    ) -> [(name: ObjectName, offset: Int, byteCount: Int)] {
        var places: [(name: ObjectName, offset: Int, byteCount: Int)] = []
        var met: Set<ObjectName> = []
        var offset = 0
        for piece in pieces {
            if met.insert(piece.name).inserted { places.append((piece.name, offset, Int(piece.byteCount))) }
            offset += Int(piece.byteCount)
        }
        return places
    }
}

extension VaultStore {
    /// Whether a file of this size is lent, if it can be.
    func borrows(_ byteCount: Int64) -> Bool { lentByteCountMin.map { byteCount >= $0 } ?? false }

    /// Has a document's file be one of the vault's, too.
    ///
    /// - Returns: Nil where that cannot be: on another volume, say. The vault needs a copy then.
    func borrow(_ file: SourceFile) throws -> Loan? {
        let stamp = file.openedStatus.stamp
        guard borrows(stamp.byteCount), try packs.status(of: ".")?.stamp.device == stamp.device else {
            return nil
        }
        if let number = try knownLoan(of: stamp.inode) { return Loan(number: number, file: file) }
        guard let id = PackID(bytes: VersionID.fresh().bytes) else { return nil }
        let number = try writeIndex { index in
            let number = try index.insertLent(id, inode: stamp.inode)
            try index.setShared(number)
            return number
        }
        guard try packs.link(file, as: id.lentFileName) else {
            try writeIndex { try $0.forget(pack: number) }
            return nil
        }
        return Loan(number: number, file: file)
    }

    /// Forgets a lent file that nothing leads to.
    func drop(_ row: PackRow) throws {
        try packs.remove(row.fileName)
        try packs.sync()
        try writeIndex { index in
            // Whoever collected may have done so already, and the number may be another's by now.
            guard try index.pack(row.number)?.id == row.id else { return }
            try index.forgetLent(of: row.number)
            try index.forget(pack: row.number)
        }
    }

    /// The number of a file that is lent already.
    private func knownLoan(of inode: UInt64) throws -> Int? {
        try withIndex { try $0.lentFiles(inode: inode) }.first { row in
            // Without its link the number may be another file's by now.
            try packs.status(of: row.fileName)?.stamp.inode == inode
        }?.number
    }

    /// Whether a lent file was a document's and is the vault's alone by now: nobody changes it any more, as somebody may the
    /// document that came in its place. Not one that is known to have been changed before.
    func isLastHolder(of row: PackRow) throws -> Bool {
        guard row.isShared, !row.isChanged, !row.isDead else { return false }
        return try packs.linkCount(of: row.fileName) == 1
    }

    /// Has the index know what is in lent files, all of which are durable. Called within a transaction.
    ///
    /// - Throws: `KeepSession.Stale` when one has been collected, as nothing led to it.
    func tell(_ index: VaultIndex, of loans: [Loan]) throws {
        var isGone = false
        for loan in loans {
            guard let row = try index.pack(loan.number), !row.isDead else { throw KeepSession.Stale() }
            let places = loan.places
            let former = try index.lentNames(of: loan.number)
            if !former.isSubset(of: places.lazy.map(\.name)) { isGone = true }
            try index.forgetLent(of: loan.number)
            try index.setChanged(loan.number, false)
            try index.addLent(places, of: loan.number, unlessIn: isLastHolder(of:))
        }
        if isGone { try index.advanceGeneration() }
    }
}
