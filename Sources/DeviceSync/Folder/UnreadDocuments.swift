internal import Sync

/// New documents that have not been read yet, and how they looked. Pure.
///
/// They are read in the order of their marks, which count up. What is read together lies together then in all tables of items, on
/// this device, at the hub and on all others: each of their pages is written once, not again and again.
struct UnreadDocuments {
    private var traces: [ItemID: ItemTrace] = [:]
    /// The last comes first. What has left meanwhile is still in it.
    private var order: [ItemID] = []
    /// Whether the order lacks some.
    private var isUnordered = false

    var isEmpty: Bool { traces.isEmpty }
    var items: some Sequence<ItemID> { traces.keys }

    subscript(item: ItemID) -> ItemTrace? {
        get { traces[item] }
        set {
            let former =
                newValue.map { traces.updateValue($0, forKey: item) } ?? traces.removeValue(forKey: item)
            if newValue != nil, former == nil { isUnordered = true }
        }
    }

    /// The one that is to be read next; it stays until it is taken out.
    mutating func first() -> (item: ItemID, trace: ItemTrace)? {
        if isUnordered { (order, isUnordered) = (traces.keys.sorted(by: >), false) }
        while let item = order.last {
            if let trace = traces[item] { return (item, trace) }
            order.removeLast()
        }
        return nil
    }
}
