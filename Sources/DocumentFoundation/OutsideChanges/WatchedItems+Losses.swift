internal import Coordination
internal import FileSystem

extension WatchedItems {
    /// An item that is gone from its volume, until it has been looked for on others.
    struct Loss: Sendable {
        let number: Int
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
    ///
    /// - Returns: Whether it is going to be looked for, and `conclude` tells what became of it.
    mutating func lose(_ path: ItemPath, _ item: Item) -> Bool {
        guard let handle = item.handle, let stamp = item.stamp else { return false }
        let before = item.before.flatMap { now - $0.changedAt < Self.settledSeconds ? $0.stamp : nil }
        lossCount += 1
        items[path]?.lossNumber = lossCount
        losses.append(
            Loss(
                number: lossCount,
                path: path,
                presenters: Set(item.presenters.keys),
                item: CopySearch.Lost(
                    name: path.name,
                    stamps: [stamp] + (before.map { [$0] } ?? []),
                    handle: handle
                )
            )
        )
        return true
    }

    /// Whether what a presenter presents is gone, and looked for on other volumes.
    func isLookedFor(_ id: PresenterID) -> Bool { path(of: id).flatMap { items[$0]?.lossNumber } != nil }

    /// Takes lost items to the copies that were found of them, and tells of that, or of their end.
    ///
    /// An item that has been seen again since, or followed, or that nobody presents any more is another matter; one that
    /// is there again unseen is told of when its events have come.
    mutating func conclude(
        _ losses: [Loss],
        foundAt places: [ObjectIdentifier: FilePath]
    ) -> [OutsideReport] {
        losses.flatMap { loss -> [OutsideReport] in
            guard let path = place(of: loss) else { return [] }
            items[path]?.lossNumber = nil
            guard !Self.isPresent(path) else { return [] }
            let found = places[ObjectIdentifier(loss.item.handle)].flatMap { ItemPath($0.string) }
            if let found, Self.isPresent(found) {
                follow(from: path, to: found)
                return [.moved(path, to: found)]
            }
            return loss.presenters.filter { items[path]?.presenters[$0] != nil }.map { .deleted($0) }
        }
    }

    /// Where a lost item would be by now: folders may have been renamed.
    private func place(of loss: Loss) -> ItemPath? {
        if items[loss.path]?.lossNumber == loss.number { return loss.path }
        return items.first { $0.value.lossNumber == loss.number }?.key
    }
}
