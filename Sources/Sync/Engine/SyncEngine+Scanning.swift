// All that is on the disk, after a start.

extension SyncEngine {
    mutating func noteScan(_ items: ItemMap<ItemState>) {
        knowsDisk = true
        dataless.formIntersection(items.keys)
        for (item, step) in steps.all {
            steps[item] = nil
            // It was done, and nobody could say so any more.
            if case .place(let state, let agreedAs) = step, items[item] == state { agree(item, on: agreedAs) }
        }
        defer { braking.arriving.lookForGone { disk[$0] != nil } }
        if disk.isEmpty { return noteFirst(items) }
        for item in disk.keys where items[item] == nil { noteDisk(item, nil) }
        for (item, state) in items { noteDisk(item, state) }
        for item in Set(disk.keys).union(tree.items.keys) {
            if isUnsettled(item, disk[item], tree[item]) { touch(item) }
        }
    }

    /// Takes in what is on the disk when nothing was known of it: nobody waits for any of it.
    ///
    /// Of all items this is done at each start, so each is looked for once in each table.
    private mutating func noteFirst(_ items: ItemMap<ItemState>) {
        contents.reserveCapacity(items.count)
        // Nothing in here asks what the disk is.
        var filled = DiskItems()
        swap(&filled, &disk)
        filled.fill(items) { item, state, logged, areIdentical in
            if let state, !dataless.contains(item) {
                state.forEachContentKey { contents.insert($0, .here) }
            }
            let isAsLogged = areIdentical && !agreed.isOtherwise(item)
            if !isAsLogged, isUnsettled(item, state, logged) { touch(item) }
        }
        disk = filled
    }

    /// Whether an item is not on disk and in the log as both were when they agreed last.
    private func isUnsettled(_ item: ItemID, _ state: ItemState?, _ logged: ItemState?) -> Bool {
        state != logged || state != agreed.state(of: item, logged: logged)
    }
}
