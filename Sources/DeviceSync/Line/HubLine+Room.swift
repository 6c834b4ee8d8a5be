internal import Locks
internal import Sync
internal import SyncMessages

// Contents for which this device has no room: they do not come again before there is more.
extension HubLine {
    /// Contents for which this device had no room.
    struct Shortage: Sendable {
        /// How much there was before they were asked for.
        let room: Int
        let why: SyncRefusal
    }

    /// So much more room is some.
    private static let roomGrowth = 1 << 20

    /// How much there is; nil where the volume does not say.
    var roomByteCount: Int? { try? contents.roomByteCount() }

    /// Whether an error says that there is no room, at the hub or here.
    static func isShortage(_ error: any Error) -> Bool {
        refusal(error).code == .quota || DiskRefusal.cause(of: error) == .full
    }

    func note(_ why: SyncRefusal, of names: [ContentName], with room: Int?) {
        guard let room else { return }
        shortages.withLock { shortages in
            for name in names { shortages[name] = Shortage(room: room, why: why) }
        }
    }

    /// Those for which there may be room. Whoever has none would have all of them come again and again, to no end: they are asked for
    /// when there is more room than there was.
    func withRoom(_ wanted: [Fetch]) -> [Fetch] {
        let known = shortages.withLock { $0 }
        guard !known.isEmpty, let room = roomByteCount else { return wanted }
        return wanted.filter { fetch in
            let name = fetch.name
            guard let short = known[name] else { return true }
            let growth = min(Self.roomGrowth, Self.byteCount(of: name))
            // What has come to be here otherwise needs none.
            if room > short.room + growth || (try? contents.has(name)) == true {
                shortages.withLock { $0[name] = nil }
                return true
            }
            receiver(.failed([name], short.why, nil))
            return false
        }
    }
}
