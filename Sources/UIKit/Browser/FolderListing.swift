internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// What a listing tells.
package enum FolderUpdate: Sendable {
    /// All items, in no order.
    ///
    /// Comes first, and once.
    case listed([FolderItem])
    /// What has changed since.
    case changed(FolderDifference)
    /// The list is right, and does not follow the disk by itself: too much is watched already.
    ///
    /// Comes after the list. What `look(at:)` is told of is still seen.
    case unwatched(BrowserError)
    /// The folder is there no more, or is another one.
    ///
    /// Comes last.
    case gone
    /// The folder cannot be read any more.
    ///
    /// Comes last.
    case failed(BrowserError)
}

/// Lists one folder of a location and keeps watching it, until it is stopped or dropped.
///
/// Updates come on the main actor, one per turn of the main queue at most: what happens in between is told at
/// once, and what came and went in between is not told at all. Lists and looks are made on a queue of the
/// listing's own, packages are counted on another.
///
/// A change deep inside a package is not seen by watching its folder: whoever makes one says so by
/// `look(at:)`. A folder above the listed one that is renamed is noticed at the next change inside.
package final class FolderListing: Sendable {
    private let core: FolderWatcher

    /// Begins to list.
    ///
    /// - Parameters:
    ///   - folderID: The folder.
    ///   - location: Whose folder.
    ///   - deliver: Told every update, on the main actor. Not after `stop()`, when that is called there.
    package init(
        _ folderID: String,
        of location: BrowserLocation,
        deliver: @escaping @MainActor @Sendable (FolderUpdate) -> Void
    ) {
        core = FolderWatcher(folderID: folderID, location: location, outbox: FolderOutbox(deliver))
        core.start()
    }

    deinit { core.stop() }

    /// Looks again at items that may have changed where watching does not show it.
    ///
    /// - Parameter names: The items' names.
    package func look(at names: [String]) { core.look(at: names) }

    /// Looks again at items, and tells of each, be it as it was told last or not.
    ///
    /// For who has changed the list that was told: it is right again then.
    ///
    /// - Parameter names: The items' names; those that are not there are dropped.
    package func lookAnew(at names: [String]) { core.lookAnew(at: names) }

    /// Ends the listing.
    ///
    /// Nothing is told afterwards.
    package func stop() { core.stop() }
}

/// Gathers what is to be told until the main queue gets round to it.
final class FolderOutbox: Sendable {
    private struct Pending {
        /// The first list, which what is put and dropped afterwards changes.
        var list: [FolderItem]?
        var put = FolderItems()
        var drop: Set<FilePath> = []
        var unwatched: BrowserError?
        var last: FolderUpdate?
        var isScheduled = false
        var isClosed = false
    }

    private let deliver: @MainActor @Sendable (FolderUpdate) -> Void
    private let pending = Locked(Pending())

    init(_ deliver: @escaping @MainActor @Sendable (FolderUpdate) -> Void) {
        self.deliver = deliver
    }

    func list(_ items: [FolderItem], unwatched: BrowserError?) {
        add(FolderDifference()) {
            $0.list = items
            $0.unwatched = unwatched
        }
    }

    func change(_ difference: FolderDifference) {
        if !difference.isEmpty { add(difference) { _ in } }
    }

    func end(_ last: FolderUpdate) {
        add(FolderDifference()) { $0.last = $0.last ?? last }
    }

    func close() { pending.withLock { $0.isClosed = true } }

    private func add(_ difference: FolderDifference, _ change: (inout Pending) -> Void) {
        let schedules = pending.withLock { pending in
            change(&pending)
            for item in difference.put {
                pending.put[item.id] = item
                pending.drop.remove(FilePath(item.id))
            }
            for id in difference.drop {
                pending.put[id] = nil
                pending.drop.insert(FilePath(id))
            }
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        guard schedules else { return }
        DispatchQueue.main.async { MainActor.assumeIsolated { self.flush() } }
    }

    @MainActor private func flush() {
        let told = pending.withLock { pending in
            defer { pending = Pending(isClosed: pending.isClosed) }
            return pending
        }
        for update in Self.updates(told) {
            // The one just told may have stopped the listing.
            guard !pending.withLock({ $0.isClosed }) else { return }
            deliver(update)
        }
    }

    private static func updates(_ told: Pending) -> [FolderUpdate] {
        var updates: [FolderUpdate] = []
        let difference = FolderDifference(put: Array(told.put.values), drop: told.drop.map(\.string))
        if let list = told.list, difference.isEmpty {
            updates.append(.listed(list))
        } else if let list = told.list {
            let kept = list.filter { told.put[$0.id] == nil && !told.drop.contains(FilePath($0.id)) }
            updates.append(.listed(kept + difference.put))
        } else if !difference.isEmpty {
            updates.append(.changed(difference))
        }
        if let unwatched = told.unwatched { updates.append(.unwatched(unwatched)) }
        if let last = told.last { updates.append(last) }
        return updates
    }
}
