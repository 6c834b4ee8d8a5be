internal import CSQLite

/// A prepared statement of one connection.
///
/// For one thread at a time, as its connection. Indexes of parameters begin with 1, of columns with 0.
package final class SQLiteStatement {
    private let statement: OpaquePointer
    private let connection: OpaquePointer
    private let path: String

    init(statement: OpaquePointer, connection: OpaquePointer, path: String) {
        self.statement = statement
        self.connection = connection
        self.path = path
    }

    deinit { sqlite3_finalize(statement) }

    // A value that could not be bound for want of memory is NULL, which the tables' NOT NULL refuses.

    package func bind(_ index: Int, _ value: Int) {
        sqlite3_bind_int64(statement, Int32(index), Int64(value))
    }

    package func bind(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
        // A blob without an address would be NULL.
        guard let address = bytes.baseAddress else { return bindEmpty(index) }
        _ = cdoc_sqlite_bind_blob(statement, Int32(index), address, Int32(bytes.count))
    }

    package func bind(_ index: Int, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bind(index, $0) }
    }

    /// Binds no value. A statement keeps what was bound to it.
    package func bindNull(_ index: Int) { sqlite3_bind_null(statement, Int32(index)) }

    private func bindEmpty(_ index: Int) {
        sqlite3_bind_zeroblob(statement, Int32(index), 0)
    }

    /// Goes to the next row.
    ///
    /// - Returns: False when there is none; then the statement can be bound anew.
    package func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(statement)
        if code == SQLITE_ROW { return true }
        defer { sqlite3_reset(statement) }
        if code == SQLITE_DONE { return false }
        throw SQLiteError(code: code, on: connection, path: path)
    }

    /// Runs to the end, without rows.
    package func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Gives up the rows that were not asked for; without this a read stays open.
    package func reset() {
        sqlite3_reset(statement)
    }

    package func integer(_ column: Int) -> Int {
        Int(sqlite3_column_int64(statement, Int32(column)))
    }

    package func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL
    }

    /// Shows a blob; the bytes are gone after the call.
    package func withBlob<Value>(
        _ column: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Value
    ) rethrows -> Value {
        let address = sqlite3_column_blob(statement, Int32(column))
        let byteCount = sqlite3_column_bytes(statement, Int32(column))
        return try body(UnsafeRawBufferPointer(start: address, count: address == nil ? 0 : Int(byteCount)))
    }

    /// Puts a blob behind bytes that are there: without the cost of a closure, for thousands of rows.
    package func append(_ column: Int, to bytes: inout [UInt8]) {
        let address = sqlite3_column_blob(statement, Int32(column))
        let byteCount = sqlite3_column_bytes(statement, Int32(column))
        bytes.append(
            contentsOf: UnsafeRawBufferPointer(start: address, count: address == nil ? 0 : Int(byteCount))
        )
    }

    package func blob(_ column: Int) -> [UInt8] {
        withBlob(column) { [UInt8]($0) }
    }

    package func text(_ column: Int) -> String {
        guard let text = sqlite3_column_text(statement, Int32(column)) else { return "" }
        return String(cString: text)
    }
}
