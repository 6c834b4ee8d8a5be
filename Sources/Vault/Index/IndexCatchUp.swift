internal import FileSystem
internal import SQLite

/// Brings into the index what packs hold beyond it: what a process wrote that died before it said so, or, when the
/// index was lost, everything. The lock is held.
struct IndexCatchUp {
    let store: VaultStore
    let index: VaultIndex

    private static let completeKey = "isComplete"

    /// Looks at all packs.
    func run() throws {
        let isRebuilt = try index.meta(Self.completeKey) == nil
        let known = Dictionary(try index.packs().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var found: [Found] = []
        for entry in try store.packs.entries().sorted(by: { $0.name < $1.name }) {
            guard let id = PackID(fileName: entry.name), known[id]?.isDead != true else { continue }
            guard let status = try store.packs.status(of: entry.name),
                Int(status.stamp.byteCount) > known[id]?.byteCount ?? PackFormat.headerByteCount,
                let file = try store.openPack(id, appends: true)
            else { continue }
            // Who holds the lock lives, and says himself what he wrote.
            let isFree = try file.lock(waits: false)
            guard isFree || isRebuilt else { continue }
            guard var pack = try look(at: id, file, known[id], mayCut: isFree && !isRebuilt) else { continue }
            if !isFree, pack.scan.isTornAtMost {
                // He is about to write the rest.
                (pack.byteCount, pack.isSealed) = (pack.scan.validEnd, false)
            }
            found.append(pack)
        }
        let dead = known.values.filter { row in row.isDead }
        for row in dead { try store.packs.remove(row.fileName) }
        guard isRebuilt || !found.isEmpty || !dead.isEmpty else { return }
        // A pack that came back after a power cut would be taken for a new one once it is forgotten, and what was removed would
        // come back with it. And names that the index is about to speak of are to last.
        if isRebuilt || !dead.isEmpty { try store.packs.sync() }
        let lent = isRebuilt ? try lookAtLent() : []
        try index.connection.transaction {
            for row in dead { try index.forget(pack: row.number) }
            // Before what leads to what is in them.
            try bringIn(lent)
            try bringIn(found, isRebuilt: isRebuilt)
            try index.setMeta(Self.completeKey, 1)
        }
    }

    /// Looks at one pack, whose lock the file holds. Called within a transaction.
    func bringIn(_ id: PackID, _ file: StorageFile) throws {
        let row = try index.pack(id)
        guard try file.byteCount() > row?.byteCount ?? 0 else { return }
        guard let pack = try look(at: id, file, row, mayCut: true) else { return }
        try bringIn([pack], isRebuilt: false)
    }

    private struct Lent {
        var id: PackID
        var inode: UInt64
        var pieces: [ContentTree.Piece]
    }

    /// What is in lent files, as it is now: nothing but the lost index knew what was.
    private func lookAtLent() throws -> [Lent] {
        let cutter = FileCutter(
            store.chunker,
            [try VaultHasher(key: store.key), try VaultHasher(key: store.key)]
        )
        return try store.packs.entries().sorted { $0.name < $1.name }.compactMap { entry in
            guard let id = PackID(lentFileName: entry.name),
                let inode = try store.packs.status(of: entry.name)?.stamp.inode
            else { return nil }
            do {
                let file = try store.packs.source(entry.name)
                try file.sync()
                return Lent(id: id, inode: inode, pieces: try cutter.pieces(of: file))
            } catch let error as SystemError where error.isForbidden || error.isAbsent || error.isFault {
                // What is in it is missing, as if its owner had changed it: nothing else waits for that.
                return Lent(id: id, inode: inode, pieces: [])
            }
        }
    }

    private func bringIn(_ lent: [Lent]) throws {
        for file in lent {
            let number = try index.insertLent(file.id, inode: file.inode)
            // Nobody can say any more that no one else has had it.
            try index.setShared(number)
            try index.addLent(Loan.places(of: file.pieces), of: number)
        }
    }

    private struct Found {
        var id: PackID
        var scan: PackScan
        /// Up to where it is known then.
        var byteCount: Int
        var isSealed: Bool
    }

    /// Reads what is new in a pack, and cuts off what a write left that was never acknowledged. What is found is durable then:
    /// whoever wrote it may never have synced it.
    private func look(at id: PackID, _ file: StorageFile, _ row: PackRow?, mayCut: Bool) throws -> Found? {
        if mayCut, let row, row.isSealed {
            // Who wrote it could not make it durable, nor cut it off: nobody was told of it. Should that be refused once more,
            // it is left for the next time.
            try? file.cut(to: row.byteCount)
            return nil
        }
        let scanner = PackScanner(hasher: try VaultHasher(key: store.key), decompressor: try Decompressor())
        let scan = try scanner.scan(file, id, from: row?.byteCount ?? 0)
        let mayCut = mayCut && !scan.hasBadSectors
        if mayCut, row == nil, scan.records.isEmpty {
            // Nobody was told of anything in it, and there is nothing in it.
            try file.cut(to: 0)
            return nil
        }
        if mayCut, scan.isHeaderWhole, scan.isTornAtMost {
            if scan.validEnd < scan.byteCount { try file.cut(to: scan.validEnd) }
            try file.sync()
            return Found(id: id, scan: scan, byteCount: scan.validEnd, isSealed: false)
        }
        try file.sync()
        return Found(id: id, scan: scan, byteCount: scan.byteCount, isSealed: !scan.gaps.isEmpty)
    }

    private func bringIn(_ found: [Found], isRebuilt: Bool) throws {
        var versions: [(KeptVersion, ScannedRecord)] = []
        var notes: [VersionNote] = []
        var nodes = Nodes()
        for pack in found {
            let number = try index.setPack(pack.id, byteCount: pack.byteCount, isSealed: pack.isSealed)
            for record in pack.scan.records {
                let place = ObjectPlace(pack: number, offset: record.offset, header: record.header)
                if record.header.kind == .list || record.header.kind == .folder {
                    try nodes.note(record.header.name, in: index)
                }
                try index.insert(place)
                switch record.header.kind {
                case .chunk, .list, .folder: break
                case .version:
                    guard let version = try? KeptVersion(record.plain[...]), (try? version.parts()) != nil
                    else {
                        continue  // whole and not ours to read: a later version's
                    }
                    versions.append((version, record))
                case .note:
                    guard let note = try? record.plain.withUnsafeBytes({ try VersionNote($0) }) else {
                        continue  // as above
                    }
                    notes.append(note)
                }
            }
        }
        try insert(versions, isRebuilt: isRebuilt, nodes: nodes)
        for note in notes { try index.apply(note) }
    }

    /// Lists and folders that were found, as the index knew them before.
    private struct Nodes {
        /// Those that it did not know: no version that it lists leads to one as far as it knows.
        var new: [ObjectName] = []
        /// Those that it knew as damaged, or leading to damage: listed versions may lead to them.
        var damaged: Set<ObjectName> = []

        mutating func note(_ name: ObjectName, in index: VaultIndex) throws {
            switch try index.isDamaged(name) {
            case nil: new.append(name)
            case true?: damaged.insert(name)
            case false?: break
            }
        }
    }

    /// Lists the versions, and forgets new nodes that lead to what is not there: whoever finds a node relies on all below. One
    /// that was known stays, and counts as damaged still unless all below it is seen to be there.
    private func insert(
        _ versions: [(KeptVersion, ScannedRecord)],
        isRebuilt: Bool,
        nodes: Nodes
    ) throws {
        let reader = try ObjectReader(store: store, index: index)
        var walk = ObjectWalk(reader: reader)
        for (version, record) in versions {
            let isWhole = try walk.visit(try version.root())
            // One that nobody was told of and that is not whole is none. When the index was lost, nobody knows
            // which were told of: then all are listed, and what is missing can be repaired.
            let isKnown = try index.isListed(version.id)
            try index.insert(version, object: record.header.name)
            if !isWhole, !isRebuilt, !isKnown { try index.setVoid(version.id) }
        }
        for node in nodes.damaged where !walk.whole.contains(node) { try index.setDamaged(node, true) }
        for node in nodes.new {
            if walk.broken.contains(node) {
                try index.setDamaged(node, true)
            } else if !walk.whole.contains(node) {
                try index.delete(node)
            }
        }
    }
}
