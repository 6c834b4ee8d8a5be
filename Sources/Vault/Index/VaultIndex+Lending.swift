internal import SQLite

// Lent files are among the packs, and what is in them among the objects, each with the file's own offset.
extension VaultIndex {
    /// Writes down that a file is about to be lent: whoever collects finds it, should that come to nothing.
    ///
    /// - Parameters:
    ///   - inode: Which; 0 for one that is still to be made.
    ///   - content: What it is to be filled with; nil for what is a document already.
    /// - Returns: Its number.
    func insertLent(_ id: PackID, inode: UInt64, content: ObjectName? = nil) throws -> Int {
        let statement = try connection.statement(
            """
            INSERT INTO packs(number, id, byteCount, isSealed, isDead, lentInode, content)
                VALUES(\(Self.freePackNumber), ?1, 0, 0, 0, ?2, ?3) RETURNING number
            """
        )
        statement.bind(1, id.bytes)
        statement.bind(2, Int(Int64(bitPattern: inode)))
        if let content { content.withBytes { statement.bind(3, $0) } } else { statement.bindNull(3) }
        defer { statement.reset() }
        guard try statement.step() else { throw SQLiteError.malformedRow(in: connection.path) }
        let number = statement.integer(0)
        // RETURNING gives its rows before the statement is done.
        while try statement.step() {}
        return number
    }

    /// The lent files that are this very file.
    func lentFiles(inode: UInt64) throws -> [PackRow] {
        try lentFiles(where: "lentInode = ?1") { $0.bind(1, Int(Int64(bitPattern: inode))) }
    }

    /// The files that are filled with some content, and that nobody else has or has had.
    func lentFiles(filledWith content: ObjectName) throws -> [PackRow] {
        try lentFiles(where: "content = ?1 AND isSealed = 0") { statement in
            content.withBytes { statement.bind(1, $0) }
        }
    }

    private func lentFiles(where condition: String, _ bind: (SQLiteStatement) -> Void) throws -> [PackRow] {
        let statement = try connection.statement(
            "SELECT \(Self.packColumns) FROM packs WHERE \(condition) AND isDead = 0"
        )
        bind(statement)
        defer { statement.reset() }
        var rows: [PackRow] = []
        while try statement.step() { rows.append(try row(statement)) }
        return rows
    }

    /// Says which file it is that is lent.
    func setLentInode(_ inode: UInt64, of number: Int) throws {
        let statement = try connection.statement("UPDATE packs SET lentInode = ?2 WHERE number = ?1")
        statement.bind(1, number)
        statement.bind(2, Int(Int64(bitPattern: inode)))
        try statement.run()
    }

    /// Says that somebody else has a lent file, who may change it.
    func setShared(_ number: Int) throws {
        let statement = try connection.statement("UPDATE packs SET isSealed = 1 WHERE number = ?1")
        statement.bind(1, number)
        try statement.run()
    }

    /// Writes down what is in a lent file, beside what is known to be.
    ///
    /// What is whole in a pack stays there, where nobody changes it.
    ///
    /// - Parameter isLastHolder: Asked once of each other lent file that has any of it: whether nobody changes that
    ///   either, and it stays there, too.
    func addLent(
        _ pieces: [(name: ObjectName, offset: Int, byteCount: Int)],
        of number: Int,
        unlessIn isLastHolder: (PackRow) throws -> Bool = { _ in false }
    ) throws {
        var staying: [Int: Bool] = [:]
        for piece in pieces {
            if let known = try place(of: piece.name), known.header.encoding == .lent, known.pack != number {
                if staying[known.pack] == nil, let row = try pack(known.pack) {
                    staying[known.pack] = try isLastHolder(row)
                }
                if staying[known.pack] == true { continue }
            }
            let header = PackFormat.RecordHeader(
                kind: .chunk,
                encoding: .lent,
                storedByteCount: piece.byteCount,
                plainByteCount: piece.byteCount,
                name: piece.name
            )
            try insert(ObjectPlace(pack: number, offset: piece.offset, header: header))
        }
    }

    /// The names of what is known to be in a lent file.
    func lentNames(of number: Int) throws -> Set<ObjectName> {
        let statement = try connection.statement(
            "SELECT name FROM objects WHERE pack = ?1 AND encoding = \(Self.lentEncoding)"
        )
        statement.bind(1, number)
        defer { statement.reset() }
        var names: Set<ObjectName> = []
        while try statement.step() {
            guard let name = ObjectName(statement.blob(0)) else {
                throw SQLiteError.malformedRow(in: connection.path)
            }
            names.insert(name)
        }
        return names
    }

    /// Forgets what was known to be in a lent file.
    func forgetLent(of number: Int) throws {
        let statement = try connection.statement(
            "DELETE FROM objects WHERE pack = ?1 AND encoding = \(Self.lentEncoding)"
        )
        statement.bind(1, number)
        try statement.run()
    }

    /// Forgets one object that is not where it was lent any more, unless it is known to be elsewhere by now. Who has counted
    /// on it is to find another generation.
    func forgetLent(_ place: ObjectPlace) throws {
        let statement = try connection.statement(
            """
            DELETE FROM objects
            WHERE name = ?1 AND pack = ?2 AND position = ?3 AND encoding = \(Self.lentEncoding)
            """
        )
        place.header.name.withBytes { statement.bind(1, $0) }
        statement.bind(2, place.pack)
        statement.bind(3, place.offset)
        try statement.run()
        try setChanged(place.pack, true)
    }

    /// Says whether a lent file was found not to be what it was, since what is in it was written down.
    func setChanged(_ number: Int, _ isChanged: Bool) throws {
        let statement = try connection.statement(
            "UPDATE packs SET isChanged = ?2 WHERE number = ?1"
        )
        statement.bind(1, number)
        statement.bind(2, isChanged ? 1 : 0)
        try statement.run()
    }

    private static let lentEncoding = Int(PackFormat.Encoding.lent.rawValue)
}
