internal import Dispatch
internal import FileSystem
internal import Foundation

/// Watches one document's item: its name in its folder and, of a package, the folders inside.
///
/// Used on one queue. A system that has no watches left still has the look at every coordinated access and at
/// every save; what is lost is only that a change is seen at once.
final class DocumentWatch {
    /// How many folders of a package are watched. The system gives each user a bounded number of watches; what
    /// changes in a folder beyond is seen at the next save or access.
    static let packageFoldersMax = 64

    private let item: FilePath
    private let queue: DispatchQueue
    private let changed: @Sendable () -> Void
    private var parent: DirectoryWatch?
    private var folders: [DirectoryWatch] = []

    /// - Parameters:
    ///   - queue: Where `changed` is called, and this object is used.
    ///   - changed: Told that the item may be another one now; also after the document's own saves.
    init?(_ url: URL, on queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
        guard let item = FilePath(url) else { return nil }
        self.item = item
        self.queue = queue
        self.changed = changed
        let name = item.name
        parent = Self.watch(item.parent, on: queue) { [weak self] events in
            guard events.contains(where: { $0.name == name || $0.name == nil }) else { return }
            self?.watchFolders()
            changed()
        }
        watchFolders()
    }

    /// Watches the folders of a package, which are others after each save that exchanged them.
    private func watchFolders() {
        folders = Self.packageFolders(item).compactMap { folder in
            Self.watch(folder, on: queue) { [weak self] events in
                if events.contains(where: { $0.kind == .created || $0.kind == .selfDeleted }) { self?.watchFolders() }
                self?.changed()
            }
        }
    }

    private static func packageFolders(_ item: FilePath) -> [FilePath] {
        var found: [FilePath] = []
        var next = [item]
        while let folder = next.popLast(), found.count < packageFoldersMax {
            // A file, or a folder that went while we looked, has nothing to list.
            guard let entries = try? FileReading.entries(in: folder) else { continue }
            found.append(folder)
            next += entries.filter { $0.kind == .directory }.map { folder.appending($0.name) }
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
