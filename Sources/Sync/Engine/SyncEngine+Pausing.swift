// Items whose sync somebody has paused: nothing that was done here goes out, and nothing that was done elsewhere comes in,
// as if the device were away for these alone.
//
// 1. What a paused item was on the way to when it was paused, and what the hub has been offered of it, is ended; what it was before a
//    large change it does not become any more.
// 2. It leaves its name to nobody, and a folder that it is in stays.
// 3. Its state can be offered once while it is paused. What others have done since disk and log agreed keeps that.
extension SyncEngine {
    mutating func pause(_ items: Set<ItemID>) {
        paused.formUnion(items)
        for item in items {
            braking.wantedBack[item] = nil
            touch(item)
        }
    }

    /// Whether nothing is being done to an item on the disk.
    package func mayBePaused(_ item: ItemID) -> Bool {
        switch steps[item] {
        case .place, .merge: false
        case .commit, nil: true
        }
    }

    /// - Parameter dropsLocal: Whether what the log has holds, whatever was done here. It must not be the only place of what is
    ///   here.
    mutating func resume(_ item: ItemID, dropsLocal: Bool) {
        guard paused.remove(item) != nil else { return }
        letThrough[item] = nil
        // What was removed here comes back, too.
        if dropsLocal, mayDropLocal(item) { agree(item, on: disk[item]) }
        touch(item)
        // It may stand aside now, and its folder may go.
        if let place = disk[item]?.place {
            touch(place.parent)
            wake(.name(place))
        }
    }

    /// Whether what was done here to an item can give way to what the log has: disk and log count as agreed on it then.
    package func mayDropLocal(_ item: ItemID) -> Bool { steps[item] == nil && tree[item] != nil }

    /// Has what the disk has of a paused item be committed, as it is now.
    mutating func letThrough(_ item: ItemID) {
        guard paused.contains(item), let ours = disk[item], ours != tree[item] else { return }
        letThrough[item] = ours
        touch(item)
    }

    /// Whether what was offered of a paused item is still on its way.
    package func isLetThrough(_ item: ItemID) -> Bool { letThrough[item] != nil }

    /// Whether somebody else has changed a paused item since disk and log agreed: nothing of it can be offered.
    package func isOvertaken(_ item: ItemID) -> Bool {
        tree[item] != lastAgreed(item) && disk[item] != tree[item]
    }

    /// Whether nothing happens to an item before it is resumed.
    func isStandingStill(_ item: ItemID) -> Bool {
        paused.contains(item) && (letThrough[item] == nil || tree[item] != lastAgreed(item))
    }

    /// The next step of a paused item.
    mutating func planPaused(_ item: ItemID) -> [Effect] {
        // The same on both sides by itself: that is only noted.
        if disk[item] == tree[item] { return plan(item) }
        guard let state = letThrough[item], tree[item] == lastAgreed(item) else { return [] }
        guard disk[item] != nil, state != tree[item] else {
            // It has gone since, or is there already.
            letThrough[item] = nil
            return []
        }
        return isBraked(item, .leaving) ? wait(item, for: .brake(.leaving)) : commit(item, state)
    }
}
