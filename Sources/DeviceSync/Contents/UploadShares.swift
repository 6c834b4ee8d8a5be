internal import Sync
internal import SyncMessages

/// How much of contents on their way the hub has got.
///
/// It is told from several threads, each of which has sent a part: what one tells late is less than what is known.
struct UploadShares {
    private var shares: [ContentName: ItemSyncState.ObjectCount] = [:]

    /// Nil for what is not on its way, or not in several requests.
    subscript(name: ContentName) -> ItemSyncState.ObjectCount? { shares[name] }

    /// - Returns: Whether that is news.
    mutating func note(_ share: ItemSyncState.ObjectCount, of name: ContentName) -> Bool {
        guard share.done > shares[name]?.done ?? -1 else { return false }
        shares[name] = share
        return true
    }

    /// Notes that contents have come, or cannot.
    mutating func end(_ name: ContentName) { shares[name] = nil }

    mutating func endAll() { shares = [:] }
}

/// How much of contents on their way here has come.
struct Arrival: Hashable, Sendable {
    /// Sealed ones.
    var byteCount = 0
    /// Of those that are known of: which a document has is known when its list has come.
    var objects = ItemSyncState.ObjectCount(0, of: 0)

    mutating func note(byteCount: Int, objectCount: Int, left: Int) {
        self.byteCount += byteCount
        objects.done += objectCount
        objects.total = objects.done + left
    }
}
