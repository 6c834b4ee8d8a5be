package import HubProtocol
internal import Locks
internal import SQLite

// Containers that the hub's owner removes: no device reaches them from then on, and none makes them again. What they hold stays
// for as long as deleted blobs do, so that he can think better of it. See `Removal`.
extension SQLiteRecordStore {
    /// How many rows one transaction deletes, so that others' work need not wait long.
    private static let deletedRowCountMax = 2000

    /// A container that was removed.
    struct Removed: Hashable, Sendable {
        var container: ContainerName
        var number: Int
        var removal: Removal
    }

    /// Removes a container. One that was removed before stays so, since then.
    ///
    /// - Parameter now: By `ServedTime`.
    /// - Returns: Whether there is such a container.
    package func remove(_ container: ContainerName, now: Int) async throws -> Bool {
        let account = try await database.writer.perform { connection -> AccountID? in
            let remove = try connection.statement(
                "UPDATE containers SET removed = ifnull(removed, ?) WHERE container = ? RETURNING account"
            )
            remove.bind(1, Removal.kept(since: max(1, now)).number)
            remove.bind(2, container.bytes)
            defer { remove.reset() }
            let account = try remove.step() ? AccountID(remove.integer(0)) : nil
            return account
        } whenDurable: { [memory] account in
            guard let account else { return }
            memory.withLock { memory in
                memory.containers[container] = nil
                memory.removed[container] = account
            }
        }
        if account != nil { tell(.removed(container)) }
        return account != nil
    }

    /// Has a container that was removed be there again, as it was.
    ///
    /// - Returns: Whether it is there: not where there was none, or it has begun to go.
    package func keep(_ container: ContainerName) async throws -> Bool {
        try await database.writer.perform { connection -> ContainerState? in
            let keep = try connection.statement(
                """
                UPDATE containers SET removed = NULL WHERE container = ? AND (removed IS NULL OR removed > 0)
                RETURNING number, account, position, hash
                """
            )
            keep.bind(1, container.bytes)
            defer { keep.reset() }
            guard try keep.step() else { return nil }
            let head = LogHead(position: UInt64(keep.integer(2)), hash: LogHash(unchecked: keep.blob(3)))
            return ContainerState(number: keep.integer(0), account: AccountID(keep.integer(1)), head: head)
        } whenDurable: { [memory] state in
            guard let state else { return }
            memory.withLock { memory in
                memory.removed[container] = nil
                memory.containers[container] = state
            }
        } != nil
    }

    /// Refuses what was let in before its container was removed.
    static func checkIsKept(
        _ container: ContainerName,
        _ number: Int,
        _ connection: SQLiteConnection
    ) throws {
        let select = try connection.statement("SELECT removed FROM containers WHERE number = ?")
        select.bind(1, number)
        defer { select.reset() }
        if try select.step(), !select.isNull(0) { throw HubRefusal.removed(container) }
    }

    /// The containers that were removed.
    func removed() async throws -> [Removed] {
        try await database.readers.perform { connection in
            let select = try connection.statement(
                "SELECT container, number, removed FROM containers WHERE removed IS NOT NULL AND removed <> 0"
            )
            var found: [Removed] = []
            while try select.step() {
                guard let removal = Removal(select, 2) else { continue }
                let container = ContainerName(unchecked: select.blob(0))
                found.append(Removed(container: container, number: select.integer(1), removal: removal))
            }
            return found
        }
    }

    /// Has a removed container be nobody's to have back, before anything of it goes.
    ///
    /// - Returns: Whether it is: it may have been kept again since it was looked at.
    func beginDeleting(_ removed: Removed) async throws -> Bool {
        try await database.writer.perform { connection in
            let begin = try connection.statement(
                "UPDATE containers SET removed = ? WHERE number = ? AND removed = ?"
            )
            begin.bind(1, Removal.going.number)
            begin.bind(2, removed.number)
            begin.bind(3, removed.removal.number)
            try begin.run()
            return connection.changedRowCount > 0
        }
    }

    /// Deletes the log and the keys of a container that is going.
    func delete(_ removed: Removed) async throws {
        while try await deleteSome(of: removed.number) {}
    }

    /// - Returns: Whether there is more.
    private func deleteSome(of number: Int) async throws -> Bool {
        let (isMore, _, _) = try await database.writer.perform(weight: 64) { connection in
            let entries = try Self.deleteEntries(of: number, connection)
            let itemCount = try Self.deleteItems(of: number, connection)
            let (keys, isMore) = try Self.deleteRest(
                of: number,
                isLast: max(entries.count, itemCount) < Self.deletedRowCountMax,
                connection
            )
            let account = try Self.account(of: number, connection)
            try Self.add(-entries.byteCount - keys, to: account, connection)
            return (isMore, account, try Self.byteCount(of: account, connection))
        } whenDurable: { [memory] _, account, byteCount in
            memory.withLock { $0.byteCounts[account] = byteCount }
        }
        return isMore
    }

    private static func account(of number: Int, _ connection: SQLiteConnection) throws -> AccountID {
        let select = try connection.statement("SELECT account FROM containers WHERE number = ?")
        select.bind(1, number)
        defer { select.reset() }
        guard try select.step() else {
            throw SQLiteError.damage("a container's row is gone", path: connection.path)
        }
        return AccountID(select.integer(0))
    }

    private static func deleteEntries(
        of number: Int,
        _ connection: SQLiteConnection
    ) throws -> (count: Int, byteCount: Int) {
        let delete = try connection.statement(
            """
            DELETE FROM entries WHERE key IN (SELECT key FROM entries WHERE key > ? AND key < ? LIMIT ?)
            RETURNING length(record)
            """
        )
        delete.bind(1, key(number, 0))
        delete.bind(2, key(number + 1, 0))
        delete.bind(3, deletedRowCountMax)
        var (count, byteCount) = (0, 0)
        while try delete.step() {
            count += 1
            byteCount += delete.integer(0) + RecordSchema.entryByteCount
        }
        return (count, byteCount)
    }

    private static func deleteItems(of number: Int, _ connection: SQLiteConnection) throws -> Int {
        let delete = try connection.statement(
            """
            DELETE FROM items WHERE container = ?1 AND item IN
                (SELECT item FROM items WHERE container = ?1 LIMIT ?2)
            """
        )
        delete.bind(1, number)
        delete.bind(2, deletedRowCountMax)
        try delete.run()
        return connection.changedRowCount
    }

    /// Deletes what is left besides entries and items, if those are gone.
    ///
    /// - Returns: How many bytes of keys are gone, and whether there is more of the container.
    private static func deleteRest(
        of number: Int,
        isLast: Bool,
        _ connection: SQLiteConnection
    ) throws -> (keyByteCount: Int, isMore: Bool) {
        guard isLast else { return (0, true) }
        let keys = try connection.statement("DELETE FROM keys WHERE container = ? RETURNING length(keys)")
        keys.bind(1, number)
        var byteCount = 0
        while try keys.step() { byteCount += keys.integer(0) }
        let readings = try connection.statement("DELETE FROM readings WHERE container = ?")
        readings.bind(1, number)
        try readings.run()
        let end = try connection.statement(
            "UPDATE containers SET removed = ? WHERE number = ? AND removed = ?"
        )
        end.bind(1, Removal.gone.number)
        end.bind(2, number)
        end.bind(3, Removal.going.number)
        try end.run()
        return (byteCount, false)
    }
}
