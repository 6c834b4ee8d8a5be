// A change that would remove or overwrite more than a share of all items waits for a person. Everything else goes on.
//
// 1. Counted is what would be lost on one side: a removal, or contents in place of those that both sides had. New items, moves,
//    merges and conflicts are not: nothing goes by them.
// 2. Each item counts once, for one to two periods (`LossWindow`). So a change that comes bit by bit is one, also with rests
//    between, and what is done in weeks is not.
// 3. What was on its way before there were too many cannot be held back, and is counted as done.
// 4. When a person has decided, all that has come to rest is forgotten, and counting begins anew.
// 5. Where so much has been put back by hand that nobody would have been asked, nobody is asked any more, and the rest goes on.
//    That there are more items meanwhile, or other limits, is no putting back.
extension SyncEngine {
    /// What waits for a person, one way.
    package func brake(_ direction: SyncBrake.Direction) -> SyncBrake? {
        let window = braking[direction]
        guard braking.stages[direction] == .asked, !window.pending.isEmpty else { return nil }
        return SyncBrake(
            direction: direction,
            waitingCount: window.pending.count,
            doneCount: window.doneCount,
            itemCount: itemCount(direction) + window.goneCount,
            restorePoint: window.restorePoint
        )
    }

    /// What waits for a person; nil for nothing. What would go to all others is asked first.
    package var brake: SyncBrake? { brake(.leaving) ?? brake(.arriving) }

    /// The items that wait for a person.
    package func brakedItems(_ direction: SyncBrake.Direction) -> Set<ItemID> {
        braking.stages[direction] == .asked ? Set(braking[direction].pending.keys) : []
    }

    /// Whether a person is asked, or what he has said is not carried out yet.
    package var isAsking: Bool { braking.stages.values.contains(.asked) }

    func isBraked(_ item: ItemID, _ direction: SyncBrake.Direction) -> Bool {
        braking.stages[direction] == .asked && braking[direction].pending[item] != nil
    }

    // MARK: Counting

    /// Looks which way an item's next step removes or overwrites something.
    mutating func weigh(_ item: ItemID) {
        if let undone = braking.undone[item], undone != disk[item] { braking.undone[item] = nil }
        if braking.kept[item] != nil, !isKept(item) { braking.kept[item] = nil }
        if let restored = braking.restored[item], braking.undone[item] == nil, steps[item] == nil,
            disk[item]?.content != restored
        {
            braking.restored[item] = nil
        }
        let areSame =
            switch (disk[item], tree[item]) {
            case (let ours?, let theirs?): ours.hasContent(of: theirs)
            case (let ours, let theirs): ours == nil && theirs == nil
            }
        let (leaving, arriving) = (endangered(item, .leaving), endangered(item, .arriving))
        braking.leaving.weigh(item, endangered: leaving, now: tree[item], areSame: areSame)
        braking.arriving.weigh(item, endangered: arriving, now: disk[item], areSame: areSame)
        if let merged = braking.merged[item], tree[item]?.content == merged { braking.merged[item] = nil }
    }

    /// What the next step of an item removes or overwrites on the other side.
    private func endangered(_ item: ItemID, _ direction: SyncBrake.Direction) -> ItemState? {
        guard let base = lastAgreed(item).map({ self.base(of: item, $0) }) else { return nil }
        // Nothing goes with what is another from then on.
        if tree.isUnited(item) { return nil }
        // Contents that are not here do not leave.
        if direction == .leaving, disk[item] != nil, dataless.contains(item) { return nil }
        // A person has asked for what the log has.
        if direction == .arriving, tree[item] != nil, let undone = braking.undone[item], undone == disk[item]
        {
            return nil
        }
        let (changed, kept) = direction == .leaving ? (disk[item], tree[item]) : (tree[item], disk[item])
        guard let kept else { return nil }
        // What has another conflict by now is not removed any more, but its contents may be written over all the same.
        guard let changed else { return kept.isEdited(since: base) ? nil : kept }
        guard !changed.hasContent(of: base), kept.hasContent(of: base) else { return nil }
        guard direction == .leaving else { return kept }
        return [braking.merged[item], braking.restored[item]].contains(changed.content) ? nil : kept
    }

    /// How many items there are on the other side. What is here and not sent yet is about to be there.
    private func itemCount(_ direction: SyncBrake.Direction) -> Int {
        direction == .leaving ? max(tree.itemCount, disk.count) : disk.count
    }

    /// Asks where too much waits, and no more where nothing does, or no more than goes without a question.
    mutating func applyBrakes() {
        for direction in SyncBrake.Direction.allCases {
            switch braking.stages[direction] {
            case .answered, .excused: continue
            case .asked:
                guard reviewQuestion(direction) else { continue }
                // Those that want its name may have it stand aside again.
                for item in brakedItems(direction) { touch(item) }
                braking.stages[direction] = nil
                if braking.isTakenBack.remove(direction) != nil { endChange(direction, isDecided: true) }
                wake(.brake(direction))
            case nil:
                let window = braking[direction]
                if window.isTooMuch(of: itemCount(direction), brakeLimits) {
                    braking.stages[direction] = .asked
                    let question = Braking.Question(limits: brakeLimits, lossCount: window.lossCount)
                    braking.questions[direction] = question
                }
            }
        }
    }

    /// Looks again at what a person is being asked, and notes the most that it has been about.
    ///
    /// - Returns: Whether there is nothing any more that a person has to be asked about.
    private mutating func reviewQuestion(_ direction: SyncBrake.Direction) -> Bool {
        // What is being undone is asked about again, should this process die before it has been.
        guard braking.undone.isEmpty, braking.kept.isEmpty else { return false }
        let window = braking[direction]
        if window.pending.isEmpty { return true }
        // What a person does not want does not go on halfway through.
        guard !braking.isTakenBack.contains(direction) else { return false }
        // A former process has asked: of the change there may have been more, which is over.
        var question =
            braking.questions[direction]
            ?? Braking.Question(limits: brakeLimits, lossCount: window.lossCount)
        defer { braking.questions[direction] = question }
        guard window.lossCount < question.lossCount else {
            question.lossCount = window.lossCount
            return false
        }
        return !window.isTooMuch(of: itemCount(direction), question.limits)
    }

    /// Ends a look at all that has happened at one time. Where disk and log are the same, a change that was decided is over.
    mutating func endLook() {
        if hasReadLog, isAtRestApartFromLost {
            braking.restored = [:]
            for direction in SyncBrake.Direction.allCases { endDecided(direction) }
        }
        braking.leaving.endLook(at: tree.position, itemCount: itemCount(.leaving))
        braking.arriving.endLook(at: tree.position, itemCount: itemCount(.arriving))
    }

    private mutating func endDecided(_ direction: SyncBrake.Direction) {
        guard let stage = braking.stages[direction], stage != .asked else { return }
        braking.stages[direction] = nil
        endChange(direction, isDecided: stage == .answered)
    }

    /// - Parameter isDecided: Whether a person was asked.
    private mutating func endChange(_ direction: SyncBrake.Direction, isDecided: Bool) {
        if isDecided, let change = change(direction) {
            (braking.lastChange, braking.isLastChangeWritten) = (change, true)
        }
        braking[direction].clear(at: tree.position, itemCount: itemCount(direction))
    }

    /// A period has passed. What waits for a person, or is being carried out, counts until that is over.
    mutating func beginPeriod() {
        for direction in SyncBrake.Direction.allCases {
            // Something else may keep disk and log from being the same for ever.
            if knowsDisk, braking[direction].pending.isEmpty { endDecided(direction) }
            if braking.stages[direction] == nil { braking[direction].beginPeriod() }
        }
    }

    // MARK: Decisions

    /// A person has said that a change is to go on.
    mutating func release(_ direction: SyncBrake.Direction) {
        guard braking.stages[direction] == .asked else { return }
        // Those that want its name may have it stand aside again.
        for item in brakedItems(direction) { touch(item) }
        braking.stages[direction] = .answered
        braking.isTakenBack.remove(direction)
        wake(.brake(direction))
    }

    /// A person has said that what waits is not to happen: the side on which it was done gets back what the other still has.
    mutating func undo(_ direction: SyncBrake.Direction) {
        for item in brakedItems(direction).sorted() {
            // What was offered before there were too many. Should the hub have heard of it, the log will say so.
            if direction == .leaving, case .commit(let offered) = steps[item] {
                endCommit(offered)
                braking.restored[item] = tree[item]?.content
            }
            guard steps[item] == nil else { continue }
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
        if braking.stages[direction] == .asked { braking.isTakenBack.insert(direction) }
        // That is a person's will, and nobody is asked about it.
        if direction == .arriving, braking.stages[.leaving] == nil { braking.stages[.leaving] = .excused }
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
