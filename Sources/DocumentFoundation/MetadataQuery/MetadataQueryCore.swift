/// Which results a metadata query shows, in which order, and when it says so. Pure: no file, no clock, no thread.
///
/// 1. What is shown changes only in `tell`, so that whoever reads results on the query's queue never sees them move.
/// 2. Nothing is told while updates are disabled; what happened meanwhile is told at once afterwards.
/// 3. Two updates are at least `interval` apart; the first after a pause comes at once.
/// 4. What came and went between two updates is told in neither.
/// 5. Results that the order does not tell apart are in the order of their numbers.
struct MetadataQueryCore {
    /// What a result is sorted by: one value for each sort descriptor.
    typealias SortValues = [PredicateValue]

    /// Something that matches.
    struct Match: Sendable {
        var id: Int
        var sortValues: SortValues = []
    }

    /// What there is to say.
    enum Announcement: Equatable {
        case started
        case progress
        case finished
        case updated(added: [Int], changed: [Int], removed: [Int])
    }

    enum Phase: Hashable { case idle, gathering, live, stopped }

    /// Compares two results' sort values; the same for nothing to sort by.
    typealias Order = @Sendable (SortValues, SortValues) -> Bool

    private(set) var phase = Phase.idle
    /// The least time between two updates, in seconds.
    var interval = 1.0

    /// What is shown.
    private(set) var shown: [Int] = []

    /// What matches now, in order.
    private var current: [Int] = []
    private var sortValues: [Int: SortValues] = [:]
    private let comesFirst: Order?

    /// What an update would tell now. None of these are known while all is gathered for the first time.
    private var added: Set<Int> = []
    private var changed: Set<Int> = []
    private var removed: Set<Int> = []

    private var disabledCount = 0
    private var hasToldStart = false
    private var hasGathered = false
    private var hasProgress = false
    private var lastToldAt = -Double.infinity

    /// - Parameter comesFirst: Whether the first of two results comes before the second; nil for results in the order
    ///   of their numbers.
    init(interval: Double = 1, comesFirst: Order? = nil) {
        self.interval = interval
        self.comesFirst = comesFirst
    }

    var isDisabled: Bool { disabledCount > 0 }

    // MARK: Events

    mutating func start() {
        precondition(phase == .idle, "a query was started while it was \(phase)")
        phase = .gathering
    }

    /// Things that match, found while all is gathered.
    mutating func gathered(_ matches: [Match]) {
        guard phase == .gathering, !matches.isEmpty else { return }
        if comesFirst == nil {
            current += matches.map(\.id)
        } else {
            insert(matches)
        }
        hasProgress = true
    }

    /// All has been gathered.
    mutating func finished() {
        guard phase == .gathering else { return }
        hasGathered = true
    }

    /// Some things match, match as something else, or match no longer.
    mutating func change(put: [Match], drop: Set<Int>) {
        guard phase == .gathering || phase == .live else { return }
        let known = Set(put.map(\.id)).union(drop).filter(isCurrent)
        take(out: known)
        insert(put)
        for match in put { note(match.id, wasThere: known.contains(match.id), isThere: true) }
        for id in drop where known.contains(id) { note(id, wasThere: true, isThere: false) }
        hasProgress = hasProgress || phase == .gathering
    }

    private mutating func note(_ id: Int, wasThere: Bool, isThere: Bool) {
        guard phase == .live else { return }
        switch (wasThere, isThere) {
        case (false, true):
            // What is shown still has only changed.
            if removed.remove(id) != nil { changed.insert(id) } else { added.insert(id) }
        case (true, true): if !added.contains(id) { changed.insert(id) }
        case (true, false):
            changed.remove(id)
            if added.remove(id) == nil { removed.insert(id) }
        case (false, false): break
        }
    }

    mutating func disable() { disabledCount += 1 }

    mutating func enable() {
        precondition(disabledCount > 0, "enableUpdates() was called more often than disableUpdates()")
        disabledCount -= 1
    }

    /// Nothing is told any more; what is shown stays, with what has been found until now.
    mutating func stop() {
        guard phase == .gathering || phase == .live else { return }
        if !isDisabled { show() }
        phase = .stopped
    }

    // MARK: Telling

    /// When there is something to tell: not before this time; nil for not before the next event.
    func due() -> Double? {
        guard !isDisabled, phase == .gathering || phase == .live else { return nil }
        if !hasToldStart || (phase == .gathering && hasGathered) { return -.infinity }
        let hasNews =
            phase == .gathering ? hasProgress : !(added.isEmpty && changed.isEmpty && removed.isEmpty)
        return hasNews ? lastToldAt + interval : nil
    }

    /// What is to be told now, in order. What is shown is then as it says.
    mutating func tell(at now: Double) -> [Announcement] {
        guard let due = due(), now >= due else { return [] }
        var announcements: [Announcement] = []
        if !hasToldStart {
            hasToldStart = true
            announcements.append(.started)
            // What was found already is progress one interval from now, unless it is all.
            lastToldAt = now
            if !hasGathered { return announcements }
        }
        if phase == .gathering {
            announcements.append(hasGathered ? .finished : .progress)
            if hasGathered { phase = .live }
            hasProgress = false
        } else {
            announcements.append(
                .updated(added: added.sorted(), changed: changed.sorted(), removed: removed.sorted())
            )
        }
        // The first update may follow the gathering at once.
        lastToldAt = phase == .live && announcements.last == .finished ? -.infinity : now
        show()
        return announcements
    }

    private mutating func show() {
        shown = current
        (added, changed, removed) = ([], [], [])
    }

    /// Whether something may be shown, or be in what is told next. What neither matches nor is shown is not.
    func mayBeTold(_ id: Int) -> Bool { phase != .live || isCurrent(id) || removed.contains(id) }

    // MARK: Order

    private func isBefore(_ first: Int, _ second: Int) -> Bool {
        guard let comesFirst, let one = sortValues[first], let other = sortValues[second] else {
            return first < second
        }
        if comesFirst(one, other) { return true }
        return comesFirst(other, one) ? false : first < second
    }

    /// Where a thing is or would be.
    private func place(of id: Int, in ids: [Int]) -> Int {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(ids[middle], id) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isCurrent(_ id: Int) -> Bool {
        if comesFirst != nil { return sortValues[id] != nil }
        let place = place(of: id, in: current)
        return place < current.count && current[place] == id
    }

    /// Beyond this many at once all are gone through, rather than each looked for.
    private static let singlesMax = 64

    private mutating func take(out ids: Set<Int>) {
        if ids.count > Self.singlesMax {
            current.removeAll(where: ids.contains)
        } else {
            for id in ids {
                let place = place(of: id, in: current)
                if place < current.count, current[place] == id { current.remove(at: place) }
            }
        }
        for id in ids { sortValues[id] = nil }
    }

    private mutating func insert(_ matches: [Match]) {
        if comesFirst != nil { for match in matches { sortValues[match.id] = match.sortValues } }
        if matches.count <= Self.singlesMax {
            for match in matches { current.insert(match.id, at: place(of: match.id, in: current)) }
            return
        }
        var merged: [Int] = []
        merged.reserveCapacity(current.count + matches.count)
        var old = current[...]
        for match in sorted(matches) {
            let passed = old.prefix { isBefore($0, match.id) }
            merged += passed
            merged.append(match.id)
            old = old.dropFirst(passed.count)
        }
        current = merged + old
    }
    private func sorted(_ matches: [Match]) -> [Match] {
        guard let comesFirst else { return matches.sorted { $0.id < $1.id } }
        return matches.sorted { first, second in
            if comesFirst(first.sortValues, second.sortValues) { return true }
            return comesFirst(second.sortValues, first.sortValues) ? false : first.id < second.id
        }
    }
}
