internal import Foundation
package import HubProtocol
internal import Locks
internal import SQLite

extension SQLiteRecordStore {
    /// What a transaction did to a container.
    private struct Outcome: Sendable {
        var answers: [CommitAnswer] = []
        var head: LogHead
        var byteCount: Int
        var didAppend = false
    }

    package func commit(
        _ commits: [OfferedCommit],
        to container: ContainerName,
        by caller: HubCaller,
        byteCountMax: Int
    ) async throws -> CommitAnswers {
        let number = try number(of: container)
        // A commit changes a page of the items and, among others, one of the entries.
        let weight = commits.reduce(4) { $0 + 2 + $1.record.count / 4096 }
        let outcome = try await database.writer.perform(weight: weight) { connection in
            guard try !Self.isRevoked(caller.device, connection) else { throw HubRefusal.revoked }
            try Self.checkIsKept(container, number, connection)
            return try Self.write(commits, to: number, by: caller, byteCountMax: byteCountMax, connection)
        } whenDurable: { [memory] outcome in
            memory.withLock { memory in
                memory.containers[container]?.head = outcome.head
                memory.byteCounts[caller.account] = outcome.byteCount
            }
        }
        if outcome.didAppend { tell(.entries(container)) }
        return CommitAnswers(outcome.answers, head: outcome.head)
    }

    private static func write(
        _ commits: [OfferedCommit],
        to number: Int,
        by caller: HubCaller,
        byteCountMax: Int,
        _ connection: SQLiteConnection
    ) throws -> Outcome {
        let start = try head(of: number, connection)
        var outcome = Outcome(head: start, byteCount: try byteCount(of: caller.account, connection))
        let before = outcome.byteCount
        var chain = LogChain(at: start)
        for commit in commits {
            switch CommitRule.decide(commit, last: try last(of: commit.item, in: number, connection)) {
            case .answer(let answer): outcome.answers.append(answer)
            case .append:
                outcome.byteCount += commit.record.count + RecordSchema.entryByteCount
                guard outcome.byteCount <= byteCountMax else { throw QuotaExceeded() }
                let head = try chain.append(
                    item: commit.item,
                    base: commit.base,
                    id: commit.id,
                    record: commit.record
                )
                try insert(commit, at: head, in: number, by: caller.device, connection)
                outcome.answers.append(.accepted(head.position))
            }
        }
        outcome.head = chain.head
        outcome.didAppend = chain.head != start
        if outcome.didAppend {
            try set(chain.head, of: number, connection)
            try add(outcome.byteCount - before, to: caller.account, connection)
        }
        return outcome
    }

    /// A request may have begun before its device was revoked.
    static func isRevoked(_ device: DeviceName, _ connection: SQLiteConnection) throws -> Bool {
        let select = try connection.statement("SELECT revoked FROM devices WHERE device = ?")
        select.bind(1, device.bytes)
        defer { select.reset() }
        return try select.step() && select.integer(0) != 0
    }

    private static func head(of number: Int, _ connection: SQLiteConnection) throws -> LogHead {
        let select = try connection.statement("SELECT position, hash FROM containers WHERE number = ?")
        select.bind(1, number)
        defer { select.reset() }
        guard try select.step() else { throw HubRefusal.notFound("container") }
        return LogHead(position: UInt64(select.integer(0)), hash: LogHash(unchecked: select.blob(1)))
    }

    static func byteCount(of account: AccountID, _ connection: SQLiteConnection) throws -> Int {
        let select = try connection.statement("SELECT bytes FROM accounts WHERE account = ?")
        select.bind(1, account.number)
        defer { select.reset() }
        return try select.step() ? select.integer(0) : 0
    }

    private static func last(
        of item: ItemName,
        in number: Int,
        _ connection: SQLiteConnection
    ) throws -> CommitRule.Last? {
        let select = try connection.statement(
            "SELECT position, id FROM items WHERE container = ? AND item = ?"
        )
        select.bind(1, number)
        select.bind(2, item.bytes)
        defer { select.reset() }
        guard try select.step() else { return nil }
        guard let id = CommitName(String(decoding: select.blob(1), as: UTF8.self)) else {
            throw SQLiteError.damage("the identifier of a commit is none", path: connection.path)
        }
        return CommitRule.Last(position: UInt64(select.integer(0)), id: id)
    }

    private static func insert(
        _ commit: OfferedCommit,
        at head: LogHead,
        in number: Int,
        by device: DeviceName,
        _ connection: SQLiteConnection
    ) throws {
        let entry = try connection.statement("INSERT INTO entries VALUES(?, ?, ?, ?, ?, ?, ?)")
        entry.bind(1, key(number, head.position))
        entry.bind(2, commit.item.bytes)
        entry.bind(3, Int(commit.base))
        entry.bind(4, Array(commit.id.text.utf8))
        commit.record.withUnsafeBytes { entry.bind(5, $0) }
        entry.bind(6, device.bytes)
        entry.bind(7, head.hash.bytes)
        try entry.run()
        let item = try connection.statement("INSERT OR REPLACE INTO items VALUES(?, ?, ?, ?)")
        item.bind(1, number)
        item.bind(2, commit.item.bytes)
        item.bind(3, Int(head.position))
        item.bind(4, Array(commit.id.text.utf8))
        try item.run()
    }

    private static func set(_ head: LogHead, of number: Int, _ connection: SQLiteConnection) throws {
        let update = try connection.statement(
            "UPDATE containers SET position = ?, hash = ?, committed = unixepoch() WHERE number = ?"
        )
        update.bind(1, Int(head.position))
        update.bind(2, head.hash.bytes)
        update.bind(3, number)
        try update.run()
    }

    static func add(
        _ byteCount: Int,
        to account: AccountID,
        _ connection: SQLiteConnection
    ) throws {
        let update = try connection.statement("UPDATE accounts SET bytes = bytes + ? WHERE account = ?")
        update.bind(1, byteCount)
        update.bind(2, account.number)
        try update.run()
    }

    static func key(_ number: Int, _ position: UInt64) -> Int {
        number << RecordSchema.positionBits + Int(position)
    }

    package func page(
        of container: ContainerName,
        after position: UInt64,
        limit: Int
    ) async throws -> LogPage {
        // What a transaction has added may be read before those who asked for it hear of it: until then it is nobody's.
        let known = try state(of: container)
        let (number, head) = (known.number, known.head)
        guard position < head.position else { return LogPage([], head: head) }
        return try await database.readers.perform { connection in
            let select = try connection.statement(
                """
                SELECT key, item, base, id, record, device, hash FROM entries
                WHERE key > ? AND key <= ? ORDER BY key LIMIT ?
                """
            )
            select.bind(1, Self.key(number, position))
            select.bind(2, Self.key(number, head.position))
            select.bind(3, limit)
            defer { select.reset() }
            var (entries, byteCount): ([LogRecord], Int) = ([], 0)
            while try select.step() {
                let entry = try Self.entry(select, connection)
                byteCount += entry.record.count
                if !entries.isEmpty, byteCount > HubLimits.entriesByteCountMax { break }
                entries.append(entry)
            }
            return LogPage(entries, head: head)
        }
    }

    private static func entry(_ row: SQLiteStatement, _ connection: SQLiteConnection) throws -> LogRecord {
        guard let id = CommitName(String(decoding: row.blob(3), as: UTF8.self)) else {
            throw SQLiteError.damage("the identifier of a commit is none", path: connection.path)
        }
        return LogRecord(
            position: UInt64(row.integer(0) & (1 << RecordSchema.positionBits - 1)),
            item: ItemName(unchecked: row.blob(1)),
            base: UInt64(row.integer(2)),
            id: id,
            record: row.withBlob(4) { Data($0) },
            device: DeviceName(unchecked: row.blob(5)),
            hash: LogHash(unchecked: row.blob(6))
        )
    }
}
