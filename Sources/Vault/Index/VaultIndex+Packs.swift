internal import SQLite

extension VaultIndex {
    /// By which number no pack, or lent file, has ever been known in this index: whoever was about to say something of one
    /// that is forgotten says it of no other.
    static let freePackNumber = """
        (SELECT 1 + max(
            ifnull((SELECT max(number) FROM packs), 0),
            ifnull((SELECT value FROM meta WHERE key = '\(lastPackNumberKey)'), 0)))
        """
    /// The greatest number of those that are forgotten.
    static let lastPackNumberKey = "lastPackNumber"

    /// What `row(_:)` reads.
    static let packColumns = "number, id, byteCount, isSealed, isDead, lentInode, isChanged, content"

    /// Every pack that the index knows.
    func packs() throws -> [PackRow] {
        let statement = try connection.statement(
            "SELECT \(Self.packColumns) FROM packs ORDER BY number"
        )
        defer { statement.reset() }
        var rows: [PackRow] = []
        while try statement.step() { rows.append(try row(statement)) }
        return rows
    }

    func pack(_ number: Int) throws -> PackRow? {
        let statement = try connection.statement(
            "SELECT \(Self.packColumns) FROM packs WHERE number = ?1"
        )
        statement.bind(1, number)
        defer { statement.reset() }
        return try statement.step() ? try row(statement) : nil
    }

    func pack(_ id: PackID) throws -> PackRow? {
        let statement = try connection.statement(
            "SELECT \(Self.packColumns) FROM packs WHERE id = ?1"
        )
        statement.bind(1, id.bytes)
        defer { statement.reset() }
        return try statement.step() ? try row(statement) : nil
    }

    func row(_ statement: SQLiteStatement) throws -> PackRow {
        guard let id = PackID(bytes: statement.blob(1)), statement.integer(2) >= 0 else {
            throw SQLiteError.malformedRow(in: connection.path)
        }
        return PackRow(
            number: statement.integer(0),
            id: id,
            byteCount: statement.integer(2),
            isSealed: statement.integer(3) != 0,
            isDead: statement.integer(4) != 0,
            lentInode: statement.isNull(5) ? nil : UInt64(bitPattern: Int64(statement.integer(5))),
            isChanged: statement.integer(6) != 0,
            content: statement.isNull(7) ? nil : ObjectName(statement.blob(7))
        )
    }

    /// Writes down up to where a pack's records are known.
    ///
    /// - Returns: The pack's number.
    func setPack(_ id: PackID, byteCount: Int, isSealed: Bool = false) throws -> Int {
        let statement = try connection.statement(
            """
            INSERT INTO packs(number, id, byteCount, isSealed, isDead)
                VALUES(\(Self.freePackNumber), ?1, ?2, ?3, 0)
            ON CONFLICT(id) DO UPDATE SET byteCount = ?2, isSealed = max(isSealed, ?3) RETURNING number
            """
        )
        statement.bind(1, id.bytes)
        statement.bind(2, byteCount)
        statement.bind(3, isSealed ? 1 : 0)
        defer { statement.reset() }
        guard try statement.step() else { throw SQLiteError.malformedRow(in: connection.path) }
        let number = statement.integer(0)
        // RETURNING gives its rows before the statement is done.
        while try statement.step() {}
        return number
    }

    /// Says that nothing in a pack is needed any more.
    func setDead(pack number: Int) throws {
        for change in [
            "UPDATE packs SET isDead = 1 WHERE number = ?1", "DELETE FROM records WHERE pack = ?1",
        ] {
            let statement = try connection.statement(change)
            statement.bind(1, number)
            try statement.run()
        }
    }

    /// Forgets a pack; its number stays its own. Called within a transaction.
    func forget(pack number: Int) throws {
        if try meta(Self.lastPackNumberKey) ?? 0 < number { try setMeta(Self.lastPackNumberKey, number) }
        let statement = try connection.statement("DELETE FROM packs WHERE number = ?1")
        statement.bind(1, number)
        try statement.run()
    }
}
