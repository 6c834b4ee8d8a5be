internal import FileSystem
internal import Foundation
package import HubProtocol
internal import Locks
internal import SQLite

extension SegmentedBlobStore {
    /// How long nothing comes of a piece before others may go on, in seconds: a connection that is gone without a word
    /// would hold them up for longer.
    static let silenceSeconds = 1.0

    package func uploadOffset(of name: BlobName, of owner: BlobOwner) async -> Int? {
        let key = blobKey(owner.container, name)
        if let piece = memory.withLock({ $0.pieces[key] }) { await piece.endIfSilent() }
        return memory.withLock { $0.uploads[key]?.byteCount }
    }

    package func beginPiece(
        _ name: BlobName,
        of owner: BlobOwner,
        _ range: PieceRange,
        byteCountMax: Int = .max
    ) throws -> any BlobPiece {
        let key = blobKey(owner.container, name)
        let (upload, former) = try withRoom(for: range.byteCount) { memory -> (Upload, Upload?) in
            let now = served.seconds
            let known = memory.uploads[key]
            if known?.isBusy == true {
                if let piece = memory.pieces[key] { Task { await piece.endIfSilent() } }
                var refusal = HubRefusal(
                    409,
                    .conflict,
                    "Another request sends this blob. Ask with HEAD in a second how much there is."
                )
                refusal.retrySeconds = 1
                throw refusal
            }
            // A piece that begins at 0 begins the blob anew.
            let start = range.first == 0 ? 0 : known?.byteCount ?? 0
            guard start == range.first, range.first == 0 || known?.total == range.total else {
                throw Self.wrongOffset(known?.byteCount ?? 0, range)
            }
            var upload =
                known ?? Upload(file: 0, total: 0, byteCount: 0, account: owner.account, touched: now)
            (upload.total, upload.byteCount, upload.touched) = (range.total, start, now)
            upload.isBusy = true
            try memory.check(upload, insteadOf: known, byteCountMax: byteCountMax)
            memory.uploads[key] = upload
            return (upload, known)
        }
        do {
            let piece = try SegmentedBlobPiece(self, name, owner, upload, range)
            memory.withLock { $0.pieces[key] = piece }
            return piece
        } catch {
            memory.withLock { $0.uploads[key] = former }
            throw error
        }
    }

    private static func wrongOffset(_ found: Int, _ range: PieceRange) -> HubRefusal {
        var refusal = HubRefusal(
            409,
            .wrongOffset,
            "The hub has \(found) bytes of this blob; the piece begins at \(range.first) of \(range.total). "
                + "Go on from \(HubHeader.uploadOffset), or begin anew with byte 0."
        )
        refusal.uploadOffset = found
        return refusal
    }

    /// Writes down how far an upload is, durably.
    func keep(_ upload: Upload, _ key: [UInt8]) async throws {
        try await database.writer.perform { connection in
            let keep = try connection.statement("INSERT OR REPLACE INTO uploads VALUES(?, ?, ?, ?, ?, ?)")
            keep.bind(1, key)
            keep.bind(2, upload.file)
            keep.bind(3, upload.total)
            keep.bind(4, upload.byteCount)
            keep.bind(5, upload.account.number)
            keep.bind(6, upload.touched)
            try keep.run()
            try BlobSchema.note(servedSeconds: upload.touched, connection)
        } whenDurable: { [memory] in
            memory.withLock { memory in
                memory.uploads[key] = upload
                memory.pieces[key] = nil
            }
        }
    }

    /// Makes a whole upload a blob.
    func complete(_ upload: Upload, _ name: BlobName, _ owner: BlobOwner) async throws {
        let key = blobKey(owner.container, name)
        let blob = IndexedBlob(place: .file(upload.file), byteCount: upload.total)
        noteRecent([name], owner)
        let inserted = try await database.writer.perform { [memory] connection in
            let forget = try connection.statement("DELETE FROM uploads WHERE key = ?")
            forget.bind(1, key)
            try forget.run()
            let unreadable = memory.withLock { $0.unreadable }
            return try BlobSchema.insert([(name, blob)], of: owner, insteadOf: unreadable, connection)
        } whenDurable: { [memory] inserted in
            memory.withLock { memory in
                memory.uploads[key] = nil
                memory.pieces[key] = nil
                memory.note(inserted, of: owner.account)
            }
        }
        // Nobody's file: where it cannot be removed now, the next process does it.
        try? discard(inserted.known.map(\.blob))
    }
}

/// A piece of a blob that comes in several requests.
///
/// Its state is in one struct under one lock, though only one thread at a time has it.
final class SegmentedBlobPiece: BlobPiece {
    private let store: SegmentedBlobStore
    private let name: BlobName
    private let owner: BlobOwner
    private let file: StorageFile
    private let end: Int
    /// The file of what was sent before this began anew; 0 for none.
    private let formerFile: Int
    private let state: Locked<State>

    private struct State {
        var upload: SegmentedBlobStore.Upload
        /// When bytes came last, by a clock that never goes back.
        var touched: Double
        /// Nothing more is taken: it has been committed, was cut off, or others have gone on.
        var isEnded = false
    }

    init(
        _ store: SegmentedBlobStore,
        _ name: BlobName,
        _ owner: BlobOwner,
        _ upload: SegmentedBlobStore.Upload,
        _ range: PieceRange
    ) throws {
        var upload = upload
        formerFile = range.first == 0 ? upload.file : 0
        if range.first == 0 {
            (upload.file, file) = try store.makeFile()
        } else {
            file = try store.files.open(SegmentedBlobStore.fileName(upload.file), appends: true)
            // What came after the last piece that was made durable may be anything.
            try file.cut(to: upload.byteCount)
        }
        (self.store, self.name, self.owner) = (store, name, owner)
        end = range.first + range.byteCount
        state = Locked(State(upload: upload, touched: Self.now()))
    }

    private static func now() -> Double { ProcessInfo.processInfo.systemUptime }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            guard !state.isEnded else { throw Self.overtaken }
            guard state.upload.byteCount + bytes.count <= end else {
                throw HubRefusal.malformed("The piece is longer than its Content-Range says.")
            }
            try file.write(bytes, at: state.upload.byteCount)
            state.upload.byteCount += bytes.count
            state.touched = Self.now()
        }
    }

    private static let overtaken = HubRefusal(
        409,
        .conflict,
        "Nothing came of this piece for a while, and another request has gone on with the blob."
    )

    func commit() async throws -> Int {
        guard let upload = end(ifSilent: false) else { throw Self.overtaken }
        do {
            try await makeDurable(upload)
        } catch {
            release()
            throw error
        }
        return upload.byteCount
    }

    func abandon() {
        guard let upload = end(ifSilent: false) else { return }
        Task { await keep(upload) }
    }

    /// Ends a piece of which nothing comes, as if it had been cut off.
    func endIfSilent() async {
        if let upload = end(ifSilent: true) { await keep(upload) }
    }

    /// - Returns: What there is, for the one who ended it.
    private func end(ifSilent: Bool) -> SegmentedBlobStore.Upload? {
        state.withLock { state in
            let isSilent = Self.now() - state.touched >= SegmentedBlobStore.silenceSeconds
            guard !state.isEnded, isSilent || !ifSilent else { return nil }
            state.isEnded = true
            return state.upload
        }
    }

    /// Keeps what came of a piece that was cut off.
    private func keep(_ upload: SegmentedBlobStore.Upload) async {
        // A piece that cannot be kept is sent again, from where the last one ended.
        do { try await makeDurable(upload) } catch { release() }
    }

    private func makeDurable(_ upload: SegmentedBlobStore.Upload) async throws {
        try await offPool { [file, store] in
            try file.sync()
            try store.files.sync()
        }
        if upload.byteCount == upload.total {
            try await store.complete(upload, name, owner)
        } else {
            var kept = upload
            kept.isBusy = false
            try await store.keep(kept, blobKey(owner.container, name))
        }
        // Nobody's file: where it cannot be removed now, the next process does it.
        if formerFile != 0 { try? store.discard([IndexedBlob(place: .file(formerFile), byteCount: 0)]) }
    }

    /// Others may go on, from what is known to be durable.
    private func release() {
        let key = blobKey(owner.container, name)
        store.memory.withLock { memory in
            memory.uploads[key]?.isBusy = false
            // Of one that had only begun there is nothing.
            if memory.uploads[key]?.file == 0 { memory.uploads[key] = nil }
            memory.pieces[key] = nil
        }
    }
}

extension SegmentedBlobStore.Memory {
    /// Refuses an unfinished blob for which its account has no room, or which would be one too many.
    fileprivate func check(
        _ upload: SegmentedBlobStore.Upload,
        insteadOf known: SegmentedBlobStore.Upload?,
        byteCountMax: Int
    ) throws {
        let others = byteCount(of: upload.account) - (known?.countedByteCount ?? 0)
        guard upload.countedByteCount <= byteCountMax - others else { throw QuotaExceeded() }
        guard known != nil || uploads.count(of: upload.account) < UnfinishedBlobs.countMax else {
            throw HubRefusal(
                507,
                .quota,
                "The account has \(UnfinishedBlobs.countMax) unfinished blobs. Send the rest of those first."
            )
        }
    }
}
