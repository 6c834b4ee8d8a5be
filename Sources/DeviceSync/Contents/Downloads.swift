internal import Sync

/// Contents that somebody waits for, by item, and which items need which: what comes concerns these alone, however many wait. Pure.
struct Downloads {
    private var all: [ItemID: Download] = [:]
    private var needing: [ContentName: Set<ItemID>] = [:]
    /// Those of which something may be another than when they were looked at last.
    private var changed: Set<ItemID> = []

    subscript(item: ItemID) -> Download? {
        get { all[item] }
        set {
            // What it needs is noted by itself, and ends with it.
            if newValue == nil { note(item, needs: []) }
            all[item] = newValue
        }
    }

    subscript(item: ItemID, default download: @autoclosure () -> Download) -> Download {
        get { all[item] ?? download() }
        set { self[item] = newValue }
    }

    /// All of them, in no order.
    var items: Set<ItemID> { Set(all.keys) }

    /// Notes which contents an item has to have here.
    ///
    /// - Returns: Whether these are others than before.
    @discardableResult
    mutating func note(_ item: ItemID, needs contents: Set<ContentName>) -> Bool {
        guard let former = all[item]?.needed, former != contents else { return false }
        for name in former.subtracting(contents) {
            needing[name]?.remove(item)
            if needing[name]?.isEmpty == true { needing[name] = nil }
        }
        for name in contents.subtracting(former) { needing[name, default: []].insert(item) }
        all[item]?.needed = contents
        return true
    }

    /// The items that need contents.
    func items(needing name: ContentName) -> Set<ItemID> { needing[name] ?? [] }

    /// The items that need any of some contents.
    func items(needing names: some Sequence<ContentName>) -> Set<ItemID> {
        names.reduce(into: []) { $0.formUnion(items(needing: $1)) }
    }

    /// Notes items of which something may be another now: the next look is at these, too.
    mutating func noteChanged(_ items: some Sequence<ItemID>) {
        guard !all.isEmpty else { return }
        for item in items where all[item] != nil { changed.insert(item) }
    }

    /// The items that are to be looked at as contents have come.
    mutating func takeConcerned(by names: some Sequence<ContentName>) -> Set<ItemID> {
        defer { changed = [] }
        return items(needing: names).union(changed.filter { all[$0] != nil })
    }
}
