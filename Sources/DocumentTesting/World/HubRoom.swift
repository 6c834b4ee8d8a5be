internal import HubProtocol
internal import Locks

/// What room a make-believe hub has, as one of users' own has it.
struct HubRoom: Sendable {
    /// Whether there is none on its volume, whatever the account may keep.
    var isFull = false
    /// What the account's contents and records may come to, in bytes.
    var quotaByteCount = Int.max
    /// What records may come to beyond that: whoever has used up the quota can say what is removed.
    var spareByteCount = HubInMemory.spareByteCountMax

    /// - Throws: `HubFailure` where nothing can be written.
    func check() throws {
        guard !isFull else {
            throw HubFailure(.volumeFull, "The hub's volume is full. Free some space there and try again.")
        }
    }

    fileprivate static let quotaIsUsedUp = HubFailure(
        .quota,
        "The account may keep no more bytes on this hub. Remove documents."
    )
}

extension HubInMemory {
    /// What accounts may have beyond a quota that is no small one.
    package static let spareByteCountMax = 4 << 20

    /// Has an account keep so many bytes at most: contents that would be more are refused, and records that would be more by
    /// what is spared for them.
    package func limit(toByteCount count: Int, sparing spareByteCount: Int = spareByteCountMax) {
        state.withLock { state in
            (state.room.quotaByteCount, state.room.spareByteCount) = (count, spareByteCount)
        }
    }

    /// Has no room left on its volume: it writes nothing more down.
    func fill() { state.withLock { $0.room.isFull = true } }

    /// Ends `fill`.
    func free() { state.withLock { $0.room.isFull = false } }

    var isFull: Bool { state.withLock { $0.room.isFull } }
}

extension HubInMemory.State {
    private var byteCount: Int { blobs.values.reduce(recordByteCount) { $0 + $1.count } }

    /// - Throws: `HubFailure` where the account may have no such blobs.
    func checkRoom(forBlobBytes count: Int) throws {
        guard byteCount + count <= room.quotaByteCount else { throw HubRoom.quotaIsUsedUp }
    }

    /// - Throws: `HubFailure` where the account may have no such records.
    func checkRoom(forRecordBytes count: Int) throws {
        guard count == 0 || byteCount + count - room.spareByteCount <= room.quotaByteCount else {
            throw HubRoom.quotaIsUsedUp
        }
    }

    /// Puts an entry at the end of the log.
    mutating func append(_ entry: LogRecord) {
        entries.append(entry)
        last[entry.item] = entry
        recordByteCount += entry.record.count
    }
}
