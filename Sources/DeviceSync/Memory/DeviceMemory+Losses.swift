internal import SQLite
internal import Sync
internal import Vault

// What the folder's volume did not let items bear that were put in place: nothing of nearly all.
extension DeviceMemory {
    func losses(of item: ItemID) throws -> DressNotes {
        guard lossy.contains(item) else { return DressNotes() }
        let statement = try connection.statement("SELECT losses FROM losses WHERE item = ?1")
        var key = StateWriter()
        key.item(item)
        statement.bind(1, key.bytes)
        guard try statement.step() else { return DressNotes() }
        defer { statement.reset() }
        guard let losses = DressNotes(bytes: statement.blob(0)) else {
            throw MalformedMemory(what: "what a volume did not let an item bear")
        }
        return losses
    }

    /// - Parameter losses: By item, in place of what is remembered of it.
    func remember(losses: [ItemID: DressNotes]) throws {
        let changed = losses.filter { !$0.value.isEmpty || lossy.contains($0.key) }
        guard !changed.isEmpty else { return }
        try connection.transaction {
            for (item, losses) in changed {
                let bytes = losses.bytes
                try put("losses", item, losses.isEmpty ? nil : { $0.raw(bytes) })
            }
        }
        for (item, losses) in changed {
            if losses.isEmpty { lossy.remove(item) } else { lossy.insert(item) }
        }
    }
}
