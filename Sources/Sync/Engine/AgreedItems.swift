/// How each item was when disk and log agreed last: mostly as the log has it, and then it takes no room. Knows which items have
/// been written since somebody asked last.
struct AgreedItems: Sendable {
    /// Those that were not what they are in the log; nil for: they never agreed, or have gone from both since.
    private var others = ItemMap<ItemState?>()
    private var written: Set<ItemID> = []

    init() {}

    /// - Parameter states: Of each item that agreed once.
    init(_ states: ItemMap<ItemState>, besides log: ContainerTree) { keep(states, besides: log) }

    /// - Parameter logged: What the log has of the item.
    func state(of item: ItemID, logged: @autoclosure () -> ItemState?) -> ItemState? {
        others[item] ?? logged()
    }

    /// Whether an item was not what it is in the log.
    func isOtherwise(_ item: ItemID) -> Bool { others[item] != nil }

    /// Notes how an item was, at this moment.
    mutating func set(_ state: ItemState?, of item: ItemID, logged: ItemState?) {
        guard self.state(of: item, logged: logged) != state else { return }
        put(state, of: item, logged: logged)
        written.insert(item)
    }

    /// The log has an item otherwise than before: how it was when disk and log agreed stays as it is.
    mutating func keep(_ item: ItemID, before: ItemState?, now: ItemState?) {
        put(state(of: item, logged: before), of: item, logged: now)
    }

    /// Takes states over that the log has not changed; none counts as written for that.
    mutating func keep(_ states: ItemMap<ItemState>, besides log: ContainerTree) {
        others = ItemMap()
        var loggedCount = 0
        for (item, state) in states {
            let logged = log[item]
            if logged != nil { loggedCount += 1 }
            put(state, of: item, logged: logged)
        }
        guard loggedCount < log.itemCount else { return }
        log.forEach { item, _ in if states[item] == nil { others[item] = .some(nil) } }
    }

    private mutating func put(_ state: ItemState?, of item: ItemID, logged: ItemState?) {
        others[item] = state == logged ? nil : .some(state)
    }

    /// All of them.
    func all(besides log: ContainerTree) -> ItemMap<ItemState> {
        var all = ItemMap<ItemState>()
        all.reserveCapacity(log.itemCount)
        log.forEach { item, state in if others[item] == nil { all[item] = state } }
        for (item, state) in others { if let state { all[item] = state } }
        return all
    }

    mutating func takeWritten() -> Set<ItemID> {
        defer { written = [] }
        return written
    }
}
