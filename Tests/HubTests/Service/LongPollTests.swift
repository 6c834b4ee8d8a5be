import Foundation
import HubHarness
import HubProtocol
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

@Suite("Long polls", .onOwnThreads, .timeLimit(.minutes(3)))
struct LongPollTests {
    @Test("Who is revoked between being let in and waiting waits no longer", arguments: [false, true])
    func revokedBeforeWaiting(isRevoked: Bool) async throws {
        let (service, records) = try service()
        let caller = try await records.prepare(token: try Secrets.hash("token"))
        guard case .wait(let body) = service.answer(to: try request("/log?wait=60")) else {
            Issue.record("it does not wait")
            return
        }
        if isRevoked { #expect(try await records.revoke(caller.device, of: caller.account)) }
        #expect(await body().status == (isRevoked ? 401 : 200))
    }

    @Test("Whoever waits for nothing is told so in the same bytes each time, as is who does not wait")
    func nothing() async throws {
        let (service, records) = try service()
        _ = try await records.prepare(token: try Secrets.hash("token"))
        var bodies: Set<Data> = []
        for _ in 0..<10 {
            for target in ["/log?wait=60", "/log"] {
                guard case .wait(let answer) = service.answer(to: try request(target)),
                    case .bytes(let body) = await answer().body
                else {
                    Issue.record("\(target)")
                    return
                }
                bodies.insert(body)
                let page = try JSONDecoder().decode(LogPage.self, from: body)
                #expect(page.entries.isEmpty && page.head.position == 0)
            }
        }
        #expect(bodies.count == 1)
    }

    private func service() throws -> (HubService, SQLiteRecordStore) {
        let folder = try HubFolder()
        let records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(
            in: try folder.open(),
            uptime: LeapingClock.make()
        )
        // A clock by which the longest wait is over in a moment.
        let ticks = Date()
        let clock = HubClock(now: { 50 }, uptime: { Date().timeIntervalSince(ticks) * 1000 })
        return (HubService(records: records, blobs: blobs, clock: clock), records)
    }

    private func request(_ below: String) throws -> WebRequest {
        let name = ContainerName.test.bytes.map { String(format: "%02x", $0) }.joined()
        return WebRequest(
            method: "GET",
            target: try #require(RequestTarget("/v1/containers/\(name)\(below)")),
            version: "HTTP/1.1",
            headers: [WebHeader("Authorization", "Bearer token")]
        )
    }
}
