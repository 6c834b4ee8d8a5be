import Foundation
import HubHarness
import HubProtocol
import Locks
import TestThreads
import Testing

@testable import Hub

/// A volume on which there is next to no room.
@Suite("Room that blobs leave to records", .onOwnThreads, .timeLimit(.minutes(3)))
struct VolumeReserveTests {
    private let folder: HubFolder
    private let free = Locked(1500)
    private let told = Locked<[String]>([])
    private let blobs: SegmentedBlobStore
    private let owner = BlobOwner(.test, .first)

    init() throws {
        folder = try HubFolder()
        blobs = try SegmentedBlobStore(
            in: try folder.open(),
            uptime: LeapingClock.make(),
            reserveByteCount: 1000,
            freeByteCount: { [free] in free.withLock { $0 } }
        )
        blobs.observeFaults { [told] line in told.withLock { $0.append(line) } }
    }

    private func expectRefusal(_ work: () throws -> Void) {
        #expect { try work() } throws: { ($0 as? HubRefusal) == .volumeFull }
    }

    @Test(
        "A blob that would use up what is for records is refused, as on a full volume, and comes when there is room"
    )
    func batches() async throws {
        let batch = try blobs.begin(for: owner, byteCount: 300)
        // Nothing of it is written yet, and the room is promised.
        let rest = 200 - BlobSchema.rowByteCount
        expectRefusal { _ = try blobs.begin(for: owner, byteCount: rest + 1) }
        expectRefusal { _ = try blobs.begin(for: BlobOwner(.test, AccountID(2)), byteCount: rest + 1) }
        let other = try blobs.begin(for: owner, byteCount: rest)
        other.abandon()
        try batch.add(.numbered(1), [UInt8](repeating: 1, count: 300))
        #expect(try await batch.commit() == 1)
        free.withLock { $0 = 1200 }
        expectRefusal { _ = try blobs.begin(for: owner, byteCount: 201) }
        // What brings nothing needs none, even where records have begun to use what is theirs.
        free.withLock { $0 = 10 }
        try blobs.begin(for: owner, byteCount: 0).abandon()
        expectRefusal { _ = try blobs.begin(for: owner, byteCount: 1) }
        free.withLock { $0 = 10_000 }
        let late = try blobs.begin(for: owner, byteCount: 201)
        try late.add(.numbered(2), [UInt8](repeating: 2, count: 201))
        #expect(try await late.commit() == 1)
        #expect(try await blobs.missing([.numbered(1), .numbered(2)], of: owner).isEmpty)
        #expect(blobs.byteCount(of: .first) == 501 + 2 * BlobSchema.rowByteCount)
    }

    @Test("So is a piece of one, and what came of it before is gone on with")
    func pieces() async throws {
        func piece(_ first: Int, _ count: Int) throws -> any BlobPiece {
            let range = PieceRange(first: first, byteCount: count, total: 900)
            return try blobs.beginPiece(.numbered(1), of: owner, range)
        }
        func send(_ first: Int, _ count: Int) async throws -> Int {
            let piece = try piece(first, count)
            try [UInt8](repeating: 1, count: count).withUnsafeBytes { try piece.append($0) }
            return try await piece.commit()
        }
        #expect(try await send(0, 500) == 500)
        free.withLock { $0 = 1399 }
        expectRefusal { _ = try piece(500, 400) }
        #expect(await blobs.uploadOffset(of: .numbered(1), of: owner) == 500)
        free.withLock { $0 = 1400 }
        #expect(try await send(500, 400) == 900)
        #expect(try await blobs.missing([.numbered(1)], of: owner).isEmpty)
    }

    @Test("The hub's owner is told once, and again when there was room meanwhile")
    func telling() throws {
        free.withLock { $0 = 1000 }
        for _ in 0..<3 { expectRefusal { _ = try blobs.begin(for: owner, byteCount: 1) } }
        #expect(told.withLock { $0.count } == 1)
        free.withLock { $0 = 2000 }
        try blobs.begin(for: owner, byteCount: 1).abandon()
        free.withLock { $0 = 1000 }
        expectRefusal { _ = try blobs.begin(for: owner, byteCount: 1) }
        #expect(told.withLock { $0.count } == 2)
        #expect(told.withLock { $0.allSatisfy { $0.contains("room for blobs") } })
    }

    @Test("That it cannot be asked for is no room, and no refusal of the quota's")
    func unknown() throws {
        let store = try SegmentedBlobStore(
            in: try folder.open(),
            uptime: LeapingClock.make(),
            reserveByteCount: 1000,
            freeByteCount: { throw CancellationError() }
        )
        #expect(throws: CancellationError.self) { _ = try store.begin(for: owner, byteCount: 1) }
    }

    @Test("Without a reserve nobody asks, and a hub has one")
    func none() throws {
        let store = try SegmentedBlobStore(
            in: try folder.open(),
            uptime: LeapingClock.make(),
            freeByteCount: { throw CancellationError() }
        )
        try store.begin(for: owner, byteCount: 1).abandon()
        #expect(HubSettings().reserveByteCount == 64 << 20)
    }
}
