internal import FileSystem
internal import SQLite

/// Finds what versions lead to, keeps that and drops the rest. The lock of collecting is held.
///
/// It has an index of its own, so that nobody waits while it looks.
final class Collector {
    private let store: VaultStore
    private let index: VaultIndex
    /// Packs that are to be swept, with their locks held.
    private var held: [Int: StorageFile] = [:]
    /// What is needed of lent files that are swept, and not there any more.
    private var lost: [ObjectPlace] = []
    /// Where what is needed of packs has been copied to.
    private var copies: [Copies] = []
    private let reader: ObjectReader
    private var walk: ObjectWalk
    private var records: Set<ObjectName> = []

    init(store: VaultStore) throws {
        self.store = store
        index = try store.openIndex()
        reader = try ObjectReader(store: store, index: index)
        walk = ObjectWalk(reader: reader, looksUpChunks: false)
    }

    /// - Parameter forced: Packs to be made anew in any case, those too that have bytes which are no record, unless they hold
    ///   an object that is needed and damaged.
    func collect(deadShareMin: Double, forced: Set<PackID> = []) throws -> CollectionReport {
        store.dropIdleWriters()
        // A first look tells which packs are worth it. Once they are held nothing is added to them, and the second
        // look, which goes through what is new alone, tells what of them is needed.
        try index.connection.snapshot { try mark() }
        let plan = try plan(deadShareMin: deadShareMin, forced: forced)
        try index.connection.snapshot { try mark() }
        let swept = try copyNeeded(of: Set(plan.swept))
        let report = try swap(swept)
        try removeDead()
        return report
    }

    // MARK: Mark

    /// Goes through everything that versions lead to and that was not gone through before, and the notes and records
    /// that are still needed.
    private func mark() throws {
        for version in try index.allVersions() where try !walk.visit(try version.root()) {
            // What is below the damage is not known, and may be all that is left of it.
            throw VaultError.damaged(walk.broken.first ?? ObjectName(), in: store.folder.path)
        }
        try markRecords()
    }

    /// Records of versions, removed ones too while their packs are there, and the notes about any of them.
    private func markRecords() throws {
        let versions = try index.versionRecords()
        try checkThatAllAreOurs(Set(versions.map(\.object)))
        let known = Set(versions.map(\.id))
        records = Set(versions.filter { !$0.isRemoved }.map(\.object))
        var notes: [ObjectName] = []
        try index.forEachObject(of: .note) { place, _ in notes.append(place.header.name) }
        for name in notes {
            // A note that is not ours to read, as a later version's, is kept.
            let note = try reader.object(name, .note).withUnsafeBytes { try? VersionNote($0) }
            if note?.versions.contains(where: known.contains) ?? true { records.insert(name) }
        }
    }

    /// What a record leads to that is not ours to read, nobody here can tell.
    private func checkThatAllAreOurs(_ listed: Set<ObjectName>) throws {
        try index.forEachObject(of: .version) { place, _ in
            guard !listed.contains(place.header.name) else { return }
            let detail = "A later version of this program keeps versions here. Collect with that version."
            throw VaultError(code: .unsupported, path: store.folder.path, detail: detail)
        }
    }

    private func isLive(_ name: ObjectName) -> Bool { walk.whole.contains(name) || records.contains(name) }

    // MARK: Sweep

    private func plan(deadShareMin: Double, forced: Set<PackID>) throws -> CollectionPlan {
        var liveByteCounts: [Int: Int] = [:]
        var damaged: Set<Int> = []
        try index.forEachObject { place, isDamaged in
            guard isLive(place.header.name) else { return }
            liveByteCounts[place.pack, default: 0] += place.header.recordByteCount
            // Of what is lent there is a better copy elsewhere, or none.
            if isDamaged, place.header.encoding != .lent { damaged.insert(place.pack) }
        }
        let rows = try index.packs().filter { !$0.isDead }
        let packs = try rows.map { row in
            let liveByteCount = liveByteCounts[row.number] ?? 0
            let isForced = forced.contains(row.id)
            return CollectionPlan.Pack(
                number: row.number,
                byteCount: row.isLent ? try lentByteCount(row, liveByteCount) : row.byteCount,
                liveByteCount: liveByteCount,
                isHeld: damaged.contains(row.number) || (row.hasGaps && !isForced),
                isForced: isForced
            )
        }
        // Half of the room there is: others write meanwhile, and so does the index. What is left waits for the next time.
        let room = try forced.isEmpty ? store.packs.freeByteCount() / 2 : .max
        var plan = CollectionPlan(packs: packs, deadShareMin: deadShareMin, copiedByteCountMax: room)
        let byNumber = Dictionary(rows.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        plan.swept = try plan.swept.filter { number in try byNumber[number].map { try hold($0) } ?? false }
        return plan
    }

    /// What room a lent file takes: a document's own takes none, for as long as anything in it is needed.
    private func lentByteCount(_ row: PackRow, _ liveByteCount: Int) throws -> Int {
        guard try store.packs.linkCount(of: row.fileName) == 1 else { return liveByteCount }
        return Int(try store.packs.status(of: row.fileName)?.stamp.byteCount ?? 0)
    }

    /// Keeps others from writing to a pack.
    ///
    /// - Returns: False when somebody does, or there is more in it than the index knows.
    private func hold(_ row: PackRow) throws -> Bool {
        // Nobody adds to a document's file. Who counts on what is in it finds another generation.
        guard !row.isShared else { return true }
        // Whoever was about to make it has died, or begins anew when he misses it.
        if row.isLent, try store.packs.status(of: row.fileName) == nil { return true }
        guard let file = try store.open(row, appends: !row.isLent), try file.lock(waits: false),
            try row.isLent || index.pack(row.number)?.byteCount == file.byteCount()
        else { return false }
        held[row.number] = file
        return true
    }

    /// Copies what is needed of packs to new ones, durably. Where there is no room for that, nothing is copied.
    ///
    /// - Returns: The packs that can go: all, or, where there was no room, those of which nothing is needed.
    private func copyNeeded(of swept: Set<Int>) throws -> Set<Int> {
        var places: [ObjectPlace] = []
        try index.forEachObject { place, _ in
            if swept.contains(place.pack), isLive(place.header.name) { places.append(place) }
        }
        places.sort { ($0.pack, $0.offset) < ($1.pack, $1.offset) }
        do { try copy(places) } catch let error as SystemError where error.isFull {
            giveBackCopies()
            let unneeded = swept.subtracting(places.map(\.pack))
            guard !unneeded.isEmpty else { throw error }
            return unneeded
        }
        return swept
    }

    /// Whoever comes upon the new packs before the index knows them finds nothing in them that is not elsewhere.
    private func copy(_ places: [ObjectPlace]) throws {
        let compressor = try Compressor()
        var writer: PackWriter?
        for place in places {
            guard let plain = try plain(of: place) else { continue }
            let target: PackWriter
            if let writer, !writer.isFull {
                target = writer
            } else {
                try writer?.sync()
                target = try store.makeWriter()
                writer = target
                copies.append(Copies(writer: target))
            }
            let copy = try Self.append(plain, place.header, to: target, compressor)
            copies[copies.count - 1].places.append(copy)
        }
        try writer?.sync()
    }

    /// Removes copies that have come to nothing, so that a full disk does not become fuller by them.
    private func giveBackCopies() {
        // Who has made the index anew meanwhile may count on them. What stays is one more pack with nothing new in it.
        try? changeIndex { index in
            for copy in copies where try index.pack(copy.writer.id) == nil {
                try store.packs.remove(copy.writer.id.fileName)
            }
            // None is to come back when versions that it has are long removed.
            try store.packs.sync()
        }
        copies = []
    }

    /// An object's bytes; nil for what was lent and has been changed by its owner.
    private func plain(of place: ObjectPlace) throws -> [UInt8]? {
        do { return try reader.object(place.header.name, place.header.kind) } catch let error as VaultError
            where error.code == .damaged && place.header.encoding == .lent
        {
            lost.append(place)
            return nil
        }
    }

    private struct Copies {
        var writer: PackWriter
        /// Without the pack's number, which is not known yet.
        var places: [ObjectPlace] = []
    }

    private static func append(
        _ plain: [UInt8],
        _ header: PackFormat.RecordHeader,
        to writer: PackWriter,
        _ compressor: Compressor
    ) throws -> ObjectPlace {
        try plain.withUnsafeBytes { plain in
            try compressor.compress(plain) { pressed in
                var header = header
                header.encoding = pressed == nil ? .plain : .zstd
                header.storedByteCount = (pressed ?? plain).count
                let offset = try writer.append(header, stored: pressed ?? plain)
                return ObjectPlace(pack: 0, offset: offset, header: header)
            }
        }
    }

    /// Changes the index in one step: copies count, what nothing leads to is forgotten, swept packs are dead.
    private func swap(_ planned: Set<Int>) throws -> CollectionReport {
        try changeIndex { index in
            var report = CollectionReport()
            // Versions that were kept since: nobody can keep one now before this has ended.
            try mark()
            try move(&report)
            for place in lost { try index.forgetLent(place) }
            // A new version may count on what nothing led to before: such a pack stays.
            var swept = planned
            try index.forEachObject { place, _ in
                if swept.contains(place.pack), isLive(place.header.name) { swept.remove(place.pack) }
            }
            try forget(swept, &report)
            for number in swept {
                if let row = try index.pack(number) {
                    report.freedByteCount += row.isLent ? try lentByteCount(row, 0) : row.byteCount
                }
                report.sweptPackCount += 1
                try index.setDead(pack: number)
            }
            try index.forgetVersionsWithoutRecord()
            try index.forgetIdleMembers()
            if report.forgottenCount > 0 || !swept.isEmpty || !lost.isEmpty { try index.advanceGeneration() }
            return report
        }
    }

    /// Changes the index, unless another has taken its place meanwhile.
    private func changeIndex<Value>(_ body: (VaultIndex) throws -> Value) throws -> Value {
        try VaultLock.index.hold(in: store.folder) {
            guard try store.folder.status(of: VaultIndex.fileName)?.stamp.inode == index.inode else {
                let detail = "The index was made anew while the vault was collected. Try again."
                throw VaultError(code: .busy, path: store.folder.path, detail: detail)
            }
            return try store.write(index, body)
        }
    }

    private func move(_ report: inout CollectionReport) throws {
        for pack in copies {
            let number = try index.setPack(pack.writer.id, byteCount: pack.writer.byteCount)
            report.freedByteCount -= pack.writer.byteCount
            for var place in pack.places {
                place.pack = number
                try index.delete(place.header.name)
                try index.insert(place)
            }
        }
    }

    /// Forgets what is not needed.
    ///
    /// Pieces of files stay known while their pack is written to: somebody keeps a large document and counts on them.
    /// Versions' records are forgotten with the packs that they are in, so that notes outlive them.
    private func forget(_ swept: Set<Int>, _ report: inout CollectionReport) throws {
        var dead: [ObjectName] = []
        try index.forEachObject { place, _ in
            guard !isLive(place.header.name) else { return }
            let isDead =
                switch place.header.kind {
                case .version, .note: swept.contains(place.pack)
                case .chunk: swept.contains(place.pack) || !isWrittenTo(place.pack)
                case .list, .folder: true
                }
            if isDead { dead.append(place.header.name) }
        }
        for name in dead { try index.delete(name) }
        report.forgottenCount = dead.count
    }

    private var written: [Int: Bool] = [:]

    private func isWrittenTo(_ pack: Int) -> Bool {
        if let known = written[pack] { return known }
        // What cannot be told is taken for written to: then nothing is forgotten.
        let isFree =
            (try? index.pack(pack).flatMap { row in
                if held[pack] != nil || row.isShared { return true }
                return try store.open(row, appends: !row.isLent).map { try $0.lock(waits: false) }
            }) ?? false
        written[pack] = !isFree
        return !isFree
    }

    // MARK: The old packs

    /// Removes files in which not even a pack's header came to be.
    private func removeEmpty() throws {
        for entry in try store.packs.entries() {
            guard let id = PackID(fileName: entry.name), let file = try store.openPack(id, appends: true),
                try file.byteCount() < PackFormat.headerByteCount, try file.lock(waits: false),
                try file.byteCount() < PackFormat.headerByteCount, try index.pack(id) == nil
            else { continue }
            try store.packs.remove(entry.name)
        }
    }

    /// Removes the packs that nothing in the index leads to, and then forgets them.
    private func removeDead() throws {
        try removeEmpty()
        let dead = try index.packs().filter(\.isDead)
        guard !dead.isEmpty else { return }
        for row in dead { try store.packs.remove(row.fileName) }
        try store.packs.sync()
        held = [:]
        try changeIndex { index in
            for row in dead { try index.forget(pack: row.number) }
        }
    }
}
