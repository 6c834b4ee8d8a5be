internal import FileSystem
internal import Foundation
internal import SQLite

/// Stores objects for one version, and says so to the index when all are durable.
///
/// For one thread at a time.
/// 1. Nothing is in the index that is not durable in a pack.
/// 2. What the index knows as whole leads to nothing that it does not know as whole.
/// 3. What was relied upon is still there at the end, or the version is kept anew: the generation tells.
/// 4. No attempt relies on what one before it found.
final class KeepSession {
    let store: VaultStore
    let hasher: VaultHasher
    private let compressor: Compressor
    private var writer: PackWriter?
    /// What this session appended and the index does not know yet.
    private var added: [ObjectName: (pack: PackID, offset: Int, header: PackFormat.RecordHeader)] = [:]
    /// Lists and folders that an attempt appended which came to nothing: what they lead to may be gone. One that is stored again
    /// is led to what is there, and need not be appended again; the index never knows of the others.
    private var doubted: [ObjectName: (pack: PackID, offset: Int, header: PackFormat.RecordHeader)] = [:]
    private var packEnds: [PackID: Int] = [:]
    /// What is to be stored unless it is there, and not looked up yet: to find many costs less than to ask for each.
    private var pending: [(kind: ObjectKind, name: ObjectName, plain: [UInt8])] = []
    private var pendingNames: Set<ObjectName> = []
    private var pendingByteCount = 0
    /// What the index remembers of files that are about to be kept.
    private var fileRows: [FileMark: CacheRow?] = [:]
    private var lastFolder: SourceFolder?
    /// Full packs with objects that the index does not know: whoever got their locks would take them for a dead
    /// process's.
    private var fullWriters: [PackWriter] = []
    /// Documents that are lent, by their files.
    private var loans: [FileNumber: Loan] = [:]
    private(set) var generation: Int
    /// Versions that were found to be what is kept, so that none is added: they are still to be listed at the end.
    private var relied: Set<VersionID> = []
    /// Versions whose records the attempt at hand has stored.
    var made: [MadeVersion] = []
    /// Versions whose records are in packs and that came to nothing: somebody collected meanwhile.
    var voided: [MadeVersion] = []

    /// Which file it is: another one on another volume may have the same inode.
    private struct FileNumber: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    /// So many objects are remembered before the index is told of those that lead to no others.
    private static let addedCountMax = 200_000
    /// So many bytes wait to be looked up at most.
    private static let pendingByteCountMax = 1 << 20

    /// Somebody collected meanwhile: what was found before may be gone.
    struct Stale: Error {}

    init(store: VaultStore) throws {
        self.store = store
        hasher = try VaultHasher(key: store.key)
        compressor = try Compressor()
        generation = try store.withIndex { try $0.generation() }
    }

    /// Looks at the index as it is now; what was appended stays.
    func refresh() throws {
        // What came to nothing may have been collected.
        loans = [:]
        pending.removeAll(keepingCapacity: true)
        pendingNames.removeAll(keepingCapacity: true)
        pendingByteCount = 0
        (voided, made) = (voided + made, [])
        relied = []
        // Pieces of files lead to nothing that could have been collected.
        for (name, object) in added where object.header.kind == .list || object.header.kind == .folder {
            doubted[name] = object
        }
        for name in doubted.keys { added[name] = nil }
        generation = try store.withIndex { try $0.generation() }
    }

    /// Whether an attempt has stored anything, or found that a document is lent otherwise than the index knows.
    func hasNews() throws -> Bool {
        try storePending()
        return !added.isEmpty || loans.values.contains { $0.pieces != nil }
    }

    /// Says that a version keeps a state, so that none is added.
    func rely(on version: KeptVersion) { relied.insert(version.id) }

    /// Sees to it that what was relied upon is still there.
    ///
    /// - Throws: `Stale` when it may be gone.
    func checkCurrent() throws { try store.withIndexAtOneTime { try checkCurrent(in: $0) } }

    private func checkCurrent(in index: VaultIndex) throws {
        guard try index.generation() == generation else { throw Stale() }
        // Somebody may have removed it since it was looked up, and then nothing would keep the state.
        for id in relied where try index.version(id) == nil { throw Stale() }
    }

    /// Whether an object need not be stored: it is in a pack.
    func has(_ name: ObjectName) throws -> Bool {
        if added[name] != nil || pendingNames.contains(name) { return true }
        return try store.withIndex { try $0.isInPack(name) }
    }

    /// Whether nothing of a member's contents need be stored.
    func has(_ content: ContentReference, _ kind: ManifestEntry.Kind) throws -> Bool {
        if added[content.name] != nil || pendingNames.contains(content.name) { return true }
        return try store.has(content, kind, countsLent: false)
    }

    /// Which objects are to be stored, as of one moment.
    ///
    /// - Parameter evenAdded: Whether those count that this session has stored, and the index does not know yet.
    func missing(of names: [ObjectName], evenAdded: Bool = false) throws -> Set<ObjectName> {
        try store.withIndexAtOneTime { index in
            var missing: Set<ObjectName> = []
            for name in names where evenAdded || added[name] == nil {
                if try !index.isInPack(name) { missing.insert(name) }
            }
            return missing
        }
    }

    /// Has a document's file be one of the vault's; nil where its bytes are to be copied.
    func borrow(_ file: SourceFile) throws -> Loan? {
        let stamp = file.openedStatus.stamp
        let number = FileNumber(device: stamp.device, inode: stamp.inode)
        if let loan = loans[number] {
            loan.file = file
            return loan
        }
        guard let loan = try store.borrow(file) else { return nil }
        loans[number] = loan
        return loan
    }

    /// The folder that a document is in, which probably is the one that the last was in.
    func sourceFolder(at path: FilePath) throws -> SourceFolder {
        if let lastFolder, lastFolder.path == path { return lastFolder }
        let folder = try SourceFolder(at: path)
        lastFolder = folder
        return folder
    }

    /// Looks up what the index remembers of files that are about to be kept, as of one moment.
    func lookAhead(_ items: [FileMark]) throws {
        let rows = try store.withIndexAtOneTime { index in
            try items.map { try index.memberCache($0, "", FolderCache.row) }
        }
        fileRows = Dictionary(zip(items, rows)) { $1 }
    }

    /// What the index remembers of a document that is a file.
    func fileRow(of item: FileMark) throws -> CacheRow? {
        if let row = fileRows.removeValue(forKey: item) { return row }
        return try store.withIndex { try $0.memberCache(item, "", FolderCache.row) }
    }

    /// Stores an object unless it is there.
    func store(_ kind: ObjectKind, _ plain: UnsafeRawBufferPointer) throws -> ObjectName {
        // Before it waits with those of other documents, which it is nothing to.
        try checkSize(plain.count)
        let name = try hasher.name(kind, plain)
        guard !isAppended(name), pendingNames.insert(name).inserted else { return name }
        pending.append((kind, name, [UInt8](plain)))
        pendingByteCount += plain.count
        if pendingByteCount >= Self.pendingByteCountMax { try storePending() }
        return name
    }

    /// Whether this session has appended an object that is about to be stored.
    private func isAppended(_ name: ObjectName) -> Bool {
        if let object = doubted.removeValue(forKey: name) { added[name] = object }
        return added[name] != nil
    }

    /// Stores what is not there of what was to be looked up, in its order: nothing stands before what it leads to.
    private func storePending() throws {
        guard !pending.isEmpty else { return }
        let missing = try missing(of: pending.map(\.name))
        for object in pending where missing.contains(object.name) {
            try object.plain.withUnsafeBytes { try append(object.kind, object.name, $0) }
        }
        pending.removeAll(keepingCapacity: true)
        pendingNames.removeAll(keepingCapacity: true)
        pendingByteCount = 0
    }

    func store(_ kind: ObjectKind, _ plain: [UInt8]) throws -> ObjectName {
        try plain.withUnsafeBytes { try store(kind, $0) }
    }

    /// Stores an object that nobody can have stored before.
    func storeNew(_ kind: ObjectKind, _ plain: [UInt8]) throws -> ObjectName {
        try storePending()
        // A version in a pack whose index is lost counts as told of: what it leads to is durable before.
        try syncLoans()
        return try plain.withUnsafeBytes { plain in
            let name = try hasher.name(kind, plain)
            try append(kind, name, plain)
            return name
        }
    }

    /// Stores an object that has been compared with its name, as it came. It was missing: should somebody have stored it
    /// since, it is stored twice until that is collected.
    func storeMissing(
        _ object: VaultObject,
        _ plain: UnsafeRawBufferPointer,
        _ stored: ShownObject
    ) throws {
        guard !isAppended(object.name) else { return }
        try append(object.kind, object.name, plain, pressed: stored.isPressed ? stored.bytes : nil)
    }

    private func append(_ kind: ObjectKind, _ name: ObjectName, _ plain: UnsafeRawBufferPointer) throws {
        try compressor.compress(plain) { try append(kind, name, plain, pressed: $0) }
    }

    /// Appends an object that is not there.
    ///
    /// - Parameter pressed: Its bytes, pressed together; nil to store them as they are.
    /// - Throws: `VaultError` with code `unkeepable` for one that nobody could read again.
    func append(
        _ kind: ObjectKind,
        _ name: ObjectName,
        _ plain: UnsafeRawBufferPointer,
        pressed: UnsafeRawBufferPointer?
    ) throws {
        try checkSize(plain.count)
        let header = PackFormat.RecordHeader(
            kind: kind,
            encoding: pressed == nil ? .plain : .zstd,
            storedByteCount: (pressed ?? plain).count,
            plainByteCount: plain.count,
            name: name
        )
        let writer = try openWriter()
        let offset = try writer.append(header, stored: pressed ?? plain)
        added[name] = (writer.id, offset, header)
        packEnds[writer.id] = writer.byteCount
    }

    /// Refuses an object that nobody could read again.
    private func checkSize(_ byteCount: Int) throws {
        guard byteCount > PackFormat.objectByteCountMax else { return }
        let detail = """
            A document has \(byteCount) bytes that can only be kept together, and that is too many. Give its \
            members shorter names or attributes.
            """
        throw VaultError(code: .unkeepable, path: store.folder.path, detail: detail)
    }

    /// Makes lent files durable, and their names in the vault.
    private func syncLoans() throws {
        let unsynced = loans.values.filter { $0.pieces != nil && !$0.isSynced }
        guard !unsynced.isEmpty else { return }
        for loan in unsynced { try loan.file.sync() }
        try store.packs.sync()
        for loan in unsynced { loan.isSynced = true }
    }

    private func openWriter() throws -> PackWriter {
        if let writer, !writer.isFull { return writer }
        if let writer {
            try writer.sync()
            fullWriters.append(writer)
        }
        writer = nil
        if added.count > Self.addedCountMax { try tellOfChunks() }
        let taken = try store.takeWriter()
        writer = taken
        return taken
    }

    /// Tells the index of pieces of files so far, so that a very large document does not fill the memory.
    ///
    /// They lead to nothing, so the index may know them. Should they be collected, the generation tells.
    private func tellOfChunks() throws {
        let chunks = added.filter { $0.value.header.kind == .chunk }
        try store.writeIndex { index in
            for (id, byteCount) in packEnds {
                let number = try index.setPack(id, byteCount: byteCount)
                for chunk in chunks.values where chunk.pack == id {
                    try index.insert(ObjectPlace(pack: number, offset: chunk.offset, header: chunk.header))
                }
            }
        }
        for name in chunks.keys { added[name] = nil }
        let needed = Set(added.values.map(\.pack)).union(doubted.values.map(\.pack))
        fullWriters.removeAll { !needed.contains($0.id) }
        // Such a pack may be collected from now on, and is not to be said to be there then.
        packEnds = packEnds.filter { needed.contains($0.key) }
    }

    /// Ends what has failed before any version of it was stored.
    ///
    /// Where there is no room nothing stays of what the index does not know: it would be in the way of all others, and of this
    /// once there is more. Else pieces of files stay, and need not come again.
    ///
    /// - Returns: How much room there was for all that was to be stored; nil where that is not why it has failed.
    func abandon(_ error: any Error) -> Int? {
        let writers = fullWriters + [writer].compactMap { $0 }
        defer { (writer, fullWriters, added, doubted, packEnds) = (nil, [], [:], [:], [:]) }
        // Why it cannot be seen to is no more to the point than why this ends; what stays goes when the vault is collected.
        do {
            guard Self.isForWantOfRoom(error) else {
                if made.isEmpty, voided.isEmpty { try keepPieces() }
                return nil
            }
            // Before anything is taken off: the volume may have that free only later.
            let free = try store.packs.freeByteCount()
            // A volume that does not say how much there is has all that there can be.
            let (all, isBeyond) = free.addingReportingOverflow(try store.giveUp(writers, because: error))
            return VaultStore.roomByteCount(ofFree: isBeyond ? .max : all)
        } catch { return nil }
    }

    private static func isForWantOfRoom(_ error: any Error) -> Bool {
        (error as? SystemError)?.isFull ?? (error as? SQLiteError)?.isFull ?? false
    }

    /// Has the index know the pieces of files that this session has appended.
    private func keepPieces() throws {
        guard let last = writer, added.values.contains(where: { $0.header.kind == .chunk }) else { return }
        try last.sync()
        try tellOfChunks()
        store.give(back: last)
    }

    /// Makes all durable, and tells the index of it and of what else there is to tell.
    ///
    /// - Parameters:
    ///   - reliesOnOthers: Whether what was found to be there is led to.
    ///   - tell: Told the index, within the transaction.
    /// - Throws: `Stale` when what was relied upon may be gone; nothing is lost by keeping anew then.
    func commit<Value: Sendable>(
        reliesOnOthers: Bool = true,
        _ tell: (VaultIndex) throws -> Value
    ) throws -> Value {
        try noteVoided()
        try storePending()
        try syncLoans()
        try writer?.sync()
        let loans = loans.values.filter { $0.pieces != nil }
        let value = try store.writeIndex { index in
            if reliesOnOthers { try checkCurrent(in: index) }
            var numbers: [PackID: Int] = [:]
            for (id, byteCount) in packEnds { numbers[id] = try index.setPack(id, byteCount: byteCount) }
            // In the table's order: each of its pages is come by once.
            for object in added.values.sorted(by: { $0.header.name < $1.header.name }) {
                guard let number = numbers[object.pack] else { continue }
                try index.insert(ObjectPlace(pack: number, offset: object.offset, header: object.header))
            }
            try store.tell(index, of: loans)
            try setVoid(in: index)
            return try tell(index)
        }
        self.loans = [:]
        (made, voided, relied) = ([], [], [])
        (added, doubted, packEnds) = ([:], [:], [:])
        fullWriters = []
        if let writer { store.give(back: writer) }
        writer = nil
        return value
    }
}
