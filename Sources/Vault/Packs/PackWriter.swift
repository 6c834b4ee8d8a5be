internal import FileSystem

/// Appends records to one pack, of which it holds the lock; others write to packs of their own meanwhile.
///
/// For one thread at a time. What was appended is durable after `sync`, and known to others after the index knows.
///
/// What a disk has refused once it may take for written the next time that it is asked: the kernel tells of a failure to write
/// once. So a pack that failed is cut back to where it was synced last before another gets its lock, and where even that is
/// refused, whoever made the writer is told, so that the pack is written to no more.
///
/// Sendable because it has one user at a time: it is taken out of the store's pool, under the store's lock, by whoever
/// uses it, and given back when that has ended.
final class PackWriter: @unchecked Sendable {
    let id: PackID
    private let file: StorageFile
    private let hasher: VaultHasher
    private var buffer: [UInt8] = []
    /// Where the buffer begins in the pack.
    private var writtenByteCount: Int
    private var isSynced = true
    /// Up to where all is durable.
    private var syncedByteCount: Int
    /// Told of a pack that failed and could not be cut back; it gets the file, whose lock is still held.
    private let isStuck: (StorageFile) -> Void
    /// What went wrong with the pack: nobody knows what of the buffer is in it, nor what is durable.
    private var failure: (any Error)?
    /// Whether the lock is another's to give up.
    private var staysLocked = false

    /// How much is gathered before it is written.
    private static let bufferByteCount = 1 << 20
    /// A pack that has grown to this size is written to no more.
    static let packByteCountMax = 128 << 20

    /// Takes over a pack whose lock the file holds, and which ends where the last record does.
    ///
    /// - Parameters:
    ///   - syncedByteCount: Up to where all of it is durable.
    ///   - isStuck: Told of a pack that failed and could not be cut back; it gets the file, whose lock is still held.
    init(
        _ file: StorageFile,
        _ id: PackID,
        byteCount: Int,
        syncedByteCount: Int,
        hasher: VaultHasher,
        isStuck: @escaping (StorageFile) -> Void
    ) {
        self.file = file
        self.id = id
        self.hasher = hasher
        self.isStuck = isStuck
        self.syncedByteCount = syncedByteCount
        writtenByteCount = byteCount
    }

    deinit { if !staysLocked { file.unlock() } }

    /// Where the next record will be.
    var byteCount: Int { writtenByteCount + buffer.count }
    var isFull: Bool { byteCount >= Self.packByteCountMax }
    /// Whether it has been cut back, as the disk has refused something.
    var hasFailed: Bool { failure != nil }

    /// Appends a record.
    ///
    /// - Returns: Where it begins.
    func append(_ header: PackFormat.RecordHeader, stored: UnsafeRawBufferPointer) throws -> Int {
        if let failure { throw failure }
        let offset = byteCount
        buffer.append(contentsOf: try hasher.recordHeader(header, stored: stored, pack: id, offset: offset))
        buffer.append(contentsOf: stored)
        isSynced = false
        if buffer.count >= Self.bufferByteCount {
            let (start, byteCount) = (writtenByteCount, buffer.count)
            try flush()
            file.beginSync(at: start, byteCount: byteCount)
        }
        return offset
    }

    /// Writes what is gathered.
    ///
    /// On failure the pack is of no use to this writer any more, and has nothing of what was not synced.
    private func flush() throws {
        if let failure { throw failure }
        guard !buffer.isEmpty else { return }
        try orFail { try buffer.withUnsafeBytes { bytes throws in try file.append(bytes) } }
        writtenByteCount += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// Makes all that was appended durable.
    func sync() throws {
        try flush()
        guard !isSynced else { return }
        try orFail { try file.sync() }
        isSynced = true
        syncedByteCount = writtenByteCount
    }

    /// Gives up what was appended beyond a place; whoever made the writer lets go of it then.
    ///
    /// - Parameter byteCount: Where that is: nobody was told of what is beyond.
    func giveUp(beyond byteCount: Int, because error: any Error) {
        guard !staysLocked else { return }
        failure = failure ?? error
        cut(to: min(byteCount, syncedByteCount))
    }

    private func orFail(_ body: () throws -> Void) throws {
        do { try body() } catch {
            failure = error
            // Nobody was told of what is beyond.
            cut(to: syncedByteCount)
            throw error
        }
    }

    private func cut(to byteCount: Int) {
        do { try file.cut(to: byteCount) } catch {
            staysLocked = true
            isStuck(file)
        }
    }
}
