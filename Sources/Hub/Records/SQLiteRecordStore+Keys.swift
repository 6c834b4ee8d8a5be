internal import Foundation
package import HubProtocol
internal import Locks
internal import SQLite

// Wrapped keys, which any device of an account may leave for any name. One that is in wrong hands is to keep nobody from
// having it refused and from leaving new keys:
//
// 1. A device leaves so many at most for one name in a container, and in all; all devices together so many for one name. So the
//    answer with all keys for a name is never too long for a client, and a refusal never takes long.
// 2. What a device has left goes when it is refused, in the same transaction, and nothing of it comes after that. So whoever
//    refuses it first, and leaves keys then, finds room.
// 3. Of what a refused device has left nothing goes that somebody may need who has not fetched it yet. Each time all keys are
//    left anew, so of one device's for a name the last has all before it: that stays. It is what a device that goes by itself
//    has left for those who stay, and what one that is shut out had left before, should whoever shuts it out die before all
//    others have keys of his. And the first that was left for a name stays: for a device on paper that is the kit, which nobody
//    can make again without the paper.
// 4. Of what stays so for a name the oldest goes when there is too much of it: who has many devices registered, and refused by
//    themselves, leaves no more behind. What was lost with it comes again with the next keys.
extension SQLiteRecordStore {
    /// How many keys of one device there are at most for one name in a container.
    static let writtenKeyCountMax = 64
    /// How many keys there are at most for one name in a container, in all.
    static let receivedKeyCountMax = 1024
    /// How many keys of one device there are at most.
    static let writerKeyCountMax = 4096
    /// How many keys of refused devices stay for one name in a container, beside the first.
    static let formerKeyCountMax = 64

    /// For whom keys are.
    private struct Receiver: Hashable {
        var container: Int
        var device: [UInt8]
    }
    private struct KeyRow {
        var receiver: Receiver
        var generation: Int
        /// Which one it is among those for the receiver.
        var written: Int
    }

    package func putKeys(
        _ keys: WrappedKeys,
        for device: DeviceName,
        in container: ContainerName,
        by caller: HubCaller,
        byteCountMax: Int
    ) async throws -> Bool {
        let receiver = Receiver(container: try number(of: container), device: device.bytes)
        let (isTaken, _) = try await database.writer.perform { connection in
            // A request may have begun before its device was revoked: what that has left goes but once.
            guard try !Self.isRevoked(caller.device, connection) else { throw HubRefusal.revoked }
            try Self.checkIsKept(container, receiver.container, connection)
            let before = try Self.byteCount(of: caller.account, connection)
            if let known = try Self.keys(keys.generation, for: receiver, connection) {
                // What is there takes no more room: it may be said again.
                return (known == Array(keys.keys), before)
            }
            guard before + keys.keys.count <= byteCountMax else { throw QuotaExceeded() }
            let last = try Self.checkCounts(receiver, by: caller.device, connection)
            try Self.insert(keys, for: receiver, by: caller.device, written: last + 1, connection)
            try Self.add(keys.keys.count, to: caller.account, connection)
            return (true, before + keys.keys.count)
        } whenDurable: { [memory] _, byteCount in
            memory.withLock { $0.byteCounts[caller.account] = byteCount }
        }
        return isTaken
    }

    private static func keys(
        _ generation: UInt32,
        for receiver: Receiver,
        _ connection: SQLiteConnection
    ) throws -> [UInt8]? {
        let select = try connection.statement(
            "SELECT keys FROM keys WHERE container = ? AND device = ? AND generation = ?"
        )
        select.bind(1, receiver.container)
        select.bind(2, receiver.device)
        select.bind(3, Int(generation))
        defer { select.reset() }
        return try select.step() ? select.blob(0) : nil
    }

    /// Refuses keys that would be too many.
    ///
    /// - Returns: Which one the last is that was left for the receiver; 0 where there is none.
    private static func checkCounts(
        _ receiver: Receiver,
        by writer: DeviceName,
        _ connection: SQLiteConnection
    ) throws -> Int {
        let select = try connection.statement(
            """
            SELECT count(*), ifnull(sum(writer = ?), 0), ifnull(max(written), 0) FROM keys INDEXED BY written_keys
            WHERE container = ? AND device = ? AND written > 0
            """
        )
        select.bind(1, writer.bytes)
        select.bind(2, receiver.container)
        select.bind(3, receiver.device)
        defer { select.reset() }
        guard try select.step() else { return 0 }
        let (all, own, last) = (select.integer(0), select.integer(1), select.integer(2))
        guard own < writtenKeyCountMax, try count(by: writer, connection) < writerKeyCountMax else {
            throw HubRefusal(
                507,
                .quota,
                "This device has left as many keys as one may. Do this on another device, or register this one anew."
            )
        }
        guard all < receivedKeyCountMax else {
            throw HubRefusal(
                507,
                .keysFull,
                "There are \(receivedKeyCountMax) keys for this device, which is all that there can be. A device that leaves "
                    + "so many is in wrong hands: shut it out first."
            )
        }
        return last
    }

    private static func count(by writer: DeviceName, _ connection: SQLiteConnection) throws -> Int {
        let select = try connection.statement("SELECT count(*) FROM keys WHERE writer = ?")
        select.bind(1, writer.bytes)
        defer { select.reset() }
        return try select.step() ? select.integer(0) : 0
    }

    private static func insert(
        _ keys: WrappedKeys,
        for receiver: Receiver,
        by writer: DeviceName,
        written: Int,
        _ connection: SQLiteConnection
    ) throws {
        let insert = try connection.statement("INSERT INTO keys VALUES(?, ?, ?, ?, ?, ?)")
        insert.bind(1, receiver.container)
        insert.bind(2, receiver.device)
        insert.bind(3, Int(keys.generation))
        insert.bind(4, Array(keys.keys))
        insert.bind(5, writer.bytes)
        insert.bind(6, written)
        try insert.run()
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

    /// Has what a device has left for others go that is refused from now on, less what somebody may need.
    ///
    /// - Returns: How many bytes of keys are gone.
    static func deleteKeys(of writer: DeviceName, _ connection: SQLiteConnection) throws -> Int {
        let select = try connection.statement(
            "SELECT container, device, generation, written FROM keys WHERE writer = ?"
        )
        select.bind(1, writer.bytes)
        let own = Dictionary(grouping: try rows(select), by: \.receiver)
        var byteCount = 0
        for (receiver, rows) in own {
            let last = rows.map(\.written).max()
            byteCount += try delete(rows.filter { $0.written != last }, butFirstFor: receiver, connection)
            byteCount += try delete(former(for: receiver, connection), butFirstFor: receiver, connection)
        }
        return byteCount
    }

    /// What refused devices have left for a receiver and is too much.
    private static func former(for receiver: Receiver, _ connection: SQLiteConnection) throws -> [KeyRow] {
        let select = try connection.statement(
            """
            SELECT container, keys.device, generation, written FROM keys INDEXED BY written_keys
            JOIN devices ON devices.device = keys.writer AND devices.revoked = 1
            WHERE container = ? AND keys.device = ? AND written > 0 ORDER BY written DESC LIMIT -1 OFFSET ?
            """
        )
        select.bind(1, receiver.container)
        select.bind(2, receiver.device)
        select.bind(3, formerKeyCountMax)
        return try rows(select)
    }

    private static func rows(_ select: SQLiteStatement) throws -> [KeyRow] {
        var rows: [KeyRow] = []
        while try select.step() {
            let receiver = Receiver(container: select.integer(0), device: select.blob(1))
            rows.append(
                KeyRow(receiver: receiver, generation: select.integer(2), written: select.integer(3))
            )
        }
        return rows
    }

    /// - Parameter receiver: What was written first for it stays, whatever generations came after: these are the writers' choice.
    /// - Returns: How many bytes of keys are gone.
    private static func delete(
        _ rows: [KeyRow],
        butFirstFor receiver: Receiver,
        _ connection: SQLiteConnection
    ) throws -> Int {
        guard !rows.isEmpty else { return 0 }
        let delete = try connection.statement(
            """
            DELETE FROM keys WHERE container = ?1 AND device = ?2 AND generation = ?3 AND written >
                (SELECT min(written) FROM keys WHERE container = ?1 AND device = ?2)
            RETURNING length(keys)
            """
        )
        var byteCount = 0
        for row in rows {
            delete.bind(1, receiver.container)
            delete.bind(2, receiver.device)
            delete.bind(3, row.generation)
            while try delete.step() { byteCount += delete.integer(0) }
        }
        return byteCount
    }
}
