import Foundation
import HubProtocol
import Testing

@testable import HTTPService
@testable import Hub

@Suite("Long polls", .timeLimit(.minutes(1)))
struct LongPollTests {
    @Test("Who is revoked between being let in and waiting waits no longer", arguments: [false, true])
    func revokedBeforeWaiting(isRevoked: Bool) async throws {
        let folder = try HubFolder()
        let records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(in: try folder.open(), clock: { 1000 })
        // A clock by which the longest wait is over in a moment.
        let ticks = Date()
        let clock = HubClock(now: { 50 }, uptime: { Date().timeIntervalSince(ticks) * 1000 })
        let service = HubService(records: records, blobs: blobs, clock: clock)
        let caller = try await records.prepare(token: try Secrets.hash("token"))
        let name = ContainerName.test.bytes.map { String(format: "%02x", $0) }.joined()
        let target = try #require(RequestTarget("/v1/containers/\(name)/log?wait=60"))
        let request = WebRequest(
            method: "GET",
            target: target,
            version: "HTTP/1.1",
            headers: [WebHeader("Authorization", "Bearer token")]
        )
        guard case .wait(let body) = service.answer(to: request) else {
            Issue.record("it does not wait")
            return
        }
        if isRevoked { #expect(try await records.revoke(caller.device, of: caller.account)) }
        #expect(await body().status == (isRevoked ? 401 : 200))
    }
}
