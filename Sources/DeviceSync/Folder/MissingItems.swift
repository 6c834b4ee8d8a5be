internal import Sync

/// Items that are not where they were seen last, each with the moment from which on it is so: each has the same time to turn up
/// elsewhere, whatever else is missing. Pure.
///
/// What is removed bit by bit is one removal, of which a person may have to be asked as a whole: as long as more comes to be
/// missing, what has been so for its time waits for it, up to a limit.
struct MissingItems {
    private var seconds: [ItemID: Double] = [:]

    init() {}

    var isEmpty: Bool { seconds.isEmpty }
    var items: Set<ItemID> { Set(seconds.keys) }

    func contains(_ item: ItemID) -> Bool { seconds[item] != nil }

    /// Notes what is missing. What was so before is so since then.
    mutating func note(_ items: some Sequence<ItemID>, at now: Double) {
        for item in items where seconds[item] == nil { seconds[item] = now }
    }

    /// Notes what is missing since some moment, as it was taken before.
    mutating func putBack(_ items: [ItemID: Double]) { seconds.merge(items) { min($0, $1) } }

    /// An item is not missing any more, or nobody's business.
    mutating func end(_ item: ItemID) { seconds[item] = nil }

    /// Takes what has been missing for so long, unless others have not yet been; but at most for the limit.
    mutating func take(for age: Double, upTo limit: Double, at now: Double) -> [ItemID: Double] {
        let due = seconds.filter { $0.value + age <= now }
        guard due.count == seconds.count || due.values.contains(where: { $0 + limit <= now }) else {
            return [:]
        }
        for item in due.keys { seconds[item] = nil }
        return due
    }

    /// In how many seconds the next will have been missing for so long, of those that have not been yet; nil for none.
    func wait(for age: Double, at now: Double) -> Double? {
        seconds.values.lazy.map { $0 + age - now }.filter { $0 > 0 }.min()
    }
}
