internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages

/// Who is told how items stand.
struct Follower: Sendable {
    /// Below the container's folder; empty for all of it.
    var path: String
    /// Told on the container's queue what has become otherwise, and whether all is in step.
    var tell: @Sendable ([ItemSyncState], _ isSettled: Bool) -> Void
}

// Those who follow are told of many changes at once.
extension SyncRun {
    /// So long changes gather before those who follow are told.
    private static let newsSeconds = 0.02

    /// - Returns: What ends it.
    func follow(_ follower: Follower) -> @Sendable () -> Void {
        let id = UUID()
        followers[id] = follower
        follower.tell([], isSettled)
        return { [queue, box = Confined(Weak(self))] in
            queue.async { box.value.value?.followers[id] = nil }
        }
    }

    func tellFollowers() {
        guard !followers.isEmpty else {
            news = []
            return
        }
        guard !isNewsDue, !isStopped else { return }
        isNewsDue = true
        queue.asyncAfter(deadline: .now() + Self.newsSeconds) { [box = Confined(Weak(self))] in
            box.value.value?.tellNow()
        }
    }

    private func tellNow() {
        isNewsDue = false
        let states = news.sorted().map { state(of: $0) }
        news = []
        let isSettled = isSettled
        for follower in followers.values {
            let root = place.folder.string + (follower.path.isEmpty ? "/" : "/\(follower.path)/")
            follower.tell(states.filter { $0.path.hasPrefix(root) }, isSettled)
        }
    }
}
