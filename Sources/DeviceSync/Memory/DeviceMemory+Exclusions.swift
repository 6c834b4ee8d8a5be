internal import SQLite
internal import Sync

// The items that are excluded from sync on this device: none on nearly all. What has been removed does not say so itself any more.
extension DeviceMemory {
    func exclusions() throws -> Set<ItemID> {
        var exclusions: Set<ItemID> = []
        try forEach("SELECT item, mark FROM excluded") { item, _ in exclusions.insert(item) }
        return exclusions
    }

    /// - Parameter exclusions: By item, whether it is excluded from now on.
    func remember(exclusions: [ItemID: Bool]) throws {
        guard !exclusions.isEmpty else { return }
        try connection.transaction {
            for (item, isExcluded) in exclusions {
                try put("excluded", item, isExcluded ? { $0.integer(UInt8(1)) } : nil)
            }
        }
    }
}
