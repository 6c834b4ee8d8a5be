internal import Sync
internal import SyncMessages

// What is the matter in folders: known while somebody follows or asks, and brought up to date with what is news.
extension SyncRun {
    /// How an item stands for a list: a folder with the worst that is in it.
    func listedState(of item: ItemID) -> ItemSyncState { listed(item, state(of: item)) }

    /// How items stand for a list, and folders too of which there is no other news.
    func listedStates(
        _ states: [(item: ItemID, state: ItemSyncState)],
        and folders: Set<ItemID>
    ) -> [ItemSyncState] {
        // The container's own folder is in no list.
        let others = folders.subtracting(states.map(\.item)).subtracting([.root])
        return states.map { listed($0.item, $0.state) } + others.sorted().map { listedState(of: $0) }
    }

    private func listed(_ item: ItemID, _ state: ItemSyncState) -> ItemSyncState {
        var state = state
        if state.isFolder { state.inside = worst(in: item) }
        return state
    }

    /// The worst that is the matter in a folder, at any depth; nil for nothing.
    func worst(in folder: ItemID) -> ItemConcern? {
        guard !isStopped else { return nil }
        if concerns == nil { concerns = gatheredConcerns() }
        return concerns?.worst(in: folder)
    }

    /// Whether something in a folder, at any depth, is not as the hub has it or cannot be kept in step. What has left the device,
    /// is paused or has lost a conflict may be in step all the same.
    func isAnythingAstray(in folder: ItemID) -> Bool {
        guard let worst = worst(in: folder), worst != .remote else { return false }
        let astray: [ItemConcern] = [.uploading, .waiting, .error]
        if astray.contains(where: { concerns?.has($0, in: folder) == true }) { return true }
        // Of an item only what is most pressing is counted.
        return engine.differing.contains { isInside($0, folder) }
            || stuck.keys.contains { isInside($0, folder) }
            || unkept.keys.contains { isInside($0, folder) }
            || amidSaves.contains { isInside($0, folder) }
    }

    func isInside(_ item: ItemID, _ folder: ItemID) -> Bool {
        var next = parent(of: item)
        // Two moments may lead round in a ring.
        for _ in 0..<4096 {
            guard let at = next else { return false }
            if at == folder { return true }
            next = parent(of: at)
        }
        return false
    }

    /// Brings what is known of folders up to date.
    ///
    /// - Parameter states: How items stand now of which there is news.
    /// - Returns: The folders in which something else is the worst now.
    func noteConcerns(_ states: [(item: ItemID, state: ItemSyncState)]) -> Set<ItemID> {
        if isStopped { concerns = nil }
        let changes = states.map { change(of: $0.item, $0.state) }
        return concerns?.note(changes, parentOf: parent) ?? []
    }

    private func gatheredConcerns() -> FolderConcerns {
        var concerns = FolderConcerns()
        _ = concerns.note(unsettledItems.map { change(of: $0, state(of: $0)) }, parentOf: parent)
        return concerns
    }

    /// All items that are not simply here as they are at the hub.
    var unsettledItems: Set<ItemID> {
        var items = engine.differing.union(table.dataless).union(conflicts.shown.keys)
        items.formUnion(downloads.items)
        items.formUnion(unkept.keys)
        items.formUnion(writing.waiting.keys)
        items.formUnion(amidSaves)
        items.formUnion(unlisted.keys)
        items.formUnion(paused.keys)
        items.formUnion(stuck.keys)
        items.formUnion(awaited.keys)
        return items
    }

    private func change(of item: ItemID, _ state: ItemSyncState) -> FolderConcerns.Change {
        FolderConcerns.Change(item: item, parent: parent(of: item), concern: concern(of: item, state))
    }

    /// The folder that an item is in here, or else at the hub; nil for none.
    func parent(of item: ItemID) -> ItemID? {
        item == .root ? nil : (table[item]?.state ?? engine.tree[item])?.place.parent
    }

    private func concern(of item: ItemID, _ state: ItemSyncState) -> ItemConcern? {
        let isHere = engine.disk[item] != nil
        guard isHere || engine.tree[item] != nil else { return nil }
        let concern = state.ownStanding.concern
        // What is not here at all has been removed here, or is about to come.
        return concern == .remote && !isHere ? .waiting : concern
    }
}
