internal import SQLite
internal import Sync

/// A table of what is remembered of items, one row each, as it is written to: for thousands of rows its statements are looked
/// up once, and the bytes of each row take the place of those of the one before.
struct ItemRows {
    private let connection: SQLiteConnection
    private let table: String
    private var insertion: SQLiteStatement?
    private var deletion: SQLiteStatement?
    private var key = StateWriter()
    private var value = StateWriter()

    init(_ table: String, of connection: SQLiteConnection) {
        (self.table, self.connection) = (table, connection)
    }

    /// - Parameter encode: Writes what is remembered of an item; nil for: nothing any more.
    mutating func put(_ item: ItemID, _ encode: ((inout StateWriter) -> Void)?) throws {
        key.clear()
        key.item(item)
        guard let encode else {
            let statement = try deletion ?? connection.statement("DELETE FROM \(table) WHERE item = ?1")
            deletion = statement
            statement.bind(1, key.bytes)
            return try statement.run()
        }
        let statement =
            try insertion ?? connection.statement("INSERT OR REPLACE INTO \(table) VALUES (?1, ?2)")
        insertion = statement
        value.clear()
        encode(&value)
        statement.bind(1, key.bytes)
        statement.bind(2, value.bytes)
        try statement.run()
    }
}
