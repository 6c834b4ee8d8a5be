extension AccessClaim {
    /// A claim to where the item is after `source` has become `target`; nil when the item was not in `source`.
    ///
    /// - Parameter around: The packages that hold what is inside `target`: those around it and itself if it is one.
    package func moved(
        from source: ItemPath,
        to target: ItemPath,
        inside around: [ItemPath]
    ) -> AccessClaim? {
        guard let item = item.moved(from: source, to: target) else { return nil }
        let inner = packages.filter { source.isAncestor(of: $0) }
            .compactMap { $0.moved(from: source, to: target) }
        return AccessClaim(item, inside: around.filter { $0.isAncestor(of: item) } + inner, use: use)
    }

    /// Guards also where the item is after a move, as long as the access runs.
    mutating func extend(from source: ItemPath, to target: ItemPath, inside around: [ItemPath]) {
        for place in [self] + later {
            guard let moved = place.moved(from: source, to: target, inside: around), !later.contains(moved)
            else { continue }
            later.append(moved)
        }
    }

    /// What is locked: where the item was when access was given, and wherever it has been since.
    var scopes: [ItemPath] { [scope] + later.map(\.scope) }
}
