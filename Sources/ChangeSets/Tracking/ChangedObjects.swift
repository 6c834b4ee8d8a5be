/// Which properties were set of which objects, from the object that was changed first on; each object once. To note one, and to
/// take one, costs the same however many there are.
struct ChangedObjects<Object: Hashable> {
    typealias Change = (object: Object, properties: [String])

    /// Those before `first` were taken.
    private var changes: [Change] = []
    private var first = 0
    private var places: [Object: Int] = [:]

    var isEmpty: Bool { first == changes.count }

    mutating func note(_ property: String, of object: Object) {
        guard let place = places[object] else {
            places[object] = changes.count
            return changes.append((object, [property]))
        }
        if !changes[place].properties.contains(property) { changes[place].properties.append(property) }
    }

    /// Takes out the object that was changed first. What is set of it from now on is another change.
    mutating func takeFirst() -> Change? {
        guard !isEmpty else { return nil }
        let change = changes[first]
        places[change.object] = nil
        first += 1
        if isEmpty { (changes, first) = ([], 0) }
        return change
    }

    /// Puts the one that was taken last before all others again.
    mutating func putBack(_ change: Change) {
        var change = change
        if let place = places[change.object] {
            // What was set of it since is behind the others, and no change once this one is recorded.
            change.properties += changes[place].properties.filter { !change.properties.contains($0) }
        }
        if first == 0 {
            // All were taken: what there is was noted since.
            changes.insert(change, at: 0)
            places = places.mapValues { $0 + 1 }
        } else {
            first -= 1
            changes[first] = change
        }
        places[change.object] = first
    }
}
