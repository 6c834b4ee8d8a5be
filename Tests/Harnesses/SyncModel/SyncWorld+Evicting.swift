internal import Sync

// Contents that leave a device, and come back. Both happen at once with the engine's hearing of it: nothing is on the way
// between the two.
extension SyncWorld {
    /// Somebody wants room: one of the items goes that are at the hub as they are here.
    mutating func evict(_ number: Int, on index: Int) {
        guard let item = chosen(number, on: index, { $0.mayBeEvicted($1, $2, on: index) }),
            let content = devices[index].disk[item]?.content
        else { return }
        let held = heldMarks()
        devices[index].dataless.insert(item)
        evictedMarks[index, default: [:]][item, default: []].formUnion(marks[content] ?? [])
        if !bytes(on: index).contains(content) { devices[index].blobs.remove(content) }
        evaporated.formUnion(held.subtracting(heldMarks()))
        devices[index].news.append(.evicted([item]))
        tell { _ in "device \(index): evicts \(item) with \(content.value)" }
        hear(index)
    }

    /// Somebody wants the contents of one of the items that were evicted.
    mutating func download(_ number: Int, on index: Int) {
        guard devices[index].hasLine, !devices[index].isFull,
            let item = chosen(
                number,
                on: index,
                { $0.devices[index].dataless.contains($1) && $2.contents.isSubset(of: $0.hub.blobs) }
            ),
            let state = devices[index].disk[item]
        else { return }
        devices[index].blobs.formUnion(state.contents)
        devices[index].dataless.remove(item)
        devices[index].news.append(.filled(item))
        tell { _ in "device \(index): downloads \(item) with \(state.content?.value ?? "")" }
        hear(index)
    }

    /// One of the items that may, once it has been looked what has been done.
    private mutating func chosen(
        _ number: Int,
        on index: Int,
        _ may: (SyncWorld, ItemID, ItemState) -> Bool
    ) -> ItemID? {
        for _ in 0..<100 where !devices[index].news.isEmpty || !devices[index].work.isEmpty {
            hear(index)
            workOnDisk(index)
        }
        guard devices[index].news.isEmpty, devices[index].work.isEmpty else { return nil }
        let items = devices[index].disk.filter { may(self, $0.key, $0.value) }.keys.sorted()
        return items.isEmpty ? nil : items[number % items.count]
    }

    private func mayBeEvicted(_ item: ItemID, _ state: ItemState, on index: Int) -> Bool {
        let (device, engine) = (devices[index], devices[index].engine)
        return state.content != nil && state.conflicts.isEmpty && !device.dataless.contains(item)
            && engine.knowsDisk && engine.tree[item] == state && engine.change(of: item) == .none
            && engine.reasons(for: item).isEmpty
    }
}
