// Tables that are empty at rest keep no room for all that has gone through them.
extension SyncEngine {
    mutating func returnRoom() {
        guard isAtRest else { return }
        differing.returnRoomIfEmpty()
        uploading.returnRoomIfEmpty()
        fetching.returnRoomIfEmpty()
        if waiting.isEmpty, waiting.capacity > Set<ItemID>.keptCapacity { waiting = [:] }
    }
}

extension Set {
    /// An empty one keeps room for no more.
    fileprivate static var keptCapacity: Int { 1024 }

    fileprivate mutating func returnRoomIfEmpty() {
        if isEmpty, capacity > Self.keptCapacity { self = [] }
    }
}
