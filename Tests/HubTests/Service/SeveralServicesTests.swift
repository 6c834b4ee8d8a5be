import Foundation
import HubHarness
import HubProtocol
import Testing

@testable import HTTPService
@testable import Hub

/// Two services over the same stores, as two processes of a hub would be: whatever one is told the other knows.
@Suite("Several services over the same stores", .timeLimit(.minutes(1)))
struct SeveralServicesTests {
    private let (one, other): (HubService, HubService)
    private let records: SQLiteRecordStore
    private let folder: HubFolder

    init() throws {
        folder = try HubFolder()
        let records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(
            in: try folder.open(),
            clock: { 1000 },
            uptime: LeapingClock.make()
        )
        let clock = HubClock(now: { 50 }, uptime: { ProcessInfo.processInfo.systemUptime })
        self.records = records
        one = HubService(records: records, blobs: blobs, clock: clock)
        other = HubService(records: records, blobs: blobs, clock: clock)
    }

    private func request(_ method: String, _ target: String, isKnown: Bool = true) throws -> WebRequest {
        WebRequest(
            method: method,
            target: try #require(RequestTarget(target)),
            version: "HTTP/1.1",
            headers: isKnown ? [WebHeader("Authorization", "Bearer token")] : []
        )
    }

    private func begunPairing(_ service: HubService) async throws -> String {
        guard case .wait(let answer) = service.answer(to: try request("POST", "/v1/pairings")),
            case .bytes(let body) = await answer().body
        else { throw CancellationError() }
        return try JSONDecoder().decode(PairingStarted.self, from: body).pairing
    }

    @Test(
        "A pairing that is begun at one is gone on with at the other, and who waits there hears of each message"
    )
    func pairing() async throws {
        _ = try await records.prepare(token: try Secrets.hash("token"))
        let name = try await begunPairing(one)
        let wanted = try request("GET", "/v1/pairings/\(name)/messages?wait=60", isKnown: false)
        guard case .wait(let answer) = other.answer(to: wanted) else {
            Issue.record("it does not wait")
            return
        }
        async let heard = answer()
        let message = PairingMessage(from: .second, message: Data([1, 2, 3]))
        #expect(try await records.addMessage(message, toPairing: name, now: 50) == 1)
        guard case .bytes(let body) = await heard.body else {
            Issue.record("it has no messages")
            return
        }
        let messages = try JSONDecoder().decode(PairingMessages.self, from: body).messages
        #expect(messages.map(\.number) == [1] && messages.map(\.message) == [Data([1, 2, 3])])
    }

    /// Lets a request for the log in; it waits once what comes back is called.
    private func log(after position: Int) throws -> @Sendable () async -> WebResponse {
        let target = "/v1/containers/\(ContainerName.test)/log?wait=60&after=\(position)"
        guard case .wait(let answer) = one.answer(to: try request("GET", target)) else {
            throw CancellationError()
        }
        return answer
    }

    @Test("Who waits at one for a log hears of what is committed at the other")
    func commit() async throws {
        _ = try await records.prepare(token: try Secrets.hash("token"))
        let answer = try log(after: 0)
        async let heard = answer()
        let commit = OfferedCommit(
            item: .numbered(1),
            base: 0,
            id: try #require(CommitName("1")),
            record: Data([5])
        )
        let caller = try #require(records.caller(tokenHash: try Secrets.hash("token")))
        _ = try await records.commit([commit], to: .test, by: caller, byteCountMax: 1000)
        guard case .bytes(let body) = await heard.body else {
            Issue.record("it has no page")
            return
        }
        #expect(try JSONDecoder().decode(LogPage.self, from: body).entries.count == 1)
    }

    @Test("Who waits at one is let go when the other has shut it out")
    func shutOut() async throws {
        let caller = try await records.prepare(token: try Secrets.hash("token"))
        let answer = try log(after: 0)
        async let heard = answer()
        guard case .wait(let shut) = other.answer(to: try request("DELETE", "/v1/devices/\(caller.device)"))
        else {
            Issue.record("it does not wait")
            return
        }
        #expect(await shut().status == 204)
        #expect(await heard.status == 401)
    }
}
