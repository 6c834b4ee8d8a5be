internal import Dispatch
internal import FileSystem
internal import Foundation

/// Watches one document's item: its name in its folder and, of a package, the folders inside.
///
/// Used on one queue. A system that has no watches left still has the look at every coordinated access and at
/// every save; what is lost is only that a change is seen at once.
final class DocumentWatch {
    /// What of a package may have changed.
    enum Members: Sendable {
        /// Anything.
        case all
        /// These, by the names from the package's top down.
        case these([[String]])
    }

    /// How many folders of a package are watched. Each takes one of the 128 watch queues that the kernel gives a
    /// user; what changes in a folder beyond is seen at the next save or access.
    static let packageFoldersMax = 12

    private let item: FilePath
    private let queue: DispatchQueue
    private let changed: @Sendable (Members) -> Void
    private var parent: DirectoryWatch?
    private var folders: [DirectoryWatch] = []

    /// - Parameters:
    ///   - queue: Where `changed` is called, and this object is used.
    ///   - changed: Told that the item may be another one now; also after the document's own saves.
    ///   - neighboursChanged: Told that something else in its folder has changed.
    init?(
        _ url: URL,
        on queue: DispatchQueue,
        changed: @escaping @Sendable (Members) -> Void,
        neighboursChanged: @escaping @Sendable () -> Void
    ) {
        guard let item = FilePath(url) else { return nil }
        self.item = item
        self.queue = queue
        self.changed = changed
        let name = item.name
        parent = Self.watch(item.parent, on: queue) { [weak self] events in
            guard events.contains(where: { $0.name == name || $0.name == nil }) else {
                neighboursChanged()
                return
            }
            self?.watchFolders()
            changed(.these([]))
        }
        watchFolders()
    }

    /// Watches the folders of a package, which are others after each save that exchanged them.
    private func watchFolders() {
        folders = Self.packageFolders(item).compactMap { folder in
            Self.watch(folder.reduce(item) { $0.appending($1) }, on: queue) { [weak self] events in
                self?.take(events, in: folder)
            }
        }
    }

    private func take(_ events: [WatchEvent], in folder: [String]) {
        let isUnsure = events.contains { $0.name == nil }
        changed(isUnsure ? .all : .these(events.compactMap(\.name).map { folder + [$0] }))
        if isUnsure || events.contains(where: { $0.kind == .created }) { watchFolders() }
    }

    /// The folders of a package from its top on, each by the names that lead to it.
    private static func packageFolders(_ item: FilePath) -> [[String]] {
        var found: [[String]] = []
        var next: [[String]] = [[]]
        while let folder = next.popLast(), found.count < packageFoldersMax {
            // A file, or a folder that went while we looked, has nothing to list.
            guard let entries = try? FileReading.entries(in: folder.reduce(item) { $0.appending($1) }) else { continue }
            found.append(folder)
            next += entries.filter { $0.kind == .directory }.map { folder + [$0.name] }
        }
        return found
    }

    private static func watch(
        _ path: FilePath,
        on queue: DispatchQueue,
        _ handler: @escaping ([WatchEvent]) -> Void
    ) -> DirectoryWatch? {
        let confined = Transferred(handler)  // called on the queue that this object is used on
        do {
            return try DirectoryWatch(path, on: queue) { confined.value($0) }
        } catch {
            if error.errno != ENOENT, error.errno != ENOTDIR { Diagnostics.report("\(path) is not watched: \(error)") }
            return nil
        }
    }
}
