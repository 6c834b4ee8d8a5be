internal import Coordination

/// Which items presenters have named, and to which of them moves are on their way: who has not been told of a move yet names
/// the old place still, and means the item that has left it.
struct NamedPlaces: Sendable {
    private struct Named: Sendable {
        /// What the presenter named last, or was told of last.
        var place: ItemPath?
        /// How many moves it has been sent and has not taken.
        var sentCount = 0
        /// Where the last of these has led.
        var sentPlace: ItemPath?
    }

    private var named: [PresenterID: Named] = [:]

    /// A presenter is added, and names its item.
    mutating func add(_ id: PresenterID, _ place: ItemPath?) { named[id] = Named(place: place) }

    mutating func remove(_ id: PresenterID) { named[id] = nil }

    /// A presenter names its item again.
    mutating func name(_ id: PresenterID, _ place: ItemPath?) {
        guard named[id] != nil, !isNamed(place, by: id) else { return }
        named[id]?.place = place
        named[id]?.sentPlace = nil
    }

    /// Whether that is what a presenter named last, or was told of last.
    func isNamed(_ place: ItemPath?, by id: PresenterID) -> Bool {
        named[id].map { $0.place == place } ?? false
    }

    /// Whether the news of a move is on its way to a presenter.
    func isMoving(_ id: PresenterID) -> Bool { named[id].map { $0.sentCount > 0 } ?? false }

    /// A presenter is sent the news of a move.
    mutating func send(_ id: PresenterID, _ place: ItemPath) {
        named[id]?.sentCount += 1
        named[id]?.sentPlace = place
    }

    /// A presenter has taken the news of a move.
    mutating func take(_ id: PresenterID, _ place: ItemPath) {
        guard let known = named[id], known.sentCount > 0 else { return }
        named[id]?.place = place
        named[id]?.sentCount = known.sentCount - 1
        if known.sentCount == 1 { named[id]?.sentPlace = nil }
    }

    /// Whether a presenter knows where its item is, or is about to.
    func knows(_ id: PresenterID, _ place: ItemPath) -> Bool {
        guard let known = named[id] else { return true }
        return (known.sentPlace ?? known.place) == place
    }
}
