internal import Sync

/// A place with the bytes of its name: what the engine takes for one name is its own affair, and what is held against it is to
/// know better.
struct ExactPlace: Hashable {
    let parent: ItemID
    let name: [UInt8]
}

extension ItemPlace {
    var exact: ExactPlace { ExactPlace(parent: parent, name: Array(name.utf8)) }
}

/// All that there is to say of an item, byte for byte.
struct ExactState: Hashable {
    let place: ExactPlace
    let kind: ItemState.Kind
    let content: ContentName?
    let conflicts: Set<ContentName>
}

extension ItemMap<ItemState> {
    /// Has an item be another, with all that is in it.
    mutating func rename(_ item: ItemID, to other: ItemID) {
        self[other] = self[item]
        self[item] = nil
        for member in filter({ $0.value.parent == item }).keys { self[member]?.place.parent = other }
    }

    var exact: [ItemID: ExactState] {
        reduce(into: [:]) { all, item in
            let state = item.value
            all[item.key] = ExactState(
                place: state.place.exact,
                kind: state.kind,
                content: state.content,
                conflicts: state.conflicts
            )
        }
    }
}
