/// Which of the files that were found is whose copy. Pure.
///
/// 1. The date of a copy tells it from all others.
/// 2. Without, a lone one is it, or the lone one of the name. What stays doubtful is not chosen.
/// 3. A copy is one item's: another's whose date it has, or whose name where several are in question.
struct CopyChoice: Sendable {
    /// One file, under whatever names.
    struct Inode: Hashable, Sendable {
        let device: UInt64
        let number: UInt64

        init(_ stamp: FileStamp) { (device, number) = (stamp.device, stamp.inode) }
    }

    private struct Candidate: Sendable {
        let place: FilePath
        let inode: Inode
    }

    private struct Item: Sendable {
        let name: String
        var dated: FilePath?
        var undated: [Candidate] = []
    }

    private var items: [Item]
    private var taken: Set<Inode> = []

    /// - Parameter names: What each item was called, in the order in which they are spoken of.
    init(amongItemsNamed names: [String]) { items = names.map { Item(name: $0) } }

    /// Whether nothing that is found from now on changes anything.
    var isSettled: Bool { items.allSatisfy { $0.dated != nil } }

    /// Whether a copy can still be this item's.
    func mayTake(_ inode: Inode, _ item: Int) -> Bool {
        items[item].dated == nil && !taken.contains(inode)
            && !items[item].undated.contains { $0.inode == inode }
    }

    /// A copy with the dates of items, of one of which it is.
    mutating func take(_ place: FilePath, _ inode: Inode, datedAs alike: [Int]) {
        guard let item = alike.first(where: { items[$0].name == place.name }) ?? alike.first else { return }
        items[item].dated = place
        taken.insert(inode)
    }

    /// A copy with another date than the item's.
    mutating func take(_ place: FilePath, _ inode: Inode, undatedOf item: Int) {
        items[item].undated.append(Candidate(place: place, inode: inode))
    }

    /// Where each item's copy is; nil for those that have none.
    var places: [FilePath?] {
        let chosen = items.map(chosen)
        var claims: [Inode: [Int]] = [:]
        for (item, candidate) in chosen.enumerated() {
            if let candidate { claims[candidate.inode, default: []].append(item) }
        }
        return items.indices.map { item in
            if let dated = items[item].dated { return dated }
            guard let candidate = chosen[item], let claimants = claims[candidate.inode] else { return nil }
            let namesakes = claimants.filter { items[$0].name == candidate.place.name }
            return claimants.count == 1 || namesakes == [item] ? candidate.place : nil
        }
    }

    private func chosen(for item: Item) -> Candidate? {
        guard item.dated == nil else { return nil }
        let free = item.undated.filter { !taken.contains($0.inode) }
        let namesakes = free.filter { $0.place.name == item.name }
        if namesakes.count == 1 { return namesakes.first }
        return free.count == 1 ? free.first : nil
    }
}
