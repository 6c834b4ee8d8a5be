import FileSystem
import Foundation
import HTTPService
import HubHarness
import HubProtocol
import Locks
import TestThreads
import Testing

@testable import Hub

/// Blobs whose bytes the hub's volume does not give: they cost no answer but the first, are told, and come back when somebody
/// sends them.
@Suite("Blobs that a hub cannot read", .onOwnThreads, .timeLimit(.minutes(3)))
struct UnreadableBlobTests {
    private let folder: HubFolder
    private let owner = BlobOwner(.test, .first)
    private let log = Locked<[String]>([])

    init() throws { folder = try HubFolder() }

    /// One whose faults a hub's service has told of.
    private func store() throws -> SegmentedBlobStore {
        let store = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let records = try SQLiteRecordStore(in: try folder.open())
        _ = HubService(records: records, blobs: store) { [log] line in log.withLock { $0.append(line) } }
        return store
    }

    private var told: [String] { log.withLock { $0 } }

    private func blob(_ number: Int, _ byteCount: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: byteCount)
    }

    private func put(_ blobs: [Int: Int], in store: SegmentedBlobStore) async throws -> Int {
        let batch = try store.begin(for: owner)
        for (number, byteCount) in blobs.sorted(by: { $0.key < $1.key }) {
            try batch.add(.numbered(number), blob(number, byteCount))
        }
        return try await batch.commit()
    }

    private func list(_ numbers: [Int], in store: SegmentedBlobStore) async throws -> BlobFrameList {
        try await store.frames(of: numbers.map(BlobName.numbered), of: owner)
    }

    private func isCutOff(_ numbers: [Int], in store: SegmentedBlobStore) async throws -> Bool {
        let list = try await list(numbers, in: store)
        return list.bytes().count < list.byteCount
    }

    /// That the answer is whole, and has these of the blobs that were asked for.
    private func expect(
        _ blobs: [Int: Int],
        of numbers: [Int],
        in store: SegmentedBlobStore,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let list = try await list(numbers, in: store)
        let frames = try BlobFrames.read(list.bytes())
        let kept = numbers.filter { blobs[$0] != nil }
        #expect(frames.map(\.name) == kept.map(BlobName.numbered), sourceLocation: location)
        for (number, frame) in zip(kept, frames) {
            let isItself = Array(frame.blob) == blob(number, blobs[number] ?? 0)
            #expect(isItself, "blob \(number)", sourceLocation: location)
        }
        let missing = try await store.missing(numbers.map(BlobName.numbered), of: owner)
        let expected = numbers.filter { blobs[$0] == nil }.map(BlobName.numbered)
        #expect(missing == expected, sourceLocation: location)
    }

    @Test("A bad place in a segment costs one answer; the blob is missing until it is sent again")
    func badPlace() async throws {
        let disk = FailingReads(folder.path)
        defer { disk.end() }
        let store = try store()
        _ = try await put([1: 100, 2: 100, 3: 100], in: store)
        disk.refuse(100..<200, EIO)
        #expect(try await isCutOff([1, 2, 3], in: store))
        for _ in 0..<2 { try await expect([1: 100, 3: 100], of: [1, 2, 3], in: store) }
        #expect(told.count == 1 && told.first?.contains("\(BlobName.numbered(2))") == true)
        let body = try await store.body(of: .numbered(2), of: owner)
        #expect(body == nil)
        #expect(store.byteCount(of: .first) == 300 + 3 * BlobSchema.rowByteCount)
        // Together with one that is there: that one is not taken again.
        #expect(try await put([2: 120, 3: 100], in: store) == 1)
        #expect(store.byteCount(of: .first) == 320 + 3 * BlobSchema.rowByteCount)
        for store in [store, try self.store()] {
            try await expect([1: 100, 2: 120, 3: 100], of: [1, 2, 3], in: store)
            #expect(store.byteCount(of: .first) == 320 + 3 * BlobSchema.rowByteCount)
        }
        #expect(told.count == 1)
        // What lies in order is as it is, whatever is sent under its name.
        #expect(try await put([2: 5], in: store) == 0)
        try await expect([2: 120], of: [2], in: store)
    }

    @Test("Too many open files, or too little memory, is nothing of the blob's", arguments: [EMFILE, ENOMEM])
    func forNow(reason: CInt) async throws {
        let disk = FailingReads(folder.path)
        defer { disk.end() }
        let store = try store()
        _ = try await put([1: 100, 2: 100], in: store)
        disk.refuse(0..<100, reason)
        #expect(try await isCutOff([1, 2], in: store))
        #expect(told.count == 1)
        disk.refuse(0..<0, 0)
        try await expect([1: 100, 2: 100], of: [1, 2], in: store)
    }

    @Test(
        "Of a segment that is lost or cut off, all that is gone is found at once",
        arguments: [nil, 150] as [UInt64?]
    )
    func lostSegment(restByteCount: UInt64?) async throws {
        _ = try await put([1: 100, 2: 100, 3: 100], in: try self.store())
        let store = try self.store()
        _ = try await put([4: 100], in: store)
        let segment = folder.path.appending("segments").appending(Segments.name(1)).string
        if let restByteCount {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: segment))
            try file.truncate(atOffset: restByteCount)
            try file.close()
        } else {
            try FileManager.default.removeItem(atPath: segment)
        }
        var there = restByteCount == nil ? [4: 100] : [1: 100, 4: 100]
        #expect(try await isCutOff([1, 2, 3, 4], in: store))
        // The first answer after it has tried all others of the segment.
        _ = try await list([1, 2, 3, 4], in: store)
        try await expect(there, of: [1, 2, 3, 4], in: store)
        let lostCount = 4 - there.count
        #expect(told.count == lostCount)
        #expect(try await put([1: 100, 2: 100, 3: 100], in: store) == lostCount)
        there = [1: 100, 2: 100, 3: 100, 4: 100]
        for store in [store, try self.store()] {
            try await expect(there, of: [1, 2, 3, 4], in: store)
            #expect(store.byteCount(of: .first) == 400 + 4 * BlobSchema.rowByteCount)
        }
        #expect(told.count == lostCount)
    }

    @Test("Nothing comes to lie where a blob lay of a segment that is lost, for the next process either")
    func lastSegment() async throws {
        do {
            let first = try self.store()
            _ = try await put([1: 100, 2: 100], in: first)
            // Its place is garbage, which is given back later on. Its clock leaps.
            _ = try await first.release([.numbered(2)], of: owner)
            try await first.sweep(retentionSeconds: 3600, uploadSeconds: 3600)
        }
        let segment = folder.path.appending("segments").appending(Segments.name(1)).string
        try FileManager.default.removeItem(atPath: segment)
        let store = try self.store()
        #expect(try await put([3: 300], in: store) == 1)
        #expect(try await isCutOff([1], in: store))
        try await expect([3: 300], of: [1, 3], in: store)
        try await store.sweep(retentionSeconds: 3600, uploadSeconds: 3600)
        #expect(try await put([1: 100], in: store) == 1)
        for store in [store, try self.store()] { try await expect([1: 100, 3: 300], of: [1, 3], in: store) }
    }

    @Test("A large blob whose file is lost comes back, sent whole or in pieces", arguments: [false, true])
    func lostFile(isPiece: Bool) async throws {
        let store = try store()
        let byteCount = 2 << 20
        _ = try await put([1: 100, 2: byteCount], in: store)
        let files = folder.path.appending("files").string
        for name in try FileManager.default.contentsOfDirectory(atPath: files) {
            try FileManager.default.removeItem(atPath: files + "/" + name)
        }
        #expect(try await isCutOff([2, 1], in: store))
        try await expect([1: 100], of: [2, 1], in: store)
        #expect(told.count == 1)
        if isPiece {
            let range = PieceRange(first: 0, byteCount: byteCount, total: byteCount)
            let piece = try store.beginPiece(.numbered(2), of: owner, range)
            try blob(2, byteCount).withUnsafeBytes { try piece.append($0) }
            #expect(try await piece.commit() == byteCount)
        } else {
            #expect(try await put([2: byteCount], in: store) == 1)
        }
        for store in [store, try self.store()] {
            try await expect([1: 100, 2: byteCount], of: [2, 1], in: store)
            #expect(store.byteCount(of: .first) == 100 + byteCount + 2 * BlobSchema.rowByteCount)
        }
    }

    /// What comes of one blob that is asked for alone; nil where that is missing.
    private func bytes(
        of number: Int,
        _ range: Range<UInt64>,
        in store: SegmentedBlobStore
    ) async throws -> [UInt8]? {
        guard let body = try await store.body(of: .numbered(number), of: owner) else { return nil }
        guard case .parts(byteCount: _, let make) = body else { throw CancellationError() }
        let list = BlobFrameList(byteCount: range.count, source: make(range))
        return [UInt8](list.bytes())
    }

    @Test("A large blob that is asked for alone is cut off where it cannot be read, and is missing then")
    func badFile() async throws {
        let disk = FailingReads(folder.path)
        defer { disk.end() }
        let store = try store()
        let byteCount = 2 << 20
        _ = try await put([1: byteCount], in: store)
        let all = 0..<UInt64(byteCount)
        #expect(try await bytes(of: 1, all, in: store) == blob(1, byteCount))
        #expect(try await bytes(of: 1, 5..<8000, in: store) == blob(1, 7995))
        disk.refuse(ofFiles: 100_000..<100_001, EMFILE)
        #expect(try await bytes(of: 1, all, in: store)?.count ?? byteCount <= 100_000)
        #expect(try await store.missing([.numbered(1)], of: owner) == [])
        disk.refuse(ofFiles: 100_000..<100_001, EIO)
        #expect(try await bytes(of: 1, 0..<100_000, in: store) == blob(1, 100_000))
        #expect(try await bytes(of: 1, all, in: store)?.count ?? byteCount <= 100_000)
        #expect(told.count == 2)
        try await expect([:], of: [1], in: store)
        #expect(try await bytes(of: 1, all, in: store) == nil)
        #expect(try await put([1: byteCount], in: store) == 1)
        disk.refuse(0..<0, 0)
        #expect(try await bytes(of: 1, all, in: store) == blob(1, byteCount))
    }

    @Test("A large blob that is asked for alone, and whose file is lost or cut off, is missing at once")
    func lostFileAlone() async throws {
        let store = try store()
        let byteCount = 2 << 20
        _ = try await put([1: byteCount, 2: byteCount], in: store)
        let files = folder.path.appending("files").string
        let names = try FileManager.default.contentsOfDirectory(atPath: files)
        try FileManager.default.removeItem(atPath: files + "/" + names[0])
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: files + "/" + names[1]))
        try file.truncate(atOffset: UInt64(byteCount - 1))
        try file.close()
        for number in [1, 2] { #expect(try await bytes(of: number, 0..<1, in: store) == nil) }
        #expect(told.count == 2)
        try await expect([:], of: [1, 2], in: store)
    }

    @Test("One that is released while it cannot be read is kept again when it is sent, and goes otherwise")
    func released() async throws {
        let disk = FailingReads(folder.path)
        defer { disk.end() }
        let store = try store()
        _ = try await put([1: 100, 2: 100, 3: 100], in: store)
        disk.refuse(0..<200, EIO)
        #expect(try await isCutOff([1, 2, 3], in: store))
        _ = try await list([1, 2, 3], in: store)
        // Its clock leaps.
        #expect(try await store.release([.numbered(1), .numbered(2)], of: owner).count == 2)
        #expect(try await put([1: 100], in: store) == 1)
        for _ in 0..<2 { try await store.sweep(retentionSeconds: 3600, uploadSeconds: 3600) }
        try await expect([1: 100, 3: 100], of: [1, 2, 3], in: store)
        #expect(store.byteCount(of: .first) == 200 + 2 * BlobSchema.rowByteCount)
        #expect(try await put([2: 100], in: store) == 1)
        try await expect([1: 100, 2: 100, 3: 100], of: [1, 2, 3], in: store)
    }
}
