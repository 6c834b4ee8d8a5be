internal import SQLite

extension SQLiteConnection {
    /// Makes the tables of a new database; leaves alone one that has them.
    ///
    /// - Parameters:
    ///   - version: That of the tables, which they set as the database's `user_version`.
    ///   - tables: The statements that make them.
    /// - Throws: `SQLiteError`, also for a database of a later version.
    func prepare(version: Int, _ tables: String) throws {
        let statement = try statement("PRAGMA user_version")
        let found = try statement.step() ? statement.integer(0) : 0
        statement.reset()
        guard found <= version else {
            throw SQLiteError.damage(
                "it was written by a later version of sheaf (format \(found)); use that one",
                path: path
            )
        }
        guard found < version else { return }
        try transaction { try execute(tables) }
    }
}
