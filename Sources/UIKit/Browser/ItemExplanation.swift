internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import SyncMessages

/// Why one item is as it is, for as long as somebody looks at that: what `sheaf explain` says, and says anew.
@MainActor
final class ItemExplanation {
    let item: FolderItem
    private(set) var causes: [String] = []
    private(set) var next = ""
    /// On which devices it is, in sentences.
    private(set) var whereabouts: [String] = []
    private(set) var isSettled = false
    /// Whether the process answers that keeps folders in step.
    private(set) var isAnswered = false

    private let changed: () -> Void
    private var following: SyncFollowing?

    /// - Parameter changed: Called when it is something else.
    init(_ item: FolderItem, _ account: UbiquityAccount = .shared, changed: @escaping () -> Void) {
        (self.item, self.changed) = (item, changed)
        following = SyncFollowing(
            .followExplanation(path: item.folder.appending(item.name).string),
            of: account,
            threadName: "sheaf explanation"
        ) { [weak self] news in
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.take(news) } }
        }
    }

    deinit { following?.end() }

    private func take(_ news: SyncFollowing.News) {
        switch news {
        case .said(.explanation(let explanation?), _):
            isAnswered = true
            isSettled = explanation.isSettled
            (causes, next) = (explanation.causes, explanation.next)
            whereabouts = explanation.whereabouts
        case .said(.refused(let refusal), _): takeNothing(refusal.description)
        case .said: return
        case .silence: takeNothing(SyncServiceError.notRunning.description)
        }
        changed()
    }

    /// Nobody says anything of it.
    private func takeNothing(_ why: String) {
        (isAnswered, isSettled) = (false, false)
        (causes, whereabouts) = ([], [])
        next = why
    }
}
