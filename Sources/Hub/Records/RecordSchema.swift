internal import SQLite

/// The tables of `records.db`. Docs/formats/hub.md describes them.
enum RecordSchema {
    static let version = 1

    static func prepare(_ connection: SQLiteConnection) throws {
        try connection.prepare(version: version, tables)
    }

    /// An entry's key is its container's number times 2^40 plus its position, so that a log lies in order.
    static let positionBits = 40

    private static let tables = """
        CREATE TABLE accounts(account INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
        INSERT INTO accounts VALUES(1, 0);
        CREATE TABLE devices(
            device BLOB PRIMARY KEY, account INTEGER NOT NULL, token BLOB NOT NULL UNIQUE, name BLOB NOT NULL,
            signing BLOB NOT NULL, agreement BLOB NOT NULL, registered INTEGER NOT NULL,
            revoked INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE invitations(
            hash BLOB PRIMARY KEY, account INTEGER NOT NULL, until INTEGER NOT NULL,
            used INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE containers(
            number INTEGER PRIMARY KEY, container BLOB NOT NULL UNIQUE, account INTEGER NOT NULL,
            position INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
        CREATE TABLE entries(
            key INTEGER PRIMARY KEY, item BLOB NOT NULL, base INTEGER NOT NULL, id BLOB NOT NULL,
            record BLOB NOT NULL, device BLOB NOT NULL, hash BLOB NOT NULL) STRICT;
        CREATE TABLE items(
            container INTEGER NOT NULL, item BLOB NOT NULL, position INTEGER NOT NULL, id BLOB NOT NULL,
            PRIMARY KEY(container, item)) STRICT, WITHOUT ROWID;
        CREATE TABLE keys(
            container INTEGER NOT NULL, device BLOB NOT NULL, generation INTEGER NOT NULL, keys BLOB NOT NULL,
            PRIMARY KEY(container, device, generation)) STRICT, WITHOUT ROWID;
        PRAGMA user_version = 1;
        """
}
