import FileSystem
import Foundation
import HubHarness
import HubProtocol
import SQLite
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// A small volume in the machine's memory.
private final class SmallVolume {
    let folder: URL

    /// Whether this process may mount anything.
    static let isPossible = geteuid() == 0 && (try? SmallVolume(byteCount: 1 << 20)) != nil

    init(byteCount: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("volume-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(byteCount),mode=0700", "none", folder.path)
    }

    deinit {
        try? Self.run("umount", "-l", folder.path)
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ command: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CancellationError() }
    }

    /// Leaves nothing free.
    func fill() throws {
        let folder = try StorageFolder(at: FilePath(folder.path))
        let file = try folder.create("filling")
        var (offset, pieceByteCount) = (0, 1 << 20)
        while pieceByteCount >= 1024 {
            let piece = [UInt8](repeating: 1, count: pieceByteCount)
            do {
                try piece.withUnsafeBytes { try file.write($0, at: offset) }
                offset += pieceByteCount
            } catch { pieceByteCount /= 4 }
        }
        #expect(try folder.freeByteCount() == 0)
    }
}

/// Whether the databases of a hub of this process are closed.
private final class Ended {
    private weak var records: GroupWriter?
    private weak var recordReaders: ReaderPool?
    private weak var blobs: GroupWriter?
    private weak var blobReaders: ReaderPool?

    func follow(_ hub: RunningHub) {
        (records, recordReaders) = (hub.records.database.writer, hub.records.database.readers)
        (blobs, blobReaders) = (hub.blobs.database.writer, hub.blobs.database.readers)
    }

    var isClosed: Bool { records == nil && recordReaders == nil && blobs == nil && blobReaders == nil }
}

@Suite("A hub on a full volume that is started", .onOwnThreads, .timeLimit(.minutes(3)))
struct FullStartTests {
    @Test(
        "It starts, answers, and deletes what is due, which gives it room again",
        .enabled(if: SmallVolume.isPossible),
        arguments: [true, false]
    )
    func start(isCopy: Bool) async throws {
        let volume = try SmallVolume(byteCount: 40 << 20)
        var options = HubProcess.Options()
        options.data = volume.folder.appendingPathComponent("hub").path
        options.address = .loopback(port: 0)
        options.settings.reserveByteCount = 0
        options.settings.retentionSeconds = 3600
        let clock = HubClock(now: { 50 }, uptime: LeapingClock.make())
        let room = volume.folder.appendingPathComponent("hub/\(RoomFile.name)").path
        let owner = BlobOwner(.test, .first)
        let ended = Ended()
        do {
            let hub = try RunningHub(options, clock: clock) { Issue.record("\($0)") }
            ended.follow(hub)
            _ = try await hub.records.prepare(token: try Secrets.hash("token"))
            let batch = try hub.blobs.begin(for: owner)
            try batch.add(.numbered(1), [UInt8](repeating: 7, count: 16 << 20))
            _ = try await batch.commit()
            #expect(try await hub.blobs.release([.numbered(1)], of: owner).count == 1)
            await hub.stop()
            try RoomFile.make(in: try StorageFolder(at: FilePath(options.data ?? "")))
        }
        #expect(FileManager.default.fileExists(atPath: room))
        // Until then this process has the file beside the log, which is to find no room.
        while !ended.isClosed { await Task.yield() }
        if isCopy {
            // Those files are in no copy, and it takes room to make them.
            for name in ["records.db-shm", "blobs.db-shm"] {
                try FileManager.default.removeItem(atPath: volume.folder.path + "/hub/" + name)
            }
        }
        try volume.fill()
        let hub = try RunningHub(options, clock: clock) { _ in }
        if isCopy { #expect(!FileManager.default.fileExists(atPath: room)) }
        let service = HubService(records: hub.records, blobs: hub.blobs, clock: clock)
        let request = WebRequest(
            method: "GET",
            target: try #require(RequestTarget("/v1/containers/\(ContainerName.test)/log?after=0")),
            version: "HTTP/1.1",
            headers: [WebHeader("Authorization", "Bearer token")]
        )
        guard case .wait(let answer) = service.answer(to: request) else { throw CancellationError() }
        #expect(await answer().status == 200)
        // Deleted, and given back, as its clock leaps.
        for _ in 0..<2 { await hub.sweep() }
        #expect(try await hub.blobs.missing([.numbered(1)], of: owner) == [.numbered(1)])
        #expect(FileManager.default.fileExists(atPath: room))
        let batch = try hub.blobs.begin(for: owner)
        try batch.add(.numbered(2), [UInt8](repeating: 7, count: 8 << 20))
        #expect(try await batch.commit() == 1)
        await hub.stop()
    }

    @Test("That the write-ahead log cannot be brought in keeps no database from being opened")
    func checkpoint() async throws {
        let folder = try HubFolder()
        do { _ = try await SQLiteRecordStore(in: try folder.open()).prepare() }
        let disk = try FullDisk(folder.path)
        defer { disk.end() }
        let path = folder.path.appending(SQLiteRecordStore.fileName).string
        var openedCount = 0
        // Wherever the room ends: the file beside the log has to be there, and then each page may be the one too many.
        for writes in 0..<60 {
            disk.leaveRoom(forWrites: writes)
            let before = disk.refusedCount
            var containerCount = 0
            do {
                _ = try HubDatabase(path: path) { connection in
                    let select = try connection.statement("SELECT count(*) FROM containers")
                    if try select.step() { containerCount = select.integer(0) }
                    select.reset()
                }
                #expect(containerCount == 1)
                if disk.refusedCount > before { openedCount += 1 }
            } catch let error as SQLiteError {
                #expect(error.isFull)
            }
            if disk.refusedCount == before { break }
        }
        #expect(openedCount > 0)
    }
}
