internal import SQLite

extension SQLiteConnection {
    /// Makes the tables of a new database, and adds what is new to one of an earlier version.
    ///
    /// - Parameter steps: The statements that make of each version the next one, from 0 on, a new database.
    ///   They set the database's `user_version`.
    /// - Throws: `SQLiteError`; `HubError` for a database of a later version, which is left as it is.
    func prepare(_ steps: [String]) throws {
        let found = try knownFormatVersion(upTo: steps.count)
        guard found < steps.count else { return }
        try transaction {
            for step in steps[max(0, found)...] { try execute(step) }
        }
    }

    /// The version of the database's tables, which is one that this version of Sheaf knows.
    ///
    /// - Parameter original: The database that this is a copy of, which is named instead.
    /// - Throws: `HubError` for a later one. Nothing is wrong with the database, so nothing is said that would have somebody
    ///   remove it.
    @discardableResult
    func knownFormatVersion(upTo newest: Int, copiedFrom original: String? = nil) throws -> Int {
        let found = try formatVersion()
        guard found <= newest else {
            throw HubError(
                "A later version of sheaf wrote \(original ?? path) (format \(found); this one knows \(newest)). Nothing is wrong "
                    + "with it, and it stays as it is: use that version, or a newer one."
            )
        }
        return found
    }

    /// The version of the database's tables; 0 for a new one.
    func formatVersion() throws -> Int {
        let statement = try statement("PRAGMA user_version")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
