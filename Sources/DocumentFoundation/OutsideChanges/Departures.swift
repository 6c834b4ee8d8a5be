internal import Coordination

/// Which items others have moved lately, and from which names.
///
/// An editor may rename the old file away before it writes the new one. Where it takes longer than what counts as one
/// save, the item has been followed by then; but if something is at the name again soon, the name wins all the same.
/// Pure: the time is given.
struct Departures {
    /// So long a name waits for something new.
    static let secondsMax = 2.0

    private struct Departure {
        var place: ItemPath
        let time: Double
    }

    /// By the name that was left.
    private var departures: [ItemPath: Departure] = [:]

    /// An item has been moved by someone who coordinates nothing.
    mutating func note(from name: ItemPath, to place: ItemPath, at now: Double) {
        departures = departures.filter { now - $0.value.time <= Self.secondsMax }
        departures[name] = Departure(place: place, time: now)
    }

    /// What is somewhere has been moved, by whomever.
    mutating func follow(from source: ItemPath, to target: ItemPath) {
        for (name, departure) in departures {
            guard let place = departure.place.moved(from: source, to: target) else { continue }
            departures[name] = place == name ? nil : Departure(place: place, time: departure.time)
        }
    }

    /// Where the item is that left a name lately.
    func place(ofItemFrom name: ItemPath, at now: Double) -> ItemPath? {
        guard let departure = departures[name], now - departure.time <= Self.secondsMax else { return nil }
        return departure.place
    }

    /// The names that an item left lately.
    func names(leftByItemAt place: ItemPath, at now: Double) -> [ItemPath] {
        departures.filter { $0.value.place == place && now - $0.value.time <= Self.secondsMax }.map(\.key)
    }
}
