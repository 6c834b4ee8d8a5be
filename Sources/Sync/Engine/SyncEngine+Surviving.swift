// What was removed here and stays all the same, as somebody else has edited it, or put something into it: whoever removed it is told.
//
// 1. Heard before the hub has heard of the removal: the edit is in the log, and nothing is committed.
// 2. Heard after it: the log has the removal, and then the item once more, otherwise than it was.
//
// What the same contents come back with was put back by somebody, and is no edit.
extension SyncEngine {
    /// An item that stays though it was removed here.
    package struct Survivor: Hashable, Sendable {
        package let item: ItemID
        /// The entry of the log by which it stays: who has made it has edited the item, or put something into the folder.
        package let position: LogPosition
        /// Whether it is a folder, into which something was put.
        package let isFolder: Bool
    }

    /// What there is to tell of items that were removed here and stay, since this was asked last.
    package mutating func takeSurvivors() -> [Survivor] {
        defer { newSurvivors = [] }
        return newSurvivors
    }

    /// The entry by which an item stays that was removed here; nil for one that was not, or that was edited or removed since.
    package func survival(of item: ItemID) -> LogPosition? {
        guard let position = survivors[item], let state = tree[item] else { return nil }
        return isOver(item, position) || disk[item].map({ $0 != state }) == true ? nil : position
    }

    private func isOver(_ item: ItemID, _ position: LogPosition) -> Bool {
        tree[item] == nil || tree.revision(of: item) > position
    }

    mutating func noteSurvivor(_ item: ItemID, by position: LogPosition) {
        guard survivors[item] != position else { return }
        survivors[item] = position
        let isFolder = tree[item]?.kind == .folder
        newSurvivors.append(Survivor(item: item, position: position, isFolder: isFolder))
    }

    /// Looks whether an entry that was just read has this engine's removals not hold.
    ///
    /// - Parameters:
    ///   - former: How the entry's item was last, whether or not it existed.
    ///   - existed: Whether it did.
    ///   - changed: The items that are others now.
    mutating func lookForSurvivors(
        _ entry: LogEntry,
        former: ItemState?,
        existed: Bool,
        changed: [ItemID]
    ) {
        let item = entry.commit.item
        let isOurs = entry.commit.id.device == device
        for item in changed {
            if let position = survivors[item], isOver(item, position) { survivors[item] = nil }
        }
        guard let state = entry.commit.state else {
            if isOurs, existed, tree[item] == nil { ownRemovals.insert(item) }
            return
        }
        let wasRemovedHere = ownRemovals.remove(item) != nil
        if wasRemovedHere, !existed, !isOurs, former.map({ !state.hasContents(of: $0) }) ?? true {
            noteSurvivor(item, by: entry.position)
        }
        // Folders that are there again for what is in them: the lowest is told of, unless what is in it says it all.
        for folder in changed where folder != item && ownRemovals.remove(folder) != nil {
            guard !isOurs, !wasRemovedHere, folder == tree[item]?.parent else { continue }
            noteSurvivor(folder, by: entry.position)
        }
    }
}
