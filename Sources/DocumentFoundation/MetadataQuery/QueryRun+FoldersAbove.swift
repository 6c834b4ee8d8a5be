internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Locks

/// Where scopes are. No folder above one is searched, and a renamed folder takes along what is in it: so the names on the way to a
/// scope are watched, as far as they are there. What is mounted no folder tells at all.
extension QueryRun {
    /// What the system answers when it has no more watches, or this process no more files.
    static func isShortage(_ error: SystemError) -> Bool { [ENOSPC, EMFILE, ENFILE].contains(error.errno) }

    func isScope(_ number: Int) -> Bool {
        state.withLock { $0.catalogue.folders[number]?.root != nil }
    }

    /// What is at a scope's path now; nil for what is not there, or cannot be looked at, which is the same for a search.
    func scopePlace(at path: FilePath) -> FolderPlace? { (try? FolderPlace(at: path)) ?? nil }

    /// Has everything be looked at when something becomes of a name on the way to a scope, or has become of it since the scope was
    /// looked at.
    ///
    /// - Parameters:
    ///   - number: Of any folder; nothing happens for one that is no scope.
    ///   - path: Where it is.
    func followWay(to number: Int, at path: FilePath) {
        guard isScope(number) else { return }
        var above: [FileEvents.Watch] = []
        var (place, missing): (FilePath, FilePath?) = (path, nil)
        // Who may read it is told by the folder above it, to whoever asks for more than names.
        var isRefused = unread.contains(number)
        while place.parent != place {
            do {
                above.append(try watch(above: place, namesOnly: !isRefused))
                isRefused = false
            } catch {
                // There may be no more watches: then all is looked at now and then.
                lacksWatches = lacksWatches || Self.isShortage(error)
                isRefused = error.isForbidden
                if error.isAbsent { missing = place.parent }
            }
            place = place.parent
        }
        watchesAbove[number] = above
        // What has happened before that was watched is looked at as if it had been told.
        let isMissingThere = missing.map { (try? FileStamp(of: $0, followsSymbolicLink: true)) != nil }
        if isMissingThere == true || scopePlaces[number] != scopePlace(at: path) { needsLookAtAll = true }
    }

    private func watch(above place: FilePath, namesOnly: Bool) throws(SystemError) -> FileEvents.Watch {
        try events.watch(place.parent, namesOnly: namesOnly) { [weak self] events in
            let isMeant = events.contains { event in
                switch event.kind {
                // Nothing more is told of what is watched, or not all was.
                case .selfDeleted, .selfMoved, .overflowed: true
                case .created, .deleted, .movedFrom, .movedTo: event.name == place.name
                case .attributesChanged: !namesOnly && event.name == place.name
                case .modified, .changed: false
                }
            }
            guard isMeant, let self else { return }
            queue.async {
                self.needsLookAtAll = true
                self.lookSoon()
            }
        }
    }

    // MARK: Volumes

    /// Hears of what is mounted and unmounted from now on.
    func followMounts() {
        mounts = MountChanges.shared.follow { [weak self] places in
            guard let self else { return }
            queue.async { self.heard(mountsAt: places) }
        }
    }

    /// - Parameter places: Without links on the way.
    func heard(mountsAt places: [FilePath]) {
        guard !isStopped else { return }
        for (root, number) in state.withLock({ $0.catalogue.roots }) {
            // At a scope or above it: another folder is there, or none, and the way leads through others.
            followWay(to: number, at: root)
            // Where nothing is there now, it is where it was meant to be.
            let resolved = (try? root.resolved()) ?? root
            for place in places where place != resolved && place.isInside(resolved) {
                note(mountAt: FilePath(root.string + (place.string.following(resolved.string) ?? "")))
            }
        }
        lookSoon()
    }

    /// Has a folder in a scope taken for another one.
    private func note(mountAt path: FilePath) {
        // What is not known has no name that is looked at.
        guard let folder = state.withLock({ $0.catalogue.folder(at: path.parent) }),
            let name = shownName(path.name, in: folder)
        else { return }
        let place = Place(folder: folder, name: ItemName(name))
        dirty.insert(place)
        exchanged.insert(place)
    }
}
