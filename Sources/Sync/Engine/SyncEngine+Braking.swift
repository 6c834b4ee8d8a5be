// A change that would remove or overwrite more than a share of all items waits for a person. Everything else goes on.
//
// 1. Counted is what would be lost on one side: a removal, or contents in place of those that both sides had. New items, moves,
//    merges and conflicts are not: nothing goes by them.
// 2. Items count from when the change is seen until disk and log are the same; so one that is heard of bit by bit is one.
// 3. What was on its way before there were too many cannot be held back, and is counted as done.
extension SyncEngine {
    /// What waits for a person, one way.
    package func brake(_ direction: SyncBrake.Direction) -> SyncBrake? {
        guard braking.stages[direction] == .asked, let pending = braking.pending[direction], !pending.isEmpty
        else { return nil }
        return SyncBrake(
            direction: direction,
            waitingCount: pending.count,
            doneCount: braking.done[direction]?.count ?? 0,
            itemCount: itemCount(direction),
            restorePoint: braking.restorePoint
        )
    }

    /// What waits for a person; nil for nothing. What would go to all others is asked first.
    package var brake: SyncBrake? { brake(.leaving) ?? brake(.arriving) }

    /// The items that wait for a person.
    package func brakedItems(_ direction: SyncBrake.Direction) -> Set<ItemID> {
        braking.stages[direction] == .asked ? Set((braking.pending[direction] ?? [:]).keys) : []
    }

    func isBraked(_ item: ItemID, _ direction: SyncBrake.Direction) -> Bool {
        braking.stages[direction] == .asked && braking.pending[direction]?[item] != nil
    }

    // MARK: Counting

    /// Looks which way an item's next step removes or overwrites something.
    mutating func weigh(_ item: ItemID) {
        if let undone = braking.undone[item], undone != disk[item] { braking.undone[item] = nil }
        if braking.kept[item] != nil, !isKept(item) { braking.kept[item] = nil }
        for direction in SyncBrake.Direction.allCases {
            let (before, endangered) = (braking.pending[direction]?[item], endangered(item, direction))
            if before == nil, endangered == nil { continue }
            braking.pending[direction, default: [:]][item] = endangered
            guard let before, endangered == nil else { continue }
            let now = direction == .leaving ? tree[item] : disk[item]
            // Else it was put back.
            guard now?.content != before.content || now == nil else { continue }
            if braking.done[direction, default: []].insert(item).inserted, now == nil {
                braking.removedCount[direction, default: 0] += 1
            }
        }
    }

    /// What the next step of an item removes or overwrites on the other side.
    private func endangered(_ item: ItemID, _ direction: SyncBrake.Direction) -> ItemState? {
        guard let base = lastAgreed(item).map({ self.base(of: item, $0) }) else { return nil }
        // Nothing goes with what is another from then on.
        if tree.isUnited(item) { return nil }
        // Contents that are not here do not leave.
        if direction == .leaving, disk[item] != nil, dataless.contains(item) { return nil }
        let (changed, kept) = direction == .leaving ? (disk[item], tree[item]) : (tree[item], disk[item])
        guard let kept else { return nil }
        // What has another conflict by now is not removed any more, but its contents may be written over all the same.
        guard let changed else { return kept.hasContents(of: base) ? kept : nil }
        return !changed.hasContent(of: base) && kept.hasContent(of: base) ? kept : nil
    }

    private func itemCount(_ direction: SyncBrake.Direction) -> Int {
        (direction == .leaving ? tree.itemCount : disk.count) + (braking.removedCount[direction] ?? 0)
    }

    /// Asks where too much waits, and no more where nothing does.
    mutating func applyBrakes() {
        for direction in SyncBrake.Direction.allCases {
            let waitingCount = braking.pending[direction]?.count ?? 0
            switch braking.stages[direction] {
            case .answered: continue
            case .asked:
                // What is being undone is asked about again, should this process die before it has been.
                guard waitingCount == 0, braking.undone.isEmpty, braking.kept.isEmpty else { continue }
                braking.stages[direction] = nil
                wake(.brake(direction))
            case nil:
                let count = waitingCount + (braking.done[direction]?.count ?? 0)
                guard waitingCount > 0, count >= brakeLimits.countMin,
                    count * 100 > itemCount(direction) * brakeLimits.sharePercent
                else { continue }
                braking.stages[direction] = .asked
            }
        }
    }

    /// Where disk and log are the same a change is over.
    mutating func endChange() {
        guard hasReadLog, isAtRestApartFromLost else { return }
        braking.restorePoint = tree.position
        (braking.done, braking.removedCount) = ([:], [:])
        if !braking.stages.isEmpty { braking.stages = [:] }
    }

    // MARK: Decisions

    /// A person has said that a change is to go on.
    mutating func release(_ direction: SyncBrake.Direction) {
        guard braking.stages[direction] == .asked else { return }
        // Those that want its name may have it stand aside again.
        for item in brakedItems(direction) { touch(item) }
        braking.stages[direction] = .answered
        wake(.brake(direction))
    }

    /// A person has said that what waits is not to happen: the side on which it was done gets back what the other still has.
    mutating func undo(_ direction: SyncBrake.Direction) {
        for item in brakedItems(direction).sorted() where steps[item] == nil {
            switch (direction, disk[item], tree[item]) {
            // Nobody remembers that the two had agreed: what one has is new to the other.
            case (.leaving, nil, _), (.arriving, _, nil): agree(item, on: nil)
            case (.leaving, let ours?, _): braking.undone[item] = ours
            // It cannot be sent, and the hub has it.
            case (.arriving, let ours?, let theirs?) where dataless.contains(item):
                braking.kept[item] = Braking.Kept(ours: ours, theirs: theirs.content)
            // What the log has counts as what both had, and the disk's as changed since.
            case (.arriving, _, let theirs?):
                if var base = lastAgreed(item) {
                    base.content = theirs.content
                    agree(item, on: base)
                }
            }
            touch(item)
        }
        // That is a person's will, and nobody is asked about it.
        if direction == .arriving, braking.stages[.leaving] == nil { braking.stages[.leaving] = .answered }
        wake(.brake(direction))
    }

    /// Whether an item is without its contents here, and yet what the log has is to become what is here.
    func isKept(_ item: ItemID) -> Bool {
        guard let kept = braking.kept[item], let content = kept.ours.content,
            contents.contains(content, .atHub)
        else {
            return false
        }
        return dataless.contains(item) && disk[item] == kept.ours && tree[item]?.content == kept.theirs
    }

    /// What an item on both sides comes from: from what is here, if a person does not want what has been made of it.
    func base(of item: ItemID, _ base: ItemState) -> ItemState {
        if let kept = braking.kept[item], isKept(item) {
            var base = base
            base.content = kept.theirs
            return base
        }
        guard let undone = braking.undone[item], undone == disk[item] else { return base }
        var base = base
        base.content = undone.content
        return base
    }
}
