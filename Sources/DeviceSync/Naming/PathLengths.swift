internal import Sync

/// How long paths in a container's folder are, from there on, in units of UTF-16: what other systems count.
struct PathLengths {
    private let table: FolderTable
    private var known: [ItemID: Int] = [.root: 0]

    init(_ table: FolderTable) { self.table = table }

    mutating func length(of item: ItemID) -> Int {
        // From the item up to what is known, and down again.
        var way: [ItemID] = []
        var at = item
        while known[at] == nil, let state = table[at]?.state {
            // What should turn out to be in itself ends here.
            known[at] = 0
            way.append(at)
            at = state.parent
        }
        var length = known[at] ?? 0
        for item in way.reversed() {
            length += (length > 0 ? 1 : 0) + (table[item]?.state.place.name.utf16.count ?? 0)
            known[item] = length
        }
        return length
    }
}
