import FileSystem
import Foundation
import HubHarness
import HubProtocol
import TestThreads
import Testing

@testable import Hub

/// Backups of a hub whose disk has bad places.
@Suite("Backups of a disk that fails", .onOwnThreads, .timeLimit(.minutes(3)))
struct UnreadBackupTests {
    private let hub: HubFolder
    private let place: HubFolder
    private let owner = BlobOwner(.test, .first)
    private let records: SQLiteRecordStore
    private let blobs: SegmentedBlobStore

    init() throws {
        (hub, place) = (try HubFolder(), try HubFolder())
        records = try SQLiteRecordStore(in: try hub.open())
        blobs = try SegmentedBlobStore(in: try hub.open(), uptime: LeapingClock.make())
    }

    private func bytes(_ number: Int, _ byteCount: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: byteCount)
    }

    private func put(_ contents: [Int: Int], in store: SegmentedBlobStore? = nil) async throws {
        let batch = try (store ?? blobs).begin(for: owner)
        for (number, byteCount) in contents.sorted(by: { $0.key < $1.key }) {
            try batch.add(.numbered(number), bytes(number, byteCount))
        }
        _ = try await batch.commit()
    }

    /// Makes a backup of the hub, and a hub of that.
    ///
    /// - Returns: Its blobs, and what was said.
    private func copy() throws -> (SegmentedBlobStore, [String]) {
        let (copy, restored) = (place.path.appending("copy"), place.path.appending("hub"))
        var said: [String] = []
        try HubBackup.make(of: HubData(path: hub.path), to: copy.string) { said.append($0) }
        try HubBackup.restore(copy.string, to: HubData(path: restored))
        let store = try SegmentedBlobStore(in: try StorageFolder(at: restored), uptime: LeapingClock.make())
        return (store, said)
    }

    /// That a hub has these blobs, out of some, each with so many bytes, and counts no other.
    private func expect(_ contents: [Int: Int], of numbers: [Int], in store: SegmentedBlobStore) async throws
    {
        let names = numbers.map(BlobName.numbered)
        let missing = try await store.missing(names, of: owner)
        #expect(missing == numbers.filter { contents[$0] == nil }.map(BlobName.numbered))
        let frames = try BlobFrames.read(try await store.frames(of: names, of: owner).bytes())
        #expect(frames.map(\.name) == numbers.filter { contents[$0] != nil }.map(BlobName.numbered))
        for (number, frame) in zip(numbers.filter { contents[$0] != nil }, frames) {
            let isItself = Array(frame.blob) == bytes(number, contents[number] ?? 0)
            #expect(isItself, "blob \(number)")
        }
        let byteCount = contents.values.reduce(0) { $0 + $1 + BlobSchema.rowByteCount }
        #expect(store.byteCount(of: .first) == byteCount)
    }

    @Test(
        "A place that nothing needs any more, as its blob was sent again or is deleted, is in no backup's way"
    )
    func replaced() async throws {
        let disk = FailingReads(hub.path)
        defer { disk.end() }
        try await put([1: 100, 2: 100, 3: 100, 4: 100, 5: 0])
        disk.refuse(100..<300, EIO)
        for _ in 0..<2 { _ = try await blobs.frames(of: (1...4).map(BlobName.numbered), of: owner).bytes() }
        try await put([2: 120])
        #expect(try await blobs.release([.numbered(3)], of: owner).count == 1)
        try await blobs.sweep(retentionSeconds: 3600, uploadSeconds: 3600)
        let (store, said) = try copy()
        #expect(said == [])
        try await expect([1: 100, 2: 120, 4: 100, 5: 0], of: [1, 2, 3, 4, 5], in: store)
    }

    @Test(
        "A blob that cannot be read is named, and missing in what is made of the backup, until it is sent again"
    )
    func unread() async throws {
        let disk = FailingReads(hub.path)
        defer { disk.end() }
        let large = 2 << 20
        try await put([1: 100, 2: 100, 3: 100, 4: large])
        disk.refuse(150..<151, EIO)
        let (store, said) = try copy()
        #expect(said.count == 2 && said[0].contains("1 blob") && said[1].contains("\(BlobName.numbered(2))"))
        try await expect([1: 100, 3: 100, 4: large], of: [1, 2, 3, 4], in: store)
        try await put([2: 100], in: store)
        try await expect([1: 100, 2: 100, 3: 100, 4: large], of: [1, 2, 3, 4], in: store)
    }

    @Test("So is one with a file of its own, and all of a segment that is lost")
    func lost() async throws {
        let disk = FailingReads(hub.path)
        defer { disk.end() }
        let large = 2 << 20
        try await put([1: 100, 2: 100, 3: 0, 4: large])
        disk.refuse(ofFiles: 1 << 20..<1 << 20 + 1, EIO)
        let segment = hub.path.appending("segments").appending(Segments.name(1)).string
        try FileManager.default.removeItem(atPath: segment)
        let (store, said) = try copy()
        #expect(said.count == 4 && said[0].contains("3 blobs"))
        try await expect([3: 0], of: [1, 2, 3, 4], in: store)
        let files = place.path.appending("copy").appending("files").string
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).isEmpty)
    }

    @Test(
        "That there are too many open files ends the backup, and a copy that cannot be read is put in no place"
    )
    func ended() async throws {
        let (hubDisk, copyDisk) = (FailingReads(hub.path), FailingReads(place.path))
        defer {
            hubDisk.end()
            copyDisk.end()
        }
        try await put([1: 100, 2: 100])
        hubDisk.refuse(150..<151, EMFILE)
        #expect(throws: SystemError.self) { _ = try copy() }
        #expect(try place.open().entries().isEmpty)
        hubDisk.refuse(0..<0, 0)
        copyDisk.refuse(150..<151, EIO)
        #expect(throws: SystemError.self) { _ = try copy() }
        #expect(try FolderScan.names(in: place.path) == ["copy"])
    }
}
