import FileSystem
import Foundation
import HubHarness
import HubProtocol
import Locks
import SQLite
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// A hub whose volume is full: what it cannot keep it refuses with 507, what it has said to have it has, and once there is room
/// it goes on, without being started anew.
@Suite("A hub on a full disk", .onOwnThreads, .serialized, .timeLimit(.minutes(3)))
struct FullHubTests {
    private let folder: HubFolder
    private let disk: FullDisk
    private let records: SQLiteRecordStore
    private let blobs: SegmentedBlobStore
    private let service: HubService
    private let told = Locked<[String]>([])
    private let owner = BlobOwner(.test, .first)

    init() async throws {
        folder = try HubFolder()
        disk = try FullDisk(folder.path)
        records = try SQLiteRecordStore(in: try folder.open())
        blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let clock = HubClock(now: { 50 }, uptime: { ProcessInfo.processInfo.systemUptime })
        service = HubService(records: records, blobs: blobs, clock: clock) { [told] line in
            told.withLock { $0.append(line) }
        }
        _ = try await records.prepare(token: try Secrets.hash("token"))
    }

    private func send(_ method: String, _ place: String, _ body: Data) async throws -> Int {
        let request = WebRequest(
            method: method,
            target: try #require(RequestTarget("/v1/containers/\(ContainerName.test)/\(place)")),
            version: "HTTP/1.1",
            headers: [
                WebHeader("Authorization", "Bearer token"), WebHeader("Content-Length", "\(body.count)"),
                WebHeader("Content-Type", "application/octet-stream"),
            ]
        )
        switch service.answer(to: request) {
        case .respond(let response): return response.status
        case .wait(let answer): return await answer().status
        case .receive(let receiver, _):
            // In pieces, as the network has them.
            for start in stride(from: 0, to: body.count, by: 100_000) {
                body[start..<min(start + 100_000, body.count)].withUnsafeBytes { receiver.receive($0) }
            }
            switch receiver.finish() {
            case .respond(let response): return response.status
            case .wait(let answer): return await answer().status
            }
        case .upgrade: throw CancellationError()
        }
    }

    private func sendBlob(_ number: Int, _ byteCount: Int, isFrame: Bool) async throws -> Int {
        let bytes = [UInt8](repeating: UInt8(number), count: byteCount)
        guard isFrame else { return try await send("PUT", "blobs/\(BlobName.numbered(number))", Data(bytes)) }
        var frames = Data()
        BlobFrames.append(.numbered(number), bytes, to: &frames)
        return try await send("POST", "blobs", frames)
    }

    private func sendCommit(_ number: Int) async throws -> Int {
        let id = try #require(CommitName("1.7-\(number)"))
        let record = Data(repeating: UInt8(number), count: 3000)
        let offer = CommitOffer([OfferedCommit(item: .numbered(number), base: 0, id: id, record: record)])
        return try await send("POST", "commits", JSONEncoder().encode(offer))
    }

    /// What a hub has that is started anew on the folder, and what the one has that runs: the same.
    private func expect(blobs numbers: Set<Int>, commitCount: Int) async throws {
        let again = try SegmentedBlobStore(
            in: try folder.open(),
            uptime: LeapingClock.make()
        )
        let names = (0..<100).map(BlobName.numbered)
        for store in [blobs, again] {
            let missing = Set(try await store.missing(names, of: owner))
            #expect(Set((0..<100).filter { !missing.contains(.numbered($0)) }) == numbers)
            for number in numbers {
                let list = try await store.frames(of: [.numbered(number)], of: owner)
                let blob = try BlobFrames.read(list.bytes()).first?.blob
                #expect(blob?.isEmpty == false && blob?.allSatisfy { $0 == UInt8(number) } == true)
            }
        }
        for store in [records, try SQLiteRecordStore(in: try folder.open())] {
            let page = try await store.page(of: .test, after: 0, limit: 100)
            #expect(page.entries.count == commitCount && Int(page.head.position) == commitCount)
        }
    }

    @Test(
        "A blob for which there is no room is refused, and comes whole when there is",
        arguments: [1000, 3 << 20],
        [false, true]
    )
    func blobsWithoutRoom(byteCount: Int, isFrame: Bool) async throws {
        defer { disk.end() }
        #expect([200, 201].contains(try await sendBlob(1, byteCount, isFrame: isFrame)))
        // Wherever in its writes the room ends: after none of them, one, two, and so on until one more is enough.
        var kept: Set<Int> = [1]
        for writes in 0..<85 {
            disk.leaveRoom(forWrites: writes)
            let before = disk.refusedCount
            let status = try await sendBlob(2 + writes, byteCount, isFrame: isFrame)
            if [200, 201].contains(status) { kept.insert(2 + writes) } else { #expect(status == 507) }
            if disk.refusedCount == before { break }
        }
        #expect(disk.refusedCount > 0)
        disk.leaveRoom(forWrites: nil)
        try await expect(blobs: kept, commitCount: 0)
        #expect([200, 201].contains(try await sendBlob(90, byteCount, isFrame: isFrame)))
        try await expect(blobs: kept.union([90]), commitCount: 0)
    }

    @Test("A commit for which there is no room is refused, is in no log, and comes when there is")
    func commitsWithoutRoom() async throws {
        defer { disk.end() }
        #expect(try await sendCommit(1) == 200)
        var count = 1
        for writes in 0..<60 {
            disk.leaveRoom(forWrites: writes)
            let before = disk.refusedCount
            let status = try await sendCommit(2 + writes)
            if status == 200 { count += 1 } else { #expect(status == 507) }
            if disk.refusedCount == before { break }
        }
        #expect(disk.refusedCount > 0 && count >= 2)
        disk.leaveRoom(forWrites: nil)
        try await expect(blobs: [], commitCount: count)
        // The same one again, as a device sends it that was refused.
        #expect(try await sendCommit(2) == 200)
        try await expect(blobs: [], commitCount: count + 1)
    }

    @Test(
        "That there is no room the hub's owner is told once, and again when something was written meanwhile"
    )
    func telling() async throws {
        defer { disk.end() }
        disk.leaveRoom(forWrites: 0)
        for number in 1...10 { #expect(try await sendCommit(number) == 507) }
        #expect(try await sendBlob(1, 1000, isFrame: false) == 507)
        #expect(told.withLock { $0.count } == 1)
        disk.leaveRoom(forWrites: nil)
        #expect(try await sendCommit(1) == 200)
        disk.leaveRoom(forWrites: 0)
        for number in 2...4 { #expect(try await sendCommit(number) == 507) }
        // What is there already is no writing.
        #expect(told.withLock { $0.count } == 2)
        disk.leaveRoom(forWrites: nil)
        #expect(try await sendBlob(1, 1000, isFrame: true) == 200)
        disk.leaveRoom(forWrites: 0)
        #expect(try await sendBlob(2, 1000, isFrame: true) == 507)
        #expect(told.withLock { $0.count } == 3)
        #expect(told.withLock { $0.allSatisfy { $0.contains("ull") || $0.contains("space") } })
    }

    @Test("That the room ends in the middle of a transaction is what those are told who had work in it")
    func longTransaction() async throws {
        defer { disk.end() }
        // More than SQLite keeps in memory until the end.
        let record = Data(repeating: 7, count: HubLimits.recordByteCountMax)
        let commits = try (0..<120).map { number in
            let id = try #require(CommitName("1.7-\(number)"))
            return OfferedCommit(item: .numbered(number), base: 0, id: id, record: record)
        }
        let token = try Secrets.hash("token")
        let caller = try #require(records.caller(tokenHash: token))
        disk.leaveRoom(forWrites: 0)
        let failure = await #expect(throws: SQLiteError.self) {
            try await records.commit(commits, to: .test, by: caller, byteCountMax: .max)
        }
        #expect(failure?.isFull == true)
        #expect(disk.refusedCount > 0)
        disk.leaveRoom(forWrites: nil)
        let answers = try await records.commit(commits, to: .test, by: caller, byteCountMax: .max)
        #expect(answers.head.position == 120)
    }

    @Test("What a request has taken that is refused for want of room is given back", arguments: 0...3)
    func roomGivenBack(writes: Int) async throws {
        defer { disk.end() }
        let batch = try blobs.begin(for: owner)
        try batch.add(.numbered(1), [UInt8](repeating: 1, count: 3 << 20))
        disk.leaveRoom(forWrites: writes)
        let failure = await #expect(throws: SystemError.self) {
            do {
                // More than is gathered before it is written.
                for number in 2...4 {
                    try batch.add(.numbered(number), [UInt8](repeating: UInt8(number), count: 600_000))
                }
                _ = try await batch.commit()
            } catch {
                batch.abandon()
                throw error
            }
        }
        #expect(failure?.isFull == true)
        disk.leaveRoom(forWrites: nil)
        try await expectNothing()
    }

    @Test("A full volume gives back what is due, whatever else it refuses")
    func sweptWhileFull() async throws {
        defer { disk.end() }
        let batch = try blobs.begin(for: owner)
        try batch.add(.numbered(1), [UInt8](repeating: 1, count: 3 << 20))
        #expect(try await batch.commit() == 1)
        #expect(try await blobs.release([.numbered(1)], of: owner).count == 1)
        try await blobs.sweep(retentionSeconds: 1, uploadSeconds: 1)
        #expect(try disk.blockCount(of: "files") > 0)
        disk.leaveRoom(forWrites: 0)
        await #expect(throws: SQLiteError.self) {
            try await blobs.sweep(retentionSeconds: 1, uploadSeconds: 1)
        }
        #expect(try disk.blockCount(of: "files") == 0)
        disk.leaveRoom(forWrites: nil)
        try await blobs.sweep(retentionSeconds: 1, uploadSeconds: 1)
        try await expectNothing()
    }

    /// That no room is taken by blobs.
    private func expectNothing() async throws {
        #expect(try disk.blockCount(of: "files") == 0)
        // But for blocks that have others' bytes in them, or might.
        #expect(try disk.blockCount(of: "segments") < FullDisk.partByteCount / 512)
        try await expect(blobs: [], commitCount: 0)
    }

    @Test("What the index refuses is given back; what it may have after all is not")
    func undone() async throws {
        defer { disk.end() }
        let writer = blobs.database.writer
        try await writer.perform { connection in
            try connection.execute(
                "CREATE TRIGGER refusing BEFORE INSERT ON segments BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        }
        func batch() throws -> any BlobBatch {
            let batch = try blobs.begin(for: owner)
            try batch.add(.numbered(1), [UInt8](repeating: 1, count: 3 << 20))
            try batch.add(.numbered(2), [UInt8](repeating: 2, count: 600_000))
            return batch
        }
        let refused = try batch()
        await #expect(throws: SQLiteError.self) { try await refused.commit() }
        try await expectNothing()
        try await writer.perform { try $0.execute("DROP TRIGGER refusing") }
        let doubtful = try batch()
        // For a segment, as the process that has just looked has removed the former one, and its bytes there is room yet.
        disk.leaveRoom(forWrites: 2)
        let failure = await #expect(throws: SQLiteError.self) { try await doubtful.commit() }
        #expect(failure?.isFull == true)
        #expect(try disk.blockCount(of: "segments") >= 600_000 / 512)
        #expect(try disk.blockCount(of: "files") >= 3 << 20 / 512)
        disk.leaveRoom(forWrites: nil)
        #expect(try await batch().commit() == 2)
        try await expect(blobs: [1, 2], commitCount: 0)
    }

}
