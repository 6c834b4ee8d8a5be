import Foundation
import HubHarness
import HubProtocol
import Locks
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// A store of which somebody changes something between two looks at it.
private final class ChangingStore: BlobStore {
    private let store: SegmentedBlobStore
    private let change = Locked<(@Sendable () async -> Void)?>(nil)

    init(_ store: SegmentedBlobStore) { self.store = store }

    /// Once, when the next look is over.
    func afterLook(_ change: @escaping @Sendable () async -> Void) { self.change.withLock { $0 = change } }

    private func didLook() async {
        let change = change.withLock { change in
            defer { change = nil }
            return change
        }
        await change?()
    }

    func body(of name: BlobName, of owner: BlobOwner) async throws -> WebResponse.Body? {
        let body = try await store.body(of: name, of: owner)
        await didLook()
        return body
    }

    func uploadOffset(of name: BlobName, of owner: BlobOwner) async -> Int? {
        let offset = await store.uploadOffset(of: name, of: owner)
        await didLook()
        return offset
    }

    func observeFaults(_ observer: @escaping @Sendable (String) -> Void) { store.observeFaults(observer) }

    func missing(_ names: [BlobName], of owner: BlobOwner) async throws -> [BlobName] {
        try await store.missing(names, of: owner)
    }

    func begin(for owner: BlobOwner, byteCount: Int, byteCountMax: Int) throws -> any BlobBatch {
        try store.begin(for: owner, byteCount: byteCount, byteCountMax: byteCountMax)
    }

    func frames(of names: [BlobName], of owner: BlobOwner) async throws -> BlobFrameList {
        try await store.frames(of: names, of: owner)
    }

    func release(
        _ names: [BlobName],
        of owner: BlobOwner
    ) async throws -> (count: Int, spared: [BlobName]) {
        try await store.release(names, of: owner)
    }

    func beginPiece(
        _ name: BlobName,
        of owner: BlobOwner,
        _ range: PieceRange,
        byteCountMax: Int
    ) throws -> any BlobPiece {
        try store.beginPiece(name, of: owner, range, byteCountMax: byteCountMax)
    }

    func byteCount(of account: AccountID) -> Int { store.byteCount(of: account) }

    func sweep(retentionSeconds: Int, uploadSeconds: Int) async throws {
        try await store.sweep(retentionSeconds: retentionSeconds, uploadSeconds: uploadSeconds)
    }
}

@Suite("HEAD of a blob", .onOwnThreads)
struct HeadTests {
    @Test("An upload that ends while somebody asks how much there is was there in part, or is there whole")
    func ends() async throws {
        let folder = try HubFolder()
        let records = try SQLiteRecordStore(in: try folder.open())
        let store = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let changing = ChangingStore(store)
        let clock = HubClock(now: { 50 }, uptime: { ProcessInfo.processInfo.systemUptime })
        let service = HubService(records: records, blobs: changing, clock: clock)
        _ = try await records.prepare(token: try Secrets.hash("token"))
        let range = PieceRange(first: 0, byteCount: 10, total: 10)
        let piece = try store.beginPiece(.numbered(1), of: BlobOwner(.test, .first), range)
        try [UInt8](repeating: 1, count: 10).withUnsafeBytes { try piece.append($0) }
        changing.afterLook { _ = try? await piece.commit() }
        let place = "/v1/containers/\(ContainerName.test)/blobs/\(BlobName.numbered(1))"
        let request = WebRequest(
            method: "HEAD",
            target: try #require(RequestTarget(place)),
            version: "HTTP/1.1",
            headers: [WebHeader("Authorization", "Bearer token")]
        )
        guard case .wait(let answer) = service.answer(to: request) else { throw CancellationError() }
        let status = await answer().status
        #expect(status == 200)
    }
}
