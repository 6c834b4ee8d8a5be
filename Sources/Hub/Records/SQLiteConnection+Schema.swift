internal import SQLite

extension SQLiteConnection {
    /// Makes the tables of a new database, and adds what is new to one of an earlier version.
    ///
    /// - Parameter steps: The statements that make of each version the next one, from 0 on, a new database.
    ///   They set the database's `user_version`.
    /// - Throws: `SQLiteError`, also for a database of a later version.
    func prepare(_ steps: [String]) throws {
        let found = try formatVersion()
        guard found <= steps.count else {
            throw SQLiteError.damage(
                "it was written by a later version of sheaf (format \(found)); use that one",
                path: path
            )
        }
        guard found < steps.count else { return }
        try transaction {
            for step in steps[max(0, found)...] { try execute(step) }
        }
    }

    /// The version of the database's tables; 0 for a new one.
    func formatVersion() throws -> Int {
        let statement = try statement("PRAGMA user_version")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
