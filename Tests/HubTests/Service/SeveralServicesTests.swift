import Foundation
import HubHarness
import HubProtocol
import Locks
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// Two services over the same stores, as two processes of a hub would be: whatever one is told the other knows.
@Suite("Several services over the same stores", .onOwnThreads, .timeLimit(.minutes(3)))
struct SeveralServicesTests {
    private let (one, other): (HubService, HubService)
    private let records: SQLiteRecordStore
    private let blobs: SegmentedBlobStore
    private let folder: HubFolder

    init() throws {
        folder = try HubFolder()
        let records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(
            in: try folder.open(),
            uptime: LeapingClock.make()
        )
        let clock = HubClock(now: { 50 }, uptime: { ProcessInfo.processInfo.systemUptime })
        (self.records, self.blobs) = (records, blobs)
        one = HubService(records: records, blobs: blobs, clock: clock)
        other = HubService(records: records, blobs: blobs, clock: clock)
    }

    private func request(
        _ method: String,
        _ target: String,
        token: String = "token",
        isKnown: Bool = true
    ) throws -> WebRequest {
        WebRequest(
            method: method,
            target: try #require(RequestTarget(target)),
            version: "HTTP/1.1",
            headers: isKnown ? [WebHeader("Authorization", "Bearer \(token)")] : []
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

    @Test("A pairing goes on whatever clock is set meanwhile, and is over when its time is")
    func clocks() async throws {
        _ = try await records.prepare(token: try Secrets.hash("token"))
        let time = Locked((now: 50, uptime: 10.0))
        let clock = HubClock(
            now: { time.withLock { $0.now } },
            uptime: { time.withLock { $0.uptime } }
        )
        let service = HubService(records: records, blobs: blobs, clock: clock)
        let name = try await begunPairing(service)
        func status() async throws -> Int {
            let request = try request("GET", "/v1/pairings/\(name)/messages", isKnown: false)
            guard case .wait(let answer) = service.answer(to: request) else { throw CancellationError() }
            return await answer().status
        }
        time.withLock { $0 = (1_700_000_000, 10 + 599) }
        #expect(try await status() == 200)
        time.withLock { $0 = (50, 10 + 600) }
        #expect(try await status() == 404)
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
        _ = try await records.commit([commit], to: .test, by: caller, byteCountMax: 1 << 20)
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

    // MARK: Who has read what

    /// Has a device say that it has read the log to a position, of which there are more entries.
    private func read(to position: Int, _ token: String, at service: HubService) async throws {
        let target = "/v1/containers/\(ContainerName.test)/log?wait=60&after=\(position)"
        guard case .wait(let answer) = service.answer(to: try request("GET", target, token: token)) else {
            throw CancellationError()
        }
        #expect(await answer().status == 200)
    }

    /// What a service says of the devices that have read anything.
    private func readings(at service: HubService) async throws -> [DeviceName: [ReadPosition]] {
        guard case .wait(let answer) = service.answer(to: try request("GET", "/v1/devices")),
            case .bytes(let body) = await answer().body
        else { throw CancellationError() }
        let devices = try JSONDecoder().decode(DeviceListings.self, from: body).devices
        let known = devices.map { ($0.device, $0.reads ?? []) }.filter { !$0.1.isEmpty }
        return Dictionary(uniqueKeysWithValues: known)
    }

    private func commitThree(by caller: HubCaller) async throws {
        let commits = try (1...3).map { number in
            OfferedCommit(
                item: .numbered(number),
                base: 0,
                id: try #require(CommitName("\(number)")),
                record: Data([5])
            )
        }
        _ = try await records.commit(commits, to: .test, by: caller, byteCountMax: 1 << 20)
    }

    @Test("What a device has read that asks at one the other knows, and one that is started anew")
    func readers() async throws {
        let first = try await records.prepare(token: try Secrets.hash("token"))
        let second = try await records.prepare(token: try Secrets.hash("another"))
        try #require(first.device != second.device)
        try await commitThree(by: first)
        try await read(to: 1, "token", at: one)
        try await read(to: 2, "another", at: other)
        var expected = [
            first.device: [ReadPosition(.test, to: 1, asked: 50)],
            second.device: [ReadPosition(.test, to: 2, asked: 50)],
        ]
        #expect(try await readings(at: one) == expected)
        #expect(try await readings(at: other) == expected)
        // It goes to and fro between the two, and one of them hears it late.
        try await read(to: 2, "token", at: other)
        try await read(to: 0, "token", at: one)
        expected[first.device] = [ReadPosition(.test, to: 2, asked: 50)]
        #expect(try await readings(at: one) == expected)
        #expect(try await readings(at: other) == expected)
        await records.writeReadings()
        let again = HubService(
            records: try SQLiteRecordStore(in: try folder.open()),
            blobs: blobs,
            clock: HubClock(now: { 60 }, uptime: { ProcessInfo.processInfo.systemUptime })
        )
        #expect(try await readings(at: again) == expected)
        // One that does not know it of itself takes nothing back.
        try await read(to: 1, "token", at: again)
        expected[first.device] = [ReadPosition(.test, to: 2, asked: 60)]
        #expect(try await readings(at: again) == expected)
    }

    @Test("A device that is shut out has read what it had read, and is in nobody's way")
    func shutOutReader() async throws {
        let first = try await records.prepare(token: try Secrets.hash("token"))
        let second = try await records.prepare(token: try Secrets.hash("another"))
        try await commitThree(by: first)
        try await read(to: 1, "token", at: one)
        try await read(to: 2, "another", at: one)
        #expect(try await records.revoke(second.device, of: .first))
        let expected = [
            first.device: [ReadPosition(.test, to: 1, asked: 50)],
            second.device: [ReadPosition(.test, to: 2, asked: 50)],
        ]
        #expect(try await readings(at: other) == expected)
        await records.writeReadings()
        let again = try SQLiteRecordStore(in: try folder.open())
        let listed = try await again.devices(for: first).first { $0.device == second.device }
        #expect(listed?.isRevoked == true && listed?.reads == expected[second.device])
    }
}
