internal import Dispatch
internal import FileSystem
internal import Sync

/// Watches a container's folders, and its packages with all folders in them, and hears of each write. Used on one queue.
///
/// What is watched already and is watched once more keeps its watch: what that has told and is on its way to the queue would go with
/// it.
final class FolderWatches {
    /// What has happened where.
    enum News {
        /// Something in a folder.
        case folder(ItemID, [WatchEvent])
        /// A folder is gone, or its volume: nothing of it is told any more.
        case ended(ItemID)
        /// Something in a package. No events come of a folder that has left its place there, where a save may have taken it:
        /// the package is to be looked at.
        case package(ItemID, [WatchEvent])
        /// So much that nobody can say what.
        case overflow
    }

    private let queue: DispatchQueue
    private let receiver: (News) -> Void
    private var folders: [ItemID: DirectoryWatch] = [:]
    private var packages: [ItemID: [WatchID: PackageFolder]] = [:]

    /// A folder in a package, or that itself.
    private struct PackageFolder {
        let watch: DirectoryWatch
        let stay: Stay
    }

    /// - Parameters:
    ///   - queue: A serial one; where all of this is used, and where news come.
    ///   - receiver: Gets news, one after another.
    init(on queue: DispatchQueue, _ receiver: @escaping (News) -> Void) {
        (self.queue, self.receiver) = (queue, receiver)
    }

    /// Watches a folder at its place; another one than before, if it is another one.
    func watch(folder: ItemID, at path: FilePath) throws(SystemError) {
        let watch = try watch(path) { events in
            if events.contains(where: { $0.kind == .selfDeleted }) { return .ended(folder) }
            // All in it is as it was: the folder that it was in tells of it. Nobody tells of the container's own.
            return folder != .root && events.allSatisfy { $0.kind == .selfMoved }
                ? nil : .folder(folder, events)
        }
        if folders[folder]?.id != watch.id { folders[folder] = watch }
    }

    /// Watches a package and all folders in it.
    func watch(package: ItemID, at path: FilePath) throws(SystemError) {
        let former = packages[package] ?? [:]
        var watches: [WatchID: PackageFolder] = [:]
        var pending = [(folder: path, stay: Stay(in: nil))]
        while let (folder, stay) = pending.popLast() {
            let new = try watch(folder) { events in
                let isHere = !stay.hasEnded
                if events.contains(where: { $0.kind == .selfMoved }) { stay.isOver = true }
                return .package(package, isHere ? events : [])
            }
            let known = former[new.id].flatMap { $0.stay.hasEnded ? nil : $0 }
            let watched = known ?? PackageFolder(watch: new, stay: stay)
            watches[new.id] = watched
            for name in try FolderScan.folderNames(in: folder) {
                pending.append((folder.appending(name), Stay(in: watched.stay)))
            }
        }
        packages[package] = watches
    }

    /// That a folder is where it was when it began to be watched.
    private final class Stay {
        let above: Stay?
        var isOver = false

        init(in above: Stay?) { self.above = above }

        var hasEnded: Bool { isOver || above?.hasEnded == true }
    }

    func end(_ item: ItemID) {
        folders[item] = nil
        packages[item] = nil
    }

    func endAll() { (folders, packages) = ([:], [:]) }

    private func watch(
        _ path: FilePath,
        _ news: @escaping ([WatchEvent]) -> News?
    ) throws(SystemError) -> DirectoryWatch {
        let queue = queue
        let box = Confined((receiver, news))
        return try DirectoryWatch(path, tellsWrites: true, on: queue) { events in
            dispatchPrecondition(condition: .onQueue(queue))
            let (receiver, news) = box.value
            let isOverflow = events.contains { $0.kind == .overflowed }
            if let news = isOverflow ? .overflow : news(events) { receiver(news) }
        }
    }
}

/// Something that is only touched on one queue, which whoever touches it is on.
struct Confined<Value>: @unchecked Sendable {
    // Sendable because of just that.
    let value: Value

    init(_ value: Value) { self.value = value }
}
