internal import Sync

// People who go back to what was.
extension SyncWorld {
    /// Puts back what an item held before somebody edited it on this device.
    mutating func undo(_ item: ItemID, _ state: ItemState, on index: Int) {
        guard let former = devices[index].former[item]?.popLast(), former != state.content,
            devices[index].blobs.contains(former), state.content != nil
        else { return }
        goBack(item, state, to: former, on: index)
    }

    private mutating func goBack(_ item: ItemID, _ state: ItemState, to content: ContentName, on index: Int) {
        guard !devices[index].isFull, !devices[index].dataless.contains(item) else { return }
        let seen = state.content.flatMap { marks[$0] } ?? []
        discarded.formUnion(seen.subtracting(marks[content] ?? []))
        editors[item, default: []].insert(index)
        mayReturn.insert(item)
        var state = state
        state.content = content
        put(item, state, on: index) { _ in "puts \(item) back to \(content.value)" }
    }

    /// Puts a copy of the folder in its place: what is not in it is removed, what is comes back as it was then.
    mutating func restoreFolder(on index: Int) {
        let copy = devices[index].copy
        guard !copy.isEmpty, !devices[index].isFull, devices[index].dataless.isEmpty,
            copy.values.allSatisfy({
                !$0.place.name.hasPrefix(".") && $0.contents.isSubset(of: devices[index].blobs)
            })
        else { return }
        tell { _ in "device \(index): has its folder put back" }
        for item in devices[index].disk.keys.sorted() where copy[item] == nil { remove(item, on: index) }
        for item in copy.keys.sorted(by: { (depth($0, copy), $0) < (depth($1, copy), $1) }) {
            guard var state = copy[item], devices[index].disk[item] != state else { continue }
            let now = devices[index].disk[item]
            // What of an item is in a conflict is in no folder.
            state.conflicts = now?.conflicts ?? []
            mayReturn.insert(item)
            if let now, let content = state.content, content != now.content {
                goBack(item, state.with(now.content), to: content, on: index)
            } else if now != state {
                put(item, state, on: index) { "has \(item) back at \($0.text(state.place))" }
            }
        }
    }

    private func depth(_ item: ItemID, _ items: ItemMap<ItemState>) -> Int {
        var (at, depth) = (item, 0)
        while let up = items[at]?.place.parent, up != .root, depth < items.count {
            (at, depth) = (up, depth + 1)
        }
        return depth
    }
}

extension ItemState {
    fileprivate func with(_ content: ContentName?) -> ItemState {
        var state = self
        state.content = content
        return state
    }
}
