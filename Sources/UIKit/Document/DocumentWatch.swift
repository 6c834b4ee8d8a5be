internal import Dispatch
internal import FileSystem
internal import Foundation

/// Watches one document's item: its name in its folder and, of a package, the folders inside.
///
/// Used on one queue. A system that has no watches left still has the look at every coordinated access and at
/// every save; what is lost is only that a change is seen at once.
final class DocumentWatch {
    /// What may be another than the document knows, by its own saves too.
    struct Change {
        /// More than this in one go is looked at as a whole.
        static let membersMax = 256
        /// All of it may be another.
        static let whole = Change(isWhole: true)

        var isWhole = false
        var members: Set<MemberPath> = []

        fileprivate mutating func add(_ member: MemberPath) {
            members.insert(member)
            if members.count > Self.membersMax { self = .whole }
        }
    }

    /// How many folders of a package are watched. The system gives each user a bounded number of watches; what
    /// changes in a folder beyond is seen at the next save or access.
    static let packageFoldersMax = 256

    private let item: FilePath
    private let changed: @Sendable (Change) -> Void
    private let neighboursChanged: @Sendable () -> Void
    private var watches: WatchQueue?
    private var parent: WatchQueue.WatchID?
    private var folders: [WatchQueue.WatchID: MemberPath] = [:]

    /// - Parameters:
    ///   - queue: Where `changed` is called, and this object is used.
    ///   - changed: Told what may be another now; also after the document's own saves.
    ///   - neighboursChanged: Told that something else in the item's folder has changed.
    init?(
        _ url: URL,
        on queue: DispatchQueue,
        changed: @escaping @Sendable (Change) -> Void,
        neighboursChanged: @escaping @Sendable () -> Void
    ) {
        guard let item = FilePath(url) else { return nil }
        self.item = item
        self.changed = changed
        self.neighboursChanged = neighboursChanged
        let confined = Transferred { [weak self] events in self?.heard(events) }  // called on that queue
        do {
            watches = try WatchQueue(for: item, on: queue) { confined.value($0) }
        } catch {
            report(error, about: item)
        }
        parent = watch(item.parent)
        watchFolders()
    }

    private func heard(_ events: [(watch: WatchQueue.WatchID?, event: WatchEvent)]) {
        var change = Change()
        var hasOtherFolders = false
        var neighboursHaveChanged = false
        var isTouched = false
        for (watch, event) in events {
            if event.kind == .overflowed {
                (change, hasOtherFolders) = (.whole, true)
            } else if watch == parent {
                guard event.name == item.name || event.name == nil else {
                    neighboursHaveChanged = true
                    continue
                }
                isTouched = true
                // Other permissions or dates of the item itself show in its stamp, which is always looked at.
                guard event.kind != .attributesChanged else { continue }
                (change, hasOtherFolders) = (.whole, true)
            } else if let folder = watch.flatMap({ folders[$0] }) {
                guard let member = event.name.flatMap(folder.appending) else {
                    hasOtherFolders = true
                    continue
                }
                change.add(member)
                if event.mayBringFolder, isFolder(member) { hasOtherFolders = true }
            }
        }
        if hasOtherFolders { watchFolders() }
        if neighboursHaveChanged { neighboursChanged() }
        if isTouched || change.isWhole || !change.members.isEmpty { changed(change) }
    }

    private func isFolder(_ member: MemberPath) -> Bool {
        let place = member.components.reduce(item) { $0.appending($1) }
        // What went again already is no folder to watch.
        return (try? FileStamp.ifPresent(at: place))?.kind == .directory
    }

    /// Watches the folders of a package, which are others after each save that exchanged them.
    private func watchFolders() {
        var found: [WatchQueue.WatchID: MemberPath] = [:]
        for (place, folder) in Self.packageFolders(item) {
            if let watch = watch(place) { found[watch] = folder }
        }
        for watch in folders.keys where found[watch] == nil { watches?.end(watch) }
        folders = found
    }

    private static func packageFolders(_ item: FilePath) -> [(place: FilePath, folder: MemberPath)] {
        var found: [(place: FilePath, folder: MemberPath)] = []
        var next = [(place: item, folder: MemberPath.top)]
        while let (place, folder) = next.popLast(), found.count < packageFoldersMax {
            // A file, or a folder that went while we looked, has nothing to list.
            guard let entries = try? FileReading.entries(in: place) else { continue }
            found.append((place, folder))
            for entry in entries where entry.kind == .directory {
                guard let inner = folder.appending(entry.name) else { continue }
                next.append((place.appending(entry.name), inner))
            }
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
    /// Whether a folder may have come with it.
    fileprivate var mayBringFolder: Bool {
        switch kind {
        case .created, .movedTo: true
        default: false
        }
    }
}
