import Foundation
import HubHarness
import HubProtocol
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// Answers that nobody reads.
@Suite("Large answers", .onOwnThreads, .timeLimit(.minutes(3)))
struct LargeAnswersTests {
    private let folder: HubFolder
    private let records: SQLiteRecordStore
    private let service: HubService

    init() throws {
        folder = try HubFolder()
        records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let clock = HubClock(now: { 50 }, uptime: { ProcessInfo.processInfo.systemUptime })
        var settings = HubSettings()
        // One account may have half of it.
        settings.answerByteCountMax = 1 << 20
        service = HubService(records: records, blobs: blobs, settings: settings, clock: clock)
    }

    /// Another account's device, with a container.
    private func other() async throws -> (HubCaller, ContainerName) {
        let (hash, token) = ([UInt8(77)], try Secrets.hash("other"))
        let invitation = InvitationFiles.Invitation(until: 100, account: nil)
        try InvitationFiles.add(hash: hash, invitation, in: records.invitations)
        let key = PublicKeyBytes(unchecked: Array(repeating: 1, count: 32))
        let device = NewDevice(
            device: DeviceName(unchecked: Array(repeating: 77, count: 8)),
            tokenHash: token,
            name: "Phone",
            signingKey: key,
            agreementKey: key
        )
        let account = try #require(try await records.register(device, invitationHash: hash, now: 50))
        let container = ContainerName(unchecked: Array(repeating: 8, count: 16))
        _ = try await records.makeContainer(container, for: account)
        return (HubCaller(device: device.device, account: account), container)
    }

    /// Commits what makes an answer of some 200 KB.
    private func commit(to container: ContainerName, by caller: HubCaller) async throws {
        let commit = OfferedCommit(
            item: .numbered(1),
            base: 0,
            id: try #require(CommitName("1.7-1")),
            record: Data(repeating: 7, count: 150_000)
        )
        _ = try await records.commit([commit], to: container, by: caller, byteCountMax: .max)
    }

    private func log(of container: ContainerName, _ token: String) async throws -> WebResponse {
        let request = WebRequest(
            method: "GET",
            target: try #require(RequestTarget("/v1/containers/\(container)/log?after=0")),
            version: "HTTP/1.1",
            headers: [WebHeader("Authorization", "Bearer \(token)")]
        )
        guard case .wait(let answer) = service.answer(to: request) else { throw CancellationError() }
        return await answer()
    }

    /// What comes of an answer that is read, a part of it or all.
    private func bytes(of response: WebResponse, from start: UInt64 = 0) throws -> Data {
        guard case .parts(let byteCount, let make) = response.body else { throw CancellationError() }
        return BlobFrameList(byteCount: Int(byteCount - start), source: make(start..<byteCount)).bytes()
    }

    @Test("What nobody reads takes an account's share, and nothing of another's; read, it leaves it")
    func share() async throws {
        let own = try await records.prepare(token: try Secrets.hash("token"))
        let (other, otherContainer) = try await other()
        try await commit(to: .test, by: own)
        try await commit(to: otherContainer, by: other)
        var unread = [try await log(of: .test, "token"), try await log(of: .test, "token")]
        #expect(unread.map(\.status) == [200, 200])
        let refused = try await log(of: .test, "token")
        #expect(refused.status == 503 && refused.header("Retry-After") != nil)
        #expect(try await log(of: otherContainer, "other").status == 200)
        let page = try JSONDecoder().decode(LogPage.self, from: try bytes(of: unread.removeLast()))
        #expect(page.entries.map(\.record.count) == [150_000])
        unread.append(try await log(of: .test, "token"))
        #expect(unread.map(\.status) == [200, 200])
        let whole = try bytes(of: unread[0])
        #expect(try bytes(of: unread[1], from: 70_000) == whole.dropFirst(70_000))
        #expect(try await log(of: .test, "token").status == 503)
        unread = []
        #expect(try await log(of: .test, "token").status == 200)
    }

    @Test("However many ask at once, each has an answer, and no more is kept than the share")
    func many() async throws {
        let own = try await records.prepare(token: try Secrets.hash("token"))
        try await commit(to: .test, by: own)
        let answers = try await withThrowingTaskGroup(of: WebResponse.self) { group in
            for _ in 0..<100 { group.addTask { try await log(of: .test, "token") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 200 } == 2)
        #expect(answers.count { $0.status == 503 } == 98)
    }
}
