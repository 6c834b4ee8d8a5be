internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import SyncMessages

/// Follows how much the hub has got of an open document, while what was saved is on its way there.
///
/// Whoever keeps the folder in step says so; nothing runs while nothing is sent.
@MainActor
final class UploadFollowing {
    let place: FilePath
    /// Nil while nothing is on its way.
    private(set) var progress: Progress?
    private var following: SyncFollowing?
    private let changed: () -> Void

    /// - Parameters:
    ///   - place: Of the document, in a container of the account.
    ///   - changed: Called when there is a progress, or is none any more.
    init(_ place: FilePath, in account: UbiquityAccount, changed: @escaping () -> Void) {
        (self.place, self.changed) = (place, changed)
        following = SyncFollowing(
            .follow(path: place.string, isDeep: false),
            of: account,
            threadName: "sheaf upload"
        ) { [weak self] news in
            guard let share = Self.share(of: place, in: news, account) else { return }
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.take(share) } }
        }
    }

    deinit { following?.end() }

    func end() {
        following?.end()
        following = nil
        progress = nil
    }

    /// What somebody says of the item.
    private enum Share {
        case onItsWay(ItemSyncState.Share)
        case none
    }

    /// Nil where nothing is said of the item.
    private nonisolated static func share(
        of place: FilePath,
        in news: SyncFollowing.News,
        _ account: UbiquityAccount
    ) -> Share? {
        switch news {
        case .silence: return Share.none
        case .said(.changed(let items, _), let isFirst):
            let known = items.last { FilePath($0.path) == place }
            // It may have been on its way before.
            guard let item = known ?? (isFirst ? state(of: place, account) : nil) else { return nil }
            guard item.isUploading, let share = item.upload else { return Share.none }
            return .onItsWay(share)
        case .said: return nil
        }
    }

    /// Nil where nobody says it now: what comes of it is told.
    private nonisolated static func state(of place: FilePath, _ account: UbiquityAccount) -> ItemSyncState? {
        try? SyncQuery.item(place.string, in: account.runtime())
    }

    private func take(_ share: Share) {
        guard following != nil else { return }
        let former = progress
        switch share {
        case .onItsWay(let share):
            let shown = former ?? Self.made()
            shown.totalUnitCount = Int64(clamping: share.totalByteCount)
            shown.completedUnitCount = Int64(clamping: min(share.doneByteCount, share.totalByteCount))
            progress = shown
        case .none:
            if let former { former.completedUnitCount = former.totalUnitCount }
            progress = nil
        }
        if (former == nil) != (progress == nil) { changed() }
    }

    private static func made() -> Progress {
        let progress = Progress(totalUnitCount: 1)
        progress.kind = .file
        progress.isCancellable = false
        return progress
    }
}
