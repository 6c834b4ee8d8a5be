internal import Coordination
internal import FileSystem

/// A change with its places as paths, which folders may have left since.
struct SeenChange: Sendable {
    enum Kind: Sendable { case written, moved(to: ItemPath), replacedAndMoved(to: ItemPath), left }

    let kind: Kind
    let path: ItemPath
    let writer: WriterProcess?

    init?(_ change: EventFolding.Change, by writer: WriterProcess?, in folders: WatchedFolders) {
        func path(_ place: EventFolding.Place) -> ItemPath? {
            folders.path(place.folder).flatMap { ItemPath($0, place.name) }
        }
        let found: (Kind, ItemPath?) =
            switch change {
            case .written(let place): (.written, path(place))
            case .left(let place), .deleted(let place): (.left, path(place))
            case .moved(let source, let target):
                (path(target).map { .moved(to: $0) } ?? .left, path(source))
            case .replacedAndMoved(let source, let target):
                (path(target).map { .replacedAndMoved(to: $0) } ?? .left, path(source))
            }
        guard let path = found.1 else { return nil }
        (kind, self.path, self.writer) = (found.0, path, writer)
    }

    var paths: [ItemPath] {
        switch kind {
        case .moved(let target), .replacedAndMoved(let target): [path, target]
        case .written, .left: [path]
        }
    }

    /// So many groups are made of one batch; who changes more at once is no person.
    private static let groupsMax = 64

    /// Changes that have to do with one another stay together, in order: nobody waits for the end of a write that
    /// is about something else.
    static func grouped(_ changes: [SeenChange]) -> [[SeenChange]] {
        guard changes.count <= groupsMax else { return [changes] }
        var groups: [[SeenChange]] = []
        for change in changes {
            let related = groups.indices.filter { groups[$0].contains { $0.isRelated(to: change) } }
            let joined = related.flatMap { groups[$0] } + [change]
            for index in related.reversed() { groups.remove(at: index) }
            groups.append(joined)
        }
        return groups
    }

    private func isRelated(to other: SeenChange) -> Bool {
        paths.contains { path in other.paths.contains { $0.holds(path) || path.holds($0) } }
    }

    func apply(to items: inout WatchedItems, isBusy: Bool) -> [OutsideReport] {
        if isBusy { return items.hints(of: paths, by: writer) }
        switch kind {
        case .written: return items.written(path, by: writer)
        case .moved(let target): return items.moved(from: path, to: target, by: writer)
        case .replacedAndMoved(let target): return items.replacedAndMoved(path, to: target, by: writer)
        case .left: return items.left(path, by: writer)
        }
    }
}
