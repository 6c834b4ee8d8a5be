internal import CSQLite

/// A connection to one database file, in write-ahead mode, every commit durable.
///
/// For one thread at a time. It never checkpoints by itself: SQLite before 3.51.3 can damage a database when one
/// connection resets the log while another writes or checkpoints, so whoever writes sees to it that nobody
/// else does, and calls `checkpoint` then. Nothing is mapped into memory.
package final class SQLiteConnection {
    private let connection: OpaquePointer
    private var prepared: [String: SQLiteStatement] = [:]
    /// The database's path.
    package let path: String

    /// How long a lock is waited for, in milliseconds: SQLite's own, which are held for moments only.
    private static let busyMilliseconds: Int32 = 10_000

    /// Opens a database that exists, if only as an empty file.
    ///
    /// - Parameter cacheKibibytes: How much memory its pages take at most.
    package init(path: String, cacheKibibytes: Int = 16384) throws(SQLiteError) {
        self.path = path
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: String(cString: sqlite3_errstr(code)), path: path)
        }
        connection = opened
        sqlite3_busy_timeout(opened, Self.busyMilliseconds)
        _ = cdoc_sqlite_configure(opened, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = cdoc_sqlite_configure(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        try execute(
            """
            PRAGMA mmap_size=0; PRAGMA cache_size=-\(cacheKibibytes); PRAGMA temp_store=MEMORY;
            PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; PRAGMA synchronous=FULL;
            PRAGMA journal_size_limit=1048576;
            """
        )
    }

    /// - Parameter kibibytes: How much memory its pages take at most from now on.
    package func setCache(kibibytes: Int) throws(SQLiteError) {
        try execute("PRAGMA cache_size=-\(kibibytes)")
    }

    deinit {
        prepared = [:]
        sqlite3_close_v2(connection)
    }

    /// Runs statements that give no rows and take no values.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// A statement, prepared once and kept; whoever had it before must be done with it.
    package func statement(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let known = prepared[sql] {
            known.reset()
            return known
        }
        var made: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let made else { throw error(code) }
        let statement = SQLiteStatement(statement: made, connection: connection, path: path)
        prepared[sql] = statement
        return statement
    }

    /// Does all of it, durably, or nothing.
    package func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try statement("BEGIN IMMEDIATE").run()
        do {
            let value = try body()
            try statement("COMMIT").run()
            return value
        } catch {
            // A failed commit may have rolled back already; the first error is the one to tell.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Reads as of one moment, whatever others write meanwhile.
    package func snapshot<Value>(_ body: () throws -> Value) throws -> Value {
        try statement("BEGIN").run()
        // Ends a transaction that changed nothing: it cannot fail in a way that matters.
        defer { try? statement("COMMIT").run() }
        return try body()
    }

    /// Brings the write-ahead log into the database as far as no reader needs it. If none does, the next write begins it
    /// anew, and it is a mebibyte long again at most.
    ///
    /// The caller holds what keeps all others from writing.
    ///
    /// - Parameter empties: Whether the log is emptied at once, if nobody reads: who opens the database next has nothing to
    ///   read of it then.
    package func checkpoint(empties: Bool = false) throws(SQLiteError) {
        let kind = empties ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        // Nobody is waited for.
        sqlite3_busy_timeout(connection, 0)
        defer { sqlite3_busy_timeout(connection, Self.busyMilliseconds) }
        let code = sqlite3_wal_checkpoint_v2(connection, nil, kind, nil, nil)
        guard code == SQLITE_OK || code & 0xff == SQLITE_BUSY else { throw error(code) }
    }

    /// Gives back the memory of pages that are kept in case they are read again.
    package func returnFreePages() { sqlite3_db_release_memory(connection) }

    /// How many rows the last statement changed.
    package var changedRowCount: Int { Int(sqlite3_changes64(connection)) }

    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: code, on: connection, path: path)
    }
}
