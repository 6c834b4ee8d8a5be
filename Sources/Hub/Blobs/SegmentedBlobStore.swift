package import FileSystem
internal import Foundation
internal import HTTPService
package import HubProtocol
internal import Locks
internal import SQLite

/// The blobs of a hub in a folder, with an index in SQLite: the default, in one process.
///
/// Small blobs lie one behind the other in segments, so that ten thousand of them cost a few writes and syncs; large
/// ones have a file each. What every request needs is in memory too, in one struct under one lock.
///
/// 1. Bytes are on stable storage before the index speaks of them, and the index before anybody is told.
/// 2. What the index does not speak of is garbage, and goes when the next process begins, or before.
/// 3. The room of a deleted blob is given back some time later, when nobody can be reading it any longer.
/// 4. What is let in counts from then on, whole: blobs in the index, unfinished ones, and what is set aside for batches come to no
///    more than the account might keep when the last of them was let in.
/// 5. A blob whose bytes could not be read is as if it were missing, until it is sent again and has another place.
package final class SegmentedBlobStore: BlobStore {
    struct Upload: Hashable, Sendable {
        var file: Int
        var total: Int
        var byteCount: Int
        var account: AccountID
        var touched: Int
        var isBusy = false

        /// What it counts, as it will when it is whole.
        var countedByteCount: Int { total + BlobSchema.rowByteCount }
    }
    struct Memory {
        var byteCounts: [AccountID: Int] = [:]
        var uploads = UnfinishedBlobs()
        /// Pieces that are being received.
        var pieces: [[UInt8]: SegmentedBlobPiece] = [:]
        /// What is set aside for batches that are under way, in bytes; no account with nothing.
        var reservedByteCounts: [AccountID: Int] = [:]
        var unreadable = UnreadableBlobs()
        /// Whether a blob was refused for want of room on the volume, and none was let in since.
        var isVolumeShort = false
        /// Those who are told of faults.
        var observers: [@Sendable (String) -> Void] = []

        /// What an account's blobs come to: those that are unfinished with all that they are to have, and batches that are under
        /// way with all that was set aside for them.
        func byteCount(of account: AccountID) -> Int {
            (byteCounts[account] ?? 0) + uploads.byteCount(of: account) + (reservedByteCounts[account] ?? 0)
        }

        /// Blobs have come into the index.
        mutating func note(_ insertion: BlobSchema.Insertion, of account: AccountID) {
            byteCounts[account] = insertion.byteCount
            for (key, place) in insertion.replaced { unreadable.remove(key, at: place) }
        }
    }
    /// What may be needed soon. By itself, as it is asked on the way of every request.
    let recent: Locked<RecentBlobs>

    /// Up to this many bytes a blob lies in a segment.
    static let smallByteCountMax = 1 << 20
    static let indexName = "blobs.db"

    let database: HubDatabase
    let memory: Locked<Memory>
    let segments: Segments
    /// Large blobs, and those that come in several requests, under numbers that are in the index.
    let files: StorageFolder
    let served: ServedTime
    let room: VolumeRoom
    private let uptime: @Sendable () -> Double

    /// Opens the store in a folder, made where it is missing.
    ///
    /// - Parameters:
    ///   - uptime: Seconds by a clock that never goes back.
    ///   - reserveByteCount: How much room stays free on the volume, in bytes.
    ///   - freeByteCount: How much is free there; nil to ask the volume.
    /// - Throws: `SystemError`, `SQLiteError`; `HubError` where there are blobs and no index of them.
    package init(
        in folder: StorageFolder,
        uptime: @escaping @Sendable () -> Double,
        reserveByteCount: Int = 0,
        freeByteCount: (@Sendable () throws -> Int)? = nil
    ) throws {
        if try folder.status(of: Self.indexName) == nil {
            _ = try folder.create(Self.indexName)
            try folder.sync()
        }
        var (found, used, numbers): (Memory, Set<Int>, Set<Int>) = (Memory(), [], [])
        var servedSeconds = 0
        database = try HubDatabase(path: folder.path.appending(Self.indexName).string) { connection in
            // What no index speaks of is removed below.
            if try connection.formatVersion() == 0, try Self.holdsBlobs(folder) {
                throw HubError(
                    """
                    \(connection.path) is not there, or is empty, although there are blobs beside it, which nothing else tells apart. \
                    Put it back, or the whole hub from a backup: sheaf hub restore. Until then nothing is removed.
                    """
                )
            }
            try BlobSchema.prepare(connection)
            found = try BlobSchema.remembered(connection)
            used = try BlobSchema.usedSegments(connection)
            numbers = try BlobSchema.usedFiles(connection)
            servedSeconds = try BlobSchema.servedSeconds(connection)
        }
        memory = Locked(found)
        segments = try Segments(
            in: try folder.subfolder("segments"),
            lastUsed: used.max() ?? 0,
            isUsed: { used.contains($0) }
        )
        files = try folder.subfolder("files")
        room = VolumeRoom(
            reserveByteCount: reserveByteCount,
            freeByteCount: freeByteCount ?? { [files] in try files.freeByteCount() }
        )
        (served, self.uptime) = (ServedTime(after: servedSeconds, uptime: uptime), uptime)
        recent = Locked(RecentBlobs(begun: uptime()))
        for entry in try files.entries() {
            guard let number = Self.fileNumber(entry.name), !numbers.contains(number) else { continue }
            try files.remove(entry.name)
        }
        try folder.sync()
    }

    private static func holdsBlobs(_ folder: StorageFolder) throws -> Bool {
        let segments = try folder.subfolder("segments").entries().contains { Segments.number($0.name) != nil }
        return try segments || folder.subfolder("files").entries().contains { fileNumber($0.name) != nil }
    }

    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) {
        memory.withLock { $0.observers.append(observer) }
    }

    package func byteCount(of account: AccountID) -> Int {
        memory.withLock { $0.byteCount(of: account) }
    }

    package func missing(_ names: [BlobName], of owner: BlobOwner) async throws -> [BlobName] {
        // Before it is looked at them: from now on they are not released.
        let doubtful = noteRecent(names, owner)
        let unreadable = memory.withLock { $0.unreadable }
        let (missing, known) = try await database.readers.perform { connection in
            try Self.missing(names, owner.container, unreadable, connection)
        }
        let released = Array(Set(known).union(Set(doubtful).subtracting(missing)))
        if released.isEmpty { return missing }
        // Between the look and this somebody may have deleted them: the writer looks again.
        let gone = try await database.writer.perform { connection in
            try BlobSchema.revive(released, in: owner.container, connection)
        }
        guard !gone.isEmpty else { return missing }
        let all = Set(missing).union(gone)
        return names.filter(all.contains)
    }

    private static func missing(
        _ names: [BlobName],
        _ container: ContainerName,
        _ unreadable: UnreadableBlobs,
        _ connection: SQLiteConnection
    ) throws -> (missing: [BlobName], released: [BlobName]) {
        let select = try connection.statement("SELECT segment, start, released FROM blobs WHERE key = ?")
        var (missing, released): ([BlobName], [BlobName]) = ([], [])
        for name in names {
            let key = blobKey(container, name)
            select.bind(1, key)
            if try !select.step() {
                missing.append(name)
            } else if unreadable.contains(
                key,
                at: BlobPlace(segment: select.integer(0), offset: select.integer(1))
            ) {
                missing.append(name)
            } else if select.integer(2) != 0 {
                released.append(name)
            }
            select.reset()
        }
        return (missing, released)
    }

    /// Notes blobs that somebody may be about to need.
    ///
    /// - Returns: Those that are just being released.
    @discardableResult
    func noteRecent(_ names: some Sequence<BlobName>, _ owner: BlobOwner) -> [BlobName] {
        let now = uptime()
        return recent.withLock { $0.note(names, of: owner, now: now) }
    }

    package func release(
        _ names: [BlobName],
        of owner: BlobOwner
    ) async throws -> (count: Int, spared: [BlobName]) {
        recent.withLock { $0.beginReleasing(names, of: owner.container) }
        defer { recent.withLock { $0.endReleasing(names, of: owner.container) } }
        return try await database.writer.perform { [recent, served, uptime] connection in
            // Whoever notes one after this looks anew once this is done.
            let uptime = uptime()
            let spared = recent.withLock { recent in
                names.filter { recent.isRecent($0, of: owner, now: uptime) }
            }
            let release = try connection.statement(
                "UPDATE blobs SET released = ? WHERE key = ? AND released = 0"
            )
            let count = try connection.statement("SELECT 1 FROM blobs WHERE key = ?")
            var released = 0
            let now = served.seconds
            for name in Set(names).subtracting(spared) {
                release.bind(1, now)
                release.bind(2, blobKey(owner.container, name))
                try release.run()
                count.bind(1, blobKey(owner.container, name))
                if try count.step() { released += 1 }
                count.reset()
            }
            if released > 0 { try BlobSchema.note(servedSeconds: now, connection) }
            return (released, spared)
        }
    }

    /// What the index says of blobs, in the order of the names, less those that are missing or could not be read.
    func indexed(_ names: [BlobName], _ container: ContainerName) async throws -> [(BlobName, IndexedBlob)] {
        let unreadable = memory.withLock { $0.unreadable }
        return try await database.readers.perform { connection in
            let select = try connection.statement("SELECT segment, start, bytes FROM blobs WHERE key = ?")
            var found: [(BlobName, IndexedBlob)] = []
            for name in names {
                let key = blobKey(container, name)
                select.bind(1, key)
                if try select.step() {
                    let place = BlobPlace(segment: select.integer(0), offset: select.integer(1))
                    if !unreadable.contains(key, at: place) {
                        found.append((name, IndexedBlob(place: place, byteCount: select.integer(2))))
                    }
                }
                select.reset()
            }
            return found
        }
    }

    static func fileName(_ number: Int) -> String { "\(number).blob" }

    private static func fileNumber(_ name: String) -> Int? {
        name.hasSuffix(".blob") ? Int(name.dropLast(".blob".count)) : nil
    }

    /// Makes a file for a large blob; nobody's, until the index speaks of it.
    func makeFile() throws -> (number: Int, file: StorageFile) {
        let number = Int.random(in: 1...Int.max)
        return (number, try files.create(Self.fileName(number)))
    }
}
