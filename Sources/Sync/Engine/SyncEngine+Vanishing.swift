// What the disk has lost though nobody has removed it: the folder is another one than the one that had it, say.
//
// That disk and log ever agreed on it is forgotten, so that what the log has is new to the disk. A commit of it may be on its way
// even then, whose answer would say that they agree: it is noted that the item has vanished until it is back and the log has been
// read to its end, in this process and in the next. What has come back before that is as the log said then, whatever was sent of it.
extension SyncEngine {
    mutating func noteVanished(_ items: Set<ItemID>) {
        for item in items {
            vanished[item] = true
            agree(item, on: nil)
            noteDisk(item, nil)
            touch(item)
        }
    }

    /// Whether an item has vanished, and is not back.
    func hasVanished(_ item: ItemID) -> Bool { vanished[item] != nil && disk[item] == nil }

    /// Nothing is to come back of what the log does not have, once nothing of it is on its way.
    mutating func endVanishing(_ item: ItemID) {
        guard hasReadLog, disk[item] == nil, tree[item] == nil else { return }
        vanished.remove(item)
    }

    /// What is back has come to stay: the log has been read.
    mutating func endVanishing() {
        for item in Array(vanished.all.keys) where disk[item] != nil { vanished.remove(item) }
    }
}
