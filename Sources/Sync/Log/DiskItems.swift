/// The items of a disk, beside those of the log, in one: most are the same on both, and take room once only. Of the disk's those
/// are kept that are otherwise.
package struct DiskItems: Sendable {
    /// What the log comes to.
    package private(set) var log = ContainerTree()
    /// What of the disk is otherwise.
    private var others = PlacedItems<Otherwise>()
    /// Whether nothing of the disk is known yet, whatever the log has.
    private var isBlank = false
    /// How many items the disk has.
    package private(set) var count = 0

    /// How an item is that is not on the disk what it is in the log; nil for not there.
    private struct Otherwise: Placed {
        let state: ItemState?

        var listedPlace: ItemPlace? { state?.place }
    }

    package init() {}

    /// A disk of which nothing is known yet.
    init(log: ContainerTree) { (self.log, isBlank) = (log, true) }

    package var isEmpty: Bool { count == 0 }

    /// An item as it is on the disk, if it is there.
    package subscript(item: ItemID) -> ItemState? {
        get {
            if let other = others[item] { return other.state }
            return isBlank ? nil : log[item]
        }
        set {
            endBlank()
            let (former, logged) = (self[item], log[item])
            count += (newValue == nil ? 0 : 1) - (former == nil ? 0 : 1)
            note(item, newValue, logged)
        }
    }

    /// Takes in what is on the disk, of which nothing was known before.
    ///
    /// - Parameters:
    ///   - items: All that is on the disk.
    ///   - body: Is shown each item of either side: as the disk has it, as the log has it, and whether both say the very same.
    mutating func fill(
        _ items: ItemMap<ItemState>,
        _ body: (ItemID, ItemState?, ItemState?, _ areIdentical: Bool) -> Void
    ) {
        precondition(isEmpty, "a disk is filled once")
        (others, isBlank, count) = (PlacedItems(), false, items.count)
        var loggedCount = 0
        for (item, state) in items {
            let logged = log[item]
            if logged != nil { loggedCount += 1 }
            body(item, state, logged, note(item, state, logged))
        }
        guard loggedCount < log.itemCount else { return }
        log.forEach { item, state in
            guard items[item] == nil else { return }
            others[item] = Otherwise(state: nil)
            body(item, nil, state, false)
        }
    }

    /// - Returns: Whether disk and log say the very same of an item.
    @discardableResult
    private mutating func note(_ item: ItemID, _ state: ItemState?, _ logged: ItemState?) -> Bool {
        let areIdentical = state == logged
        others[item] = areIdentical ? nil : Otherwise(state: state)
        return areIdentical
    }

    /// Says of each item of the log that the disk does not have it.
    private mutating func endBlank() {
        guard isBlank else { return }
        isBlank = false
        log.forEach { item, _ in others[item] = Otherwise(state: nil) }
    }

    // MARK: The log

    /// What an item was in the log before an entry was read, and what it is.
    struct LogChange {
        let item: ItemID
        let before: ItemState?
        let now: ItemState?
    }

    /// Reads the log's next entry; the disk stays as it is.
    ///
    /// - Returns: The items that are others in the log now, or exist no more, or do now.
    mutating func read(_ entry: LogEntry) -> [LogChange] {
        let former = log[entry.commit.item]
        return log.read(entry).map { item in
            // Other items than the entry's come into being by it.
            let before = item == entry.commit.item ? former : nil
            let change = LogChange(item: item, before: before, now: log[item])
            if !isBlank { note(item, others[item].map(\.state) ?? before, change.now) }
            return change
        }
    }

    /// Has the log be another; the disk stays as it is.
    mutating func replaceLog(_ next: ContainerTree) {
        let items = all
        (log, others, count) = (next, PlacedItems(), 0)
        if !isBlank { fill(items) { _, _, _, _ in } }
    }

    // MARK: Places

    /// The items at a place, in no order.
    package func items(at place: ItemPlace) -> [ItemID] {
        var items = others.items(at: place)
        if let logged = log.item(at: place), isAsLogged(logged) { items.append(logged) }
        return items
    }

    /// One of the items at a place.
    package func item(at place: ItemPlace) -> ItemID? {
        if let logged = log.item(at: place), isAsLogged(logged) { return logged }
        return others.item(at: place)
    }

    /// Whether any item is in a folder.
    package func hasMembers(_ folder: ItemID) -> Bool {
        others.hasMembers(folder) || !isBlank && log.children(of: folder).contains(where: isAsLogged)
    }

    /// The items in a folder, in no order.
    package func members(of folder: ItemID) -> [ItemID] {
        others.members(of: folder) + (isBlank ? [] : log.children(of: folder).filter(isAsLogged))
    }

    private func isAsLogged(_ item: ItemID) -> Bool { !isBlank && others[item] == nil }
}

extension DiskItems {
    /// Shows all items, in no order.
    package func forEach(_ body: (ItemID, ItemState) -> Void) {
        for (item, other) in others { if let state = other.state { body(item, state) } }
        if !isBlank { log.forEach { if isAsLogged($0) { body($0, $1) } } }
    }

    /// All items.
    package var all: ItemMap<ItemState> {
        var all = ItemMap<ItemState>()
        all.reserveCapacity(count)
        forEach { all[$0] = $1 }
        return all
    }

    package var keys: [ItemID] { all.keys }
    package var values: [ItemState] { all.values }
}
