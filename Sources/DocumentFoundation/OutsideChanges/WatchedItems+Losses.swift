internal import Coordination
internal import FileSystem

extension WatchedItems {
    /// An item that is gone from its volume, until it has been looked for on others.
    struct Loss: Sendable {
        let path: ItemPath
        let presenters: Set<PresenterID>
        let item: CopySearch.Lost
    }

    /// So long a directory has to rest for how it looks to count as settled, in seconds.
    private static let settledSeconds = 2.0

    /// A directory that is moved to another volume is emptied before it goes.
    mutating func noteChange(of path: ItemPath, from old: FileStamp) {
        var stamp = old
        if let before = items[path]?.before, now - before.changedAt < Self.settledSeconds {
            stamp = before.stamp
        }
        items[path]?.before = (stamp, now)
    }

    /// Notes what is needed to find an item elsewhere, before its handle goes.
    mutating func lose(_ path: ItemPath, _ item: Item) {
        guard let handle = item.handle, let stamp = item.stamp else { return }
        let before = item.before.flatMap { now - $0.changedAt < Self.settledSeconds ? $0.stamp : nil }
        losses.append(
            Loss(
                path: path,
                presenters: Set(item.presenters.keys),
                item: CopySearch.Lost(
                    name: path.name,
                    stamps: [stamp] + (before.map { [$0] } ?? []),
                    handle: handle
                )
            )
        )
    }

    /// Takes items to the copies that were found of them, and tells of that instead of their end.
    mutating func follow(
        _ found: [(loss: Loss, place: ItemPath)],
        insteadOf reports: [OutsideReport]
    ) -> [OutsideReport] {
        var reports = reports
        for (loss, place) in found where items[loss.path] != nil && items[loss.path]?.stamp == nil {
            follow(from: loss.path, to: place)
            reports.removeAll {
                guard case .deleted(let id) = $0 else { return false }
                return loss.presenters.contains(id)
            }
            reports.append(.moved(loss.path, to: place))
        }
        return reports
    }
}
