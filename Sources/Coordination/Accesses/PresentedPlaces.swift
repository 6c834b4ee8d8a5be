/// Which presenter presents which item: found by either.
struct PresentedPlaces: Sendable {
    private var paths: [PresenterID: ItemPath] = [:]
    /// The presenters of each item, in the order they registered.
    private var presenters: [ItemPath: [PresenterID]] = [:]
    /// How many presented items have a path of so many bytes: most that are looked for, and most folders around them, are
    /// known by it to have no presenter.
    private var countsByLength: [Int] = []
    /// The shortest path of a presented item has so many bytes.
    private var shortestLength = Int.max

    var isEmpty: Bool { presenters.isEmpty }

    /// Every presenter that presents something.
    var ids: Dictionary<PresenterID, ItemPath>.Keys { paths.keys }

    subscript(id: PresenterID) -> ItemPath? { paths[id] }

    func presenters(of item: ItemPath) -> [PresenterID] {
        mayHavePresenter(length: item.string.utf8.count) ? presenters[item] ?? [] : []
    }

    /// The presenters of what is inside a folder, in no order.
    func presenters(inside folder: ItemPath) -> [PresenterID] {
        paths.filter { folder.isAncestor(of: $0.value) }.map(\.key)
    }

    /// The presenters of the folders that hold an item, those of the nearest folder first.
    func presenters(above item: ItemPath) -> [PresenterID] {
        guard item.string.utf8.count > shortestLength else { return [] }
        return item.ancestors(where: mayHavePresenter(length:)).flatMap { presenters[$0] ?? [] }
    }

    /// - Parameter path: Nil for a presenter that presents nothing now.
    mutating func place(_ id: PresenterID, at path: ItemPath?) {
        guard paths[id] != path else { return }
        if let earlier = paths[id] { remove(id, from: earlier) }
        paths[id] = path
        guard let path else { return }
        presenters[path, default: []].append(id)
        if presenters[path]?.count == 1 { count(path, by: 1) }
    }

    private mutating func remove(_ id: PresenterID, from path: ItemPath) {
        presenters[path]?.removeAll { $0 == id }
        guard presenters[path]?.isEmpty == true else { return }
        presenters[path] = nil
        count(path, by: -1)
    }

    private mutating func count(_ path: ItemPath, by difference: Int) {
        let length = path.string.utf8.count
        while countsByLength.count <= length { countsByLength.append(0) }
        countsByLength[length] += difference
        shortestLength = countsByLength.firstIndex { $0 > 0 } ?? .max
    }

    private func mayHavePresenter(length: Int) -> Bool {
        length < countsByLength.count && countsByLength[length] > 0
    }
}
