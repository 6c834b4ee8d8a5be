extension SyncEngine {
    /// Goes back in the log: the hub was put back to what it was once, and shows another log from some place on.
    ///
    /// What the disk has of what the hub has lost then counts as changed here, on top of what the log still has, and is
    /// committed again; what was removed by what is lost is removed again. Several devices may do so at the same time:
    /// the first one's commit is taken, and the others find theirs in it, or merge. What is placed at this moment may
    /// still be done, and is this device's to send then. A hub may be put back again and again, to before or after the
    /// last time, and a device that has missed some of it goes back once, to the earliest place.
    ///
    /// What is guaranteed: going back removes nothing and overwrites nothing. Whatever some disk has, of which the log
    /// does not say that somebody has edited or removed it since, comes to all devices again, in a document or as a
    /// conflict.
    ///
    /// What is not: what the hub has lost and no disk has any more is lost; of an item whose contents were evicted here, that
    /// needs a device that has them (`lostItems`). Whose disk was behind what the hub has lost
    /// cannot tell that others' later contents come from its own, and commits them: that may be merged, or become a
    /// conflict, though nobody has edited twice. A conflict that was settled by what is lost may come back, and so may the
    /// former name of an item.
    ///
    /// The disk has been scanned before. What the log has after that place is to be read next, and then there is a line
    /// again. What this changes is remembered like the effects of an event (`takeMemoryChanges`), in one with what is
    /// forgotten of the log: a device that is killed before goes back anew.
    ///
    /// - Parameter entries: The log as this engine has read it, up to the last position that it has in common with the
    ///   hub's, from the first on.
    /// - Returns: What is to be done, after it has been remembered.
    package mutating func rewind(to entries: some Sequence<LogEntry>) -> [Effect] {
        let former = tree
        let known = Set(agreed.all(besides: tree).keys)
        let behind = Set(steps.all.keys).union(known).union(disk.keys).filter {
            steps[$0] != nil || disk[$0] != former[$0]
        }
        let histories = readAnew(entries, noting: behind)
        // Of what has gone from both, too, disk and log may still have agreed on what it was.
        for item in Set(former.items.keys).union(tree.items.keys).union(known).union(behind) {
            let base: ItemState? =
                if disk[item] == former[item] {
                    tree[item]
                } else {
                    lastAgreed(item).flatMap {
                        histories[item, default: History()].base(of: $0, last: tree[item])
                    }
                }
            if base != lastAgreed(item) { agree(item, on: base) }
        }
        for (item, step) in steps.all {
            switch step {
            case .commit: steps[item] = nil
            case .place(let state, let agreedAs):
                let history = histories[item, default: History()]
                let base: ItemState? =
                    if let agreedAs {
                        history.base(of: agreedAs, last: tree[item])
                    } else {
                        // A removal that is lost is this device's to send, unless somebody has edited what is to go; what comes
                        // from nothing still does.
                        state == nil && !history.wasRemoved && isAsInLog(item) ? tree[item] : nil
                    }
                steps[item] = .place(state, agreedAs: base)
            case .merge: break
            }
        }
        // The hub need not have any more what was sent to it.
        contents.removeAll(.sent)
        wentBack.formUnion(
            dataless.filter { item in
                // What the log has of it may be after that place.
                disk[item].map { lacksContents(item, $0) } ?? false
            }
        )
        // To put right what the hub has lost is nobody's question.
        if braking.stages[.leaving] == nil { braking.stages[.leaving] = .excused }
        // They are not wanted back any more.
        for item in braking.wantedBack.keys { touch(item) }
        braking.goBack(to: tree.position)
        hasReadLog = false
        // Whoever waited for something finds out anew what it is.
        (refusals, uploading, fetching, waiting, comings) = ([:], [], [], [:], [:])
        lostBases = []
        for item in Set(disk.keys).union(former.items.keys).union(tree.items.keys) { touch(item) }
        return planDue()
    }

    /// Whether the log has an item with the contents that are here.
    private func isAsInLog(_ item: ItemID) -> Bool {
        guard let ours = disk[item], let theirs = tree[item] else { return true }
        return theirs.hasContents(of: ours)
    }

    /// What an item has been, as far as the log still has it.
    private struct History {
        var places: Set<ItemPlace> = []
        var contents: Set<ContentName?> = []
        var conflicts: Set<Set<ContentName>> = []
        var wasRemoved = false

        mutating func note(_ state: ItemState?) {
            guard let state else { return wasRemoved = true }
            places.insert(state.place)
            contents.insert(state.content)
            conflicts.insert(state.conflicts)
        }

        /// What a disk that was last known to agree with some state comes from: from that, if the log still has it, and
        /// else from the last that it has, which came before. In doubt nothing that others have done counts as known here.
        func base(of agreed: ItemState, last: ItemState?) -> ItemState? {
            let isKept = contents.contains(agreed.content) && conflicts.contains(agreed.conflicts)
            guard let last else { return isKept ? agreed : nil }
            var base = agreed
            if !places.contains(agreed.place) { base.place = last.place }
            if !contents.contains(agreed.content) { base.content = last.content }
            if !conflicts.contains(agreed.conflicts) {
                // One that this disk was never known to have nobody has settled on it.
                base.conflicts = last.conflicts.intersection(agreed.conflicts)
            }
            return base
        }
    }

    /// Has the tree be what entries come to.
    ///
    /// - Returns: What some items have been on the way.
    private mutating func readAnew(
        _ entries: some Sequence<LogEntry>,
        noting items: Set<ItemID>
    ) -> [ItemID: History] {
        var histories: [ItemID: History] = [:]
        var tree = ContainerTree()
        contents.removeAll(.atHub)
        ownRemovals = []
        for entry in entries {
            entry.commit.state?.forEachContentKey { contents.insert($0, .atHub) }
            let item = entry.commit.item
            if items.contains(item), let state = entry.commit.state {
                histories[item, default: History()].note(state)
            }
            let existed = tree[item] != nil
            let changed = tree.read(entry)
            for item in changed where items.contains(item) {
                histories[item, default: History()].note(tree[item])
            }
            if entry.commit.state == nil {
                if existed, tree[item] == nil, entry.commit.id.device == device { ownRemovals.insert(item) }
            } else if !ownRemovals.isEmpty {
                ownRemovals.subtract(changed)
            }
        }
        agreed.keep(besides: disk.log, now: tree)
        disk.replaceLog(tree)
        return histories
    }
}
