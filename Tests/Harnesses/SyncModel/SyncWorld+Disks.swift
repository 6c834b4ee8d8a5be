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
        case .merge(let item, let base, let ours, let theirs):
            let (mine, other) = (marks[ours] ?? [], marks[theirs] ?? [])
            // Every second pair does not merge, and each device sees that alike.
            let merged = (mine.count + other.count) % 2 == 0 ? nil : content(mine.union(other))
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
        let isFree = !disk.contains { $0.key != item && $0.value.place == state.place }
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
