// All that is on the disk, after a start.

extension SyncEngine {
    mutating func noteScan(_ items: ItemMap<ItemState>) {
        knowsDisk = true
        dataless.formIntersection(items.keys)
        for (item, step) in steps.all {
            steps[item] = nil
            // It was done, and nobody could say so any more.
            if case .place(let state, let agreedAs) = step, items[item] == state { agreed[item] = agreedAs }
        }
        let (states, unsettled) = compared(items)
        if disk.isEmpty {
            noteFirst(states)
        } else {
            for item in disk.keys where states[item] == nil { noteDisk(item, nil) }
            for (item, state) in states { noteDisk(item, state) }
        }
        for item in unsettled { touch(item) }
    }

    /// What is on the disk, sharing its room with what the log says where that is the same; and the items of the disk and
    /// of the log that are not as both were when they agreed last.
    ///
    /// Of all items this is done at each start, so each is looked for once in each table.
    private func compared(_ items: ItemMap<ItemState>) -> (ItemMap<ItemState>, unsettled: [ItemID]) {
        var (states, unsettled, loggedCount) = (items, [ItemID](), 0)
        states.updateEach { row, item, state in
            let logged = tree[item]
            if logged != nil { loggedCount += 1 }
            state.share(logged)
            // Both are kept in the order of their items, mostly.
            if state != logged || state != agreed.all.value(of: item, near: row) { unsettled.append(item) }
        }
        if loggedCount < tree.itemCount {
            tree.forEach { item, _ in if items[item] == nil { unsettled.append(item) } }
        }
        return (states, unsettled)
    }

    /// Takes in what is on the disk when nothing was known of it: nobody waits for any of it.
    private mutating func noteFirst(_ items: ItemMap<ItemState>) {
        disk = PlacedItems(items)
        here.reserveCapacity(items.count)
        for (item, state) in items where !dataless.contains(item) {
            state.forEachContent { here.insert($0) }
        }
    }
}
