internal import SQLite

/// The tables of `records.db`. Docs/formats/hub.md describes them.
enum RecordSchema {
    static func prepare(_ connection: SQLiteConnection) throws {
        try connection.prepare(steps)
    }

    private static let steps = [
        tables, readings, inviters, writers, removals, entryRows, invitationsUsed,
    ]
    static let formatVersion = steps.count
    /// What an entry counts beside its record, in bytes: its rows take so much in the tables, the longest identifier and a page
    /// that is not full included.
    static let entryByteCount = 256
    /// The first version that says what was removed.
    static let removalsVersion = 5

    /// Forgets how far devices have read, for a backup.
    ///
    /// A hub that is put back to it cannot know what they have read since. It must not say that they have
    /// not.
    static func forgetReadings(_ connection: SQLiteConnection) throws {
        // Before version 2 it was not written.
        guard try connection.formatVersion() >= 2 else { return }
        try connection.execute("DELETE FROM readings")
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

    private static let readings = """
        CREATE TABLE readings(
            device BLOB NOT NULL, container INTEGER NOT NULL, position INTEGER NOT NULL,
            asked INTEGER NOT NULL, PRIMARY KEY(device, container)) STRICT, WITHOUT ROWID;
        PRAGMA user_version = 2;
        """

    /// Null where no device has invited: the hub's own command has, or it was before version 3.
    private static let inviters = """
        ALTER TABLE devices ADD COLUMN inviter BLOB;
        ALTER TABLE invitations ADD COLUMN inviter BLOB;
        PRAGMA user_version = 3;
        """

    /// Null, and 0, of keys that are from before version 4. `written` counts up among the keys for one device.
    private static let writers = """
        ALTER TABLE keys ADD COLUMN writer BLOB;
        ALTER TABLE keys ADD COLUMN written INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX written_keys ON keys(container, device, written, writer);
        CREATE INDEX keys_of_writers ON keys(writer) WHERE writer IS NOT NULL;
        CREATE INDEX devices_of_accounts ON devices(account, revoked, inviter);
        CREATE INDEX containers_of_accounts ON containers(account);
        CREATE INDEX invitations_of_accounts ON invitations(account, used, until);
        CREATE INDEX invitation_ends ON invitations(until);
        PRAGMA user_version = 4;
        """

    /// When a container was removed, as `Removal` has it, and when it was committed to last, in seconds since 1970; null where
    /// it was not, or before version 5.
    private static let removals = """
        ALTER TABLE containers ADD COLUMN removed INTEGER;
        ALTER TABLE containers ADD COLUMN committed INTEGER;
        PRAGMA user_version = 5;
        """

    /// Before version 6 an entry counted what its record has. Of a log that is not being deleted the positions are without gaps.
    private static let entryRows = """
        UPDATE accounts SET bytes = bytes + \(entryByteCount) * ifnull((
            SELECT sum(CASE removed
                WHEN 0 THEN 0
                WHEN -1 THEN (
                    SELECT count(*) FROM entries
                    WHERE key > number << \(positionBits) AND key < (number + 1) << \(positionBits))
                ELSE position END)
            FROM containers WHERE containers.account = accounts.account), 0);
        PRAGMA user_version = 6;
        """

    /// By the hash of which invitation a device was registered; null before version 7.
    private static let invitationsUsed = """
        ALTER TABLE devices ADD COLUMN invitation BLOB;
        CREATE INDEX devices_of_invitations ON devices(invitation) WHERE invitation IS NOT NULL;
        PRAGMA user_version = 7;
        """
}
