internal import Dispatch
package import FileSystem
internal import Foundation
internal import LocalSockets
internal import Locks
package import SyncMessages
internal import Threads

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
        /// The roots of which somebody is being asked how all stands.
        var firstLists: [FilePath: FirstList] = [:]
        var isEnded = false

        /// Takes in how items stand.
        ///
        /// - Returns: Those that stand otherwise than before.
        mutating func take(_ said: some Sequence<ItemSyncState>) -> [FilePath] {
            said.map { (path: FilePath($0.path), item: $0.isNowhere == true ? nil : $0) }
                .filter { path, item in
                    defer { items[path] = item }
                    return items[path] != item
                }
                .map { $0.path }
        }
    }

    /// How all stands below a root, while that is asked.
    private struct FirstList {
        let id = UUID()
        /// What has been said since, by paths.
        var news: [String: ItemSyncState] = [:]
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
    ///   - roots: The folders in containers that are searched, or containers' own.
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

    /// Whether a folder is one of these, or in one.
    func holds(_ folder: FilePath) -> Bool { roots.contains(where: folder.isInside) }

    /// How an item stands; nil for what nobody says.
    package func state(at path: FilePath) -> ItemSyncState? { state.withLock { $0.items[path] } }

    /// What was said of items is so where they have been moved, until something else is said of that.
    ///
    /// - Parameters:
    ///   - paths: Where they are now: at a place, or below it.
    ///   - source: Where that was.
    func moved(_ paths: [FilePath], from source: FilePath, to target: FilePath) {
        state.withLock { state in
            for path in paths {
                guard let below = path.string.following(target.string),
                    var item = state.items.removeValue(forKey: FilePath(source.string + below))
                else { continue }
                item.path = path.string
                // What is known of that place already may have been said since.
                if state.items[path] == nil { state.items[path] = item }
            }
        }
    }

    /// All that is said now.
    package var all: [ItemSyncState] { state.withLock { Array($0.items.values) } }

    /// Whether somebody answers.
    package var isAnswered: Bool { state.withLock { !$0.answered.isEmpty } }

    package func end() {
        let (followings, awaitedCount, wasEnded) = state.withLock { state in
            defer { (state.isEnded, state.followings, state.awaited, state.firstLists) = (true, [], [], [:]) }
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
        _ changed: @escaping @Sendable ([FilePath]) -> Void
    ) {
        if isFirst { askForAll(below: root, changed) }
        let news = state.withLock { state -> [FilePath] in
            guard var list = state.firstLists.removeValue(forKey: root) else { return state.take(said) }
            for item in said { list.news[item.path] = item }
            state.firstLists[root] = list
            return []
        }
        if !news.isEmpty { changed(news) }
    }

    /// Asks how all items stand below a root. That may take a while, and not on the thread that is told what is news: whoever does
    /// not take that is told no more.
    private func askForAll(below root: FilePath, _ changed: @escaping @Sendable ([FilePath]) -> Void) {
        let list = FirstList()
        let isEnded = state.withLock { state in
            if !state.isEnded { state.firstLists[root] = list }
            return state.isEnded
        }
        guard !isEnded else { return }
        OwnThread.startInTime("sheaf states list") { [weak self] in
            self?.takeAll(list.id, below: root, changed)
        }
    }

    private func takeAll(_ id: UUID, below root: FilePath, _ changed: @Sendable ([FilePath]) -> Void) {
        guard let first = firstItems(id, below: root) else { return }
        let news = state.withLock { state -> [FilePath]? in
            guard let list = state.firstLists[root], list.id == id else { return nil }
            state.firstLists[root] = nil
            state.answered.insert(root)
            return state.take(first + list.news.values)
        }
        guard let news, !settle(root) else { return }
        changed(news)
    }

    /// How all items stand below a root, asked until somebody says.
    ///
    /// - Returns: Nil when nobody is there any more, which is told as silence, or it is ended, or asked anew.
    private func firstItems(_ id: UUID, below root: FilePath) -> [ItemSyncState]? {
        var seconds = Self.pauseSeconds.lowerBound
        while state.withLock({ $0.firstLists[root]?.id == id }) {
            do { return try known(below: root) } catch {
                if (error as? SyncServiceError)?.isNobodyListening == true { return nil }
            }
            if running.wait(timeout: .now() + seconds) == .success { return nil }
            seconds = min(2 * seconds, Self.pauseSeconds.upperBound)
        }
        return nil
    }

    /// Nobody says anything any more.
    private func forget(below root: FilePath, _ changed: @Sendable ([FilePath]) -> Void) {
        settle(root)
        let known: [FilePath]? = state.withLock { state in
            state.firstLists[root] = nil
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
            return NSFileVersion.isInConflict(url).map { .truth($0) } ?? .null
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
        // The folder that is a container is in none itself.
        containers.first { path.isInside($0.key) && !path.string.isSameInBytes($0.value.folder) }?.value
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
