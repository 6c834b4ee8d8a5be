/// How each item was when disk and log agreed last: mostly as the log has it, and then it takes no room. Knows which items have
/// been written, here or in the log, since somebody asked last.
package struct AgreedItems: Sendable {
    /// Those that were not what they are in the log; nil for: they never agreed, or have gone from both since.
    private var others = ItemMap<ItemState?>()
    private var written: Set<ItemID> = []

    init() {}

    /// - Parameter states: Of each item that agreed once.
    init(_ states: ItemMap<ItemState>, besides log: ContainerTree) { put(states, besides: log) }

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

    /// The log has an item otherwise than before: how it was when disk and log agreed stays as it is, but is not told by the same
    /// any more, and counts as written.
    mutating func keep(_ item: ItemID, before: ItemState?, now: ItemState?) {
        put(state(of: item, logged: before), of: item, logged: now)
        written.insert(item)
    }

    /// The log is another: as for each of its items.
    mutating func keep(besides former: ContainerTree, now log: ContainerTree) {
        put(all(besides: former), besides: log)
        former.forEach { item, state in if log[item] != state { written.insert(item) } }
        log.forEach { item, _ in if former[item] == nil { written.insert(item) } }
    }

    private mutating func put(_ states: ItemMap<ItemState>, besides log: ContainerTree) {
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

// As a memory has it, which has disk and log, too.
extension AgreedItems {
    /// What a memory has to say of an item beside disk and log. Where both have it alike, they agreed on that, and where not, on
    /// nothing: so it is of nearly all items, and nothing is said.
    package enum Note: Hashable, Sendable {
        case toldByDiskAndLog
        case otherwise(ItemState?)

        /// - Parameters:
        ///   - agreed: How the item was when disk and log agreed last.
        ///   - seen: How the memory has it on the disk, and `logged` in the log.
        package init(_ agreed: ItemState?, seen: ItemState?, logged: ItemState?) {
            self = agreed == (seen == logged ? logged : nil) ? .toldByDiskAndLog : .otherwise(agreed)
        }
    }

    /// What a memory says needlessly counts as written.
    ///
    /// - Parameters:
    ///   - noted: Items that disk and log do not tell of.
    ///   - seen: How the memory has an item on the disk.
    package init(
        noted: ItemMap<ItemState?>,
        seen: (ItemID) -> ItemState?,
        besides log: ContainerTree
    ) {
        log.forEach { item, logged in
            if noted[item] == nil, seen(item) != logged { others[item] = .some(nil) }
        }
        for (item, state) in noted {
            let logged = log[item]
            put(state, of: item, logged: logged)
            if Note(state, seen: seen(item), logged: logged) == .toldByDiskAndLog { written.insert(item) }
        }
    }
}
