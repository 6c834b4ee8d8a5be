import FileSystem
import Foundation
import HTTPService
import HubHarness
import HubProtocol
import Locks
import SQLite
import SeededNumbers
import TestThreads
import Testing

@testable import Hub

@Suite("SegmentedBlobStore", .onOwnThreads)
struct SegmentedBlobStoreTests {
    private let folder: HubFolder
    private let owner = BlobOwner(.test, .first)

    init() throws { folder = try HubFolder() }

    private func store() throws -> SegmentedBlobStore {
        try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
    }

    /// One whose time goes by when it is told so.
    private func timedStore() throws -> (SegmentedBlobStore, pass: @Sendable (Double) -> Void) {
        let uptime = Locked(0.0)
        let store = try SegmentedBlobStore(in: try folder.open(), uptime: { uptime.withLock { $0 } })
        return (store, { seconds in uptime.withLock { $0 += seconds } })
    }

    private func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        // A prime number of them again and again, so that no piece is like the next.
        let piece = (0..<min(count, 1009)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + piece.count)
        while bytes.count < count { bytes += piece }
        return Array(bytes.prefix(count))
    }

    private func put(_ blobs: [(Int, [UInt8])], in store: SegmentedBlobStore) async throws -> Int {
        let batch = try store.begin(for: owner)
        for (number, bytes) in blobs { try batch.add(.numbered(number), bytes) }
        return try await batch.commit()
    }

    private func read(_ number: Int, in store: SegmentedBlobStore) async throws -> [UInt8]? {
        let frames = try BlobFrames.read(try await store.frames(of: [.numbered(number)], of: owner).bytes())
        return frames.first.map { Array($0.blob) }
    }

    @Test("Where the index is gone nothing is removed, and the hub does not start", arguments: [true, false])
    func indexGone(isEmpty: Bool) async throws {
        let blobs = [(1, bytes(10, seed: 1)), (2, bytes(3 << 20, seed: 3))]
        do { #expect(try await put(blobs, in: try store()) == 2) }
        let own = URL(fileURLWithPath: folder.path.string)
        let index = own.appendingPathComponent(SegmentedBlobStore.indexName)
        let names = ["", "-wal", "-shm"].map { SegmentedBlobStore.indexName + $0 }
        let away = own.appendingPathComponent("away")
        try FileManager.default.createDirectory(at: away, withIntermediateDirectories: false)
        for name in names {
            let place = own.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: place.path) else { continue }
            try FileManager.default.moveItem(at: place, to: away.appendingPathComponent(name))
        }
        if isEmpty { #expect(FileManager.default.createFile(atPath: index.path, contents: nil)) }
        for _ in 0..<2 {
            let error = #expect(throws: HubError.self) { try store() }
            #expect(error?.description.contains("Put it back") == true)
        }
        try FileManager.default.removeItem(at: index)
        for name in try FileManager.default.contentsOfDirectory(atPath: away.path) {
            let place = own.appendingPathComponent(name)
            if FileManager.default.fileExists(atPath: place.path) {
                try FileManager.default.removeItem(at: place)
            }
            try FileManager.default.moveItem(at: away.appendingPathComponent(name), to: place)
        }
        let again = try store()
        for (number, bytes) in blobs { #expect(try await read(number, in: again) == bytes) }
    }

    @Test(
        "Blobs small, empty and large come back, for the next process too; frames leave out what is missing"
    )
    func comeBack() async throws {
        let blobs = [
            (1, bytes(10, seed: 1)), (2, []), (3, bytes(3 << 20, seed: 3)), (4, bytes(1 << 20, seed: 4)),
        ]
        let first = try store()
        #expect(try await put(blobs, in: first) == 4)
        for store in [first, try store()] {
            let names = [5, 1, 2, 3, 4].map(BlobName.numbered)
            let list = try await store.frames(of: names, of: owner)
            var expected = Data()
            for (number, bytes) in blobs { BlobFrames.append(.numbered(number), bytes, to: &expected) }
            #expect(list.byteCount == expected.count)
            #expect(list.bytes() == expected)
            #expect(try await store.missing(names, of: owner) == [.numbered(5)])
            #expect(
                store.byteCount(of: .first) == blobs.reduce(0) { $0 + $1.1.count + BlobSchema.rowByteCount }
            )
        }
    }

    @Test("Nothing is changed under a name, and another container's blobs are others")
    func neverChanges() async throws {
        let store = try store()
        for count in [100, 2 << 20] {
            #expect(try await put([(count, bytes(count, seed: 1))], in: store) == 1)
            #expect(
                try await put([(count, bytes(count, seed: 2)), (count, bytes(5, seed: 3))], in: store) == 0
            )
            #expect(try await read(count, in: store) == bytes(count, seed: 1))
        }
        let other = BlobOwner(ContainerName(unchecked: Array(repeating: 8, count: 16)), .first)
        #expect(try await store.missing([.numbered(100)], of: other) == [.numbered(100)])
        #expect(store.byteCount(of: .first) == 100 + 2 << 20 + 2 * BlobSchema.rowByteCount)
    }

    @Test("A batch that is given up leaves nothing but room that the next process clears")
    func abandoned() async throws {
        let first = try store()
        _ = try await put([(1, bytes(50, seed: 1))], in: first)
        let batch = try first.begin(for: owner)
        try batch.add(.numbered(2), bytes(1 << 20, seed: 2))
        try batch.add(.numbered(3), bytes(2 << 20, seed: 3))
        batch.abandon()
        #expect(try await first.missing([.numbered(2), .numbered(3)], of: owner).count == 2)
        let files = folder.path.appending("files").string
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).isEmpty)
        // A file that no index speaks of, as after a crash.
        try Data([1]).write(to: URL(fileURLWithPath: files + "/77.blob"))
        try Data([1]).write(to: URL(fileURLWithPath: folder.path.string + "/segments/00000099.segment"))
        let second = try store()
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).isEmpty)
        #expect(try await read(1, in: second) == bytes(50, seed: 1))
        _ = try await put([(2, bytes(60, seed: 2))], in: second)
        #expect(try await read(2, in: second) == bytes(60, seed: 2))
    }

    @Test(
        "A blob with more or fewer bytes than were announced is refused, and harms no other",
        arguments: [1000, 3 << 20]
    )
    func announced(byteCount: Int) async throws {
        let store = try store()
        _ = try await put([(1, bytes(100, seed: 1))], in: store)
        let short = try store.begin(for: owner)
        try short.begin(.numbered(2), byteCount: byteCount)
        try bytes(1, seed: 2).withUnsafeBytes { try short.append($0) }
        #expect(throws: HubRefusal.self) { try short.begin(.numbered(3), byteCount: 1) }
        await #expect(throws: HubRefusal.self) { try await short.commit() }
        let long = try store.begin(for: owner)
        try long.begin(.numbered(2), byteCount: byteCount)
        let tooMany = bytes(byteCount + 1, seed: 2)
        #expect(throws: HubRefusal.self) { try tooMany.withUnsafeBytes { try long.append($0) } }
        long.abandon()
        _ = try await put([(4, bytes(100, seed: 4))], in: store)
        let missing = try await store.missing((1...4).map(BlobName.numbered), of: owner)
        #expect(missing == [.numbered(2), .numbered(3)])
        #expect(try await read(1, in: store) == bytes(100, seed: 1))
        #expect(try await read(4, in: store) == bytes(100, seed: 4))
        #expect(store.byteCount(of: .first) == 200 + 2 * BlobSchema.rowByteCount)
        let files = folder.path.appending("files").string
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).isEmpty)
    }

    @Test("A blob in pieces: what came of one that was cut off is kept, and the next begins there")
    func pieces() async throws {
        let whole = bytes(5000, seed: 9)
        let name = BlobName.numbered(9)
        func piece(_ range: Range<Int>, _ store: SegmentedBlobStore) throws -> any BlobPiece {
            let range = PieceRange(first: range.lowerBound, byteCount: range.count, total: whole.count)
            return try store.beginPiece(name, of: owner, range)
        }
        var store = try store()
        let first = try piece(0..<2000, store)
        #expect(throws: HubRefusal.self) { try piece(0..<2000, store) }
        try whole[..<1500].withUnsafeBytes { try first.append($0) }
        #expect(throws: HubRefusal.self) { try whole[..<501].withUnsafeBytes { try first.append($0) } }
        // Cut off there.
        #expect(try await first.commit() == 1500)
        store = try self.store()
        #expect(await store.uploadOffset(of: name, of: owner) == 1500)
        let refusal = #expect(throws: HubRefusal.self) { try piece(2000..<5000, store) }
        #expect(refusal?.uploadOffset == 1500)
        let second = try piece(1500..<5000, store)
        try whole[1500...].withUnsafeBytes { try second.append($0) }
        #expect(try await second.commit() == 5000)
        #expect(await store.uploadOffset(of: name, of: owner) == nil)
        #expect(try await read(9, in: store) == whole)
        #expect(store.byteCount(of: .first) == 5000 + BlobSchema.rowByteCount)
    }

    @Test("A blob begun anew in pieces has nothing of what was sent before")
    func pieceAnew() async throws {
        let store = try store()
        let name = BlobName.numbered(1)
        for (range, seed) in [(0..<300, UInt64(1)), (0..<100, 2), (100..<400, 3)] {
            let range = PieceRange(first: range.lowerBound, byteCount: range.count, total: 400)
            let piece = try store.beginPiece(name, of: owner, range)
            try bytes(range.byteCount, seed: seed).withUnsafeBytes { try piece.append($0) }
            _ = try await piece.commit()
        }
        #expect(try await read(1, in: store) == bytes(100, seed: 2) + bytes(300, seed: 3))
        let files = folder.path.appending("files").string
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
    }

    @Test("Released blobs go after their time, unless somebody asks for them; their room goes later still")
    func released() async throws {
        let (store, pass) = try timedStore()
        for count in [4096, 2 << 20] {
            _ = try await put([1, 2, 3].map { (count + $0, bytes(count, seed: UInt64($0))) }, in: store)
            let names = (1...3).map { BlobName.numbered(count + $0) }
            pass(4 * 3600)
            #expect(try await store.release(names + [.numbered(99)], of: owner).count == 3)
            #expect(try await store.missing([names[0]], of: owner).isEmpty)
            _ = try await put([(count + 1 + 1, bytes(count, seed: 8))], in: store)
            pass(100)
            try await store.sweep(retentionSeconds: 100, uploadSeconds: 1000)
            #expect(try await read(count + 3, in: store) == bytes(count, seed: 3))
            pass(1)
            try await store.sweep(retentionSeconds: 100, uploadSeconds: 1000)
            #expect(try await store.missing(names, of: owner) == [names[2]])
            #expect(try await read(count + 1, in: store) == bytes(count, seed: 1))
            #expect(try await read(count + 2, in: store) == bytes(count, seed: 2))
            // An hour later their room goes; nobody else's with it.
            pass(3600)
            try await store.sweep(retentionSeconds: 100, uploadSeconds: 1000)
            #expect(try await read(count + 1, in: store) == bytes(count, seed: 1))
            _ = try await put([(count + 3, bytes(count, seed: 5))], in: store)
            #expect(try await read(count + 3, in: store) == bytes(count, seed: 5))
        }
        #expect(store.byteCount(of: .first) == 3 * 4096 + 3 * (2 << 20) + 6 * BlobSchema.rowByteCount)
    }

    @Test("What was sent or asked for less than an hour ago is not released")
    func spared() async throws {
        let (store, pass) = try timedStore()
        pass(10_000)
        _ = try await put([1, 2].map { ($0, bytes(100, seed: UInt64($0))) }, in: store)
        let names = [BlobName.numbered(1), .numbered(2)]
        var answer = try await store.release(names, of: owner)
        #expect(answer.count == 0 && answer.spared == names)
        pass(10_000)
        #expect(try await store.missing([names[0]], of: owner).isEmpty)
        answer = try await store.release(names, of: owner)
        #expect(answer.count == 1 && answer.spared == [names[0]])
        pass(101)
        try await store.sweep(retentionSeconds: 100, uploadSeconds: 1000)
        #expect(try await store.missing(names, of: owner) == [names[1]])
    }

    @Test("What is released stays for its time over several processes, and the longer for what nobody ran")
    func severalProcesses() async throws {
        let day = 86_400.0
        let (first, passFirst) = try timedStore()
        passFirst(day)
        _ = try await put([(1, bytes(100, seed: 1))], in: first)
        passFirst(day)
        _ = try await first.release([.numbered(1)], of: owner)
        passFirst(2 * day)
        try await first.noteServedTime()
        // Killed: nobody has written down this day.
        passFirst(day)
        let (second, passSecond) = try timedStore()
        passSecond(day)
        try await second.sweep(retentionSeconds: Int(3 * day), uploadSeconds: Int(7 * day))
        #expect(try await read(1, in: second) == bytes(100, seed: 1))
        passSecond(1)
        try await second.sweep(retentionSeconds: Int(3 * day), uploadSeconds: Int(7 * day))
        #expect(try await read(1, in: second) == nil)
    }

    @Test("An index whose times are a clock's is gone on with, and lets nothing go too early")
    func clockTimes() async throws {
        let (first, pass) = try timedStore()
        pass(4 * 3600)
        _ = try await put([(1, bytes(100, seed: 1)), (2, bytes(100, seed: 2))], in: first)
        let index = try SQLiteConnection(path: folder.path.appending(SegmentedBlobStore.indexName).string)
        try index.execute(
            """
            DROP TABLE served; UPDATE blobs SET released = 1700000000; UPDATE accounts SET bytes = 200;
            PRAGMA user_version = 1
            """
        )
        let (second, passAgain) = try timedStore()
        // It counts their rows from now on, too.
        #expect(second.byteCount(of: .first) == 200 + 2 * BlobSchema.rowByteCount)
        passAgain(100)
        try await second.sweep(retentionSeconds: 100, uploadSeconds: 1000)
        #expect(try await read(1, in: second) == bytes(100, seed: 1))
        passAgain(1)
        try await second.sweep(retentionSeconds: 100, uploadSeconds: 1000)
        #expect(try await read(1, in: second) == nil)
    }

    @Test(
        "A segment without living blobs is removed once nobody writes to it, and an old upload is forgotten"
    )
    func emptySegment() async throws {
        let first = try store()
        _ = try await put([(1, bytes(100, seed: 1))], in: first)
        _ = try await first.release([.numbered(1)], of: owner)
        let piece = try first.beginPiece(
            .numbered(2),
            of: owner,
            PieceRange(first: 0, byteCount: 5, total: 10)
        )
        try [UInt8](repeating: 1, count: 5).withUnsafeBytes { try piece.append($0) }
        _ = try await piece.commit()
        let second = try store()
        _ = try await put([(3, bytes(100, seed: 3))], in: second)
        // Its clock leaps.
        for _ in 0..<2 { try await second.sweep(retentionSeconds: 3600, uploadSeconds: 3600) }
        #expect(await second.uploadOffset(of: .numbered(2), of: owner) == nil)
        let segments = try FileManager.default.contentsOfDirectory(
            atPath: folder.path.appending("segments").string
        )
        #expect(segments == [Segments.name(2)])
        #expect(try await read(3, in: second) == bytes(100, seed: 3))
    }
}

@Suite("FrameReader", .onOwnThreads)
struct FrameReaderTests {
    @Test("Frames are read alike in pieces of any size")
    func pieces() throws {
        for seed in UInt64(1)...20 {
            var random = SplitMix64(seed: seed)
            var (body, expected): (Data, [Data]) = (Data(), [])
            for number in 0..<6 {
                let blob = Data((0..<random.below(80)).map { UInt8($0) })
                BlobFrames.append(.numbered(number), blob, to: &body)
                expected.append(blob)
            }
            var (reader, found): (FrameReader, [Data]) = (FrameReader(), [])
            var rest = Array(body)[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + random.below(50))
                rest = rest.dropFirst(piece.count)
                try piece.withUnsafeBytes { bytes in
                    try reader.read(bytes) { event in
                        switch event {
                        case .begin(let name, _):
                            #expect(name == .numbered(found.count))
                            found.append(Data())
                        case .bytes(let bytes): found[found.count - 1].append(contentsOf: bytes)
                        }
                    }
                }
                #expect(!rest.isEmpty || reader.isBetweenFrames)
            }
            #expect(found == expected, "seed \(seed)")
        }
    }

    @Test("A blob over the limit is refused at its head")
    func tooLarge() {
        var reader = FrameReader()
        let head = [UInt8](repeating: 0, count: 32) + [0x04, 0, 0, 1]
        #expect(throws: BlobFrameError.tooLarge(byteCount: 64 << 20 + 1)) {
            try head.withUnsafeBytes { try reader.read($0) { _ in } }
        }
    }

    @Test("Content-Range is read in one form only")
    func ranges() {
        #expect(PieceRange("bytes 0-9/10") == PieceRange(first: 0, byteCount: 10, total: 10))
        #expect(PieceRange("bytes 5-5/10") == PieceRange(first: 5, byteCount: 1, total: 10))
        for wrong in [
            "", "bytes 0-10/10", "bytes 5-4/10", "bytes -1-4/10", "bytes */10", "bytes 0-9/*", "0-9/10",
        ] {
            #expect(PieceRange(wrong) == nil, "\(wrong)")
        }
    }
}
