internal import Foundation
package import HubProtocol
internal import Locks
internal import SQLite

extension SQLiteRecordStore {
    /// How many containers an account has at most: their heads are in memory, and whoever lists them gets all.
    static let containerCountMax = 1000

    package func makeContainer(_ container: ContainerName, for account: AccountID) async throws -> Bool {
        if let known = memory.withLock({ $0.containers[container] }) {
            return try Self.existing(known.account, account)
        }
        if isRemoved(container, of: account) { throw HubRefusal.removed(container) }
        let start = try LogChain(of: container).head
        let (number, owner) = try await database.writer.perform { connection in
            let count = try Self.containerCount(of: account, connection)
            let insert = try connection.statement(
                "INSERT OR IGNORE INTO containers(container, account, position, hash) VALUES(?, ?, 0, ?)"
            )
            insert.bind(1, container.bytes)
            insert.bind(2, account.number)
            insert.bind(3, start.hash.bytes)
            try insert.run()
            let isNew = connection.changedRowCount > 0
            guard !isNew || count < Self.containerCountMax else { throw Self.tooManyContainers }
            let select = try connection.statement(
                "SELECT number, account, removed FROM containers WHERE container = ?"
            )
            select.bind(1, container.bytes)
            defer { select.reset() }
            guard try select.step() else {
                throw SQLiteError.damage("a row is gone that was just inserted", path: connection.path)
            }
            // Of another account's, whatever became of it, nothing is told but that the name is taken.
            if !select.isNull(2), select.integer(1) == account.number { throw HubRefusal.removed(container) }
            return (select.integer(0), isNew ? nil : AccountID(select.integer(1)))
        } whenDurable: { [memory] number, owner in
            guard owner == nil else { return }
            memory.withLock {
                $0.containers[container] = ContainerState(number: number, account: account, head: start)
            }
        }
        _ = number
        return try owner.map { try Self.existing($0, account) } ?? true
    }

    private static func containerCount(of account: AccountID, _ connection: SQLiteConnection) throws -> Int {
        let select = try connection.statement(
            "SELECT count(*) FROM containers WHERE account = ? AND removed IS NULL"
        )
        select.bind(1, account.number)
        defer { select.reset() }
        return try select.step() ? select.integer(0) : 0
    }

    private static let tooManyContainers = HubRefusal(
        507,
        .quota,
        "An account has \(containerCountMax) containers at most. Ask the hub's owner for another account, which "
            + "“sheaf hub invite --new-account” makes."
    )

    /// - Returns: False.
    private static func existing(_ owner: AccountID, _ account: AccountID) throws -> Bool {
        guard owner == account else {
            throw HubRefusal(409, .conflict, "This name is taken. Make another one, of random bytes.")
        }
        return false
    }

    package func containers(of account: AccountID) async throws -> [ContainerListing] {
        memory.withLock { memory in
            memory.containers.filter { $0.value.account == account }
                .map { ContainerListing($0.key, head: $0.value.head) }
        }
        .sorted { $0.container < $1.container }
    }
}
