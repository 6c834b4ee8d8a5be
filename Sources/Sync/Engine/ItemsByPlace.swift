/// The items that are at each place, mostly one.
struct ItemsByPlace: Sendable {
    private var first: [ItemPlace: ItemID] = [:]
    private var others: [ItemPlace: Set<ItemID>] = [:]

    subscript(place: ItemPlace) -> Set<ItemID> {
        guard let item = first[place] else { return [] }
        return (others[place] ?? []).union([item])
    }

    mutating func reserveCapacity(_ count: Int) { first.reserveCapacity(count) }

    mutating func insert(_ item: ItemID, at place: ItemPlace) {
        guard let known = first[place] else {
            first[place] = item
            return
        }
        if known != item { others[place, default: []].insert(item) }
    }

    mutating func remove(_ item: ItemID, at place: ItemPlace) {
        guard first[place] == item else {
            take(item, at: place)
            return
        }
        let next = others[place]?.min()
        first[place] = next
        if let next { take(next, at: place) }
    }

    /// Takes an item out of those that are not the first.
    private mutating func take(_ item: ItemID, at place: ItemPlace) {
        others[place]?.remove(item)
        if others[place]?.isEmpty == true { others[place] = nil }
    }
}
