// Items without their contents, after the hub was put back to what it was before it had these: no device may have them
// any more, and nobody here can tell.
//
// 1. Such an item is no source. What the log still has of it holds; one that the log has not at all waits for a device that has
//    its contents, and says so (`Reason.contentsLost`).
// 2. Nobody waits for it, as that may be for ever: it leaves its name, and a folder that is to go, to others.
extension SyncEngine {
    /// The items that wait for contents that neither the hub nor this device has.
    package var lostItems: Set<ItemID> { differing.filter(isLost) }

    /// Whether nothing is left to do, as of the last event, that could be done without contents that are lost.
    package var isAtRestApartFromLost: Bool { steps.all.isEmpty && differing.allSatisfy(isLost) }

    /// Whether an item is here only, without contents that could be sent.
    func isLost(_ item: ItemID) -> Bool {
        guard hasReadLog, dataless.contains(item), steps[item] == nil, tree[item] == nil,
            lastAgreed(item) == nil,
            let ours = disk[item]
        else { return false }
        return lacksContents(item, ours)
    }

    /// Whether an item needs contents that neither the hub nor this device has.
    func lacksContents(_ item: ItemID, _ state: ItemState) -> Bool {
        dataless.contains(item) && !state.contents.allSatisfy { canBeHad($0, by: item) }
    }

    /// Whether contents of an item are at the hub or could be sent there.
    func canBeHad(_ content: ContentName, by item: ItemID) -> Bool {
        !dataless.contains(item) || contents.contains(content, .here) || contents.contains(content, .atHub)
            || contents.contains(content, .sent)
    }

    /// Has those looked at anew that an item without contents keeps from something.
    mutating func touchLost() {
        for item in dataless where tree[item] == nil {
            touch(item)
            if let parent = disk[item]?.place.parent { touch(parent) }
        }
    }

    /// Has a folder's members leave it that are all that keeps it from going.
    ///
    /// - Parameter target: The folder that they go to; nil for the next one above.
    mutating func clear(_ folder: ItemID, into target: ItemID? = nil) -> [Effect] {
        let members = disk.members(of: folder)
        guard !isBraked(folder, .arriving), members.allSatisfy({ isLost($0) && !paused.contains($0) }) else {
            return []
        }
        var at = target ?? folder
        if target == nil {
            repeat { at = disk[at]?.place.parent ?? .root } while at != .root && tree[at] == nil
        }
        return members.sorted().flatMap { giveWay($0, in: at) }
    }

    /// Has an item take the next name that is free, on the disk and in the log.
    mutating func giveWay(_ item: ItemID, in folder: ItemID) -> [Effect] {
        guard let ours = disk[item] else { return [] }
        var state = ours
        state.place.parent = folder
        state = atFreePlace(state)
        steps[item] = .place(state, agreedAs: nil)
        return [.place(item, state, expecting: ours)]
    }

    /// With the next name that is free, on the disk and in the log.
    mutating func atFreePlace(_ state: ItemState) -> ItemState {
        var free = state
        var number = 1
        while !isFree(free.place) {
            number += 1
            free.place.name = ContainerTree.numbered(state.place.name, number)
        }
        return free
    }

    mutating func isFree(_ place: ItemPlace) -> Bool {
        disk.item(at: place) == nil && tree.item(at: place) == nil && !steps.isAwaited(place)
    }
}
