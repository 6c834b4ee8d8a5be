internal import FileSystem
internal import Foundation
internal import SQLite

extension VaultIndex {
    /// What the notes have made of a version; bits of the column.
    enum State {
        static let removed = 1
        static let resolved = 2
        /// Set and cleared by notes against what the record says.
        static let discardable = 4
    }

    /// Writes down a version; one that is known stays as it is.
    func insert(_ version: KeptVersion, object: ObjectName) throws {
        let statement = try connection.statement(
            "INSERT INTO versions VALUES(?1, ?2, ?3, ?4, ?5, 0, ?6) ON CONFLICT DO NOTHING"
        )
        statement.bind(1, version.item.bytes)
        statement.bind(2, Int(version.date.nanoseconds))
        statement.bind(3, version.id.bytes)
        object.withBytes { statement.bind(4, $0) }
        statement.bind(
            5,
            (version.isResolved ? State.resolved : 0) | (version.isDiscardable ? State.discardable : 0)
        )
        statement.bind(6, [UInt8](version.record))
        try statement.run()
    }

    /// Does what a note says to the versions that are known.
    func apply(_ note: VersionNote) throws {
        for version in note.versions {
            switch note.change {
            case .removed: try update("state = state | \(State.removed)", version)
            case .resolved: try update("state = state | \(State.resolved)", version)
            case .discardable:
                try update("state = state | \(State.discardable), changed = ?2", version, since: note.date)
            case .undiscardable:
                try update("state = state & ~\(State.discardable), changed = ?2", version, since: note.date)
            }
        }
    }

    private func update(_ change: String, _ version: VersionID, since date: Date? = nil) throws {
        let condition = date == nil ? "" : " AND changed <= ?2"
        let statement = try connection.statement("UPDATE versions SET \(change) WHERE id = ?1\(condition)")
        statement.bind(1, version.bytes)
        if let date { statement.bind(2, Int(date.nanoseconds)) }
        try statement.run()
    }

    /// The versions of a document that have not been removed, the oldest first.
    func versions(of item: FileMark) throws -> [KeptVersion] {
        // Which are removed is found out here: to ask SQLite costs as much as all else that it does for a row.
        let statement = try connection.statement(
            "SELECT state, record FROM versions WHERE item = ?1 ORDER BY date, id"
        )
        statement.bind(1, item.bytes)
        return try versions(statement, of: item)
    }

    /// The versions of a document that lost a conflict which nobody has settled, the oldest first.
    func unresolvedConflicts(of item: FileMark) throws -> [KeptVersion] {
        // Resolved is also what never was in a conflict.
        let statement = try connection.statement(
            "SELECT state, record FROM versions WHERE item = ?1 AND state & 3 = 0 ORDER BY date, id"
        )
        statement.bind(1, item.bytes)
        return try versions(statement, of: item)
    }

    /// The newest version of a document that has not been removed; what it costs does not grow with their number.
    func newestVersion(of item: FileMark) throws -> KeptVersion? {
        let statement = try connection.statement(
            "SELECT state, record FROM versions WHERE item = ?1 ORDER BY date DESC, id DESC"
        )
        statement.bind(1, item.bytes)
        return try versions(statement, of: item, countMax: 1).first
    }

    /// One version, unless it has been removed.
    func version(_ id: VersionID) throws -> KeptVersion? {
        let statement = try connection.statement(
            "SELECT state, record FROM versions WHERE id = ?1"
        )
        statement.bind(1, id.bytes)
        return try versions(statement).first
    }

    /// Whether there is a version, removed or not.
    func isListed(_ id: VersionID) throws -> Bool {
        let statement = try connection.statement("SELECT 1 FROM versions WHERE id = ?1")
        statement.bind(1, id.bytes)
        defer { statement.reset() }
        return try statement.step()
    }

    /// Every version that has not been removed.
    func allVersions() throws -> [KeptVersion] {
        try versions(
            try connection.statement(
                "SELECT state, record FROM versions ORDER BY item, date, id"
            )
        )
    }

    /// The documents that have versions.
    func items() throws -> [FileMark] {
        try items(try connection.statement("SELECT DISTINCT item FROM versions WHERE state & 1 = 0"))
    }

    /// The documents that have a version which lost a conflict that nobody has settled.
    func itemsInConflict() throws -> [FileMark] {
        try items(try connection.statement("SELECT DISTINCT item FROM versions WHERE state & 3 = 0"))
    }

    private func items(_ statement: SQLiteStatement) throws -> [FileMark] {
        defer { statement.reset() }
        var items: [FileMark] = []
        while try statement.step() {
            guard let item = FileMark(bytes: statement.blob(0)) else {
                throw SQLiteError.malformedRow(in: connection.path)
            }
            items.append(item)
        }
        return items
    }

    /// The rows of versions that have not been removed.
    private func versions(
        _ statement: SQLiteStatement,
        of item: FileMark? = nil,
        countMax: Int = .max
    ) throws -> [KeptVersion] {
        defer { statement.reset() }
        var (versions, page) = ([KeptVersion](), RecordPage())
        do {
            while versions.count + page.count < countMax, try statement.step() {
                let state = statement.integer(0)
                guard state & State.removed == 0 else { continue }
                page.append(statement, state)
                if page.isFull { try page.read(into: &versions, of: item) }
            }
            try page.read(into: &versions, of: item)
        } catch is MalformedBytes {
            throw SQLiteError.malformedRow(in: connection.path)
        }
        return versions
    }

    /// Rows of versions whose records lie in one stretch of memory, which each version keeps: to take memory for each by
    /// itself would cost as much as all else.
    private struct RecordPage {
        private var bytes: [UInt8] = []
        private var rows: [(state: Int, end: Int)] = []
        /// A long list gets long pages; what is not used of one takes no memory.
        private var byteCount = 16 << 10

        private static let byteCountMax = 1 << 20
        /// So many times as much room is made when there is none: to move versions costs more than room that stays empty.
        private static let growth = 16

        var count: Int { rows.count }
        var isFull: Bool { bytes.count >= byteCount }

        mutating func append(_ row: SQLiteStatement, _ state: Int) {
            row.append(1, to: &bytes)
            rows.append((state, bytes.count))
        }

        /// Makes versions of what is there; a full page is empty then, and one that is not is the last.
        mutating func read(into versions: inout [KeptVersion], of item: FileMark?) throws {
            if versions.count + rows.count > versions.capacity {
                versions.reserveCapacity((versions.count + rows.count) * (versions.isEmpty ? 1 : Self.growth))
            }
            var start = 0
            try bytes.withUnsafeBytes { all in
                for row in rows {
                    let head = try KeptVersion.Head(UnsafeRawBufferPointer(rebasing: all[start..<row.end]))
                    let record = bytes[start..<row.end]
                    versions.append(
                        KeptVersion(
                            record,
                            head,
                            of: try item ?? KeptVersion.item(in: record),
                            isResolved: row.state & State.resolved != 0,
                            isDiscardable: row.state & State.discardable != 0
                        )
                    )
                    start = row.end
                }
            }
            guard isFull else { return }
            rows.removeAll(keepingCapacity: true)
            byteCount = min(byteCount * Self.growth, Self.byteCountMax)
            bytes = []
            bytes.reserveCapacity(byteCount + byteCount / Self.growth)
        }
    }

    /// Every version's record, removed or not: its object, and the version.
    func versionRecords() throws -> [(object: ObjectName, id: VersionID, isRemoved: Bool)] {
        let statement = try connection.statement("SELECT object, id, state & 1 FROM versions")
        defer { statement.reset() }
        var records: [(object: ObjectName, id: VersionID, isRemoved: Bool)] = []
        while try statement.step() {
            guard let object = ObjectName(statement.blob(0)), let id = VersionID(bytes: statement.blob(1))
            else {
                throw SQLiteError.malformedRow(in: connection.path)
            }
            records.append((object, id, statement.integer(2) != 0))
        }
        return records
    }

    /// The records of listed versions whose objects are damaged or missing; here they are whole.
    func damagedVersionRecords() throws -> [(object: ObjectName, record: [UInt8])] {
        let statement = try connection.statement(
            """
            SELECT object, record FROM versions WHERE state & 1 = 0
                AND object NOT IN (SELECT name FROM objects WHERE isDamaged = 0)
            """
        )
        defer { statement.reset() }
        var records: [(object: ObjectName, record: [UInt8])] = []
        while try statement.step() {
            guard let object = ObjectName(statement.blob(0)) else {
                throw SQLiteError.malformedRow(in: connection.path)
            }
            records.append((object, statement.blob(1)))
        }
        return records
    }

    /// Forgets removed versions that no pack has a record of any more.
    func forgetVersionsWithoutRecord() throws {
        try connection.execute(
            "DELETE FROM versions WHERE state & 1 AND object NOT IN (SELECT object FROM records)"
        )
    }

    /// Says that a version is none, though its record is there: nobody was told of it.
    func setVoid(_ id: VersionID) throws {
        try update("state = state | \(State.removed)", id)
    }

    // MARK: What was seen of members

    /// One row of what was seen of a folder when its document was kept last, and in which generation.
    func memberCache(
        _ item: FileMark,
        _ path: String,
        _ row: UInt32
    ) throws -> CacheRow? {
        let statement = try connection.statement(
            "SELECT generation, cache FROM members WHERE item = ?1 AND path = CAST(?2 AS TEXT) AND leaf = ?3"
        )
        statement.bind(1, item.bytes)
        statement.bind(2, Array(path.utf8))
        statement.bind(3, Int(row))
        defer { statement.reset() }
        return try statement.step() ? (statement.integer(0), statement.blob(1)) : nil
    }

    /// Writes down what was seen of a folder.
    func setMemberCache(_ item: FileMark, _ cache: CacheRows, generation: Int) throws {
        for row in cache.rows {
            let statement = try connection.statement(
                """
                INSERT INTO members VALUES(?1, CAST(?2 AS TEXT), ?3, ?4, ?5)
                ON CONFLICT DO UPDATE SET generation = ?4, cache = ?5
                """
            )
            statement.bind(1, item.bytes)
            statement.bind(2, Array(cache.path.utf8))
            statement.bind(3, Int(row.number))
            statement.bind(4, generation)
            statement.bind(5, row.bytes)
            try statement.run()
        }
        for number in cache.removed {
            let statement = try connection.statement(
                "DELETE FROM members WHERE item = ?1 AND path = CAST(?2 AS TEXT) AND leaf = ?3"
            )
            statement.bind(1, item.bytes)
            statement.bind(2, Array(cache.path.utf8))
            statement.bind(3, Int(number))
            try statement.run()
        }
    }

    /// Forgets what was seen of documents that have no versions any more.
    func forgetIdleMembers() throws {
        try connection.execute(
            "DELETE FROM members WHERE item NOT IN (SELECT item FROM versions WHERE state & 1 = 0)"
        )
    }
}
