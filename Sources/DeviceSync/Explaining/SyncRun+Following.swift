internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages

/// Who is told how items stand.
struct Follower: Sendable {
    /// Below the container's folder; empty for all of it.
    var path: String
    /// Whether what is in folders in it counts.
    var isDeep = true
    /// Told on the container's queue what has become otherwise, and whether all below the path is in step.
    var tell: @Sendable ([ItemSyncState], _ isSettled: Bool) -> Void
    /// What was told last of that.
    var standing = FollowedStanding()
}

/// Who is told why an item is as it is.
struct Asker: Sendable {
    /// Below the container's folder.
    var path: String
    var known: Explanation
    /// Told on the container's queue.
    var tell: @Sendable (Explanation) -> Void
}

extension Follower {
    /// Whether it is told of an item.
    ///
    /// - Parameter other: Below the container's folder.
    func follows(_ other: String) -> Bool {
        if other.isSameInBytes(path) { return true }
        guard let below = path.isEmpty ? other : other.following(path + "/") else { return false }
        return isDeep || !below.utf8.contains(UInt8(ascii: "/"))
    }
}

// Those who follow are told of many changes at once.
extension SyncRun {
    /// So long changes gather before those who follow are told.
    private static let newsSeconds = 0.02

    /// - Returns: What ends it.
    func follow(_ follower: Follower) -> @Sendable () -> Void {
        let id = UUID()
        followers[id] = follower
        follower.tell([], isSettled(for: id, isNews: true))
        return { [queue, box = Confined(Weak(self))] in
            queue.async { box.value.value?.followers[id] = nil }
        }
    }

    /// Tells why an item is as it is, now and whenever that is something else.
    ///
    /// - Returns: What ends it.
    func followExplanation(
        _ path: String,
        _ tell: @escaping @Sendable (Explanation) -> Void
    ) -> @Sendable () -> Void {
        let id = UUID()
        let asker = Asker(path: path, known: explain(path), tell: tell)
        askers[id] = asker
        tell(asker.known)
        // Whether or not an event tells of it, who looks hears how it stands then.
        if let item = item(at: path), !isFileAsRead(item) { lookAgain(at: item) }
        askReadings()
        askReadingsAgain()
        return { [queue, box = Confined(Weak(self))] in
            queue.async { box.value.value?.askers[id] = nil }
        }
    }

    /// What is in folders that have come to other places is there under paths of which nobody has been told yet. Where nobody
    /// follows what is deep in folders, a large one comes to its place without a look at all in it.
    func noteNews(inMoved folders: Set<ItemID>) {
        let deep = followers.values.filter(\.isDeep)
        guard !deep.isEmpty else { return }
        for folder in folders where table[folder] != nil {
            let path = path(of: folder)
            if deep.contains(where: { $0.follows(path) }) { news.formUnion(table.subtree(of: folder)) }
        }
    }

    func tellFollowers() {
        causalRecord.note(news, at: place.now()) { engine.differing.contains($0) }
        guard !followers.isEmpty || !askers.isEmpty else {
            (news, concerns) = ([], nil)
            return
        }
        guard !isNewsDue, !isStopped else { return }
        isNewsDue = true
        queue.asyncAfter(deadline: .now() + Self.newsSeconds) { [box = Confined(Weak(self))] in
            box.value.value?.tellNow()
        }
    }

    func tellNow() {
        isNewsDue = false
        // A stop is news of all items: how they stand is found out where somebody hears of it or counts it.
        let isHeard = !followers.isEmpty || (concerns != nil && !isStopped)
        let states = isHeard ? news.sorted().map { (item: $0, state: state(of: $0)) } : []
        let folders = noteConcerns(states)
        let root = place.folder.string + "/"
        let told = followers.isEmpty ? [] : statesByPath(states, below: root)
        news = []
        for (id, asker) in askers {
            let now = explain(asker.path)
            guard now != asker.known else { continue }
            askers[id]?.known = now
            asker.tell(now)
            askReadingsAgain()
        }
        let deep = told.map(\.state)
        // What is in a folder is for those who see the folder and not what is in it.
        let listed = followers.values.allSatisfy(\.isDeep) ? [] : listedStates(told, and: folders)
        for (id, follower) in followers {
            let followed = (follower.isDeep ? deep : listed).filter {
                follower.follows(String($0.path.dropFirst(root.count)))
            }
            // Who follows a folder alone is told nothing of what is deep in it.
            let isNews = follower.isDeep ? !followed.isEmpty : !states.isEmpty
            let isSettled = isSettled(for: id, isNews: isNews)
            // What he was told last holds still.
            if followed.isEmpty, isSettled == follower.standing.isSettled { continue }
            follower.tell(followed, isSettled)
        }
    }

    /// How what is at the paths of items stands, for those who know items by these: what has gone says nothing of what is there now.
    ///
    /// - Parameter states: How items stand of which there is news.
    private func statesByPath(
        _ states: [(item: ItemID, state: ItemSyncState)],
        below root: String
    ) -> [(item: ItemID, state: ItemSyncState)] {
        states.compactMap { item, state in
            guard table[item] == nil, let now = self.item(at: String(state.path.dropFirst(root.count))),
                now != item, now != .root
            else { return (item, state) }
            return news.contains(now) ? nil : (now, self.state(of: now))
        }
    }
}
