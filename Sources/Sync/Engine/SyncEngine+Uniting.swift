// Items of one place and kind that were made without knowing of each other are one: two devices have the same files to begin with,
// or make folders of one name.
//
// 1. A new item here, of which the log has an equal one that is not here: it becomes that, with its name, its contents and all
//    that is in it. The log never hears of what it was.
// 2. Equal are two folders, and two documents with the same bytes in them. What they bear beside these is merged as two edits are.
// 3. Two that have told the log of theirs in the same moment: the later one is the earlier one from then on (`ContainerTree`), and
//    becomes that where it is. What was done to it meanwhile is an edit of that, its removal elsewhere none of this. Where both are
//    here, the later one stays until the earlier one has here what the log says: nothing else here may hold that.
// 4. What is put beside the placeholder of something that has the same contents is that, which has its contents again.
// 5. What has become another with what somebody else had made of it, and went as that, is older here than what went: it goes, too.
// 6. What is equal in nothing but its name stays another item, and the later one gets a number (`ContainerTree`).
extension SyncEngine {
    /// The items of the disk that are about to become others, or are others in the log.
    package var unitingItems: Set<ItemID> {
        Set(becoming.keys).union(differing.filter { tree.successor(of: $0) != nil })
    }

    /// The item of the log that an item here is as well, though it was made here; nil for none.
    func counterpart(of item: ItemID) -> ItemID? {
        guard let ours = disk[item], !dataless.contains(item), !paused.contains(item), !isAside(item) else {
            return nil
        }
        if let other = tree.successor(of: item) {
            return isAbsent(other) || lacks(other, what: ours) ? other : nil
        }
        guard lastAgreed(item) == nil, tree.revision(of: item) == 0, let other = tree.item(at: ours.place)
        else { return nil }
        if lacks(other, what: ours) { return other }
        return isAbsent(other) && tree[other].map({ isEqual(ours, to: $0) }) == true ? other : nil
    }

    /// Whether what is here of an item is all but its contents, and something beside it has just these.
    private func lacks(_ item: ItemID, what ours: ItemState) -> Bool {
        guard dataless.contains(item), !paused.contains(item), let there = disk[item] else { return false }
        return there.kind == ours.kind && there.place == ours.place && there.hasContents(of: ours)
    }

    /// Whether an item of the log is not here, and never was.
    private func isAbsent(_ item: ItemID) -> Bool {
        disk[item] == nil && lastAgreed(item) == nil && !paused.contains(item)
    }

    /// The next step of an item that came to be where an equal one was.
    mutating func planUnited(_ item: ItemID, _ ours: ItemState) -> [Effect] {
        guard let other = tree.successor(of: item) else {
            // It came to be the other with what somebody else had made of it, and both have gone: what is here is older.
            if let base = lastAgreed(item), tree.lastState(of: item)?.hasContents(of: base) == false {
                return planRemovedThere(item, ours, base)
            }
            // The other has gone, and nobody there has seen this one.
            agree(item, on: nil)
            return commit(item, ours)
        }
        if counterpart(of: item) == other { return unite(item, with: other) }
        let isEdited = lastAgreed(item).map { ours.isEdited(since: $0) } ?? true
        if dataless.contains(item) {
            if isEdited { return commit(item, ours) }
        } else {
            if isAside(item), isAbsent(other) { return comeBack(item, ours) }
            // It may be about to go, and then this stays. What it holds in the log may be here in this alone, and not at a hub that
            // is put back.
            guard let there = disk[other], there.content == tree[other]?.content else {
                return wait(item, for: .leaving(other))
            }
            // Both are here: what was written into this one meanwhile is another item's.
            if ours.kind == .document, isEdited { return commit(item, ours) }
            // What is in it goes into the other.
            guard !disk.hasMembers(item) else { return clear(item, into: other) }
        }
        steps[item] = .place(nil, agreedAs: nil)
        return [.remove(item, expecting: ours)]
    }

    /// Has an item that stands aside have a name again: it becomes another under that.
    private mutating func comeBack(_ item: ItemID, _ ours: ItemState) -> [Effect] {
        var back = ours
        back.place = placeBeforeAside(item, ours)
        // The folder that it was in may be another by now, too.
        if disk[back.place.parent] == nil { back.place.parent = tree.identity(of: back.place.parent) }
        return place(item, atFreePlace(back), from: ours, agreedAs: lastAgreed(item))
    }

    private func isEqual(_ ours: ItemState, to theirs: ItemState) -> Bool {
        guard ours.kind == theirs.kind else { return false }
        guard let mine = ours.content, let other = theirs.content else { return ours.kind == .folder }
        return mine == other || areAlike(mine, other)
    }

    /// Has an item of the disk become another, of the log.
    mutating func unite(_ item: ItemID, with other: ItemID) -> [Effect] {
        guard let ours = disk[item], let theirs = tree[other] else { return [] }
        guard steps[item] == nil, steps[other] == nil else { return wait(item, for: .leaving(other)) }
        becoming[item] = other
        steps[item] = .place(nil, agreedAs: nil)
        if let there = disk[other] {
            steps[other] = .place(there, agreedAs: lastAgreed(other))
        } else {
            let base = tree.isUnited(item) ? agreedAsOther(item, ours) : sameContent(ours, theirs)
            steps[other] = .place(ours, agreedAs: base)
        }
        return [.become(item, other, expecting: ours)]
    }

    /// Where the contents of two differ, each is an edit of nothing that is known.
    private func sameContent(_ ours: ItemState, _ theirs: ItemState) -> ItemState? {
        ours.hasContent(of: theirs) ? ItemState(ours.kind, at: ours.place, content: ours.content) : nil
    }

    /// What this device knows of an item that the other was, too: what it has told the log. Another that has it as it was once knows
    /// nothing of that.
    private func agreedAsOther(_ item: ItemID, _ ours: ItemState) -> ItemState? {
        guard var base = lastAgreed(item) else { return nil }
        // It is where it was, though its folder is another by now.
        if tree.identity(of: base.parent) == tree.identity(of: ours.parent) {
            base.place.parent = ours.parent
        }
        return base
    }

    /// An item of the disk has become another.
    mutating func became(_ item: ItemID, _ other: ItemID) {
        guard becoming.removeValue(forKey: item) == other else { return }
        let members = disk.members(of: item)
        steps[item] = nil
        agree(item, on: nil)
        noteDisk(item, nil)
        // Its contents are here, where it had none.
        if dataless.remove(other) != nil, let state = disk[other] { noteHere(state) }
        if case .place(let state?, let agreedAs) = steps[other] {
            steps[other] = nil
            agree(other, on: agreedAs)
            noteDisk(other, state)
        }
        for member in members {
            guard var state = disk[member] else { continue }
            state.place.parent = other
            noteDisk(member, state)
            guard var base = lastAgreed(member), base.parent == item else { continue }
            base.place.parent = other
            agree(member, on: base)
        }
        (merges[item], merges[other]) = (nil, nil)
        touch(other)
    }
}
