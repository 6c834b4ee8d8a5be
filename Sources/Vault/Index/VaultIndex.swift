internal import FileSystem
internal import Foundation
internal import SQLite

/// What is where: objects, packs, versions. Made of the packs, and made again from them when it is lost.
///
/// For one thread at a time. Whoever writes holds the lock file: SQLite's log is written and brought in by one
/// connection at a time, in all processes together.
final class VaultIndex {
    let connection: SQLiteConnection
    /// Which file it is, to notice that another has taken its place.
    let inode: UInt64

    static let fileName = "index.sqlite"
    private static let formatVersion = 6

    /// Leaf 0 is the folder itself. A table with row numbers: rows of some kilobytes would make a tree of names deep.
    private static let members = """
        CREATE TABLE members(item BLOB NOT NULL, path TEXT NOT NULL, leaf INTEGER NOT NULL,
            generation INTEGER NOT NULL, cache BLOB NOT NULL, PRIMARY KEY(item, path, leaf)) STRICT;
        """

    /// Who asks for conflicts that nobody has settled, at every opening of a document, finds them at once.
    private static let conflicts = """
        CREATE INDEX IF NOT EXISTS unresolvedConflicts ON versions(item, date, id) WHERE state & 3 = 0;
        """

    /// What is in lent files, which change as their owners like.
    private static let lent = """
        CREATE INDEX lentObjects ON objects(pack) WHERE encoding = \(PackFormat.Encoding.lent.rawValue);
        """

    private static let schema = """
        CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
        CREATE TABLE packs(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, byteCount INTEGER NOT NULL,
            isSealed INTEGER NOT NULL, isDead INTEGER NOT NULL, lentInode INTEGER,
            isChanged INTEGER NOT NULL DEFAULT 0, content BLOB) STRICT;
        CREATE TABLE objects(name BLOB PRIMARY KEY, kind INTEGER NOT NULL, encoding INTEGER NOT NULL,
            pack INTEGER NOT NULL, position INTEGER NOT NULL, stored INTEGER NOT NULL, plain INTEGER NOT NULL,
            isDamaged INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE versions(item BLOB NOT NULL, date INTEGER NOT NULL, id BLOB NOT NULL, object BLOB NOT NULL,
            state INTEGER NOT NULL, changed INTEGER NOT NULL, record BLOB NOT NULL,
            PRIMARY KEY(item, date, id)) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX versionsById ON versions(id);
        CREATE TABLE records(object BLOB NOT NULL, pack INTEGER NOT NULL, PRIMARY KEY(object, pack))
            STRICT, WITHOUT ROWID;
        \(members)
        \(conflicts)
        \(lent)
        PRAGMA user_version = \(formatVersion);
        """

    /// Opens the index; the lock is held.
    init(at path: FilePath, inode: UInt64) throws {
        connection = try SQLiteConnection(path: path.string)
        self.inode = inode
        let version = try connection.statement("PRAGMA user_version")
        let found = try version.step() ? version.integer(0) : 0
        version.reset()
        switch found {
        case 0: try connection.transaction { try create() }
        case Self.formatVersion: break
        case 1...5: try connection.transaction { try renew(from: found) }
        default:
            throw VaultError(
                code: .unsupported,
                path: path,
                detail: "A later version of this program wrote the index (format \(found)). Use that version."
            )
        }
    }

    /// What format 1 had seen of members is forgotten: it is seen again.
    private func renew(from found: Int) throws {
        if found == 1 { try connection.execute("DROP TABLE members; \(Self.members)") }
        if found < 4 {
            try connection.execute(
                "\(Self.conflicts) ALTER TABLE packs ADD COLUMN lentInode INTEGER; \(Self.lent)"
            )
        }
        if found < 5 {
            try connection.execute("ALTER TABLE packs ADD COLUMN isChanged INTEGER NOT NULL DEFAULT 0;")
        }
        // Of files that were begun before nobody knows what they are: no document is given any of them.
        try connection.execute(
            "ALTER TABLE packs ADD COLUMN content BLOB; PRAGMA user_version = \(Self.formatVersion);"
        )
    }

    private func create() throws {
        try connection.execute(Self.schema)
        // Another than any index had before, so that what was found in one is not believed of another.
        try setMeta("generation", Int(UInt32.random(in: 1 ... .max)) << 24)
        // Nor is what was known of a pack by its number. In four bytes of each object's row.
        try setMeta(Self.lastPackNumberKey, Int.random(in: 1 << 24..<1 << 31))
    }

    // MARK: What is known of all

    func meta(_ key: String) throws -> Int? {
        let statement = try connection.statement("SELECT value FROM meta WHERE key = CAST(?1 AS TEXT)")
        statement.bind(1, Array(key.utf8))
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : nil
    }

    func setMeta(_ key: String, _ value: Int) throws {
        let statement = try connection.statement(
            "INSERT INTO meta VALUES(CAST(?1 AS TEXT), ?2) ON CONFLICT(key) DO UPDATE SET value = ?2"
        )
        statement.bind(1, Array(key.utf8))
        statement.bind(2, value)
        try statement.run()
    }

    /// Changes whenever an object that was here may not be any more.
    func generation() throws -> Int { try meta("generation") ?? 0 }

    func advanceGeneration() throws { try setMeta("generation", try generation() + 1) }

    // MARK: Objects

    /// Where an object is; nil when it is not here, or damaged.
    func place(of name: ObjectName, evenDamaged: Bool = false) throws -> ObjectPlace? {
        let statement = try connection.statement(
            "SELECT kind, encoding, pack, position, stored, plain, isDamaged FROM objects WHERE name = ?1"
        )
        name.withBytes { statement.bind(1, $0) }
        defer { statement.reset() }
        guard try statement.step(), evenDamaged || statement.integer(6) == 0,
            let header = Self.header(name, statement, 0)
        else { return nil }
        return ObjectPlace(pack: statement.integer(2), offset: statement.integer(3), header: header)
    }

    /// Whether an object is damaged, or leads to damage; nil when it is not here.
    func isDamaged(_ name: ObjectName) throws -> Bool? {
        let statement = try connection.statement("SELECT isDamaged FROM objects WHERE name = ?1")
        name.withBytes { statement.bind(1, $0) }
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) != 0 : nil
    }

    /// Whether an object is here as a whole, and stays for as long as anything leads to it: what is lent need not.
    func isInPack(_ name: ObjectName) throws -> Bool {
        try place(of: name).map { $0.header.encoding != .lent } ?? false
    }

    /// Whether an object is here as a whole.
    ///
    /// - Parameter countsLent: Whether it need not stay.
    func isKnown(_ name: ObjectName, countsLent: Bool) throws -> Bool {
        try countsLent ? place(of: name) != nil : isInPack(name)
    }

    /// Writes down where an object is; one that is known as whole in a pack stays where it is.
    func insert(_ place: ObjectPlace) throws {
        let statement = try connection.statement(
            """
            INSERT INTO objects VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)
            ON CONFLICT(name) DO UPDATE SET kind = ?2, encoding = ?3, pack = ?4, position = ?5, stored = ?6,
                plain = ?7, isDamaged = 0 WHERE isDamaged OR encoding = \(PackFormat.Encoding.lent.rawValue)
            """
        )
        place.header.name.withBytes { statement.bind(1, $0) }
        statement.bind(2, Int(place.header.kind.rawValue))
        statement.bind(3, Int(place.header.encoding.rawValue))
        statement.bind(4, place.pack)
        statement.bind(5, place.offset)
        statement.bind(6, place.header.storedByteCount)
        statement.bind(7, place.header.plainByteCount)
        try statement.run()
        if place.header.kind == .version { try insertRecord(place) }
    }

    /// Writes down that a pack has a record of a version: a removed one is remembered as long as any has.
    private func insertRecord(_ place: ObjectPlace) throws {
        let statement = try connection.statement("INSERT INTO records VALUES(?1, ?2) ON CONFLICT DO NOTHING")
        place.header.name.withBytes { statement.bind(1, $0) }
        statement.bind(2, place.pack)
        try statement.run()
    }

    /// Says whether an object's bytes, or any that it leads to, are not what they were: then it is stored again when
    /// somebody has it.
    func setDamaged(_ name: ObjectName, _ isDamaged: Bool) throws {
        let statement = try connection.statement("UPDATE objects SET isDamaged = ?2 WHERE name = ?1")
        name.withBytes { statement.bind(1, $0) }
        statement.bind(2, isDamaged ? 1 : 0)
        try statement.run()
    }

    func delete(_ name: ObjectName) throws {
        let statement = try connection.statement("DELETE FROM objects WHERE name = ?1")
        name.withBytes { statement.bind(1, $0) }
        try statement.run()
    }

    /// Every object, or those of one kind, in no order.
    func forEachObject(
        of kind: ObjectKind? = nil,
        _ body: (ObjectPlace, _ isDamaged: Bool) throws -> Void
    ) throws {
        let statement = try connection.statement(
            """
            SELECT kind, encoding, pack, position, stored, plain, isDamaged, name FROM objects
            WHERE ?1 = 0 OR kind = ?1
            """
        )
        statement.bind(1, Int(kind?.rawValue ?? 0))
        defer { statement.reset() }
        while try statement.step() {
            guard let name = ObjectName(statement.blob(7)), let header = Self.header(name, statement, 0)
            else {
                throw SQLiteError.malformedRow(in: connection.path)
            }
            let place = ObjectPlace(pack: statement.integer(2), offset: statement.integer(3), header: header)
            try body(place, statement.integer(6) != 0)
        }
    }

    private static func header(
        _ name: ObjectName,
        _ row: SQLiteStatement,
        _ first: Int
    ) -> PackFormat.RecordHeader? {
        guard let kind = ObjectKind(rawValue: UInt8(truncatingIfNeeded: row.integer(first))),
            let encoding = PackFormat.Encoding(rawValue: UInt8(truncatingIfNeeded: row.integer(first + 1))),
            case let (stored, plain) = (row.integer(first + 4), row.integer(first + 5)),
            stored >= 0, plain >= stored, plain <= PackFormat.objectByteCountMax
        else { return nil }
        return PackFormat.RecordHeader(
            kind: kind,
            encoding: encoding,
            storedByteCount: stored,
            plainByteCount: plain,
            name: name
        )
    }
}

extension SQLiteError {
    /// A row that we did not write so: the file is damaged in a way that SQLite does not notice.
    static func malformedRow(in path: String) -> SQLiteError {
        SQLiteError.damage("a row that nobody wrote", path: path)
    }
}
