internal import Dispatch
package import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks
package import SyncMessages

/// How items of containers stand, as the process says that keeps them in step, for one run of a query, or for as long as a
/// folder is shown.
///
/// One struct under one lock. Nothing runs while nothing happens.
package final class UbiquityStates: Sendable {
    private struct State {
        var items: [FilePath: ItemSyncState] = [:]
        var followings: [SyncFollowing] = []
        /// The roots about which somebody answers.
        var answered: Set<FilePath> = []
        /// The roots whose first answer is waited for. Each has entered `firstAnswers` once, and leaves it when it is taken out.
        var awaited: Set<FilePath> = []
        var isEnded = false
    }

    /// Who is there and does not say how all items stand is asked again after so long, less and less often.
    private static let pauseSeconds = 0.5...30.0

    private let account: UbiquityAccount
    private let roots: [FilePath]
    private let state = Locked(State())
    private let firstAnswers = DispatchGroup()
    /// Left when it is ended: whoever waits for that hears of it.
    private let running = DispatchGroup()
    /// What is kept in step as a whole, by the roots that are in it.
    private let containers: [FilePath: JoinedFolder]
    private let isDeep: Bool

    /// - Parameters:
    ///   - account: Whose containers.
    ///   - roots: The folders that are searched.
    ///   - isDeep: Whether what is in folders in them counts. If not, what is simply here as it is at the hub is not known
    ///     of.
    package init(_ account: UbiquityAccount, below roots: [FilePath], isDeep: Bool = true) {
        (self.account, self.roots, self.isDeep) = (account, roots, isDeep)
        let joined = account.joined
        let containers = roots.compactMap { root in joined.folder(of: root).map { (root, $0) } }
        self.containers = Dictionary(containers, uniquingKeysWith: { first, _ in first })
        running.enter()
    }

    // MARK: Following

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - isAwaited: Whether `awaitFirst` is called afterwards. What is said first then is there when that returns, and is no
    ///     change.
    ///   - changed: Gets the paths of items that stand otherwise; on any thread.
    package func follow(isAwaited: Bool = false, _ changed: @escaping @Sendable ([FilePath]) -> Void) {
        guard (try? account.ownRuntime()) != nil else { return }
        if isAwaited {
            state.withLock { state in
                guard !state.isEnded else { return }
                state.awaited = Set(roots)
                for _ in state.awaited { firstAnswers.enter() }
            }
        }
        let followings = roots.map { root in
            SyncFollowing(
                .follow(path: root.string, isDeep: isDeep),
                of: account,
                threadName: "sheaf states"
            ) { [weak self] news in
                switch news {
                case .said(.changed(let items, _), let isFirst):
                    self?.take(items, isFirst: isFirst, below: root, changed)
                // Refused: it is in no container, of which nobody ever says anything.
                case .said: self?.settle(root)
                case .silence: self?.forget(below: root, changed)
                }
            }
        }
        let isEnded = state.withLock { state in
            state.followings = followings
            return state.isEnded
        }
        if isEnded { end() }
    }

    /// Returns when it is known how all items stand in the roots, as far as somebody is there to say, or when it is ended.
    ///
    /// - Parameter seconds: How long to wait at most. What is said later is told as changed.
    func awaitFirst(seconds: Double) {
        _ = firstAnswers.wait(timeout: .now() + seconds)
        let late = state.withLock { state in
            defer { state.awaited = [] }
            return state.awaited
        }
        for _ in late { firstAnswers.leave() }
    }

    /// A root's first answer has come, or will not.
    ///
    /// - Returns: Whether it was waited for.
    @discardableResult
    private func settle(_ root: FilePath) -> Bool {
        let wasAwaited = state.withLock { $0.awaited.remove(root) != nil }
        if wasAwaited { firstAnswers.leave() }
        return wasAwaited
    }

    /// How an item stands; nil for what nobody says.
    package func state(at path: FilePath) -> ItemSyncState? { state.withLock { $0.items[path] } }

    /// All that is said now.
    package var all: [ItemSyncState] { state.withLock { Array($0.items.values) } }

    /// Whether somebody answers.
    package var isAnswered: Bool { state.withLock { !$0.answered.isEmpty } }

    package func end() {
        let (followings, awaitedCount, wasEnded) = state.withLock { state in
            defer { (state.isEnded, state.followings, state.awaited) = (true, [], []) }
            return (state.followings, state.awaited.count, state.isEnded)
        }
        for following in followings { following.end() }
        for _ in 0..<awaitedCount { firstAnswers.leave() }
        if !wasEnded { running.leave() }
    }

    deinit { end() }

    private func take(
        _ said: [ItemSyncState],
        isFirst: Bool,
        below root: FilePath,
        _ changed: @Sendable ([FilePath]) -> Void
    ) {
        var items = said
        if isFirst {
            // From now on nothing is missed.
            guard let first = firstItems(below: root) else { return }
            items = first + items
            _ = state.withLock { $0.answered.insert(root) }
        }
        let news = state.withLock { state in
            items.map { (path: FilePath($0.path), item: $0) }
                .filter { state.items.updateValue($0.item, forKey: $0.path) != $0.item }
                .map { $0.path }
        }
        if isFirst, settle(root) { return }
        if !news.isEmpty || isFirst { changed(news) }
    }

    /// How all items stand below a root, asked until somebody says; on the thread that is told, so that nothing that comes
    /// after is taken before.
    ///
    /// - Returns: Nil when nobody is there any more, which is told as silence, or it is ended.
    private func firstItems(below root: FilePath) -> [ItemSyncState]? {
        var seconds = Self.pauseSeconds.lowerBound
        while true {
            do { return try known(below: root) } catch {
                if (error as? SyncServiceError)?.isNobodyListening == true { return nil }
            }
            if running.wait(timeout: .now() + seconds) == .success { return nil }
            seconds = min(2 * seconds, Self.pauseSeconds.upperBound)
        }
    }

    /// Nobody says anything any more.
    private func forget(below root: FilePath, _ changed: @Sendable ([FilePath]) -> Void) {
        settle(root)
        let known: [FilePath]? = state.withLock { state in
            guard state.answered.remove(root) != nil else { return nil }
            defer { state.items = state.items.filter { !$0.key.isInside(root) } }
            return state.items.keys.filter { $0.isInside(root) }
        }
        if let known { changed(known) }
    }

    private func known(below root: FilePath) throws -> [ItemSyncState] {
        let runtime = try account.runtime()
        if isDeep { return try SyncQuery.items(below: root.string, in: runtime) }
        let own = try SyncQuery.item(root.string, in: runtime)
        return try SyncQuery.unsettled(in: root.string, runtime) + (own.map { [$0] } ?? [])
    }

    // MARK: Values

    static let keys = [
        NSMetadataItemIsUbiquitousKey, NSMetadataUbiquitousItemDownloadingStatusKey,
        NSMetadataUbiquitousItemIsDownloadingKey, NSMetadataUbiquitousItemDownloadRequestedKey,
        NSMetadataUbiquitousItemPercentDownloadedKey, NSMetadataUbiquitousItemDownloadingErrorKey,
        NSMetadataUbiquitousItemIsUploadedKey, NSMetadataUbiquitousItemIsUploadingKey,
        NSMetadataUbiquitousItemPercentUploadedKey, NSMetadataUbiquitousItemUploadingErrorKey,
        NSMetadataUbiquitousItemHasUnresolvedConflictsKey, NSMetadataUbiquitousItemContainerDisplayNameKey,
        NSMetadataUbiquitousItemIsSharedKey, NSMetadataUbiquitousItemIsExternalDocumentKey,
    ]

    /// The value of a key about containers; nil for another key.
    func value(of key: String, at path: FilePath) -> PredicateValue? {
        guard Self.keys.contains(key) else { return nil }
        // Of several folders that are searched some may be in no container.
        guard container(of: path) != nil else {
            return key == NSMetadataItemIsUbiquitousKey ? .truth(false) : .null
        }
        let known = state.withLock { $0.items[path] }
        switch key {
        case NSMetadataItemIsUbiquitousKey: return .truth(!isExcluded(path))
        case NSMetadataUbiquitousItemIsSharedKey, NSMetadataUbiquitousItemIsExternalDocumentKey:
            return .truth(false)
        case NSMetadataUbiquitousItemContainerDisplayNameKey:
            return container(of: path).map { .string(account.displayName(of: $0, at: path)) } ?? .null
        case NSMetadataUbiquitousItemHasUnresolvedConflictsKey:
            if known?.hasConflicts == true { return .truth(true) }
            // A document may have kept one by itself, of which only its versions know.
            let url = path.url(isDirectory: false)
            return .truth(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.isEmpty == false)
        case NSMetadataUbiquitousItemDownloadingStatusKey: return .string(status(known, path))
        case NSMetadataUbiquitousItemPercentDownloadedKey:
            // Of the newest contents, while those are on their way.
            if let download = known?.download { return .real(100 * download.fraction) }
            let isHere = status(known, path) != NSMetadataUbiquitousItemDownloadingStatusNotDownloaded
            return .real(isHere ? 100 : 0)
        default: return known.map { value(of: key, $0) } ?? .null
        }
    }

    /// Whether it stays on this device, though it is in a container.
    private func isExcluded(_ path: FilePath) -> Bool {
        container(of: path).map { SyncExclusion.isExcluded(path, below: FilePath($0.folder)) } ?? false
    }

    private func container(of path: FilePath) -> JoinedFolder? {
        containers.first { path.isInside($0.key) }?.value
    }

    private func value(of key: String, _ item: ItemSyncState) -> PredicateValue {
        switch key {
        case NSMetadataUbiquitousItemIsDownloadingKey: .truth(item.download != nil)
        case NSMetadataUbiquitousItemDownloadRequestedKey: .truth(item.isDownloadRequested)
        case NSMetadataUbiquitousItemDownloadingErrorKey: error(item.downloadFailure, item)
        case NSMetadataUbiquitousItemIsUploadedKey: .truth(item.isUploaded)
        case NSMetadataUbiquitousItemIsUploadingKey: .truth(item.isUploading)
        case NSMetadataUbiquitousItemPercentUploadedKey:
            .real(item.isUploaded ? 100 : 100 * (item.upload?.fraction ?? 0))
        case NSMetadataUbiquitousItemUploadingErrorKey: error(item.uploadFailure, item)
        default: .null
        }
    }

    /// Nobody there to tell: what is here counts as current.
    private func status(_ known: ItemSyncState?, _ path: FilePath) -> String {
        switch known?.contents {
        case .current: return NSMetadataUbiquitousItemDownloadingStatusCurrent
        case .stale: return NSMetadataUbiquitousItemDownloadingStatusDownloaded
        case .missing: return NSMetadataUbiquitousItemDownloadingStatusNotDownloaded
        case nil:
            return Placeholder(standingFor: path) == nil
                ? NSMetadataUbiquitousItemDownloadingStatusCurrent
                : NSMetadataUbiquitousItemDownloadingStatusNotDownloaded
        }
    }

    /// To a predicate an error is its text.
    private func error(_ refusal: SyncRefusal?, _ item: ItemSyncState) -> PredicateValue {
        refusal.map { .string($0.description) } ?? .null
    }

    /// The error that a key stands for; nil for another key, and for none.
    func error(of key: String, at path: FilePath) -> NSError? {
        guard let item = state.withLock({ $0.items[path] }) else { return nil }
        let refusal: SyncRefusal? =
            switch key {
            case NSMetadataUbiquitousItemDownloadingErrorKey: item.downloadFailure
            case NSMetadataUbiquitousItemUploadingErrorKey: item.uploadFailure
            default: nil
            }
        return refusal.map { CocoaError($0, URL(fileURLWithPath: item.path)) as NSError }
    }
}

extension PredicateValue {
    fileprivate static func truth(_ isTrue: Bool) -> PredicateValue { .integer(isTrue ? 1 : 0) }
}
