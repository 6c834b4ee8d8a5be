// What there is to do for one item, by what is known of it on the disk, in the log, and of where the two agreed.
extension SyncEngine {
    /// The next step of an item, if there is one to take now.
    mutating func plan(_ item: ItemID) -> [Effect] {
        endVanishing(item)
        if let effects = planBack(item) { return effects }
        switch (disk[item], lastAgreed(item), tree[item]) {
        case (nil, nil, nil): return []
        case (nil, nil, let theirs?): return place(item, theirs)
        case (let ours?, _, nil) where tree.isUnited(item): return planUnited(item, ours)
        case (let ours?, nil, nil):
            if let other = counterpart(of: item) { return unite(item, with: other) }
            return commit(item, ours)
        case (nil, _?, nil):
            // Removed here and there.
            agree(item, on: nil)
            return []
        case (nil, let base?, let theirs?): return planRemovedHere(item, base, theirs)
        case (let ours?, let base?, nil): return planRemovedThere(item, ours, base)
        case (let ours?, nil, let theirs?):
            // It was put back here by hand: nothing tells what both come from.
            return planBoth(item, ours, base: ItemState(ours.kind, at: theirs.place), theirs)
        case (let ours?, let base?, let theirs?):
            return planBoth(item, ours, base: self.base(of: item, base), theirs)
        }
    }

    // MARK: Removed

    /// It has been removed here; the log has it.
    private mutating func planRemovedHere(_ item: ItemID, _ base: ItemState, _ theirs: ItemState) -> [Effect]
    {
        guard theirs.hasContents(of: base) else {
            // Somebody has edited it: it stays.
            agree(item, on: nil)
            noteSurvivor(item, by: tree.revision(of: item))
            return place(item, theirs)
        }
        let members = tree.children(of: item)
        // A member that comes here needs its folder; others leave it first.
        let staying = members.filter { disk[$0] == nil ? lastAgreed($0) == nil : !isMovedHere($0) }
        if !staying.isEmpty {
            agree(item, on: nil)
            let new = staying.filter { survivors[$0] == nil }.map { tree.revision(of: $0) }
            if new.count == staying.count, let position = new.max() { noteSurvivor(item, by: position) }
            return place(item, theirs)
        }
        // Each member that leaves has its folder looked at anew.
        guard members.isEmpty, !awaitsMembers(item) else {
            wakeFollowers(above: item)
            return []
        }
        return isBraked(item, .leaving) ? wait(item, for: .brake(.leaving)) : offer(item, nil)
    }

    /// The log has it no more.
    mutating func planRemovedThere(_ item: ItemID, _ ours: ItemState, _ base: ItemState) -> [Effect] {
        if ours.isEdited(since: base) {
            let lost =
                dataless.contains(item) ? ours.contents.sorted().first { !canBeHad($0, by: item) } : nil
            guard let lost else { return commit(item, ours) }
            // A memory that was put back to a backup does not know what was sent since: the log may have it further on.
            guard hasReadLog else { return wait(item, for: .content(lost)) }
        }
        // Its members go before it, and those that do not bring it back.
        guard !disk.hasMembers(item) else { return clear(item) }
        guard !isBraked(item, .arriving) else { return wait(item, for: .brake(.arriving)) }
        steps[item] = .place(nil, agreedAs: nil)
        return [.remove(item, expecting: ours)]
    }

    /// Has those looked at anew who wait for a folder above one to leave its name. All of these were removed here, and what is in
    /// this one, by now, may be about to go into what they wait with.
    private mutating func wakeFollowers(above folder: ItemID) {
        var at = folder
        while let up = tree[at]?.parent, up != .root, disk[up] == nil {
            wake(.leaving(up))
            at = up
        }
    }

    /// Whether the person has moved an item since its places agreed last; where nothing tells of that, from where the log has it.
    private func isMovedHere(_ item: ItemID) -> Bool {
        guard let ours = disk[item]?.place, let base = (lastAgreed(item) ?? tree[item])?.place else {
            return true
        }
        return ours != base && !isAside(item)
    }

    // MARK: On both sides

    private mutating func planBoth(
        _ item: ItemID,
        _ ours: ItemState,
        base: ItemState,
        _ theirs: ItemState
    ) -> [Effect] {
        for direction in SyncBrake.Direction.allCases where isBraked(item, direction) {
            return wait(item, for: .brake(direction))
        }
        var wanted = theirs
        if ours.place != base.place, !isAside(item) { wanted.place = ours.place }
        wanted.conflicts = theirs.conflicts.subtracting(base.conflicts.subtracting(ours.conflicts))
            .union(ours.lostConflicts.subtracting(base.conflicts).filter { canBeHad($0, by: item) })
        if dataless.contains(item) {
            wanted.content = isKept(item) ? ours.content : theirs.content
        } else if let mine = ours.content, let other = theirs.content, mine != base.content, mine != other {
            if other == base.content {
                wanted.content = mine
            } else {
                let question = MergeQuestion(base: knownBase(base.content), ours: mine, theirs: other)
                guard let (asked, merged) = merges[item].map({ ($0.question, $0.result) }), asked == question
                else {
                    return merge(item, question)
                }
                wanted.content = merged ?? other
                if merged == nil { wanted.conflicts.insert(mine) }
            }
        }
        // What lost a conflict is not what won it.
        wanted.endLosing()
        if wanted == ours {
            // Should this process die, the person is asked again.
            if !isKept(item) { agree(item, on: theirs) }
            return ours == theirs ? [] : commit(item, ours)
        }
        if let told = losing(ours, to: wanted, theirs) {
            return place(item, told, from: ours, agreedAs: lastAgreed(item))
        }
        return place(item, wanted, from: ours, agreedAs: theirs)
    }

    /// What is noted of an item before contents leave the disk that lose against others: that they do. A disk has contents
    /// only, so a process that dies between the two would find nothing that tells of it.
    ///
    /// - Returns: Nil when nothing is lost that is not noted, here or in the log.
    private func losing(_ ours: ItemState, to wanted: ItemState, _ theirs: ItemState) -> ItemState? {
        guard wanted.content != ours.content else { return nil }
        let unnoted = wanted.conflicts.subtracting(theirs.conflicts).subtracting(ours.conflicts)
        guard !unnoted.isEmpty else { return nil }
        var told = ours
        told.conflicts.formUnion(unnoted)
        return told
    }

    private mutating func merge(_ item: ItemID, _ question: MergeQuestion) -> [Effect] {
        let name = disk[item]?.place.name ?? ""
        // Then nobody looks at what both come from, which may be of any size.
        let needsBase = !areInConflict(name, question.base, question.ours, question.theirs)
        let needed = [needsBase ? question.base : nil, question.theirs].compactMap { $0 }
        let missing = needed.filter { !contents.contains($0, .here) }
        guard missing.isEmpty else { return missing.flatMap { fetch($0, for: item) } }
        steps[item] = .merge
        return [.merge(item, base: question.base, ours: question.ours, theirs: question.theirs)]
    }

    // MARK: Onto the disk

    private mutating func place(_ item: ItemID, _ state: ItemState) -> [Effect] {
        place(item, state, from: nil, agreedAs: state)
    }

    mutating func place(
        _ item: ItemID,
        _ state: ItemState,
        from ours: ItemState?,
        agreedAs: ItemState?
    ) -> [Effect] {
        let missing =
            dataless.contains(item) ? [] : state.contents.filter { !contents.contains($0, .here) }.sorted()
        guard missing.isEmpty else { return missing.flatMap { fetch($0, for: item) } }
        let parent = state.place.parent
        guard parent == .root || disk[parent]?.kind == .folder else {
            // Had it been removed here, it is needed again.
            touch(parent)
            return wait(item, for: .folder(parent))
        }
        guard !isOnDisk(parent, inside: item) else { return wait(item, for: .loop) }
        guard let other = disk.items(at: state.place).filter({ $0 != item }).min() else {
            steps[item] = .place(state, agreedAs: agreedAs)
            return [.place(item, state, expecting: ours)]
        }
        // Later, should another step of it end first.
        if steps[other] == nil, counterpart(of: other) == item { return unite(other, with: item) }
        return wait(item, for: .name(state.place)) + standAside(other)
    }

    /// Whether an item of the disk is another, or in it at any depth.
    private func isOnDisk(_ item: ItemID, inside other: ItemID) -> Bool {
        var at = item
        while at != .root {
            if at == other { return true }
            guard let up = disk[at]?.place.parent else { return false }
            at = up
        }
        return false
    }

    /// Has an item leave its name to another, if it is to be elsewhere anyway but cannot go there yet.
    private mutating func standAside(_ item: ItemID) -> [Effect] {
        guard !paused.contains(item) else { return [] }
        if let counterpart = counterpart(of: item), steps[item] == nil {
            return unite(item, with: counterpart)
        }
        if isLost(item) { return giveWay(item, in: disk[item]?.place.parent ?? .root) }
        let base = lastAgreed(item)
        guard steps[item] == nil, let ours = disk[item], base != nil || tree.isUnited(item),
            !isAside(item), !isBraked(item, .arriving),
            tree[item].map({ $0.place != ours.place && !isMovedHere(item) }) ?? true
        else { return [] }
        var aside = ours
        aside.place.name = Self.asideName(item, ours.place.name)
        steps[item] = .place(aside, agreedAs: base)
        return [.place(item, aside, expecting: ours)]
    }

    /// The name under which an item stands aside begins so. It is of the engine's making, and no person has moved an item
    /// that bears it; no other device is to hear of it.
    private static func asidePrefix(_ item: ItemID) -> String { "\(asideBeginning)\(item.high)-\(item.low)-" }

    private static let asideBeginning = ".sheaf-aside-"

    /// Has the item's own name in it, as far as there is room: should all else forget where it belongs, this tells.
    static func asideName(_ item: ItemID, _ name: String) -> String {
        var name = Substring(name)
        let room = nameByteCountMax - asidePrefix(item).utf8.count
        while name.utf8.count > room { name.unicodeScalars.removeLast() }
        return asidePrefix(item) + name
    }

    /// So long a name may be wherever a container's folder can be: Linux takes 255 bytes, encrypted folders no more than this.
    private static let nameByteCountMax = 143

    func isAside(_ item: ItemID) -> Bool {
        // By bytes: a name may begin with a sign that belongs to the one before it. Nearly all begin otherwise.
        guard let name = disk[item]?.place.name.utf8, name.starts(with: Self.asideBeginning.utf8) else {
            return false
        }
        return name.starts(with: Self.asidePrefix(item).utf8)
    }

    /// Where an item belongs that stands aside.
    func placeBeforeAside(_ item: ItemID, _ ours: ItemState) -> ItemPlace {
        if let place = lastAgreed(item)?.place ?? tree.lastPlace(of: item) { return place }
        let name = String(
            decoding: ours.place.name.utf8.dropFirst(Self.asidePrefix(item).utf8.count),
            as: UTF8.self
        )
        return ItemPlace(ours.place.parent, name.isEmpty ? "\(item)" : name)
    }

    // MARK: To the hub

    mutating func commit(_ item: ItemID, _ ours: ItemState) -> [Effect] {
        var ours = ours
        if isAside(item) { ours.place = placeBeforeAside(item, ours) }
        // What it was about to lose against is there no more.
        ours.endLosing()
        let parent = ours.place.parent
        guard parent == .root || tree.revision(of: parent) > 0 else {
            return wait(item, for: .folder(parent))
        }
        if ours.place != tree[item]?.place, let other = predecessor(of: item, at: ours.place) {
            return wait(item, for: .leaving(other))
        }
        if ours.place != tree[item]?.place, let other = tree.item(at: ours.place), other != item,
            isLeaving(other),
            !isWaiting(other, for: item)
        {
            return wait(item, for: .leaving(other))
        }
        if let folder = knot(item, at: ours.place) { return wait(item, for: .leaving(folder)) }
        let missing = ours.contents.filter {
            !contents.contains($0, .atHub) && !contents.contains($0, .sent)
        }.sorted()
        if let lost = missing.first(where: { !canBeHad($0, by: item) }) {
            return wait(item, for: .content(lost))
        }
        guard missing.isEmpty else { return missing.flatMap { upload($0, for: item) } }
        return offer(item, ours)
    }

    /// The item that had the very name of another here, as far as has been heard: nothing has two of one name on its disk, so
    /// it is gone, or elsewhere, and that is heard next. To ask for the name before it is left would get another one.
    private func predecessor(of item: ItemID, at place: ItemPlace) -> ItemID? {
        // What stands aside, or is offered as it was a moment ago, has not taken the place from anybody.
        guard disk[item]?.place == place else { return nil }
        return disk.items(at: place).filter { isPredecessor($0, of: item) }.min()
    }

    private func isPredecessor(_ other: ItemID, of item: ItemID) -> Bool {
        // What stands for an item without its contents has a name of its own.
        guard other != item, !dataless.contains(other), !dataless.contains(item),
            let place = disk[item]?.place
        else { return false }
        return disk[other]?.place == place
    }

    /// Has those looked at anew who wait for an item to leave a name, which it is not about to do. Who has taken the name from it
    /// hears of that: each of two may wait for the other, where a third thing has happened to one of them.
    mutating func wakeFollowers(_ followers: Set<ItemID>, of item: ItemID) {
        let left = followers.filter { isPredecessor(item, of: $0) }
        waiting[.leaving(item)] = left.isEmpty ? nil : left
        for follower in followers.subtracting(left) { touch(follower) }
    }

    /// The folder that keeps another, in the log, from going where it is here, as that is inside it there: a folder between the
    /// two that has been moved here, and of which the log is about to be told. Told of them the other way round, it would undo
    /// the one.
    private func knot(_ item: ItemID, at place: ItemPlace) -> ItemID? {
        guard disk[item]?.kind == .folder, place.parent != tree[item]?.parent else { return nil }
        var (at, found): (ItemID, ItemID?) = (place.parent, nil)
        while at != .root, at != item {
            if found == nil, isLeaving(at), disk[at] != nil { found = at }
            guard let up = tree[at]?.parent else { return nil }
            at = up
        }
        return at == item ? found : nil
    }

    /// Whether an item has left its name here, or is no more, and the log is about to be told.
    func isLeaving(_ item: ItemID) -> Bool {
        guard let base = lastAgreed(item), let theirs = tree[item], theirs.place == base.place else {
            return false
        }
        guard let ours = disk[item] else { return theirs.hasContents(of: base) }
        return ours.place != base.place && !isAside(item)
    }

    /// Whether an item that is about to leave its name cannot do so before another has come to it.
    private func isWaiting(_ leaving: ItemID, for item: ItemID) -> Bool {
        var (pending, seen) = ([leaving], Set([leaving]))
        while let at = pending.popLast() {
            var needed: [ItemID] = []
            if let place = disk[at]?.place {
                if place.parent != .root, tree.revision(of: place.parent) == 0 { needed.append(place.parent) }
                if let next = tree.item(at: place), isLeaving(next) { needed.append(next) }
                if let knot = knot(at, at: place) { needed.append(knot) }
            } else {
                needed = tree.children(of: at)
            }
            if needed.contains(item) { return true }
            pending += needed.filter { seen.insert($0).inserted }
        }
        return false
    }

    private mutating func offer(_ item: ItemID, _ state: ItemState?) -> [Effect] {
        // Looked at anew when the log has been read so far.
        guard refusals[item] == nil else { return [] }
        let number = (commitCounts[session] ?? 0) + 1
        commitCounts[session] = number
        let id = Commit.ID(device, session: session, number)
        let commit = Commit(id, item, on: tree.revision(of: item), state)
        beginCommit(commit)
        return [.commit(commit)]
    }

    // MARK: Waiting

    mutating func wait(_ item: ItemID, for obstacle: Obstacle) -> [Effect] {
        waiting[obstacle, default: []].insert(item)
        return []
    }

    private mutating func fetch(_ content: ContentName, for item: ItemID) -> [Effect] {
        wait(item, for: .content(content)) + (fetching.insert(content).inserted ? [.fetch(content)] : [])
    }

    private mutating func upload(_ content: ContentName, for item: ItemID) -> [Effect] {
        wait(item, for: .content(content)) + (uploading.insert(content).inserted ? [.upload(content)] : [])
    }
}
