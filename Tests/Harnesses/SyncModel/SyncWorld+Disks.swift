internal import Sync

// What engines ask their disks for.
extension SyncWorld {
    mutating func workOnDisk(_ index: Int) {
        guard !devices[index].work.isEmpty else { return }
        let effect = devices[index].work.removeFirst()
        switch effect {
        case .place(let item, let state, let expected):
            place(item, state, expecting: expected, on: index, effect)
        case .remove(let item, let expected): remove(item, expecting: expected, on: index)
        case .become(let item, let other, let expected): become(item, other, expecting: expected, on: index)
        case .merge(let item, let base, let ours, let theirs):
            let (mine, other) = (marks[ours] ?? [], marks[theirs] ?? [])
            // Every second pair does not merge, and each device sees that alike; the same edits do.
            let mayMerge = mine == other || (mine.count + other.count) % 2 == 1
            let merged = mayMerge ? content(mine.union(other)) : nil
            if let merged { devices[index].blobs.insert(merged) }
            devices[index].news.append(.merged(item, base: base, ours: ours, theirs: theirs, merged))
        case .upload, .fetch, .commit: break
        }
    }

    private mutating func place(
        _ item: ItemID,
        _ state: ItemState,
        expecting expected: ItemState?,
        on index: Int,
        _ effect: SyncEngine.Effect
    ) {
        let disk = devices[index].disk
        let isFree = !disk.contains { $0.key != item && $0.value.place.exact == state.place.exact }
        let parent = state.place.parent
        let hasFolder = parent == .root || disk[parent]?.kind == .folder && !isInside(parent, item, disk)
        guard disk[item] == expected || bug == .staleOverwrite, isFree, hasFolder else {
            return devices[index].news.append(.placeRefused(item, found: disk[item]))
        }
        if devices[index].isFull, expected == nil || !state.hasContents(of: expected ?? state) {
            tell { _ in "device \(index): no room for \(item)" }
            // Tried again some time.
            return devices[index].work.append(effect)
        }
        if !devices[index].dataless.contains(item), !state.contents.isSubset(of: devices[index].blobs) {
            broken.append("\(item) placed without its bytes")
        }
        checkThatNothingIsPaused(item, on: index, "put in place")
        tell { "device \(index): has \(item) at \($0.text(state)) placed, was \($0.text(disk[item]))" }
        devices[index].disk[item] = bug == .halfPackage ? half(of: state) : state
        devices[index].news.append(.placed(item))
    }

    /// Has an item be another, with all that is in it.
    private mutating func become(
        _ item: ItemID,
        _ other: ItemID,
        expecting expected: ItemState,
        on index: Int
    ) {
        let there = devices[index].disk[other]
        let isFilled = there.map { $0.place == expected.place && devices[index].dataless.contains(other) }
        guard devices[index].disk[item] == expected, isFilled ?? true else {
            return devices[index].news.append(.placeRefused(item, found: devices[index].disk[item]))
        }
        for one in [item, other] { checkThatNothingIsPaused(one, on: index, "made one with another") }
        tell { "device \(index): has \(item) become \(other) at \($0.text(expected))" }
        if bug == .lostMembers {
            for member in devices[index].disk where member.value.parent == item {
                devices[index].disk[member.key] = nil
                devices[index].news.append(.diskChanged(member.key, nil))
            }
        }
        if there == nil {
            devices[index].disk.rename(item, to: other)
        } else {
            devices[index].disk[item] = nil
        }
        editors[other, default: []].formUnion(editors[item] ?? [])
        // Where nobody has put it but the one.
        if let wish = wishes.removeValue(forKey: item) { wishes[other] = wish }
        for (member, wish) in wishes where wish.parent == item { wishes[member]?.parent = other }
        // That it bears something else is an edit without a mark, and stays when the other is removed.
        let isSame = devices[index].engine.tree[other].map { $0.hasContent(of: expected) }
        if isSame != true { mayReturn.insert(other) }
        devices[index].news.append(.became(item, other))
        devices[index].dataless.remove(other)
        guard bug == .bothRemoved else { return }
        devices[index].disk[other] = nil
        devices[index].news.append(.diskChanged(other, nil))
    }

    /// Contents with one of some marks missing.
    private mutating func half(of state: ItemState) -> ItemState {
        guard let marks = state.content.flatMap({ self.marks[$0] }), marks.count > 1 else { return state }
        var half = state
        half.content = content(Set(marks.sorted().dropLast()))
        return half
    }

    private mutating func remove(_ item: ItemID, expecting expected: ItemState, on index: Int) {
        let disk = devices[index].disk
        let members = disk.filter { $0.value.place.parent == item }.keys.sorted()
        if bug == .removalOfFullFolder {
            for member in members {
                devices[index].disk[member] = nil
                devices[index].dataless.remove(member)
                devices[index].news.append(.diskChanged(member, nil))
            }
        } else if disk[item] != expected || !members.isEmpty {
            return devices[index].news.append(.placeRefused(item, found: disk[item]))
        }
        checkThatNothingIsPaused(item, on: index, "removed")
        tell { "device \(index): has \(item) removed, was \($0.text(disk[item]))" }
        devices[index].disk[item] = nil
        devices[index].dataless.remove(item)
        devices[index].news.append(.placed(item))
        if bug == .resurrectedDelete {
            devices[index].disk[item] = disk[item]
            devices[index].news.append(.diskChanged(item, disk[item]))
        }
    }
}
