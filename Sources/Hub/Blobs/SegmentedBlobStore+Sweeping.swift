internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Locks
internal import SQLite

extension SegmentedBlobStore {
    /// How long the room of a deleted blob is kept, in seconds: longer than anybody may read it who began before.
    static let graceSeconds = 3600
    /// How many blobs one transaction deletes, so that others' work need not wait long.
    private static let sweptCountMax = 500
    /// Of how many the room is given back before that is written down.
    static let givenBackCountMax = 2000

    private struct Garbage: Sendable {
        var number: Int
        var blob: IndexedBlob
    }

    package func sweep(retentionSeconds: Int, uploadSeconds: Int) async throws {
        let now = served.seconds
        var failure: (any Error)?
        // What one cannot do keeps none of the others from being done: on a full volume the first gives back what they need.
        for step in [
            { try await self.giveBack(since: now - Self.graceSeconds) },
            { try await self.noteServedTime() },
            {
                while try await self.delete(releasedBefore: now - retentionSeconds, now: now)
                    == Self.sweptCountMax
                {}
            },
            { try await self.forgetUploads(touchedBefore: now - uploadSeconds) },
        ] as [() async throws -> Void] {
            do { try await step() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Writes down for how long blobs have been served, should anything wait for its time to come. Removed containers do so, too:
    /// they are in the other database, so who knows of them says so. What it is not told of
    /// before a kill is as if it had not gone by.
    package func noteServedTime(always: Bool = false) async throws {
        guard try await database.readers.perform({ try always || BlobSchema.isAnythingTimed($0) }) else {
            return
        }
        try await database.writer.perform { [served] connection in
            try BlobSchema.note(servedSeconds: served.seconds, connection)
        }
    }

    /// Deletes all blobs of a container, released or not. Unfinished ones go as any that nobody goes on with.
    func deleteAll(of container: ContainerName) async throws {
        // After the first of a container's keys, and with the last that there can be.
        let last = container.bytes + [UInt8](repeating: 0xff, count: BlobName.byteCount)
        while try await delete(
            "SELECT key FROM blobs WHERE key > ?1 AND key <= ?2",
            now: served.seconds,
            bind: { select in
                select.bind(1, container.bytes)
                select.bind(2, last)
            }
        ) == Self.sweptCountMax {}
    }

    /// Takes blobs out of the index.
    private func delete(releasedBefore: Int, now: Int) async throws -> Int {
        try await delete("SELECT key FROM blobs WHERE released > 0 AND released < ?1", now: now) {
            $0.bind(1, releasedBefore)
        }
    }

    /// - Parameters:
    ///   - keys: Selects the blobs' keys; of more than one transaction is to delete the first go.
    ///   - bind: Gives the selection its values.
    /// - Returns: How many are gone.
    private func delete(
        _ keys: String,
        now: Int,
        bind: @escaping @Sendable (SQLiteStatement) -> Void
    ) async throws -> Int {
        try await database.writer.perform { connection -> (byteCounts: [AccountID: Int], count: Int) in
            let delete = try connection.statement(
                """
                DELETE FROM blobs WHERE key IN (\(keys) LIMIT \(Self.sweptCountMax))
                RETURNING key, segment, start, bytes, account
                """
            )
            bind(delete)
            return try Self.makeGarbage(of: delete, now: now, connection)
        } whenDurable: { [memory] byteCounts, _ in
            memory.withLock { $0.byteCounts.merge(byteCounts) { $1 } }
        }.count
    }

    private static func makeGarbage(
        of delete: SQLiteStatement,
        now: Int,
        _ connection: SQLiteConnection
    ) throws -> (byteCounts: [AccountID: Int], count: Int) {
        let garbage = try connection.statement(
            "INSERT INTO garbage(key, segment, start, bytes, since) VALUES(?, ?, ?, ?, ?)"
        )
        var (byteCounts, perSegment, count): ([AccountID: Int], [Int: Int], Int) = ([:], [:], 0)
        while try delete.step() {
            garbage.bind(1, delete.blob(0))
            for column in 1...3 { garbage.bind(column + 1, delete.integer(column)) }
            garbage.bind(5, now)
            try garbage.run()
            byteCounts[AccountID(delete.integer(4)), default: 0] -=
                delete.integer(3) + BlobSchema.rowByteCount
            if delete.integer(1) != 0 { perSegment[delete.integer(1), default: 0] -= 1 }
            count += 1
        }
        for (segment, change) in perSegment { try BlobSchema.add(change, toSegment: segment, connection) }
        for (account, change) in byteCounts {
            byteCounts[account] = try BlobSchema.add(change, to: account, connection)
        }
        return (byteCounts, count)
    }

    private func forgetUploads(touchedBefore: Int) async throws {
        let old = memory.withLock { $0.uploads.takeAll(touchedBefore: touchedBefore) }
        guard !old.isEmpty else { return }
        try await database.writer.perform { connection in
            let forget = try connection.statement("DELETE FROM uploads WHERE key = ? AND file = ?")
            for (key, upload) in old {
                forget.bind(1, key)
                forget.bind(2, upload.file)
                try forget.run()
            }
        }
        for upload in old.values { try files.remove(Self.fileName(upload.file)) }
    }

    /// Gives the room of what was deleted back to the volume, and forgets it: of so many blobs at a time, so that others' work
    /// comes between.
    ///
    /// What cannot be given back, for a bad place on the disk say, stays for the next time, and is in the way of nothing else.
    private func giveBack(since: Int) async throws {
        var (last, failure): (Int, (any Error)?) = (0, nil)
        while true {
            let garbage = try await garbage(since: since, after: last)
            guard let end = garbage.last else { break }
            last = end.number
            let refused = try await offPool { self.discardEach(garbage.map(\.blob)) }
            failure = failure ?? refused.min { $0.key < $1.key }?.value
            let freed = garbage.indices.filter { refused[$0] == nil }.map { garbage[$0].number }
            do { try await forget(freed) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// - Parameter number: The last one that has had its turn.
    private func garbage(since: Int, after number: Int) async throws -> [Garbage] {
        try await database.readers.perform { connection in
            let select = try connection.statement(
                """
                SELECT number, segment, start, bytes FROM garbage WHERE number > ? AND since <= ?
                ORDER BY number LIMIT \(Self.givenBackCountMax)
                """
            )
            select.bind(1, number)
            select.bind(2, since)
            var garbage: [Garbage] = []
            while try select.step() {
                let place = BlobPlace(segment: select.integer(1), offset: select.integer(2))
                let blob = IndexedBlob(place: place, byteCount: select.integer(3))
                garbage.append(Garbage(number: select.integer(0), blob: blob))
            }
            return garbage
        }
    }

    /// Forgets what was given back, and removes segments in which nothing is left.
    private func forget(_ numbers: [Int]) async throws {
        guard !numbers.isEmpty else { return }
        let empty = try await database.writer.perform(weight: 8 + numbers.count / 20) {
            [segments] connection in
            try Self.forget(numbers, isOver: { segments.isOver($0) }, connection)
        }
        var failure: (any Error)?
        for segment in empty {
            // One that cannot be removed is nobody's, and goes when the next process begins.
            do { try segments.remove(segment) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// - Parameter isOver: Whether nothing comes into a segment any more. Asked here, among all that writes to the index: room that
    ///   is out now may be a blob's by the time that the file is removed.
    /// - Returns: Segments in which nothing is left.
    private static func forget(
        _ numbers: [Int],
        isOver: (Int) -> Bool,
        _ connection: SQLiteConnection
    ) throws -> [Int] {
        let forget = try connection.statement("DELETE FROM garbage WHERE number = ?")
        for number in numbers {
            forget.bind(1, number)
            try forget.run()
        }
        let select = try connection.statement(
            "SELECT segment FROM segments WHERE blobs = 0 AND segment NOT IN (SELECT segment FROM garbage)"
        )
        var empty: [Int] = []
        while try select.step() { empty.append(select.integer(0)) }
        empty.removeAll { !isOver($0) }
        let remove = try connection.statement("DELETE FROM segments WHERE segment = ?")
        for segment in empty {
            remove.bind(1, segment)
            try remove.run()
        }
        return empty
    }
}
