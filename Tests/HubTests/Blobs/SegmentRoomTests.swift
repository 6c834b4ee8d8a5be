import FileSystem
import Foundation
import HubHarness
import HubProtocol
import SQLite
import TestThreads
import Testing

@testable import Hub

/// What several have to do with one segment at a time.
@Suite("Room in segments", .onOwnThreads, .timeLimit(.minutes(3)))
struct SegmentRoomTests {
    private let folder: HubFolder
    private let store: SegmentedBlobStore
    private let owner = BlobOwner(.test, .first)

    init() throws {
        folder = try HubFolder()
        // Its clock leaps.
        store = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
    }

    /// One that has written a large blob to a segment, and has a small one behind it.
    private func batch(_ number: Int) throws -> any BlobBatch {
        let batch = try store.begin(for: owner)
        try batch.add(.numbered(number), bytes(number))
        try batch.add(.numbered(number + 1), [7])
        return batch
    }

    private func bytes(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: SegmentedBlobStore.smallByteCountMax)
    }

    private func put(_ number: Int, _ bytes: [UInt8]) async throws {
        let batch = try store.begin(for: owner)
        try batch.add(.numbered(number), bytes)
        _ = try await batch.commit()
    }

    private func read(_ number: Int) async throws -> [UInt8]? {
        let list = try await store.frames(of: [.numbered(number)], of: owner)
        return try BlobFrames.read(list.bytes()).first.map { Array($0.blob) }
    }

    /// Has the room of a blob given back.
    private func delete(_ number: Int) async throws {
        #expect(try await store.release([.numbered(number)], of: owner).count == 1)
        for _ in 0..<2 { try await store.sweep(retentionSeconds: 3600, uploadSeconds: 3600) }
    }

    /// How many blobs the index has in a segment; nil where it does not speak of it.
    private func count(in segment: Int) async throws -> Int? {
        try await store.database.readers.perform { connection in
            let select = try connection.statement("SELECT blobs FROM segments WHERE segment = ?")
            select.bind(1, segment)
            defer { select.reset() }
            return try select.step() ? select.integer(0) : nil
        }
    }

    @Test("That what was written is lost is heard by all who have written it, and by none who comes later")
    func lostWrites() async throws {
        let disk = FailingSyncs(folder.path)
        defer { disk.end() }
        let batches = try [1, 3].map { try batch($0) }
        disk.fail(true)
        for batch in batches { await #expect(throws: SystemError.self) { try await batch.commit() } }
        disk.fail(false)
        let names = (1...4).map(BlobName.numbered)
        #expect(try await store.missing(names, of: owner) == names)
        for number in [1, 3] { #expect(try await batch(number).commit() == 2) }
        for number in [1, 3] { #expect(try await read(number) == bytes(number)) }
    }

    @Test(
        "A segment is not given up while somebody has room in it, and is when none does",
        arguments: [true, false]
    )
    func roomOut(isStored: Bool) async throws {
        try await put(1, [1])
        let batch = try batch(2)
        // Another one is filled from now on.
        let rest = try store.segments.room(Segments.byteCountMax)
        store.segments.settle(rest.number)
        try await delete(1)
        #expect(try await count(in: 1) == 0)
        if isStored { #expect(try await batch.commit() == 2) } else { batch.abandon() }
        try await put(4, [4])
        try await delete(4)
        #expect(try await count(in: 1) == (isStored ? 1 : nil))
        let file = folder.path.appending("segments").appending(Segments.name(1)).string
        #expect(FileManager.default.fileExists(atPath: file) == isStored)
        let found = try await read(2)
        #expect(found == (isStored ? bytes(2) : nil))
    }
}
