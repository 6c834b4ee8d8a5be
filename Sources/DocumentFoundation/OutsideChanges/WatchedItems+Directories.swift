internal import Coordination
internal import FileSystem

/// What is in presented directories, and who is told of it.
extension WatchedItems {
    mutating func growTree(_ path: ItemPath) {
        let isRemembered = items[path]?.presenters.values.contains(false) == true
        let isKnown = trees.contains(path)
        guard !isKnown || isRemembered != items[path]?.tree?.remembersMembers else { return }
        endTree(path)
        items[path]?.tree = WatchedTree(remembersMembers: isRemembered)
        trees.insert(path)
        _ = relook(path, at: path)
    }

    mutating func endTree(_ path: ItemPath) {
        guard trees.remove(path) != nil else { return }
        for number in items[path]?.tree?.watches ?? [] { folders.release(number) }
        items[path]?.tree = nil
    }

    /// Looks at a folder of a tree, and watches the folders found in it.
    mutating func relook(_ tree: ItemPath, at path: ItemPath) -> WatchedTree.Difference? {
        guard let (found, difference) = items[tree]?.tree?.look(at: path) else { return nil }
        let watched = Set((items[tree]?.tree?.watches ?? []).compactMap { folders.path($0) })
        let room = max(0, WatchedTree.foldersMax - watched.count)
        let new = found.filter { !watched.contains($0) }.prefix(room).map { folders.use($0) }
        items[tree]?.tree?.watches += new
        return difference
    }

    mutating func tellTrees(around path: ItemPath, by writer: WriterProcess?) -> [OutsideReport] {
        guard !trees.isEmpty else { return [] }
        var reports: [OutsideReport] = []
        for tree in path.ancestors where trees.contains(tree) {
            guard let presenters = items[tree]?.presenters else { continue }
            if let difference = items[tree]?.tree?.look(atMember: path) {
                reports += tell(difference, to: presenters)
            }
            // What cannot be looked at has no members to tell of.
            if (try? FileStamp.ifPresent(at: FilePath(path.string)))?.kind == .directory, !path.isOwn,
                !folders.isWatched(path), let inner = relook(tree, at: path)
            {
                // What came into the folder before it was watched.
                reports += tell(inner, to: presenters)
            }
        }
        return reports + tellHinted(around: [path], by: writer)
    }

    func tell(
        _ difference: WatchedTree.Difference,
        to presenters: [PresenterID: Bool]
    ) -> [OutsideReport] {
        var reports: [OutsideReport] = difference.moved.map { .moved($0.from, to: $0.to) }
        for (id, findsOutItself) in presenters where !findsOutItself {
            reports += difference.appeared.map { .subitemAppeared(id, $0) }
            reports += (difference.changed + difference.gone).map { .subitemChanged(id, $0) }
        }
        return reports
    }

    func tellHinted(around places: [ItemPath], by writer: WriterProcess?) -> [OutsideReport] {
        guard !trees.isEmpty else { return [] }
        var reports: [OutsideReport] = []
        for path in places {
            for tree in path.ancestors where trees.contains(tree) {
                guard let member = path.member(of: tree) else { continue }
                let hint = OutsideHint(members: [member], writer: writer)
                let hinted = items[tree]?.presenters.filter(\.value) ?? [:]
                reports += hinted.keys.map { .mayHaveChanged($0, hint) }
            }
        }
        return reports
    }
}
