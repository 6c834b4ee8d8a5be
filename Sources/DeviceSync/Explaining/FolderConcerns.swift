internal import Sync
internal import SyncMessages

/// What is the matter in each folder, at any depth. Pure.
///
/// 1. What a folder counts is the sum over what is in it: each item itself, and what each folder counts.
/// 2. A change costs as much as the items that have changed are deep, whatever else there is.
struct FolderConcerns {
    struct Change {
        var item: ItemID
        /// The folder that it is in now; nil for none.
        var parent: ItemID?
        var concern: ItemConcern?
    }

    private struct Counts {
        private var byRank = [Int](repeating: 0, count: ItemConcern.allCases.count)

        var worst: ItemConcern? { ItemConcern.allCases.last { byRank[$0.rank] > 0 } }

        func contains(_ concern: ItemConcern) -> Bool { byRank[concern.rank] > 0 }

        mutating func add(_ concern: ItemConcern) { byRank[concern.rank] += 1 }

        mutating func add(_ other: Counts, times sign: Int) {
            for rank in byRank.indices { byRank[rank] += sign * other.byRank[rank] }
        }
    }

    private struct Node {
        /// The folder that counts it; nil for none.
        var parent: ItemID?
        var concern: ItemConcern?
        var inside = Counts()

        var total: Counts {
            var total = inside
            if let concern { total.add(concern) }
            return total
        }
    }

    /// Of items and folders with something the matter, and no others.
    private var nodes: [ItemID: Node] = [:]
    /// The worst in those folders before whose counts have been touched.
    private var former: [ItemID: ItemConcern?] = [:]
    /// A way up that is longer leads round in a ring.
    private static let depthMax = 4096

    /// The worst that is the matter in a folder; nil for nothing.
    func worst(in folder: ItemID) -> ItemConcern? { nodes[folder]?.inside.worst }

    /// Whether this is the matter with something in a folder.
    func has(_ concern: ItemConcern, in folder: ItemID) -> Bool {
        nodes[folder]?.inside.contains(concern) == true
    }

    /// Takes in how items stand now, and where.
    ///
    /// - Parameter parentOf: The folder that a folder is in which is not among the changes; nil for none.
    /// - Returns: The folders in which something else is the worst now.
    mutating func note(_ changes: [Change], parentOf: (ItemID) -> ItemID?) -> Set<ItemID> {
        // Of folders that change places two may have been in each other: first all leave, then all come.
        for change in changes { detach(change.item, parentOf) }
        for change in changes {
            detach(change.item, parentOf)
            attach(change, parentOf)
        }
        defer { former = [:] }
        return Set(former.filter { worst(in: $0.key) != $0.value }.keys)
    }

    private mutating func detach(_ item: ItemID, _ parentOf: (ItemID) -> ItemID?) {
        guard let node = nodes[item], node.parent != nil else { return }
        count(node.total, times: -1, from: node.parent, parentOf)
        nodes[item]?.parent = nil
    }

    private mutating func attach(_ change: Change, _ parentOf: (ItemID) -> ItemID?) {
        var node = nodes[change.item] ?? Node()
        node.concern = change.concern
        guard node.total.worst != nil else { return nodes[change.item] = nil }
        nodes[change.item] = node
        // What is known of two items may be of two moments; of the other one there is news soon.
        guard !isRing(change, parentOf) else { return }
        nodes[change.item]?.parent = change.parent
        count(node.total, times: 1, from: change.parent, parentOf)
    }

    private func isRing(_ change: Change, _ parentOf: (ItemID) -> ItemID?) -> Bool {
        var next = change.parent
        for _ in 0..<Self.depthMax {
            guard let folder = next else { return false }
            if folder == change.item { return true }
            next = nodes[folder].map(\.parent) ?? parentOf(folder)
        }
        return true
    }

    private mutating func count(
        _ counts: Counts,
        times sign: Int,
        from folder: ItemID?,
        _ parentOf: (ItemID) -> ItemID?
    ) {
        var next = folder
        while let folder = next {
            var node = nodes[folder] ?? Node(parent: parentOf(folder))
            if former[folder] == nil { former[folder] = .some(node.inside.worst) }
            node.inside.add(counts, times: sign)
            nodes[folder] = node.total.worst == nil ? nil : node
            next = node.parent
        }
    }
}
