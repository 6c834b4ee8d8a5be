internal import Coordination

/// Which items presenters have named, and to which of them moves are on their way: who has not been told of a move yet names
/// the old place still, and means the item that has left it.
struct NamedPlaces: Sendable {
    private struct Named: Sendable {
        /// What the presenter named last, or was told of last.
        var place: ItemPath?
        /// How many moves it has been sent and has not taken.
        var sentCount = 0
    }

    private var named: [PresenterID: Named] = [:]

    /// A presenter is added, and names its item.
    mutating func add(_ id: PresenterID, _ place: ItemPath?) { named[id] = Named(place: place) }

    mutating func remove(_ id: PresenterID) { named[id] = nil }

    /// A presenter names its item again.
    ///
    /// - Returns: Whether that is where it is; not when it names what it did before, and a move is on its way to it.
    mutating func name(_ id: PresenterID, _ place: ItemPath?) -> Bool {
        guard let known = named[id] else { return false }
        if known.sentCount > 0, known.place == place { return false }
        named[id]?.place = place
        return true
    }

    /// A presenter is sent the news of a move.
    mutating func send(_ id: PresenterID) { named[id]?.sentCount += 1 }

    /// A presenter has taken the news of a move.
    mutating func take(_ id: PresenterID, _ place: ItemPath) {
        guard let known = named[id], known.sentCount > 0 else { return }
        named[id] = Named(place: place, sentCount: known.sentCount - 1)
    }
}
