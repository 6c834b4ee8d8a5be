import Foundation
import HubHarness
import HubProtocol
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// Who has read how much of a log.
@Suite("Readers of logs", .onOwnThreads, .timeLimit(.minutes(3)))
struct LogReadersTests {
    private let service: HubService
    private let records: SQLiteRecordStore

    init() throws {
        let folder = try HubFolder()
        records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(
            in: try folder.open(),
            uptime: LeapingClock.make()
        )
        // A clock by which the longest wait is over in a moment.
        let ticks = Date()
        let clock = HubClock(now: { 77 }, uptime: { Date().timeIntervalSince(ticks) * 1000 })
        service = HubService(records: records, blobs: blobs, clock: clock)
    }

    private func ask(_ target: String, _ token: String) async throws -> Data {
        let request = WebRequest(
            method: "GET",
            target: try #require(RequestTarget("/v1\(target)")),
            version: "HTTP/1.1",
            headers: [WebHeader("Authorization", "Bearer \(token)")]
        )
        guard case .wait(let answer) = service.answer(to: request),
            case .bytes(let body) = await answer().body
        else {
            Issue.record("\(target)")
            return Data()
        }
        return body
    }

    private func reads(_ token: String, of device: DeviceName) async throws -> [ReadPosition]? {
        let listings = try JSONDecoder().decode(DeviceListings.self, from: try await ask("/devices", token))
        return listings.devices.first { $0.device == device }?.reads
    }

    @Test(
        "A device has read to where it waits, not to where it asks at once, nor to what the log does not have"
    )
    func noted() async throws {
        let caller = try await records.prepare(token: try Secrets.hash("token"))
        let name = ContainerName.test.description
        #expect(try await reads("token", of: caller.device) == [])
        _ = try await ask("/containers/\(name)/log?after=0", "token")
        #expect(try await reads("token", of: caller.device) == [])
        // A log of more entries than there are is another one's.
        _ = try await ask("/containers/\(name)/log?after=1&wait=60", "token")
        #expect(try await reads("token", of: caller.device) == [])
        _ = try await ask("/containers/\(name)/log?after=0&wait=60", "token")
        #expect(try await reads("token", of: caller.device) == [ReadPosition(.test, to: 0, asked: 77)])
        let commits = try (1...3).map { number in
            OfferedCommit(
                item: .numbered(number),
                base: 0,
                id: try #require(CommitName("\(number)")),
                record: Data("r".utf8)
            )
        }
        _ = try await records.commit(commits, to: .test, by: caller, byteCountMax: 1 << 20)
        _ = try await ask("/containers/\(name)/log?after=2&wait=60", "token")
        #expect(try await reads("token", of: caller.device) == [ReadPosition(.test, to: 2, asked: 77)])
        // Nor does it take back what it has read.
        _ = try await ask("/containers/\(name)/log?after=0", "token")
        #expect(try await reads("token", of: caller.device) == [ReadPosition(.test, to: 2, asked: 77)])
    }

    @Test("A listing of a hub that does not say who has read what is read, too")
    func older() throws {
        let key = String(repeating: "01", count: 32)
        let text = """
            {"devices": [{"device": "0101010101010101", "name": "Phone", "signingKey": "\(key)", "agreementKey": "\(key)",
              "registered": 5, "isRevoked": false}]}
            """
        let listings = try JSONDecoder().decode(DeviceListings.self, from: Data(text.utf8))
        #expect(listings.devices.map(\.name) == ["Phone"] && listings.devices[0].reads == nil)
    }
}
