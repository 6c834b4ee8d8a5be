import FileSystem
import HTTPService
import HubHarness
import HubProtocol
import TestThreads
import Testing

@testable import Hub

/// A hub of whose two databases only that of the blobs is there.
@Suite("A hub without its records", .onOwnThreads, .timeLimit(.minutes(2)))
struct FirstStartTests {
    @Test(
        "It begins where its first start came to an end too early, and not where it has lost whose its blobs are"
    )
    func blobsAlone() async throws {
        let folder = try HubFolder()
        var options = HubProcess.Options()
        options.data = folder.path.string
        options.address = .loopback(port: 0)
        do { _ = try SegmentedBlobStore(in: try folder.open(), uptime: { 0 }) }
        do {
            let hub = try RunningHub(options) { _ in }
            let batch = try hub.blobs.begin(for: BlobOwner(.test, .first))
            try batch.add(.numbered(1), [1, 2, 3])
            #expect(try await batch.commit() == 1)
            await hub.stop()
        }
        for ending in ["", "-wal", "-shm"] {
            let file = folder.path.appending(SQLiteRecordStore.fileName + ending)
            if try FileStamp.ifPresent(at: file) != nil { try ItemMoves.removeFile(file) }
        }
        let error = #expect(throws: HubError.self) { _ = try RunningHub(options) { _ in } }
        #expect("\(error as Any)".contains("nobody knows whose the blobs are"))
    }
}
