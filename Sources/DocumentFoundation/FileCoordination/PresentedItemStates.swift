internal import Coordination
internal import Dispatch
internal import FileSystem
internal import Foundation
internal import SyncMessages

/// Follows how presented items stand that are in containers, and says which of their attributes have changed.
///
/// What it knows is touched on its queue alone. Items elsewhere cost one look at which folders are joined.
final class PresentedItemStates: @unchecked Sendable {
    private struct Followed {
        let path: FilePath
        let states: UbiquityStates
        var known: ItemSyncState?
    }

    private let queue = DispatchQueue(label: "sheaf.presented.states", qos: .utility)
    private var followed: [PresenterID: Followed] = [:]
    private let changed: @Sendable (Set<URLResourceKey>, PresenterID) -> Void

    /// - Parameter changed: Told on the queue.
    init(_ changed: @escaping @Sendable (Set<URLResourceKey>, PresenterID) -> Void) { self.changed = changed }

    deinit { for one in followed.values { one.states.end() } }

    /// Follows the item that a presenter presents now; nil for none.
    func present(_ id: PresenterID, _ url: URL?) {
        let account = url.map(UbiquityAccount.of) ?? .shared
        queue.async { [self] in
            let path = url.flatMap { account.place(of: $0)?.path }
            guard followed[id]?.path != path else { return }
            followed.removeValue(forKey: id)?.states.end()
            guard let path else { return }
            let states = UbiquityStates(account, below: [path], isDeep: false)
            followed[id] = Followed(path: path, states: states)
            states.follow { [weak self, weak states] _ in
                guard let self, let states else { return }
                self.queue.async { self.look(id, states) }
            }
        }
    }

    private func look(_ id: PresenterID, _ states: UbiquityStates) {
        guard let one = followed[id], one.states === states else { return }
        // Nobody answers: what becomes of it is told when somebody does again.
        guard let now = states.state(at: one.path) else { return }
        followed[id]?.known = now
        // How it stood when it was presented is no change.
        guard let before = one.known else { return }
        let keys = now.changedKeys(since: before)
        if !keys.isEmpty { changed(keys, id) }
    }
}

extension ItemSyncState {
    /// The attributes that have other values than in a former state.
    fileprivate func changedKeys(since former: ItemSyncState) -> Set<URLResourceKey> {
        let differences: [(URLResourceKey, Bool)] = [
            (.ubiquitousItemDownloadingStatusKey, contents != former.contents),
            (.ubiquitousItemIsDownloadingKey, (download != nil) != (former.download != nil)),
            (.ubiquitousItemDownloadRequestedKey, isDownloadRequested != former.isDownloadRequested),
            (.ubiquitousItemDownloadingErrorKey, downloadFailure != former.downloadFailure),
            (.ubiquitousItemIsUploadedKey, isUploaded != former.isUploaded),
            (.ubiquitousItemIsUploadingKey, isUploading != former.isUploading),
            (.ubiquitousItemUploadingErrorKey, uploadFailure != former.uploadFailure),
            (.ubiquitousItemHasUnresolvedConflictsKey, hasConflicts != former.hasConflicts),
            (.ubiquitousItemIsSyncPausedKey, (pause != nil) != (former.pause != nil)),
        ]
        return Set(differences.filter(\.1).map(\.0))
    }
}
