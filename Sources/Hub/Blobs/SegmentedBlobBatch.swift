internal import Dispatch
internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Locks
internal import SQLite

extension SegmentedBlobStore {
    package func begin(
        for owner: BlobOwner,
        byteCount: Int = 0,
        byteCountMax: Int = .max
    ) throws -> any BlobBatch {
        // With the row of the one that there is at least.
        let counted = byteCount > 0 ? byteCount + BlobSchema.rowByteCount : 0
        try withRoom(for: byteCount) { memory in
            try memory.reserve(counted, for: owner.account, byteCountMax: byteCountMax)
        }
        return SegmentedBlobBatch(self, owner, reservedByteCount: counted, byteCountMax: byteCountMax)
    }

    /// Lets something in, if the volume has room for it beside all batches that are under way and what stays free.
    ///
    /// What these have written by now counts twice: where there is next to no room something may be refused that would have fit.
    ///
    /// - Parameter byteCount: What is about to be written. What brings nothing is let in on any volume.
    /// - Throws: `HubRefusal` when there is none; what `body` throws.
    func withRoom<Value: Sendable>(
        for byteCount: Int,
        _ body: (inout Memory) throws -> Value
    ) throws -> Value {
        let available = byteCount > 0 ? try room.byteCount() : .max
        let (value, isNews) = try memory.withLock { memory -> (Value?, Bool) in
            guard byteCount <= available - memory.reservedByteCounts.values.reduce(0, +) else {
                defer { memory.isVolumeShort = true }
                return (nil, !memory.isVolumeShort)
            }
            if byteCount > 0 { memory.isVolumeShort = false }
            return (try body(&memory), false)
        }
        if isNews {
            let count = room.reserveByteCount >> 20
            tell(
                "The volume has no room for blobs but \(count) MiB, which are for records. Free some space there."
            )
        }
        guard let value else { throw HubRefusal.volumeFull }
        return value
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
///
/// Room that was set aside for it is given back once: in one step with the blobs' coming to count themselves, or when nothing
/// comes of it, be it that nobody has the batch any longer.
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
    /// What a segment has given out, all of it.
    private struct TakenRoom {
        var segment: Int
        var offset: Int
        var byteCount: Int

        var blob: IndexedBlob {
            IndexedBlob(place: .segment(segment, offset: offset), byteCount: byteCount)
        }
    }
    private struct State {
        /// Bytes of small blobs that are not written yet.
        var gathered: [UInt8] = []
        /// The blobs in them.
        var waiting: [(name: BlobName, byteCount: Int)] = []
        var written: [(name: BlobName, blob: IndexedBlob)] = []
        var segments: [Int: StorageFile] = [:]
        /// All rooms that are out, from before anything is written there: a write that fails has written a part.
        var rooms: [TakenRoom] = []
        var draft: Draft?
        var drafts: [Draft] = []
        /// How many bytes of the blob that began last are to come yet.
        var restByteCount = 0
        /// How many bytes are set aside of what the account may keep.
        var reservedByteCount = 0
        /// How many rows are in that.
        var reservedRowCount = 0
        /// How many blobs have begun.
        var blobCount = 0

        mutating func takeReservation() -> Int {
            defer { reservedByteCount = 0 }
            return reservedByteCount
        }
    }

    /// How many bytes are gathered before they are written.
    private static let gatheredByteCountMax = 1 << 20

    private let store: SegmentedBlobStore
    private let owner: BlobOwner
    private let byteCountMax: Int
    private let state: Locked<State>

    /// - Parameters:
    ///   - reservedByteCount: How many bytes were set aside for it, with a row's if it is any; its own to give back.
    ///   - byteCountMax: What the account's blobs may come to, with these.
    init(_ store: SegmentedBlobStore, _ owner: BlobOwner, reservedByteCount: Int, byteCountMax: Int) {
        (self.store, self.owner, self.byteCountMax) = (store, owner, byteCountMax)
        let rowCount = reservedByteCount > 0 ? 1 : 0
        state = Locked(State(reservedByteCount: reservedByteCount, reservedRowCount: rowCount))
    }

    deinit { abandon() }

    func begin(_ name: BlobName, byteCount: Int) throws {
        try state.withLock { state in
            guard state.restByteCount == 0 else { throw Self.wrongLength }
            try reserveRow(&state)
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

    /// Sets aside what one more blob counts beside its bytes: how many come the request's head does not say.
    private func reserveRow(_ state: inout State) throws {
        state.blobCount += 1
        guard state.blobCount > state.reservedRowCount else { return }
        let (account, byteCountMax) = (owner.account, byteCountMax)
        try store.memory.withLock {
            try $0.reserve(BlobSchema.rowByteCount, for: account, byteCountMax: byteCountMax)
        }
        state.reservedRowCount += 1
        state.reservedByteCount += BlobSchema.rowByteCount
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
        let byteCount = state.gathered.count
        let room = try store.segments.room(byteCount)
        state.rooms.append(TakenRoom(segment: room.number, offset: room.offset, byteCount: byteCount))
        try state.gathered.withUnsafeBytes { try room.file.write($0, at: room.offset) }
        if isMore { room.file.beginSync(at: room.offset, byteCount: byteCount) }
        // The first one of it: it is told of all that could not be written since.
        if state.segments[room.number] == nil { state.segments[room.number] = room.file }
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
        store.noteRecent(blobs.map(\.name), owner)
        let inserted = try await insert(blobs)
        // Their room is of no use to anybody; where it cannot be given back, the segment's end will do it.
        try? await offPool { [store] in try store.discard(inserted.known.map(\.blob)) }
        return blobs.count - inserted.known.count
    }

    /// Puts the blobs into the index.
    private func insert(
        _ blobs: [(name: BlobName, blob: IndexedBlob)]
    ) async throws -> BlobSchema.Insertion {
        let owner = owner
        let isUndone = Locked(false)
        do {
            return try await store.database.writer.perform(weight: 4 + blobs.count) { [store] connection in
                let unreadable = store.memory.withLock { $0.unreadable }
                return try BlobSchema.insert(blobs, of: owner, insteadOf: unreadable, connection)
            } whenDurable: { [store, state] inserted in
                let reserved = state.withLock { $0.takeReservation() }
                store.memory.withLock { memory in
                    memory.note(inserted, of: owner.account)
                    memory.giveBack(reserved, to: owner.account)
                }
            } whenUndone: {
                isUndone.withLock { $0 = true }
            }
        } catch {
            // Else the index may speak of them when it is opened anew.
            if isUndone.withLock({ $0 }) { try await offPool { self.abandon() } }
            throw error
        }
    }

    /// Writes and syncs everything, or gives it up.
    private func makeDurable() throws -> [(name: BlobName, blob: IndexedBlob)] {
        do { return try sync() } catch {
            // No index has heard of it: its room is given back, which a full volume needs most.
            abandon()
            throw error
        }
    }

    private func sync() throws -> [(name: BlobName, blob: IndexedBlob)] {
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
        let (rooms, reserved) = state.withLock { state in
            defer { state = State() }
            return (state.rooms, state.reservedByteCount)
        }
        for room in rooms { store.segments.settle(room.segment) }
        store.memory.withLock { $0.giveBack(reserved, to: owner.account) }
    }

    func dropUnfinished() -> Bool {
        let (draft, isAny) = state.withLock { state -> (Draft?, Bool) in
            var dropped: Draft?
            if state.restByteCount > 0 {
                dropped = state.draft
                // A small one is what was gathered last.
                if dropped == nil, let (_, byteCount) = state.waiting.popLast() {
                    state.gathered.removeLast(byteCount - state.restByteCount)
                }
                (state.draft, state.restByteCount) = (nil, 0)
            }
            Self.closeDraft(&state)
            return (dropped, !(state.waiting.isEmpty && state.written.isEmpty && state.drafts.isEmpty))
        }
        // What cannot be removed now is nobody's, and goes when the next process begins.
        if let draft { try? store.discard([draft.indexed.blob]) }
        return isAny
    }

    func abandon() {
        let (rooms, drafts) = state.withLock { state in
            Self.closeDraft(&state)
            return (state.rooms, state.drafts)
        }
        defer { settle() }
        // What cannot be removed now is nobody's, and goes when the next process begins.
        try? store.discard(rooms.map(\.blob) + drafts.map(\.indexed.blob))
    }
}

extension SegmentedBlobStore.Memory {
    /// Sets room aside for blobs that are about to come; those that turn out to be known count until then, too.
    ///
    /// - Throws: `QuotaExceeded` where the account's blobs, with all that is set aside, would come to more than they may.
    fileprivate mutating func reserve(
        _ byteCount: Int,
        for account: AccountID,
        byteCountMax: Int
    ) throws {
        guard byteCount <= byteCountMax - self.byteCount(of: account) else {
            throw QuotaExceeded()
        }
        if byteCount > 0 { reservedByteCounts[account, default: 0] += byteCount }
    }

    fileprivate mutating func giveBack(_ byteCount: Int, to account: AccountID) {
        guard byteCount > 0, let reserved = reservedByteCounts[account] else { return }
        reservedByteCounts[account] = reserved > byteCount ? reserved - byteCount : nil
    }
}

extension SegmentedBlobStore {
    /// Gives back the room of blobs that never came into the index, as far as that can be done.
    ///
    /// - Throws: Why the first of them could not be given back that could not.
    func discard(_ blobs: [IndexedBlob]) throws {
        if let failure = discardEach(blobs).min(by: { $0.key < $1.key })?.value { throw failure }
    }

    /// Gives back the room of blobs that are in no index, each by itself.
    ///
    /// - Returns: Why that could not be done, by the places in the list.
    func discardEach(_ blobs: [IndexedBlob]) -> [Int: any Error] {
        var (failures, pieces): ([Int: any Error], [Int: [(index: Int, bytes: Range<Int>)]]) = ([:], [:])
        for (index, blob) in blobs.enumerated() {
            switch blob.place {
            case .segment(let number, let offset):
                pieces[number, default: []].append((index, offset..<offset + blob.byteCount))
            case .file(let number):
                do { try files.remove(Self.fileName(number)) } catch { failures[index] = error }
            }
        }
        for (number, pieces) in pieces.sorted(by: { $0.key < $1.key }) {
            let refused = segments.free(pieces.map(\.bytes), of: number)
            for (place, failure) in refused { failures[pieces[place].index] = failure }
        }
        return failures
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
