internal import FileSystem

/// Fills a file of the vault's with the pieces of a large document, as they come: the document is to be this very file.
///
/// What one reception has left unfinished the next one of the same content goes on with, unless the disk has refused some of it: the
/// kernel tells of that once, and takes for written the next time what is nowhere. What is begun for one content never comes to
/// be another's, however much they share: it may be whole, and wait to be given to its document.
///
/// Who fills a file, or gives it to a document, holds its lock. For one thread at a time.
final class LentFileWriter {
    private let store: VaultStore
    private let content: ObjectName
    private let byteCount: Int
    private let pieces: [ContentTree.Piece]
    /// Where each piece stands, by its name, which may be several places.
    private var offsets: [ObjectName: [Int]] = [:]
    private var byteCounts: [ObjectName: Int] = [:]
    /// What is not in the file yet.
    private var wanted: Set<ObjectName>
    private var row: PackRow?
    private var file: StorageFile?
    private var stretch: FileStretch?
    /// What is in the file, and not in the index.
    private var untold: [(name: ObjectName, offset: Int, byteCount: Int)] = []
    private var untoldByteCount = 0
    /// Whether the index knows of anything in the file.
    private var isTold = false
    /// Whether the disk has refused something: nobody knows what of the file is on it that the index does not know.
    private var hasFailed = false

    /// So many bytes are written before the index is told: so many at most have to come again, should this process end.
    private static let untoldByteCountMax = 64 << 20

    private init(
        _ content: ObjectName,
        _ pieces: [ContentTree.Piece],
        byteCount: Int,
        in store: VaultStore
    ) {
        (self.store, self.content, self.pieces, self.byteCount) = (store, content, pieces, byteCount)
        var offset = 0
        for piece in pieces {
            offsets[piece.name, default: []].append(offset)
            byteCounts[piece.name] = Int(piece.byteCount)
            offset += Int(piece.byteCount)
        }
        wanted = Set(offsets.keys)
    }

    /// The file that somebody has begun to fill with this content, or one that is to be made.
    ///
    /// - Parameter pieces: The content's, in order.
    static func find(
        _ content: ObjectName,
        _ pieces: [ContentTree.Piece],
        byteCount: UInt64,
        in store: VaultStore
    ) throws -> LentFileWriter {
        let writer = LentFileWriter(content, pieces, byteCount: Int(clamping: byteCount), in: store)
        for row in try store.withIndex({ try $0.lentFiles(filledWith: content) }) {
            guard let file = try store.open(row, writes: true), try file.byteCount() == writer.byteCount,
                // Somebody else may be at it.
                try file.lock(waits: false),
                // A document may have got it until then. What nobody else has had nobody has changed.
                let present = try store.withIndex({ try $0.pack(row.number) }), present.id == row.id,
                !present.isShared, !present.isDead
            else { continue }
            let written = try store.withIndex { try $0.lentNames(of: row.number) }
            (writer.row, writer.file, writer.isTold) = (present, file, !written.isEmpty)
            writer.wanted.subtract(written)
            writer.stretch = FileStretch(file)
            break
        }
        return writer
    }

    var isBegun: Bool { file != nil }

    /// How many bytes of the file a piece is, wherever it stands.
    func byteCount(of name: ObjectName) -> Int { (byteCounts[name] ?? 0) * (offsets[name]?.count ?? 0) }

    /// What is not in the file yet, in the file's order.
    var unwritten: [ObjectName] { ordered(wanted) }

    /// What is nowhere in the vault, in the file's order.
    func missing(in store: VaultStore) throws -> [ObjectName] {
        let missing = try store.withIndexAtOneTime { [wanted] index in
            try wanted.filter { try index.place(of: $0) == nil }
        }
        return ordered(missing)
    }

    private func ordered(_ names: Set<ObjectName>) -> [ObjectName] {
        var left = names
        return pieces.lazy.map(\.name).filter { left.remove($0) != nil }
    }

    /// Makes the file, unless it is there.
    ///
    /// - Throws: `SystemError`, `ENOSPC` where there is no room for all of it.
    func begin() throws {
        guard file == nil else { return }
        var id: PackID?
        while id == nil { id = PackID(bytes: VersionID.fresh().bytes) }
        guard let id else { return }
        let number = try store.writeIndex { try $0.insertLent(id, inode: 0, content: content) }
        let file = try store.packs.create(id.lentFileName)
        // Nobody else has it; whoever collects finds it in use for as long as it is open here.
        _ = try file.lock(waits: false)
        guard let row = try store.withIndex({ try $0.pack(number) }) else {
            // Somebody collected before it was there.
            try store.packs.remove(id.lentFileName)
            throw KeepSession.Stale()
        }
        // Before there may be no room: it goes then.
        (self.row, self.file) = (row, file)
        try file.reserve(byteCount)
        stretch = FileStretch(file)
    }

    /// Where a piece may be put before it is written, so that it need not be copied.
    ///
    /// - Returns: Nil for what has to be anywhere else: pressed together, to stand in several places, or not what comes next.
    func room(for name: ObjectName, byteCount: Int) -> UnsafeMutableRawBufferPointer? {
        guard byteCount == byteCounts[name], let offsets = offsets[name], offsets.count == 1 else {
            return nil
        }
        return stretch?.room(byteCount, at: offsets[0])
    }

    /// Writes a piece wherever it stands.
    func write(_ name: ObjectName, _ plain: UnsafeRawBufferPointer) throws {
        guard let stretch, let first = offsets[name]?.first, plain.count == byteCounts[name] else {
            throw VaultError.damaged(name, in: store.folder.path)
        }
        try orFail { for offset in offsets[name] ?? [] { try stretch.write(plain, at: offset) } }
        wanted.remove(name)
        untold.append((name, first, plain.count))
        untoldByteCount += plain.count
        if untoldByteCount >= Self.untoldByteCountMax { try finish() }
    }

    /// Ends what has failed: what was written need not come again, unless the disk has refused some of it.
    func abandon() {
        // Why it cannot be kept is no more to the point than why this ends; what stays goes when the vault is collected.
        do { try finish() } catch {}
        guard let row else { return }
        do {
            if !isTold, hasFailed || wanted.count == offsets.count {
                try store.drop(row)
            } else if hasFailed {
                // What the index knows was durable before: it is copied and compared, and the file becomes nobody's document.
                try store.writeIndex { try $0.setShared(row.number) }
            }
        } catch {}
    }

    /// Makes all that was written durable, and has the index know it.
    func finish() throws {
        guard let row, let file, !untold.isEmpty else { return }
        try orFail {
            try stretch?.flush()
            try file.sync()
            try store.packs.sync()
        }
        let inode = try store.packs.status(of: row.fileName)?.stamp.inode ?? 0
        try store.writeIndex { [store, untold] index in
            // Collected meanwhile, as nothing led to it yet.
            guard let known = try index.pack(row.number), !known.isDead else { throw KeepSession.Stale() }
            try index.setLentInode(inode, of: row.number)
            try index.addLent(untold, of: row.number, unlessIn: store.isLastHolder(of:))
        }
        (untold, untoldByteCount, isTold) = ([], 0, true)
    }

    /// Does something with the file; that it fails is not forgotten, and nothing is told of what was not durable before.
    private func orFail(_ body: () throws -> Void) throws {
        do { try body() } catch {
            hasFailed = true
            (untold, untoldByteCount) = ([], 0)
            throw error
        }
    }
}
