internal import Foundation

/// Finds an item again: where it was, by its inode, where it was seen last, by looking around; cheapest first.
///
/// Any thread; blocks on the disk.
package struct IdentityFinder: Sendable {
    /// An item that was found.
    package struct Found: Hashable, Sendable {
        package var path: FilePath
        package var identity: FileIdentity
        /// Whether what was noted of it is no longer true: its place, or its mark.
        package var isStale: Bool
    }

    private let index: IdentityIndex
    private let documentFolders: [FilePath]
    private let standIns: StandIns
    private let bounds: IdentitySearch.Bounds

    /// - Parameters:
    ///   - index: Where marked items were seen last.
    ///   - documentFolders: Where a person's documents are, searched last.
    ///   - standIns: What stands for items whose contents are elsewhere.
    ///   - bounds: What the search may cost.
    package init(
        index: IdentityIndex,
        documentFolders: [FilePath],
        standIns: StandIns = .none,
        bounds: IdentitySearch.Bounds = .usual
    ) {
        self.index = index
        self.documentFolders = documentFolders
        self.standIns = standIns
        self.bounds = bounds
    }

    /// Finds an item.
    ///
    /// 1. The very inode at its place, or its mark there after a save: not stale.
    /// 2. The item elsewhere: stale. So is one that was moved away while another took its place.
    /// 3. An item without a mark at the place, as an editor leaves that writes a new file: stale.
    /// 4. An item with a mark of its own is another item, wherever it is.
    /// 5. What stands for an item is the item, as long as nothing else has its place.
    ///
    /// - Returns: Nil when it is nowhere we look.
    /// - Throws: What the kernel says of the place, unless nothing is there.
    package func find(
        _ wanted: TakenIdentity,
        at place: FilePath
    ) throws(SystemError) -> Found? {
        // Whoever lists a folder finds what stands for an item, and may have asked about that.
        let place = standIns.item(place) ?? place
        guard let atPlace = try FileIdentity.ifPresent(at: place) else {
            return standing(for: wanted, at: place)
        }
        switch wanted.identity.likeness(of: atPlace) {
        case .same: return Found(path: place, identity: atPlace, isStale: false)
        case .sameInode: return Found(path: place, identity: atPlace, isStale: true)
        case .sameMark:
            // A save, unless the original lives on elsewhere and this is its copy.
            let original = byHandle(wanted, near: place).flatMap { $0.path == place ? nil : $0 }
            return original ?? Found(path: place, identity: atPlace, isStale: false)
        case .unmarked:
            return elsewhere(wanted, place) ?? Found(path: place, identity: atPlace, isStale: true)
        case .other: return elsewhere(wanted, place)
        }
    }

    /// Finds an item in whose place nothing is, unless something stands for it there.
    private func standing(for wanted: TakenIdentity, at place: FilePath) -> Found? {
        guard let identity = standIns.identity(standingFor: place, as: wanted.identity.kind) else {
            return elsewhere(wanted, place)
        }
        switch wanted.identity.likeness(of: identity) {
        // It was put there with the item's mark, whatever has become of the inode that the contents had.
        case .same, .sameMark: return Found(path: place, identity: identity, isStale: false)
        case .sameInode: return Found(path: place, identity: identity, isStale: true)
        case .unmarked:
            return elsewhere(wanted, place) ?? Found(path: place, identity: identity, isStale: true)
        case .other: return elsewhere(wanted, place)
        }
    }

    private func elsewhere(_ wanted: TakenIdentity, _ place: FilePath) -> Found? {
        byHandle(wanted, near: place) ?? byIndex(wanted.identity, place)
            ?? bySearch(wanted.identity, from: place)
    }

    /// Needs a privilege that few have; then it finds the item on its volume wherever it is.
    private func byHandle(_ wanted: TakenIdentity, near place: FilePath) -> Found? {
        // Every failure means the same: this way does not lead to the item.
        guard let handle = wanted.handle, let folder = try? Self.existingFolder(above: place),
            let file = try? SystemCalls.openByHandle(handle, onVolumeOf: folder),
            let path = try? SystemCalls.place(of: file)
        else { return nil }
        return found(wanted.identity, at: path)
    }

    private func byIndex(_ wanted: FileIdentity, _ place: FilePath) -> Found? {
        index.places(of: wanted.mark, at: place).lazy.compactMap { found(wanted, at: $0) }.first
    }

    private func bySearch(_ wanted: FileIdentity, from place: FilePath) -> Found? {
        // A place of which nothing can be looked at is no place to begin.
        guard let folder = (try? Self.existingFolder(above: place))?.path else { return nil }
        let near = [folder, folder.parent].filter { $0.string != "/" }
        let roots = near + documentFolders
        let search = IdentitySearch(for: wanted, within: bounds, standIns: standIns)
        return search.find(place.name, in: roots).flatMap { found(wanted, at: $0) }
    }

    /// The item at a path, if it is the one without doubt.
    private func found(_ wanted: FileIdentity, at path: FilePath) -> Found? {
        // What a save has taken aside is about to go, and was the item.
        guard !SaveSite.isOwn(path) else { return nil }
        let item = standIns.item(path) ?? path
        // What is not there any more, or closed to us, is not found there.
        guard
            let identity = (try? FileIdentity(of: item))
                ?? standIns.identity(standingFor: item, as: wanted.kind),
            wanted.likeness(of: identity).isCertain
        else { return nil }
        return Found(path: item, identity: identity, isStale: true)
    }

    /// The deepest folder on the way to a place that is still there.
    private static func existingFolder(above place: FilePath) throws(SystemError) -> Folder {
        var path = place.parent
        while true {
            do { return try Folder.open(path) } catch {
                guard error.isAbsent, path.parent != path else { throw error }
            }
            path = path.parent
        }
    }
}
