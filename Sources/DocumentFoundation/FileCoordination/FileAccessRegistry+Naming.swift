internal import Coordination

// Where presenters of this process say that their items are, and where they are told that they have gone.
extension FileAccessRegistry.State {
    /// Has a presenter told of something.
    mutating func send(_ notice: PresenterNotice, to handle: PresenterHandle) {
        if case .itemDidMove(let place) = notice { namedPlaces.send(handle.id, place) }
        outbox.append(.notice(notice, handle))
    }

    /// Tells presenters where their items have gone, if that was to be told at the end of an access by an arbiter that is no
    /// more, or was announced when there was none.
    mutating func tellOfMissedMoves() {
        for handle in presenterOrder.compactMap({ presenters[$0] }) {
            guard let path = joining.presenterPaths[handle.id], !namedPlaces.knows(handle.id, path) else {
                continue
            }
            send(.itemDidMove(to: path), to: handle)
        }
    }

    /// Whether what a presenter names is where its item is: also when it has named the same before, unless the item has gone from
    /// there since, which the presenter is still to hear.
    func acceptsName(_ id: PresenterID, _ path: ItemPath?) -> Bool {
        guard namedPlaces.isNamed(path, by: id) else { return presenters[id] != nil }
        return !namedPlaces.isMoving(id) && (!joining.isLinked || joining.presenterPaths[id] == path)
    }

    /// A presenter names its item: when it reads another, and at the end of its own writes.
    mutating func takeName(_ id: PresenterID, _ path: ItemPath?) {
        guard acceptsName(id, path) else { return }
        namedPlaces.name(id, path)
        movePresenter(id, to: path)
    }
}
