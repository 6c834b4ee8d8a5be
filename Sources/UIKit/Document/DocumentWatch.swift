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

    /// How many folders of a package are watched. The kernel gives each user a bounded number of watches; what
    /// changes in a folder beyond is seen at the next save or access.
    static let packageFoldersMax = 256

    private let item: FilePath
    private let changed: @Sendable (Members) -> Void
    private let neighboursChanged: @Sendable () -> Void
    /// One for all folders: a user has no more than 128 of them.
    private var watches: WatchQueue?
    private var parent: WatchQueue.WatchID?
    private var folders: [WatchQueue.WatchID: [String]] = [:]

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
        self.changed = changed
        self.neighboursChanged = neighboursChanged
        // Called on the queue that this object is used on.
        let confined = Transferred {
            [weak self] (events: [(watch: WatchQueue.WatchID?, event: WatchEvent)]) in
            self?.take(events)
        }
        do {
            watches = try WatchQueue(for: item, on: queue) { confined.value($0) }
        } catch {
            report(error, about: item)
        }
        parent = watch(item.parent)
        watchFolders()
    }

    /// Watches the folders of a package, which are others after each save that exchanged them.
    private func watchFolders() {
        var found: [WatchQueue.WatchID: [String]] = [:]
        for folder in Self.packageFolders(item) {
            if let watch = watch(folder.reduce(item) { $0.appending($1) }) { found[watch] = folder }
        }
        for watch in folders.keys where found[watch] == nil { watches?.end(watch) }
        folders = found
    }

    private func take(_ events: [(watch: WatchQueue.WatchID?, event: WatchEvent)]) {
        let beside = events.filter { $0.watch == parent && $0.watch != nil }
        let isAboutItem = beside.contains { $0.event.name == item.name || $0.event.name == nil }
        // An ended watch is none of a folder any more.
        let inside = events.compactMap { watch, event in
            watch.flatMap { folders[$0] }.map { (folder: $0, event: event) }
        }
        let isUnsure = events.contains { $0.watch == nil } || inside.contains { $0.event.name == nil }
        let members = inside.compactMap { folder, event in event.name.map { folder + [$0] } }
        if isAboutItem || isUnsure || inside.contains(where: { $0.event.mayBringFolder }) { watchFolders() }
        if isUnsure {
            changed(.all)
        } else if isAboutItem || !members.isEmpty {
            changed(.these(Array(Set(members))))
        }
        if !beside.isEmpty, !isAboutItem { neighboursChanged() }
    }

    /// The folders of a package from its top on, each by the names that lead to it.
    private static func packageFolders(_ item: FilePath) -> [[String]] {
        var found: [[String]] = []
        var next: [[String]] = [[]]
        while let folder = next.popLast(), found.count < packageFoldersMax {
            // A file, or a folder that went while we looked, has nothing to list.
            guard let entries = try? FileReading.entries(in: folder.reduce(item) { $0.appending($1) }) else {
                continue
            }
            found.append(folder)
            next += entries.filter { $0.kind == .directory }.map { folder + [$0.name] }
        }
        return found
    }

    private func watch(_ path: FilePath) -> WatchQueue.WatchID? {
        do {
            return try watches?.watch(path)
        } catch {
            report(error, about: path)
            return nil
        }
    }

    private func report(_ error: SystemError, about path: FilePath) {
        guard error.errno != ENOENT, error.errno != ENOTDIR else { return }
        Diagnostics.report("\(path) is not watched: \(error)")
    }
}

extension WatchEvent {
    /// Whether it may be a folder that is new in its place.
    fileprivate var mayBringFolder: Bool {
        if case .created = kind { true } else { false }
    }
}
