internal import Dispatch
internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Locks
internal import SQLite

extension SegmentedBlobStore {
    package func begin(for owner: BlobOwner) -> any BlobBatch {
        SegmentedBlobBatch(self, owner)
    }
}

/// Blobs of one request on their way to segments and files.
///
/// Its state is in one struct under one lock, though only one thread at a time has it.
///
/// Small blobs are gathered and written together; a large one is written to a draft as it comes.
///
/// What the index will say of a blob's length is what was announced: so many bytes have come before the next blob begins, and
/// before any of them is in the index, or the batch is refused. The place behind them is others'.
final class SegmentedBlobBatch: BlobBatch {
    private struct Draft {
        var name: BlobName
        var number: Int
        var file: StorageFile
        var byteCount: Int
        var writtenByteCount = 0

        var indexed: (name: BlobName, blob: IndexedBlob) {
            (name, IndexedBlob(place: .file(number), byteCount: byteCount))
        }
    }
    private struct State {
        /// Bytes of small blobs that are not written yet.
        var gathered: [UInt8] = []
        /// The blobs in them.
        var waiting: [(name: BlobName, byteCount: Int)] = []
        var written: [(name: BlobName, blob: IndexedBlob)] = []
        var segments: [Int: StorageFile] = [:]
        /// The segments of all rooms that are out.
        var rooms: [Int] = []
        var draft: Draft?
        var drafts: [Draft] = []
        /// How many bytes of the blob that began last are to come yet.
        var restByteCount = 0
    }

    /// How many bytes are gathered before they are written.
    private static let gatheredByteCountMax = 1 << 20

    private let store: SegmentedBlobStore
    private let owner: BlobOwner
    private let state = Locked(State())

    init(_ store: SegmentedBlobStore, _ owner: BlobOwner) {
        (self.store, self.owner) = (store, owner)
    }

    func begin(_ name: BlobName, byteCount: Int) throws {
        try state.withLock { state in
            guard state.restByteCount == 0 else { throw Self.wrongLength }
            Self.closeDraft(&state)
            if byteCount > SegmentedBlobStore.smallByteCountMax {
                let (number, file) = try store.makeFile()
                state.draft = Draft(name: name, number: number, file: file, byteCount: byteCount)
            } else {
                if state.gathered.count + byteCount > Self.gatheredByteCountMax {
                    try flush(&state, isMore: true)
                }
                state.waiting.append((name, byteCount))
            }
            state.restByteCount = byteCount
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        try state.withLock { state in
            guard bytes.count <= state.restByteCount else { throw Self.wrongLength }
            state.restByteCount -= bytes.count
            guard let draft = state.draft else {
                state.gathered += bytes
                return
            }
            try draft.file.write(bytes, at: draft.writtenByteCount)
            state.draft?.writtenByteCount += bytes.count
        }
    }

    private static let wrongLength = HubRefusal.malformed(
        "A blob has more or fewer bytes than were announced. Send it again."
    )

    private static func closeDraft(_ state: inout State) {
        if let draft = state.draft { state.drafts.append(draft) }
        state.draft = nil
    }

    /// Writes what was gathered to a segment.
    ///
    /// - Parameter isMore: Whether there is more to come before it is to be durable.
    private func flush(_ state: inout State, isMore: Bool = false) throws {
        guard !state.waiting.isEmpty else { return }
        let room = try store.segments.room(state.gathered.count)
        state.rooms.append(room.number)
        try state.gathered.withUnsafeBytes { try room.file.write($0, at: room.offset) }
        if isMore { room.file.beginSync(at: room.offset, byteCount: state.gathered.count) }
        state.segments[room.number] = room.file
        var offset = room.offset
        for (name, byteCount) in state.waiting {
            let place = BlobPlace.segment(room.number, offset: offset)
            state.written.append((name, IndexedBlob(place: place, byteCount: byteCount)))
            offset += byteCount
        }
        state.gathered.removeAll(keepingCapacity: true)
        state.waiting = []
    }

    func commit() async throws -> Int {
        guard state.withLock({ $0.restByteCount == 0 }) else {
            abandon()
            throw Self.wrongLength
        }
        defer { settle() }
        let blobs = try await offPool { try self.makeDurable() }
        let owner = owner
        store.noteRecent(blobs.map(\.name), owner)
        let (_, known) = try await store.database.writer.perform(weight: 4 + blobs.count) { connection in
            try BlobSchema.insert(blobs, of: owner, connection)
        } whenDurable: { [store] byteCount, _ in
            store.memory.withLock { $0.byteCounts[owner.account] = byteCount }
        }
        // Their room is of no use to anybody; where it cannot be given back, the segment's end will do it.
        try? await offPool { [store] in try store.discard(known.map(\.blob)) }
        return blobs.count - known.count
    }

    /// Writes and syncs everything, and puts large blobs in place.
    private func makeDurable() throws -> [(name: BlobName, blob: IndexedBlob)] {
        let (written, segments, drafts) = try state.withLock { state in
            Self.closeDraft(&state)
            try flush(&state)
            return (state.written, state.segments, state.drafts)
        }
        for file in segments.values { try file.sync() }
        for draft in drafts { try draft.file.sync() }
        if !drafts.isEmpty { try store.files.sync() }
        return written + drafts.map(\.indexed)
    }

    private func settle() {
        let rooms = state.withLock { state in
            defer { state = State() }
            return state.rooms
        }
        for number in rooms { store.segments.settle(number) }
    }

    func abandon() {
        let (written, drafts) = state.withLock { state in
            Self.closeDraft(&state)
            return (state.written, state.drafts)
        }
        defer { settle() }
        // What cannot be removed now is nobody's, and goes when the next process begins.
        try? store.discard(written.map(\.blob) + drafts.map(\.indexed.blob))
    }
}

extension SegmentedBlobStore {
    /// Gives back the room of blobs that never came into the index.
    func discard(_ blobs: [IndexedBlob]) throws {
        for blob in blobs {
            switch blob.place {
            case .segment(let number, let offset):
                try segments.free(number, offset: offset, byteCount: blob.byteCount)
            case .file(let number): try files.remove(Self.fileName(number))
            }
        }
    }
}

/// Runs what blocks on a disk off the pool of threads that all tasks share.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global(qos: .userInitiated).async {
            continuation.resume(with: Result { try body() })
        }
    }
}
