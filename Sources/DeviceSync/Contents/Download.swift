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
}

/// Who waits for contents.
struct DownloadWaiter: Sendable {
    /// Told how far it has come; on the container's queue.
    var progress: @Sendable (ItemSyncState.Share) -> Void
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

    init(_ waiter: DownloadWaiter, _ byteCounts: [ItemID: UInt64]) {
        (self.waiter, self.byteCounts) = (waiter, byteCounts)
        waiting = Set(byteCounts.keys)
    }

    func progress(_ item: ItemID, _ byteCount: UInt64) {
        // Sealed bytes are some more or less than those that they hold.
        done[item] = min(byteCount, byteCounts[item] ?? 0)
        let total = byteCounts.values.reduce(0, +)
        if !isOver { waiter.progress(.init(done.values.reduce(0, +), of: total)) }
    }

    func done(_ item: ItemID, _ refusal: SyncRefusal?) {
        waiting.remove(item)
        guard !isOver, refusal != nil || waiting.isEmpty else { return }
        isOver = true
        waiter.done(refusal)
    }
}
