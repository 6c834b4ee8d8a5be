internal import Foundation
internal import Sync
internal import SyncMessages

/// An item's contents that somebody waits for.
struct Download {
    var waiters: [UUID: DownloadWaiter] = [:]
    /// Whether they are wanted though nobody waits.
    var isRequested = false
    var byteCount: UInt64 = 0
    var failure: SyncRefusal?
    var attemptCount = 0
    /// The contents that the item has to have here. `Downloads` notes them.
    var needed: Set<ContentName> = []
}

/// Who waits for contents.
struct DownloadWaiter: Sendable {
    /// Told how far it has come; on the container's queue.
    var progress: @Sendable (ItemSyncState.Share) -> Void
    /// Told just before the end where what he asked for is, if it has been moved since: from the root. On the container's queue.
    var moved: @Sendable (String) -> Void = { _ in }
    /// Told once, how it has ended; nil for well. On the container's queue.
    var done: @Sendable (SyncRefusal?) -> Void
}

/// One who waits for several items, told of them as of one. On the container's queue.
final class SharedWaiter: @unchecked Sendable {
    // Sendable because it is only touched on the container's queue.
    private let waiter: DownloadWaiter
    private let byteCounts: [ItemID: UInt64]
    private var done: [ItemID: UInt64] = [:]
    private var waiting: Set<ItemID>
    private var isOver = false
    /// Of all together.
    private let byteCount: UInt64
    private var doneByteCount: UInt64 = 0

    init(_ waiter: DownloadWaiter, _ byteCounts: [ItemID: UInt64]) {
        // Sizes are what whoever shares the container says. None counts for more than what a sum of so many can hold.
        let most = UInt64.max / UInt64(max(1, byteCounts.count))
        self.byteCounts = byteCounts.mapValues { min($0, most) }
        self.waiter = waiter
        waiting = Set(byteCounts.keys)
        byteCount = self.byteCounts.values.reduce(0, +)
    }

    func progress(_ item: ItemID, _ byteCount: UInt64) {
        // Sealed bytes are some more or less than those that they hold.
        let now = min(byteCount, byteCounts[item] ?? 0)
        doneByteCount = doneByteCount - (done.updateValue(now, forKey: item) ?? 0) + now
        if !isOver { waiter.progress(.init(doneByteCount, of: self.byteCount)) }
    }

    func done(_ item: ItemID, _ refusal: SyncRefusal?) {
        waiting.remove(item)
        guard !isOver, refusal != nil || waiting.isEmpty else { return }
        isOver = true
        waiter.done(refusal)
    }
}
