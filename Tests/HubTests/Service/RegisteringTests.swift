import Foundation
import HubHarness
import HubProtocol
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// Names by which a device registers.
@Suite("Registering devices", .onOwnThreads, .timeLimit(.minutes(3)))
struct RegisteringTests {
    private static let key = PublicKeyBytes(unchecked: Array(repeating: 1, count: 32))

    private func registration(_ name: String) -> DeviceRegistration {
        DeviceRegistration(invitation: "AAAAA", name: name, signingKey: Self.key, agreementKey: Self.key)
    }

    @Test("A name with control characters is refused, and the invitation works on")
    func controlCharacters() async throws {
        let folder = try HubFolder()
        let records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let clock = HubClock(now: { 50 }, uptime: { ProcessInfo.processInfo.systemUptime })
        let service = HubService(records: records, blobs: blobs, clock: clock)
        let hash = try Secrets.invitationHash("AAAAA")
        try await records.addInvitation(hash: hash, to: .first, by: nil, until: 100)
        for name in [
            "\u{1B}[2Jdesk", "desk\n2  1 folder  fake", "de\rsk", "desk\u{9B}2J", "desk\u{7F}", "\0",
        ] {
            var wicked = registration("desk")
            wicked.name = name
            await #expect {
                _ = try await service.register(wicked)
            } throws: { error in
                let refusal = error as? HubRefusal
                return refusal?.status == 400 && refusal?.failure.error.code == .malformed
                    && refusal?.failure.error.message.contains("control characters") == true
            }
        }
        #expect(try await service.register(registration("Jüns Rechner 🖥")).status == 201)
        #expect(try await records.devices(of: .first).map(\.name) == ["Jüns Rechner 🖥"])
    }

    @Test("What a page in a browser asks is refused, and uses up nothing of what devices may ask")
    func pages() throws {
        let folder = try HubFolder()
        let records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let clock = HubClock(now: { 50 }, uptime: { 0 })
        let service = HubService(records: records, blobs: blobs, clock: clock)
        func answer(_ headers: [WebHeader]) throws -> HTTPAnswer {
            service.answer(
                to: WebRequest(
                    method: "POST",
                    target: try #require(RequestTarget("/v1/devices")),
                    version: "HTTP/1.1",
                    headers: headers + [WebHeader("Content-Length", "1")]
                )
            )
        }
        for header in [WebHeader("Origin", "https://example.org"), WebHeader("Sec-Fetch-Site", "same-site")] {
            for _ in 0..<200 {
                guard case .respond(let response) = try answer([header]), response.status == 400 else {
                    Issue.record("a page was heard")
                    return
                }
            }
        }
        guard case .receive = try answer([WebHeader("Sec-Fetch-Site", "none")]) else {
            Issue.record("a device is not heard")
            return
        }
    }

    @Test("A client sends no such name, and what comes from one is read as it is")
    func clients() throws {
        #expect(registration("desk\n\u{1B}[2J").name == "desk??[2J")
        #expect(registration("Jüns Rechner 🖥").name == "Jüns Rechner 🖥")
        var wicked = registration("desk")
        wicked.name = "desk\n"
        let read = try JSONDecoder().decode(DeviceRegistration.self, from: JSONEncoder().encode(wicked))
        #expect(read.name == "desk\n" && !read.hasPlainName)
    }
}
