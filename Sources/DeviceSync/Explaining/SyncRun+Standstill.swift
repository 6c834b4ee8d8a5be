internal import Sync
internal import SyncMessages

extension ContainerSync {
    /// What all that is left to do waits for, when nothing else is going on.
    package enum Standstill: Hashable, Sendable {
        /// That the hub has room.
        case hubRoom
        /// That a person decides on a large change.
        case decision
        /// That a person resumes what was paused, or lets into sync again what was excluded from it.
        case heldUp
    }

    /// What a container waits for in which nothing goes on by itself, after the log was read to its end; nil where all is in step,
    /// or something is going on or waits for something else.
    package var standstill: Standstill? { ask(\.standstill, or: { _ in nil }) }

    /// Has a hub that had no room be asked again at once, rather than once in a while.
    package func askFullHubAgain() { ask({ $0.askFullHubAgain() }, or: { _ in }) }
}

// Where nothing goes on until somebody does something elsewhere.
extension SyncRun {
    var standstill: ContainerSync.Standstill? {
        guard !isStopped, isLogRead, isFolderKnown, !engine.isAtRest else { return nil }
        let atWork = engine.itemsAtWork
        let open = engine.differing.union(atWork)
        let heldUp = open.filter { isHeldUp($0, atWork) }
        let others = open.subtracting(heldUp)
        if !others.isEmpty,
            others.isSubset(of: engine.brakedItems(.leaving).union(engine.brakedItems(.arriving)))
        {
            return .decision
        }
        if areWaiting(others, for: heldUp) { return .heldUp }
        let withoutRoom = itemsWithoutHubRoom
        return !withoutRoom.isEmpty && areWaiting(others, for: withoutRoom.union(heldUp)) ? .hubRoom : nil
    }

    /// Whether a person has paused an item or excluded it from sync, and nothing is under way with it.
    private func isHeldUp(_ item: ItemID, _ atWork: Set<ItemID>) -> Bool {
        if isExcluded(item) { return stuck[item] != nil || !atWork.contains(item) }
        return paused[item] != nil && engine.reasons(for: item) == [.paused]
    }

    private func areWaiting(_ items: Set<ItemID>, for held: Set<ItemID>) -> Bool {
        var seen: Set<ItemID> = []
        return items.isEmpty || !held.isEmpty && items.allSatisfy { isWaiting($0, for: held, &seen) }
    }

    /// Whether an item waits for nothing but some items: it is one of them or in one, or all that it waits for does so.
    ///
    /// - Parameter seen: Those that were asked about already: one that was not waiting has ended the question.
    private func isWaiting(_ item: ItemID, for held: Set<ItemID>, _ seen: inout Set<ItemID>) -> Bool {
        if held.contains(where: { $0 == item || isInside(item, $0) }) { return true }
        guard seen.insert(item).inserted else { return true }
        let reasons = engine.reasons(for: item)
        guard !reasons.isEmpty else { return false }
        return reasons.allSatisfy { reason in
            switch reason {
            case .nameTaken(let other), .nameLeft(let other), .uniting(let other), .folderMissing(let other):
                isWaiting(other, for: held, &seen)
            case .members(let members): members.allSatisfy { isWaiting($0, for: held, &seen) }
            default: false
            }
        }
    }

    /// What the hub takes no record of, or no contents, for want of room.
    private var itemsWithoutHubRoom: Set<ItemID> {
        failedContents.filter { $0.value.code == .quota }.keys.reduce(into: Set(hubRefusals.keys)) {
            $0.formUnion(engine.waitingItems(for: $1))
        }
    }

    func askFullHubAgain() {
        guard !isStopped, lineState == .up, !itemsWithoutHubRoom.isEmpty else { return }
        // What it was asked since it refused something last it has not answered yet.
        guard hubRoomAskedCount != hubRoomRefusalCount else { return }
        hubRoomAskedCount = hubRoomRefusalCount
        attemptCount += Self.fullHubAttempts - 1 - attemptCount % Self.fullHubAttempts
        askAgain()
        retryStuck()
        take([])
    }
}
