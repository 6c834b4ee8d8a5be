internal import Foundation
internal import HubProtocol
internal import Sync
internal import SyncMessages

/// What somebody who follows a place was told last of whether it is in step.
struct FollowedStanding: Sendable {
    var isSettled = false
    /// Something in it that was not in step then.
    var obstacle: ItemID?
}

// Whether all is in step, and whether what is at a place is, whatever is the matter elsewhere.
extension SyncRun {
    /// Whether all is as the hub has it, as far as is known.
    var isSettled: Bool { lineState == .up && engine.isAtRest && unremembered == nil && isFolderKnown }

    /// Whether all that is in the folder is known and kept, as far as was told.
    var isFolderKnown: Bool {
        unkept.isEmpty && unlisted.isEmpty && dirtyFolders.isEmpty && dirtyPackages.isEmpty
            && missing.isEmpty && amidSaves.isEmpty && unread.isEmpty && writing.isEmpty
    }

    /// Whether something is being done; what waits for a line, for room or for a person is not.
    var isAtWork: Bool {
        guard !isStopped else { return false }
        if isLookDue || isReadDue { return true }
        let waits =
            !stuck.isEmpty || !awaited.isEmpty || !failedContents.isEmpty || !paused.isEmpty
            || unremembered != nil
        return lineState == .up && !engine.isAtRest && !waits && brakes.isEmpty
    }

    /// Whether all at and below a path is in step, as far as is known: all of the folder is, or there is a line, the log has been
    /// read to its end, and nothing there is left to do or to wait for.
    func isSettled(below path: String) -> Bool {
        guard !isSettled, !path.isEmpty else { return isSettled }
        return isLogRead && obstacle(at: path) == nil
    }

    /// The same for somebody who follows, without a look at all that is not in step where that can be told from what he was told
    /// last: much may be going on elsewhere.
    ///
    /// - Parameter isNews: Whether there may be news of what is there.
    func isSettled(for id: UUID, isNews: Bool) -> Bool {
        guard let follower = followers[id] else { return false }
        var standing = follower.standing
        if isSettled || follower.path.isEmpty {
            standing = FollowedStanding(isSettled: isSettled)
        } else if !isLogRead {
            standing = FollowedStanding()
        } else if let obstacle = standing.obstacle, isOpen(obstacle), let folder = item(at: follower.path),
            isAt(folder, obstacle)
        {
            standing.isSettled = false
        } else if !standing.isSettled || isNews {
            let obstacle = obstacle(at: follower.path)
            standing = FollowedStanding(isSettled: obstacle == nil, obstacle: obstacle)
        }
        followers[id]?.standing = standing
        return standing.isSettled
    }

    /// Whether all that the hub has in its log is known, and nothing of it waits to be written down.
    var isLogRead: Bool {
        lineState == .up && unremembered == nil && newlyHeard.isEmpty
            && engine.tree.position == desk.head.position
    }

    /// Something at a path, in it or above it, because of which what is there is not known to be in step; nil for nothing.
    private func obstacle(at path: String) -> ItemID? {
        guard let folder = item(at: path) else {
            // Neither this device nor the hub knows anything of it. It may be where nobody has looked.
            return dirtyFolders.first ?? unlisted.keys.first ?? missing.items.first
        }
        var above = folder
        // Two moments may lead round in a ring.
        for _ in 0..<4096 {
            if dirtyFolders.contains(above) || unlisted[above] != nil { return above }
            guard let next = parent(of: above) else { break }
            above = next
        }
        func first(_ items: some Sequence<ItemID>) -> ItemID? { items.first { isAt(folder, $0) } }
        return first(engine.differing) ?? first(engine.itemsAtWork)
            ?? first(dirtyFolders) ?? first(dirtyPackages) ?? first(unlisted.keys) ?? first(unkept.keys)
            ?? first(missing.items) ?? first(amidSaves) ?? first(unread.items) ?? first(writing.waiting.keys)
    }

    /// Whether an item is one thing or in it, here or at the hub.
    private func isAt(_ folder: ItemID, _ item: ItemID) -> Bool {
        if item == folder || isInside(item, folder) { return true }
        guard let parent = engine.tree[item]?.place.parent else { return false }
        return parent == folder || isInside(parent, folder)
    }

    private func isOpen(_ item: ItemID) -> Bool {
        engine.differing.contains(item) || dirtyFolders.contains(item) || dirtyPackages.contains(item)
            || unlisted[item] != nil || unkept[item] != nil || missing.contains(item)
            || amidSaves.contains(item) || unread[item] != nil || writing.waiting[item] != nil
    }
}
