internal import Locks
internal import Sync
internal import SyncMessages
internal import Vault

// Contents for which this device has no room: they do not come again before there is more. And how much those want for which the
// hub has none.
extension HubLine {
    /// Contents for which this device had no room.
    struct Shortage: Sendable {
        /// How much there was for them, with what had come of them by then.
        let room: Int
        let why: SyncRefusal
        /// How many attempts are let go by where there seemed to be room enough: none at first, and more after each refusal.
        let skippedCount: Int
        /// How many of these are to come yet.
        var toSkipCount: Int

        /// Attempts are ten seconds apart: what is refused for ever is asked for every five minutes or so.
        static let skippedCountMax = 31

        /// - Parameter former: Of the attempt before, if there was one.
        init(room: Int, why: SyncRefusal, after former: Shortage?) {
            (self.room, self.why) = (room, why)
            skippedCount = former.map { min(2 * $0.skippedCount + 1, Self.skippedCountMax) } ?? 0
            toSkipCount = skippedCount
        }
    }

    /// So much more room is some.
    private static let roomGrowth = 1 << 20

    /// How much there is; nil where the volume does not say.
    var roomByteCount: Int? { try? contents.roomByteCount() }

    /// How many bytes the hub is to have room for so that it can keep contents: of those that it had none for when they were sent
    /// last, what it lacked of them then.
    func neededByteCount(of name: ContentName) -> Int {
        lackingByteCounts.withLock { $0[name] } ?? Self.byteCount(of: name)
    }

    /// Notes how many bytes the hub lacks of each of some contents: of a large one that has been edited it may be few.
    func noteLacking(of uploads: [ContentStore.Upload]) throws {
        let counts = try contents.lackingByteCounts(of: uploads, at: hub, try desk.blobSealer())
        lackingByteCounts.withLock { $0.merge(counts) { $1 } }
    }

    /// Whether an error says that there is no room, at the hub or here.
    static func isShortage(_ error: any Error) -> Bool {
        refusal(error).code == .quota || DiskRefusal.cause(of: error) == .full
    }

    /// - Parameter room: How much there was for them, if who had none has told.
    func note(_ why: SyncRefusal, of names: [ContentName], with room: Int?) {
        guard let room = room ?? roomByteCount else { return }
        shortages.withLock { shortages in
            for name in names {
                shortages[name] = Shortage(room: room, why: why, after: shortages[name])
            }
        }
    }

    /// Contents have come: there was room for them.
    func noteFetched(_ names: [ContentName]) {
        shortages.withLock { shortages in
            for name in names { shortages[name] = nil }
        }
        receiver(.fetched(names))
    }

    /// Those for which there may be room. Whoever has none would have all of them come again and again, to no end: they are asked for
    /// when there is more room than there was.
    ///
    /// Where there seemed to be room enough, the volume does not say how much there is for this user, as with a quota, or others had
    /// it for a moment. Then nothing tells of more: those are asked for again now and then.
    func withRoom(_ wanted: [Fetch]) -> [Fetch] {
        let known = shortages.withLock { $0 }
        guard !known.isEmpty, let room = roomByteCount else { return wanted }
        return wanted.filter { fetch in
            let name = fetch.name
            guard let short = known[name] else { return true }
            let byteCount = Self.byteCount(of: name)
            let isMore = room > short.room + min(Self.roomGrowth, byteCount)
            // It may have wanted few bytes.
            let isEnough = short.room < byteCount && room >= byteCount
            // What has come to be here otherwise needs none.
            if isMore || isEnough || (try? contents.has(name)) == true {
                shortages.withLock { $0[name] = nil }
                return true
            }
            if short.room >= byteCount, isItsTurn(name) { return true }
            receiver(.failed([name], short.why, nil))
            return false
        }
    }

    /// Counts an attempt to get contents for which there seemed to be room.
    private func isItsTurn(_ name: ContentName) -> Bool {
        shortages.withLock { shortages in
            guard let count = shortages[name]?.toSkipCount, count > 0 else { return true }
            shortages[name]?.toSkipCount = count - 1
            return false
        }
    }
}
