internal import HubProtocol
internal import SQLite

/// The tables of `blobs.db` and what is done to single rows. Docs/formats/hub.md describes them.
enum BlobSchema {
    static func prepare(_ connection: SQLiteConnection) throws {
        try connection.prepare(steps)
    }

    private static let steps = [tables, servedTime, rows]
    static let formatVersion = steps.count

    /// What a blob counts beside its bytes: its row takes so much in the table, and in the index of what is released.
    static let rowByteCount = 160

    private static let tables = """
        CREATE TABLE blobs(
            key BLOB PRIMARY KEY, segment INTEGER NOT NULL, start INTEGER NOT NULL, bytes INTEGER NOT NULL,
            account INTEGER NOT NULL, released INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE INDEX released_blobs ON blobs(released) WHERE released > 0;
        CREATE TABLE accounts(account INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
        CREATE TABLE segments(segment INTEGER PRIMARY KEY, blobs INTEGER NOT NULL) STRICT;
        CREATE TABLE garbage(
            number INTEGER PRIMARY KEY, key BLOB NOT NULL, segment INTEGER NOT NULL, start INTEGER NOT NULL,
            bytes INTEGER NOT NULL, since INTEGER NOT NULL) STRICT;
        CREATE TABLE uploads(
            key BLOB PRIMARY KEY, file INTEGER NOT NULL, total INTEGER NOT NULL, bytes INTEGER NOT NULL, account INTEGER NOT NULL,
            touched INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        PRAGMA user_version = 1;
        """

    /// The times of version 1 were of a clock: those that are there stay, and what comes follows them.
    private static let servedTime = """
        CREATE TABLE served(seconds INTEGER NOT NULL) STRICT;
        INSERT INTO served SELECT max(
            1, (SELECT ifnull(max(released), 0) FROM blobs), (SELECT ifnull(max(since), 0) FROM garbage),
            (SELECT ifnull(max(touched), 0) FROM uploads));
        PRAGMA user_version = 2;
        """

    /// Before version 3 a blob counted its bytes.
    private static let rows = """
        UPDATE accounts SET bytes = bytes
            + \(rowByteCount) * (SELECT count(*) FROM blobs WHERE blobs.account = accounts.account);
        PRAGMA user_version = 3;
        """

    /// How long blobs have been served, as far as it was written down; more than 0.
    static func servedSeconds(_ connection: SQLiteConnection) throws -> Int {
        let select = try connection.statement("SELECT seconds FROM served")
        defer { select.reset() }
        return try select.step() ? select.integer(0) : 1
    }

    /// Whether any account has ever had a blob.
    static func hasAccounts(_ connection: SQLiteConnection) throws -> Bool {
        let select = try connection.statement("SELECT EXISTS(SELECT 1 FROM accounts)")
        defer { select.reset() }
        return try select.step() && select.integer(0) != 0
    }

    static func note(servedSeconds: Int, _ connection: SQLiteConnection) throws {
        let note = try connection.statement("UPDATE served SET seconds = max(seconds, ?)")
        note.bind(1, servedSeconds)
        try note.run()
    }

    /// Whether anything is to go once its time has come.
    static func isAnythingTimed(_ connection: SQLiteConnection) throws -> Bool {
        let select = try connection.statement(
            """
            SELECT EXISTS(SELECT 1 FROM blobs WHERE released > 0) OR EXISTS(SELECT 1 FROM garbage)
                OR EXISTS(SELECT 1 FROM uploads)
            """
        )
        defer { select.reset() }
        return try select.step() && select.integer(0) != 0
    }

    static func remembered(_ connection: SQLiteConnection) throws -> SegmentedBlobStore.Memory {
        var memory = SegmentedBlobStore.Memory()
        let accounts = try connection.statement("SELECT account, bytes FROM accounts")
        while try accounts.step() { memory.byteCounts[AccountID(accounts.integer(0))] = accounts.integer(1) }
        let uploads = try connection.statement(
            "SELECT key, file, total, bytes, account, touched FROM uploads"
        )
        while try uploads.step() {
            memory.uploads[uploads.blob(0)] = SegmentedBlobStore.Upload(
                file: uploads.integer(1),
                total: uploads.integer(2),
                byteCount: uploads.integer(3),
                account: AccountID(uploads.integer(4)),
                touched: uploads.integer(5)
            )
        }
        return memory
    }

    /// Segments that hold anything, living or deleted and not given back yet.
    static func usedSegments(_ connection: SQLiteConnection) throws -> Set<Int> {
        let select = try connection.statement(
            "SELECT segment FROM segments WHERE blobs > 0 UNION SELECT segment FROM garbage"
        )
        var used: Set<Int> = []
        while try select.step() { used.insert(select.integer(0)) }
        return used
    }

    /// Files that hold anything, living, deleted and not given back yet, or unfinished.
    static func usedFiles(_ connection: SQLiteConnection) throws -> Set<Int> {
        let select = try connection.statement(
            """
            SELECT start FROM blobs WHERE segment = 0 UNION SELECT start FROM garbage WHERE segment = 0
            UNION SELECT file FROM uploads
            """
        )
        var used: Set<Int> = []
        while try select.step() { used.insert(select.integer(0)) }
        return used
    }

    /// What came of blobs that were put into the index.
    struct Insertion: Sendable {
        /// How many bytes the account has now.
        var byteCount = 0
        /// Those that were there already: their new bytes are nobody's.
        var known: [(name: BlobName, blob: IndexedBlob)] = []
        /// Where those were that could not be read there, and have the place of their new bytes.
        var replaced: [(key: [UInt8], place: BlobPlace)] = []
    }

    /// Puts blobs into the index, whose bytes are durable.
    ///
    /// - Parameter unreadable: Blobs whose bytes are to be found in another place now, if they are among these.
    static func insert(
        _ blobs: [(name: BlobName, blob: IndexedBlob)],
        of owner: BlobOwner,
        insteadOf unreadable: UnreadableBlobs,
        _ connection: SQLiteConnection
    ) throws -> Insertion {
        let insert = try connection.statement("INSERT OR IGNORE INTO blobs VALUES(?, ?, ?, ?, ?, 0)")
        var (insertion, byteCount) = (Insertion(), 0)
        var perSegment: [Int: Int] = [:]
        for (name, blob) in blobs {
            let key = blobKey(owner.container, name)
            let (segment, offset) = blob.place.numbers
            insert.bind(1, key)
            insert.bind(2, segment)
            insert.bind(3, offset)
            insert.bind(4, blob.byteCount)
            insert.bind(5, owner.account.number)
            try insert.run()
            if connection.changedRowCount == 0 {
                guard let former = try replace(key, by: blob, ifAmong: unreadable, connection) else {
                    insertion.known.append((name, blob))
                    continue
                }
                insertion.replaced.append((key, former.place))
                byteCount -= former.byteCount
                let formerSegment = former.place.numbers.segment
                if formerSegment != 0 { perSegment[formerSegment, default: 0] -= 1 }
            } else {
                byteCount += rowByteCount
            }
            byteCount += blob.byteCount
            if segment != 0 { perSegment[segment, default: 0] += 1 }
        }
        _ = try revive(insertion.known.map(\.name), in: owner.container, connection)
        for (segment, count) in perSegment { try add(count, toSegment: segment, connection) }
        insertion.byteCount = try add(byteCount, to: owner.account, connection)
        return insertion
    }

    /// Gives a blob that cannot be read the place of its new bytes, and keeps it again if it was released.
    ///
    /// Of what it had before nothing is given back: the room in a segment stays as long as the segment, a file goes when the next
    /// process begins.
    ///
    /// - Returns: What the index said before; nil where that can be read, as far as is known.
    private static func replace(
        _ key: [UInt8],
        by blob: IndexedBlob,
        ifAmong unreadable: UnreadableBlobs,
        _ connection: SQLiteConnection
    ) throws -> IndexedBlob? {
        guard let place = unreadable.place(of: key) else { return nil }
        let select = try connection.statement(
            "SELECT bytes FROM blobs WHERE key = ? AND segment = ? AND start = ?"
        )
        select.bind(1, key)
        select.bind(2, place.numbers.segment)
        select.bind(3, place.numbers.offset)
        let byteCount = try select.step() ? select.integer(0) : nil
        select.reset()
        guard let byteCount else { return nil }
        let replace = try connection.statement(
            "UPDATE blobs SET segment = ?, start = ?, bytes = ?, released = 0 WHERE key = ?"
        )
        replace.bind(1, blob.place.numbers.segment)
        replace.bind(2, blob.place.numbers.offset)
        replace.bind(3, blob.byteCount)
        replace.bind(4, key)
        try replace.run()
        return IndexedBlob(place: place, byteCount: byteCount)
    }

    /// Keeps released blobs again.
    ///
    /// - Returns: Those that are gone.
    static func revive(
        _ names: [BlobName],
        in container: ContainerName,
        _ connection: SQLiteConnection
    ) throws -> [BlobName] {
        let revive = try connection.statement("UPDATE blobs SET released = 0 WHERE key = ?")
        return try names.filter { name in
            revive.bind(1, blobKey(container, name))
            try revive.run()
            return connection.changedRowCount == 0
        }
    }

    static func add(_ count: Int, toSegment segment: Int, _ connection: SQLiteConnection) throws {
        let add = try connection.statement(
            "INSERT INTO segments VALUES(?, ?) ON CONFLICT(segment) DO UPDATE SET blobs = blobs + excluded.blobs"
        )
        add.bind(1, segment)
        add.bind(2, count)
        try add.run()
    }

    /// - Returns: How many bytes the account has now.
    static func add(_ byteCount: Int, to account: AccountID, _ connection: SQLiteConnection) throws -> Int {
        let add = try connection.statement(
            """
            INSERT INTO accounts VALUES(?, ?)
            ON CONFLICT(account) DO UPDATE SET bytes = bytes + excluded.bytes RETURNING bytes
            """
        )
        add.bind(1, account.number)
        add.bind(2, byteCount)
        defer { add.reset() }
        return try add.step() ? add.integer(0) : 0
    }
}
