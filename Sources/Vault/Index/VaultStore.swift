internal import Cryptography
internal import FileSystem
internal import Foundation
internal import Locks
internal import SQLite

/// The files of one vault: key, packs, index. What is asked of a vault is in `Vault`.
///
/// State: one struct under one lock. The lock is held while the index is asked, never while packs are read or
/// written or documents are looked at.
final class VaultStore: Sendable {
    let folder: StorageFolder
    let packs: StorageFolder
    let key: [UInt8]
    let chunker: Chunker
    /// From which size on documents are lent; nil to copy all.
    let lentByteCountMin: Int64?
    /// By which chunks of lent files are known again.
    let checks: ChunkChecks
    private let state = Locked(State())

    private struct State {
        var index: VaultIndex?
        var idleWriters: [PackWriter] = []
        /// Packs whose locks nobody is to get as long as this process has the vault open.
        var stuckPacks: [StorageFile] = []
    }

    /// So many packs stay open for the next who writes.
    private static let idleWriterCountMax = 4
    /// From which size on the index's log is brought in.
    private static let logByteCountMax = 16 << 20

    init(at path: FilePath, key given: [UInt8]?, lentByteCountMin: Int64? = nil) throws {
        self.lentByteCountMin = lentByteCountMin
        checks = try ChunkChecks()
        folder = try Self.open(path)
        packs = try folder.subfolder("packs")
        key = try VaultKey.load(from: folder, for: packs, orMake: given)
        chunker = Chunker(gear: try VaultHasher(key: key).gear())
        for lock in VaultLock.allCases { _ = try lock.file(in: folder) }
        try folder.sync()
        let index = try openIndex()
        state.withLock { $0.index = index }
    }

    private static func open(_ path: FilePath) throws -> StorageFolder {
        if try FileStamp.ifPresent(at: path) == nil {
            let parent = try StorageFolder(containing: path)
            _ = try parent.subfolder(path.name)
            try parent.sync()
        }
        let folder = try StorageFolder(at: path)
        guard try folder.isPrivate() else {
            let detail = "The folder of the vault is open to others. Check who has read it, then chmod 700."
            throw VaultError(code: .notPrivate, path: path, detail: detail)
        }
        return folder
    }

    // MARK: The index

    /// Asks the index. The closure must ask for nothing else of this store.
    func withIndex<Value: Sendable>(_ body: (VaultIndex) throws -> Value) throws -> Value {
        try state.withLock { try use(&$0, body) }
    }

    /// Asks the index several things as of one moment: to find each by itself costs less than to ask for it.
    func withIndexAtOneTime<Value: Sendable>(_ body: (VaultIndex) throws -> Value) throws -> Value {
        try withIndex { index in try index.connection.snapshot { try body(index) } }
    }

    /// Changes the index: all of it, durably, or nothing.
    func writeIndex<Value: Sendable>(_ body: (VaultIndex) throws -> Value) throws -> Value {
        try state.withLock { state in
            try VaultLock.index.hold(in: folder) {
                try use(&state, isLocked: true) { try write($0, body) }
            }
        }
    }

    private func use<Value>(
        _ state: inout State,
        isLocked: Bool = false,
        _ body: (VaultIndex) throws -> Value
    ) throws -> Value {
        do {
            let index = try current(&state, isLocked: isLocked)
            do { return try body(index) } catch let error as SQLiteError where error.isDamage {
                return try body(try replace(&state, isLocked: isLocked))
            }
        } catch let error as SQLiteError where error.isFault {
            // SQLite remembers what the kernel said of an open file until it is closed: damage that is found later would
            // be taken for this fault.
            state.index = nil
            throw error
        }
    }

    /// Changes an index of one's own; the lock is held.
    func write<Value>(_ index: VaultIndex, _ body: (VaultIndex) throws -> Value) throws -> Value {
        let value = try index.connection.transaction { try body(index) }
        let log = try folder.status(of: VaultIndex.fileName + "-wal")
        if let log, log.stamp.byteCount > Self.logByteCountMax { try index.connection.checkpoint() }
        return value
    }

    /// Has the next process that opens the index find all of it in one place, unless somebody is at it or it is not there any
    /// more. Nothing is lost without.
    func settleIndex() throws {
        try state.withLock { state in
            guard let index = state.index,
                try folder.status(of: VaultIndex.fileName)?.stamp.inode == index.inode
            else { return }
            _ = try VaultLock.index.holdIfFree(in: folder) {
                try index.connection.checkpoint(empties: true)
            }
        }
    }

    /// The index, opened anew when another has taken its place.
    private func current(_ state: inout State, isLocked: Bool = false) throws -> VaultIndex {
        if let index = state.index {
            let found = try folder.status(of: VaultIndex.fileName)
            if found?.stamp.inode == index.inode { return index }
        }
        state.index = nil
        let index = try openIndex(isLocked: isLocked)
        state.index = index
        return index
    }

    /// Makes the index anew from the packs.
    func replaceIndex() throws {
        try state.withLock { state in
            _ = try current(&state)
            _ = try replace(&state)
        }
    }

    private func replace(_ state: inout State, isLocked: Bool = false) throws -> VaultIndex {
        let damaged = state.index?.inode
        state.index = nil
        let index = try openIndex(isLocked: isLocked, notWith: damaged)
        state.index = index
        return index
    }

    /// Opens the index and brings in what the packs hold beyond it; makes it anew where it is lost or damaged.
    ///
    /// - Parameters:
    ///   - isLocked: Whether the lock is held already.
    ///   - damaged: The file that is not to be used; another may have put a new one in its place.
    func openIndex(isLocked: Bool = false, notWith damaged: UInt64? = nil) throws -> VaultIndex {
        guard isLocked else {
            return try VaultLock.index.hold(in: folder) { try openIndex(isLocked: true, notWith: damaged) }
        }
        if let damaged, try folder.status(of: VaultIndex.fileName)?.stamp.inode == damaged {
            try removeIndex()
        }
        do { return try openIndexLocked() } catch let error as SQLiteError where error.isDamage {
            try removeIndex()
            return try openIndexLocked()
        }
    }

    private func openIndexLocked() throws -> VaultIndex {
        if try folder.status(of: VaultIndex.fileName)?.stamp.byteCount ?? 0 == 0 {
            // A log without its database is another's; and an empty file may be one that others had open when it was
            // emptied, whose locks would keep us from it.
            try removeIndex()
            _ = try folder.create(VaultIndex.fileName)
        }
        let path = folder.path.appending(VaultIndex.fileName)
        let inode = try folder.status(of: VaultIndex.fileName)?.stamp.inode ?? 0
        let index = try VaultIndex(at: path, inode: inode)
        try IndexCatchUp(store: self, index: index).run()
        return index
    }

    /// Removes what can be made anew from the packs; the lock is held.
    func removeIndex() throws {
        for suffix in ["", "-wal", "-shm"] { try folder.remove(VaultIndex.fileName + suffix) }
    }

    // MARK: Packs to write to

    /// A pack that nobody else writes to, to be given back.
    func takeWriter() throws -> PackWriter {
        if let idle = state.withLock({ $0.idleWriters.popLast() }) { return idle }
        let candidates = try withIndex { try $0.packs() }
            .filter { !$0.isLent && !$0.isSealed && !$0.isDead && $0.byteCount < PackWriter.packByteCountMax }
        for row in candidates.reversed() {
            if let writer = try reopen(row.id) { return writer }
        }
        return try makeWriter()
    }

    /// Gives a writer back when it has synced all.
    func give(back writer: PackWriter) {
        guard !writer.isFull else { return }
        state.withLock { state in
            if state.idleWriters.count < Self.idleWriterCountMax { state.idleWriters.append(writer) }
        }
    }

    /// Takes off the disk what writers have appended and the index does not know.
    ///
    /// - Returns: How many bytes that were.
    func giveUp(_ writers: [PackWriter], because error: any Error) throws -> Int {
        var givenUp = 0
        for writer in writers {
            let known = try withIndex { try $0.pack(writer.id) }
            // What has failed was cut back then.
            if !writer.hasFailed { givenUp += writer.byteCount - (known?.byteCount ?? 0) }
            writer.giveUp(beyond: known?.byteCount ?? 0, because: error)
            if known == nil { try packs.remove(writer.id.fileName) }
        }
        return givenUp
    }

    /// Lets go of the packs that are open for the next who writes, so that they can be collected.
    func dropIdleWriters() {
        state.withLock { $0.idleWriters = [] }
    }

    /// Takes over a pack that is not full, unless another has its lock or it is damaged.
    private func reopen(_ id: PackID) throws -> PackWriter? {
        guard let file = try openPack(id, appends: true), try file.lock(waits: false),
            try file.isStill(id.fileName, in: packs)
        else { return nil }
        // As it is now that nobody else writes: its last writer may have died.
        let row = try writeIndex { index -> PackRow? in
            try IndexCatchUp(store: self, index: index).bringIn(id, file)
            return try index.pack(id)
        }
        let hasher = try VaultHasher(key: key)
        let byteCount = try file.byteCount()
        guard let row, !row.isSealed, !row.isDead, row.byteCount == byteCount,
            try file.read(at: 0, byteCount: PackFormat.headerByteCount) == hasher.packHeader(id)
        else { return nil }
        return writer(file, id, byteCount: byteCount, syncedByteCount: byteCount, hasher)
    }

    /// Begins a pack.
    func makeWriter() throws -> PackWriter {
        let hasher = try VaultHasher(key: key)
        while true {
            guard let id = PackID(bytes: VersionID.fresh().bytes) else { continue }
            let file = try packs.create(id.fileName, appends: true)
            // Somebody may look at the new file in this moment, or take it for a leftover; then another is made.
            guard try file.lock(waits: false), try file.isStill(id.fileName, in: packs) else { continue }
            let header = try hasher.packHeader(id)
            try header.withUnsafeBytes { bytes throws in try file.append(bytes) }
            try packs.sync()
            return writer(file, id, byteCount: header.count, syncedByteCount: 0, hasher)
        }
    }

    private func writer(
        _ file: StorageFile,
        _ id: PackID,
        byteCount: Int,
        syncedByteCount: Int,
        _ hasher: VaultHasher
    ) -> PackWriter {
        PackWriter(
            file,
            id,
            byteCount: byteCount,
            syncedByteCount: syncedByteCount,
            hasher: hasher,
            isStuck: { [weak self] file in self?.retire(file, id) }
        )
    }

    /// Has nobody write to a pack any more that failed and could not be cut back, nor take for durable what the index does not
    /// know of it.
    private func retire(_ file: StorageFile, _ id: PackID) {
        state.withLock { $0.stuckPacks.append(file) }
        do {
            let isKnown = try writeIndex { index in
                guard let row = try index.pack(id) else { return false }
                _ = try index.setPack(id, byteCount: row.byteCount, isSealed: true)
                return true
            }
            // Nobody was told of anything in it.
            if !isKnown { try packs.remove(id.fileName) }
        } catch {
            // That the pack failed is told already. Its lock is kept at least, for as long as this process has the vault open.
        }
    }

    /// Opens a pack or a lent file; nil when it is gone, or its owner lets nobody read it.
    ///
    /// - Parameters:
    ///   - appends: As `StorageFolder.open`.
    ///   - writes: As `StorageFolder.open`.
    func open(_ row: PackRow, appends: Bool = false, writes: Bool = false) throws -> StorageFile? {
        do { return try open(row.fileName, appends, writes) } catch let error as SystemError
            where row.isLent && error.isForbidden
        {
            return nil
        }
    }

    /// Opens a pack; nil when it is gone.
    func openPack(_ id: PackID, appends: Bool = false) throws -> StorageFile? {
        try open(id.fileName, appends)
    }

    private func open(_ name: String, _ appends: Bool, _ writes: Bool = false) throws -> StorageFile? {
        do { return try packs.open(name, appends: appends, writes: writes) } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }
}
