internal import FileSystem
internal import Foundation

// A large document comes as a file of its own, which its place in a folder is given to then: its bytes are written once.
extension Reception {
    /// Stores what is not here of a document that is a large file.
    ///
    /// Where most of it is here already, only the rest is stored, in packs.
    ///
    /// - Throws: `SystemError`, `ENOSPC`, before all the room there is has been taken.
    func receive(large entry: ManifestEntry) throws {
        guard let content = entry.content else { return }
        let pieces = try self.pieces(of: content, byteCount: entry.byteCount)
        let file = try LentFileWriter.find(content.name, pieces, byteCount: entry.byteCount, in: store)
        let missing = try file.missing(in: store)
        let missingByteCount = missing.reduce(0) { $0 + file.byteCount(of: $1) }
        guard file.isBegun || UInt64(missingByteCount) * 2 > entry.byteCount else {
            try checkRoom(UInt64(missingByteCount))
            return try get(missing.map { VaultObject($0, .chunk) }) { object, plain, stored in
                try session.storeMissing(object, plain, stored)
            }
        }
        do {
            if !file.isBegun { try checkRoom(entry.byteCount) }
            try file.begin()
            try get(
                missing.map { VaultObject($0, .chunk) },
                room: { object, byteCount in file.room(for: object.name, byteCount: byteCount) },
                { object, plain, _ in try file.write(object.name, plain) }
            )
            try copyRest(to: file)
            try file.finish()
        } catch {
            file.abandon()
            throw error
        }
    }

    private func checkRoom(_ byteCount: UInt64) throws {
        guard try byteCount <= UInt64(store.roomByteCount()) else {
            throw SystemError(call: "fallocate", errno: ENOSPC, path: store.folder.path)
        }
    }

    /// Has in the file, too, what is elsewhere in the vault.
    private func copyRest(to file: LentFileWriter) throws {
        // What is lost is in this file next.
        let reader = try ObjectReader(store: store, forgetsLost: false)
        var lost: [VaultObject] = []
        for name in file.unwritten {
            do { try reader.withObject(name, .chunk) { try file.write(name, $0) } } catch let error
                as VaultError
                where error.code == .damaged
            {
                lost.append(VaultObject(name, .chunk))
            }
        }
        try get(lost) { object, plain, _ in try file.write(object.name, plain) }
    }

    /// The pieces of a file, in order; the lists that lead to them come where they are not here.
    ///
    /// A few lists that name others again and again would be more pieces than there is memory: there are not more than a file of
    /// that size can have, nor of more bytes than the volume has room for.
    private func pieces(of content: ContentReference, byteCount: UInt64) throws -> [ContentTree.Piece] {
        let isBegun = try !store.withIndex { try $0.lentFiles(filledWith: content.name) }.isEmpty
        if !isBegun { try checkRoom(byteCount) }
        // The last piece of a file, and the last list of each level, may be shorter than others.
        let countMax = Int(clamping: byteCount / UInt64(store.chunker.sizes.min)) + 1
        let reader = try ObjectReader(store: store)
        var pieces = [ContentTree.Piece(name: content.name, byteCount: byteCount)]
        for level in stride(from: content.level, to: 0, by: -1) {
            var below: [ObjectName: [ContentTree.Piece]] = [:]
            let names = Set(pieces.map(\.name))
            let byteCounts = Dictionary(pieces.map { ($0.name, $0.byteCount) }) { first, _ in first }
            func open(_ name: ObjectName, _ plain: UnsafeRawBufferPointer) throws {
                let children = try? TreeNode.list(plain, level: level)
                guard let children, Self.byteCount(of: children) == byteCounts[name] else {
                    throw VaultError.damaged(name, in: store.folder.path)
                }
                below[name] = children
            }
            // Lists that this session has got, too: the reader knows of none that the index does not know.
            let missing = try session.missing(of: Array(names), evenAdded: true)
            let wanted = pieces.map(\.name).filter { missing.contains($0) }
            try get(wanted.map { VaultObject($0, .list) }) { object, plain, stored in
                try session.storeMissing(object, plain, stored)
                try open(object.name, plain)
            }
            for name in names where below[name] == nil {
                try reader.withObject(name, .list) { try open(name, $0) }
            }
            let count = pieces.reduce(0) { $0 + (below[$1.name]?.count ?? 0) }
            guard count <= countMax else { throw VaultError.damaged(content.name, in: store.folder.path) }
            pieces = pieces.flatMap { below[$0.name] ?? [] }
        }
        guard pieces.allSatisfy({ $0.byteCount <= PackFormat.objectByteCountMax }),
            Self.byteCount(of: pieces) == byteCount
        else { throw VaultError.damaged(content.name, in: store.folder.path) }
        return pieces
    }

    /// How many bytes pieces have together; nil where one has none, or nobody could have so many.
    private static func byteCount(of pieces: [ContentTree.Piece]) -> UInt64? {
        var sum: UInt64 = 0
        for piece in pieces {
            let (next, isBeyond) = sum.addingReportingOverflow(piece.byteCount)
            guard piece.byteCount > 0, !isBeyond else { return nil }
            sum = next
        }
        return sum
    }
}
