// Back to what was before a large change that a person has let go on.
//
// 1. What the change has removed comes back, where it was, or under the next free name. What it has replaced has its former
//    contents again, unless somebody has edited it since: what is newer stays.
// 2. It is put on this disk first and committed then, on top of what the log has: an edit like any other, of which nobody is asked
//    here. Others may be asked whether they want it.
// 3. Nobody remembers it: a process that dies leaves the rest as it is, and to go back once more does that rest.
extension SyncEngine {
    /// The last large change that a person has decided on, as far as it has gone; nil for none.
    package var largeChange: LargeChange? {
        let changes = SyncBrake.Direction.allCases.compactMap {
            braking.stages[$0] == .answered ? change($0) : nil
        }
        guard let first = changes.first else { return braking.lastChange }
        return changes.dropFirst().reduce(into: first) { whole, change in
            whole.items.formUnion(change.items)
            whole.restorePoint = min(whole.restorePoint, change.restorePoint)
        }
    }

    /// What has been lost one way of late; nil for nothing.
    func change(_ direction: SyncBrake.Direction) -> LargeChange? {
        let window = braking[direction]
        let items = Set(window.counted.all.keys)
        guard !items.isEmpty else { return nil }
        return LargeChange(items: items, restorePoint: window.restorePoint, endPoint: tree.position)
    }

    /// Whether an item is not what it was before a large change, and nothing newer either.
    package func isToComeBack(_ item: ItemID, _ former: LargeChange.Former) -> Bool {
        guard let ours = disk[item] else { return true }
        return ours.content != former.state.content && ours.content == former.replacement
    }

    /// Has items be again what they were.
    mutating func goBack(_ items: [ItemID: LargeChange.Former]) {
        guard braking.stages[.leaving] != .asked else { return }
        for (item, former) in items where !paused.contains(item) {
            braking.wantedBack[item] = former
            touch(item)
        }
        if !braking.wantedBack.isEmpty { braking.stages[.leaving] = braking.stages[.leaving] ?? .excused }
    }

    /// The next step of an item on its way back; nil for: it is what it was, or something newer, or another step comes first.
    mutating func planBack(_ item: ItemID) -> [Effect]? {
        guard let former = braking.wantedBack[item] else { return nil }
        let state = former.state
        switch (disk[item], tree[item]) {
        case (nil, nil):
            agree(item, on: nil)
            var state = state
            state.conflicts = []
            if isGoneForGood(state.place.parent) {
                // It may have come to be another's, who has made it meanwhile.
                state.place.parent = tree.successor(of: state.place.parent) ?? .root
            }
            return place(item, atFreePlace(state), from: nil, agreedAs: nil)
        case (let ours?, let theirs?) where ours == theirs:
            guard ours.content != state.content, ours.content == former.replacement else { break }
            var wanted = ours
            wanted.content = state.content
            wanted.endLosing()
            return place(item, wanted, from: ours, agreedAs: theirs)
        case (let ours?, _) where ours.content == state.content: break
        // What is on its way between disk and log comes first.
        default: return nil
        }
        braking.wantedBack[item] = nil
        touch(item)
        return nil
    }

    /// Whether a folder is nowhere, and is not to come back either.
    private func isGoneForGood(_ folder: ItemID) -> Bool {
        folder != .root && disk[folder] == nil && tree[folder] == nil && braking.wantedBack[folder] == nil
    }

    /// What is to be again in a folder that is gone for good comes to be in the one that it has become, or in the root.
    mutating func touchWantedBack(in folder: ItemID) {
        guard !braking.wantedBack.isEmpty, isGoneForGood(folder) else { return }
        for (item, former) in braking.wantedBack where former.state.place.parent == folder { touch(item) }
    }

    /// An item is on the disk what it was: the log is to have it. What the hub may be about to delete of it is seen to by whoever
    /// sends the commit.
    mutating func noteBack(_ item: ItemID, _ state: ItemState?) {
        guard let state, let former = braking.wantedBack[item], state.content == former.state.content
        else { return }
        // However long it took to get the contents: nobody is asked about it.
        if braking.stages[.leaving] == nil { braking.stages[.leaving] = .excused }
        // What has come to the log since is newer, and stays.
        guard dataless.contains(item), tree[item]?.content == former.replacement else { return }
        braking.kept[item] = Braking.Kept(ours: state, theirs: tree[item]?.content)
    }
}
