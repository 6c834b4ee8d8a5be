internal import SQLite
internal import Sync

// Contents that are being sent, or were, and of which the log has not spoken since. The hub has no list of what it keeps, so only
// who has sent them knows of them.
extension DeviceMemory {
    func uncommitted() throws -> Set<ContentName> {
        let rows = try connection.statement("SELECT content FROM uncommitted")
        var names: Set<ContentName> = []
        while try rows.step() {
            names.insert(
                try rows.withBlob(0) { bytes in
                    var reader = StateReader(bytes)
                    return try reader.content()
                }
            )
        }
        return names
    }

    func remember(uncommitted names: Set<ContentName>) throws {
        try connection.transaction { try run("INSERT OR IGNORE INTO uncommitted VALUES (?1)", names) }
    }

    func forget(uncommitted names: Set<ContentName>) throws {
        guard !names.isEmpty else { return }
        try connection.transaction { try delete(uncommitted: names) }
    }

    /// As `forget(uncommitted:)`, in a transaction with something else.
    func delete(uncommitted names: Set<ContentName>) throws {
        guard !names.isEmpty else { return }
        try run("DELETE FROM uncommitted WHERE content = ?1", names)
    }

    private func run(_ sql: String, _ names: Set<ContentName>) throws {
        let statement = try connection.statement(sql)
        var writer = StateWriter()
        for name in names {
            writer.clear()
            writer.content(name)
            statement.bind(1, writer.bytes)
            try statement.run()
        }
    }
}
