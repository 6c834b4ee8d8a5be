import Cryptography
import FileSystem
import Foundation
import HubHarness
import HubProtocol
import Locks
import TestThreads
import Testing

@testable import HTTPService
@testable import Hub

/// How a device registers: its name, and whose keys it has.
@Suite("Registering devices", .onOwnThreads, .timeLimit(.minutes(3)))
struct RegisteringTests {
    private let signing: SigningKey
    private static let agreementKey = PublicKeyBytes(unchecked: Array(repeating: 1, count: 32))

    init() throws { signing = try SigningKey(seed: Array(repeating: 7, count: SigningKey.seedByteCount)) }

    private func registration(
        _ name: String,
        by key: SigningKey? = nil,
        with invitation: String = "AAAAA"
    ) throws -> DeviceRegistration {
        try DeviceRegistration(
            invitation: invitation,
            name: name,
            signing: key ?? signing,
            agreementKey: Self.agreementKey
        )
    }

    /// That a registration is refused, with a word of why.
    private func expectRefused(
        _ registration: DeviceRegistration,
        _ words: String,
        by service: HubService,
        _ location: SourceLocation = #_sourceLocation
    ) async {
        let refusal = await #expect(throws: HubRefusal.self, sourceLocation: location) {
            _ = try await service.register(registration)
        }
        let failure = refusal?.failure.error
        #expect(refusal?.status == 400 && failure?.code == .malformed, sourceLocation: location)
        #expect(failure?.message.contains(words) == true, sourceLocation: location)
    }

    @Test("Only who has a key registers under it, by his own invitation, and what is refused uses up none")
    func othersKeys() async throws {
        let folder = try HubFolder()
        let records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let clock = HubClock(now: { 50 }, uptime: { ProcessInfo.processInfo.systemUptime })
        let service = HubService(records: records, blobs: blobs, clock: clock)
        for invitation in ["AAAAA", "BBBBB"] {
            let hash = try Secrets.invitationHash(invitation)
            try await records.addInvitation(hash: hash, to: .first, by: nil, until: 100)
        }
        let good = try registration("desk")
        var unsigned = good
        unsigned.signature = nil
        await expectRefused(unsigned, "Update Sheaf on the device", by: service)
        let read = try JSONDecoder().decode(DeviceRegistration.self, from: JSONEncoder().encode(unsigned))
        #expect(read == unsigned)
        // All public halves are known, and any invitation may be somebody's own.
        let thief = try SigningKey(seed: Array(repeating: 8, count: SigningKey.seedByteCount))
        var stolen = try registration("desk", by: thief)
        stolen.signingKey = good.signingKey
        var otherAgreement = good
        otherAgreement.agreementKey = PublicKeyBytes(unchecked: Array(repeating: 2, count: 32))
        var otherInvitation = good
        otherInvitation.invitation = "BBBBB"
        var spoilt = good
        spoilt.signature = SignatureBytes(unchecked: Array(repeating: 0, count: SignatureBytes.byteCount))
        for forged in [stolen, otherAgreement, otherInvitation, spoilt] {
            await expectRefused(forged, "not signed with the key", by: service)
        }
        #expect(try await records.devices(of: .first).isEmpty)
        #expect(try await service.register(good).status == 201)
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
            var wicked = try registration("desk")
            wicked.name = name
            await expectRefused(wicked, "control characters", by: service)
        }
        #expect(try await service.register(try registration("Jüns Rechner 🖥")).status == 201)
        #expect(try await records.devices(of: .first).map(\.name) == ["Jüns Rechner 🖥"])
    }

    @Test("Who has not heard the answer registers again as the same device, with a token that works alone")
    func again() async throws {
        let folder = try HubFolder()
        let records = try SQLiteRecordStore(in: try folder.open())
        let blobs = try SegmentedBlobStore(in: try folder.open(), uptime: LeapingClock.make())
        let time = Locked(50)
        let clock = HubClock(
            now: { time.withLock { $0 } },
            uptime: { ProcessInfo.processInfo.systemUptime }
        )
        let service = HubService(records: records, blobs: blobs, clock: clock)
        let hash = try Secrets.invitationHash("AAAAA")
        try await records.addInvitation(hash: hash, to: .first, by: nil, until: 100)
        func register(_ registration: DeviceRegistration) async throws -> DeviceCredentials {
            let answer = try await service.register(registration)
            guard answer.status == 201, case .bytes(let body) = answer.body else { throw CancellationError() }
            return try JSONDecoder().decode(DeviceCredentials.self, from: body)
        }
        let lost = try await register(try registration("desk"))
        let heard = try await register(try registration("desk"))
        #expect(lost.device == heard.device && lost.token != heard.token)
        #expect(try await records.devices(of: .first).count == 1)
        for store in [records, try SQLiteRecordStore(in: try folder.open())] {
            #expect(store.caller(tokenHash: try Secrets.hash(heard.token))?.device == heard.device)
            #expect(store.caller(tokenHash: try Secrets.hash(lost.token)) == nil)
        }
        let others = try SigningKey(seed: Array(repeating: 8, count: SigningKey.seedByteCount))
        func expectRefused(_ registration: DeviceRegistration) async {
            await #expect { try await register(registration) } throws: {
                ($0 as? HubRefusal)?.failure.error.code == .badInvitation
            }
        }
        await expectRefused(try registration("desk", by: others))
        await expectRefused(try registration("phone"))
        time.withLock { $0 = 101 }
        await expectRefused(try registration("desk"))
        time.withLock { $0 = 60 }
        #expect(try await register(try registration("desk")).device == heard.device)
        #expect(try await records.revoke(heard.device, of: .first))
        await expectRefused(try registration("desk"))
    }

    @Test("A clock that is set does not make what this process has made too old, nor good for longer")
    func leaps() async throws {
        let folder = try HubFolder()
        var options = HubProcess.Options()
        options.data = folder.path.string
        options.address = .loopback(port: 0)
        let time = Locked((now: 50, uptime: 10.0))
        let clock = HubClock(
            now: { time.withLock { $0.now } },
            uptime: { time.withLock { $0.uptime } }
        )
        let hub = try RunningHub(options, clock: clock) { Issue.record("\($0)") }
        let service = HubService(records: hub.records, blobs: hub.blobs, clock: clock)
        let first = try #require(try hub.firstInvitation())
        let caller = HubCaller(device: DeviceName(unchecked: [0]), account: .first)
        func invitation() async throws -> String {
            guard case .bytes(let body) = try await service.invite(caller).body else {
                throw CancellationError()
            }
            return try JSONDecoder().decode(Invitation.self, from: body).invitation
        }
        let (second, third) = (try await invitation(), try await invitation())
        let year = 365 * 86_400
        time.withLock { $0 = (50 + year, 10 + 3599) }
        // With which those are forgotten that nobody can use any longer.
        _ = try await invitation()
        for (number, invitation) in [first, second].enumerated() {
            #expect(try await service.register(try registration("\(number)", with: invitation)).status == 201)
        }
        time.withLock { $0 = (50, 10 + 3600) }
        await #expect(throws: HubRefusal.self) {
            _ = try await service.register(try registration("late", with: third))
        }
        await hub.stop()
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
        #expect(try registration("desk\n\u{1B}[2J").name == "desk??[2J")
        #expect(try registration("Jüns Rechner 🖥").name == "Jüns Rechner 🖥")
        var wicked = try registration("desk")
        wicked.name = "desk\n"
        let read = try JSONDecoder().decode(DeviceRegistration.self, from: JSONEncoder().encode(wicked))
        #expect(read.name == "desk\n" && !read.hasPlainName)
    }
}
