internal import CSQLite
internal import Glibc

/// What SQLite refused: its code, its words, and on which file.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code.
    package var code: Int32
    /// SQLite's words.
    package var message: String
    /// The database.
    package var path: String

    init(code: Int32, message: String, path: String) {
        (self.code, self.message, self.path) = (code, message, path)
    }

    /// What a connection has just refused.
    init(code: Int32, on connection: OpaquePointer, path: String) {
        self.init(code: code, message: String(cString: sqlite3_errmsg(connection)), path: path)
        if isDamage, Self.couldNotRead(connection) {
            (self.code, message) = (SQLITE_IOERR | 1 << 8, "the file cannot be read")
        }
        isOverQuota = primaryCode == SQLITE_IOERR && sqlite3_system_errno(connection) == EDQUOT
    }

    /// Whether the volume has failed to read the database or its log. SQLite says that they are damaged then, as a file system
    /// that finds itself damaged answers so, too; but what is made anew when it is damaged is not to go for that.
    private static func couldNotRead(_ connection: OpaquePointer) -> Bool {
        [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER].contains { which in
            var file: UnsafeMutablePointer<sqlite3_file>?
            let isFound = sqlite3_file_control(connection, "main", which, &file) == SQLITE_OK
            guard isFound, let file, let control = file.pointee.pMethods?.pointee.xFileControl else {
                return false
            }
            var number: CInt = 0
            return control(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK && number == EIO
        }
    }

    /// For what SQLite reads without complaint and what nobody wrote.
    package static func damage(_ message: String, path: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, message: message, path: path)
    }

    package var description: String { "\(path): SQLite said “\(message)” (\(code)). \(remedy)" }

    private var primaryCode: Int32 { code & 0xff }

    /// Whether the file is no database, or a damaged one.
    package var isDamage: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

    /// Whether there was no room on the volume.
    package var isFull: Bool {
        primaryCode == SQLITE_FULL || code == Self.noRoomForLogIndex || isOverQuota
    }

    /// Whether the volume failed, and there was room.
    package var isFault: Bool { primaryCode == SQLITE_IOERR && !isFull }

    /// Whether the system said EDQUOT, which SQLite takes for any fault of the volume.
    package var isOverQuota = false

    /// SQLITE_IOERR_SHMSIZE: the file beside a write-ahead log could not grow, which takes some room at every opening.
    private static let noRoomForLogIndex = SQLITE_IOERR | 19 << 8

    /// One sentence that says what can be done about it.
    package var remedy: String {
        if isFull { return "Free some space on the volume and try again." }
        return switch primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED: "Another program is using it; try again when it has finished."
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: "Ask for permission to write to the file."
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            "The file is damaged; restore it, or remove what can be made anew."
        case SQLITE_IOERR: "The storage device reported a fault; check the device."
        default: "Check the volume and try again."
        }
    }
}
