internal import Coordination
internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// Items that are gone are looked for on other volumes before anybody is told that they were deleted.
///
/// ```
/// look ──▶ losses ──searchIfNeeded──▶ search, on its own queue ──conclude──▶ moved, or deleted
/// ```
///
/// 1. Only news of the lost items themselves waits for a search. What is lost meanwhile is looked for by the next.
/// 2. What is seen of a lost item before the search is over counts, and the search's answer does not: it is there again,
///    or followed by whoever moved it, or presented by nobody any more.
/// 3. A watcher that goes does not wait for its search, which tells nobody then.
extension OutsideWatcher {
    /// Finds copies of lost items: beside presented ones, which are in some folders, and then elsewhere.
    ///
    /// `isPresented` says whether somebody presents what is at a place.
    typealias CopyQuestion =
        @Sendable (
            _ lost: [CopySearch.Lost],
            _ folders: [FilePath],
            _ isPresented: @escaping (FilePath) -> Bool
        ) -> [ObjectIdentifier: FilePath]

    static let searchForCopies: CopyQuestion = { lost, folders, isPresented in
        CopySearch(for: lost).find(in: folders, thenBelow: copyRoots(), isKnown: isPresented)
    }

    /// Where somebody may have moved an item that is not beside other presented ones: among the documents, in the user's
    /// folder, anywhere on this machine.
    static func copyRoots(
        among documentFolders: [FilePath] = BookmarkSettings.current.documentFolders,
        at home: FilePath = BaseDirectories(environment: ProcessInfo.processInfo.environment).home,
        on mounts: [Mount] = Mount.all
    ) -> [FilePath] {
        documentFolders + [home] + mounts.filter(\.isLocalForItems).map { FilePath($0.place) }
    }

    /// Begins a search if something is lost that none is under way for.
    func searchIfNeeded() {
        guard state.withLock({ !$0.items.losses.isEmpty }) else { return }
        searchQueue.async { [weak self, search] in
            guard let (losses, folders) = self?.takeLosses() else { return }
            let places = search(losses.map(\.item), folders) { [weak self] in self?.isPresented($0) ?? false }
            guard let self else { return }
            queue.async { self.conclude(losses, foundAt: places) }
        }
    }

    /// What is to be looked for now; nil when another search has taken it.
    private func takeLosses() -> (losses: [WatchedItems.Loss], folders: [FilePath])? {
        state.withLock { state in
            guard !state.items.losses.isEmpty else { return nil }
            defer { state.items.losses = [] }
            return (state.items.losses, state.items.folders.itemFolders.map { FilePath($0.string) })
        }
    }

    private func isPresented(_ place: FilePath) -> Bool {
        ItemPath(place.string).map { path in state.withLock { $0.items.items[path] != nil } } ?? false
    }

    private func conclude(_ losses: [WatchedItems.Loss], foundAt places: [ObjectIdentifier: FilePath]) {
        let reports = state.withLock { state in
            state.items.now = Self.now
            return state.items.conclude(losses, foundAt: places)
        }
        tell(reports)
    }

    /// Says where a presenter's item is, or was, when it is not looked for any more and that has been told.
    ///
    /// Called on `queue`, and so is `answer`.
    func afterSearch(for id: PresenterID, _ answer: @escaping @Sendable (ItemPath?) -> Void) {
        let (path, isLookedFor) = state.withLock { ($0.items.path(of: id), $0.items.isLookedFor(id)) }
        guard isLookedFor else { return answer(path) }
        // Behind the search that is under way and the one that waits, and behind what these tell.
        searchQueue.async { [self] in queue.async { self.afterSearch(for: id, answer) } }
    }
}
