internal import Foundation
package import HubProtocol
internal import Locks
internal import SQLite

extension SQLiteRecordStore {
    /// How many containers there are at most: their heads are in memory.
    private static let containerCountMax = 100_000

    package func makeContainer(_ container: ContainerName, for account: AccountID) async throws -> Bool {
        if let known = memory.withLock({ $0.containers[container] }) {
            return try Self.existing(known.account, account)
        }
        guard memory.withLock({ $0.containers.count }) < Self.containerCountMax else {
            throw HubRefusal(
                507,
                .quota,
                "A hub has \(Self.containerCountMax) containers at most. Use one of those."
            )
        }
        let start = try LogChain(of: container).head
        let (number, owner) = try await database.writer.perform { connection in
            let insert = try connection.statement(
                "INSERT OR IGNORE INTO containers(container, account, position, hash) VALUES(?, ?, 0, ?)"
            )
            insert.bind(1, container.bytes)
            insert.bind(2, account.number)
            insert.bind(3, start.hash.bytes)
            try insert.run()
            let isNew = connection.changedRowCount > 0
            let select = try connection.statement(
                "SELECT number, account FROM containers WHERE container = ?"
            )
            select.bind(1, container.bytes)
            defer { select.reset() }
            guard try select.step() else {
                throw SQLiteError.damage("a row is gone that was just inserted", path: connection.path)
            }
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

    package func putKeys(
        _ keys: WrappedKeys,
        for device: DeviceName,
        in container: ContainerName,
        by caller: HubCaller,
        byteCountMax: Int
    ) async throws -> Bool {
        let number = try number(of: container)
        let (isTaken, byteCount) = try await database.writer.perform { connection in
            let before = try Self.byteCount(of: caller.account, connection)
            let insert = try connection.statement("INSERT OR IGNORE INTO keys VALUES(?, ?, ?, ?)")
            insert.bind(1, number)
            insert.bind(2, device.bytes)
            insert.bind(3, Int(keys.generation))
            insert.bind(4, Array(keys.keys))
            try insert.run()
            if connection.changedRowCount > 0 {
                // What is there takes no more room: it may be said again.
                guard before + keys.keys.count <= byteCountMax else { throw QuotaExceeded() }
                try Self.add(keys.keys.count, to: caller.account, connection)
                return (true, before + keys.keys.count)
            }
            let select = try connection.statement(
                "SELECT keys FROM keys WHERE container = ? AND device = ? AND generation = ?"
            )
            select.bind(1, number)
            select.bind(2, device.bytes)
            select.bind(3, Int(keys.generation))
            defer { select.reset() }
            return (try select.step() && select.blob(0) == Array(keys.keys), before)
        } whenDurable: { [memory] _, byteCount in
            memory.withLock { $0.byteCounts[caller.account] = byteCount }
        }
        _ = byteCount
        return isTaken
    }

    package func keys(
        for device: DeviceName,
        in container: ContainerName
    ) async throws -> WrappedKeysList {
        let number = try number(of: container)
        return try await database.readers.perform { connection in
            let select = try connection.statement(
                "SELECT generation, keys FROM keys WHERE container = ? AND device = ? ORDER BY generation"
            )
            select.bind(1, number)
            select.bind(2, device.bytes)
            var generations: [WrappedKeys] = []
            while try select.step() {
                let generation = UInt32(truncatingIfNeeded: select.integer(0))
                generations.append(WrappedKeys(generation: generation, keys: Data(select.blob(1))))
            }
            return WrappedKeysList(generations)
        }
    }
}
