internal import Dispatch
internal import Sync
internal import Vault

// What table and engine say alike of items takes room once only, and SQLite's logs none, when there is time to see to it.
extension SyncRun {
    /// How long after a start, or many changes, there is time to save room: nobody waits for that, and a start has other things
    /// to do.
    private static let delay = DispatchTimeInterval.seconds(1)
    /// From how many items on that may be there twice.
    private static let countMin = 1000

    func saveRoomLater() {
        unsharedCount = 0
        queue.asyncAfter(deadline: .now() + Self.delay) { [box = Confined(Weak(self))] in
            box.value.value?.saveRoom()
        }
    }

    /// Everything is settled: of many changes much may be there twice.
    func saveRoomAfterMany() {
        // To look at all items should be worth it.
        if unsharedCount > max(Self.countMin, table.items.count / 16) { saveRoomLater() }
    }

    private func saveRoom() {
        guard !isStopped else { return }
        table.share(engine.disk)
        memory.returnFreeRoom()
        settle()
    }

    /// Has the next start find all that was written in one place, where that can be had: nothing is lost without.
    func settle() {
        try? memory.settle()
        try? contents.vault.settle()
    }
}
