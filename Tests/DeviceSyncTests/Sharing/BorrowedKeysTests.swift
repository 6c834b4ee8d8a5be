import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HTTPService
import Hub
import HubProtocol
import Sealing
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// A thief has had devices registered under keys that are others', as hubs once did for whoever named them. They are to go with it,
/// and nobody else.
@Suite("Registrations under others' keys", .onOwnThreads, .timeLimit(.minutes(2)))
struct BorrowedKeysTests {
    private let shared: SharedWithThief
    private var hub: HubInMemory { shared.hub }
    private var owner: DeviceIdentity { shared.owner }
    private var thief: DeviceIdentity { shared.thief }
    private var other: DeviceIdentity { shared.other }
    private var keys: ContainerKeys { shared.keys }
    private let ownerLine: HubInMemory.Line
    private let thiefLine: HubInMemory.Line

    init() throws {
        shared = try SharedWithThief("borrowedKeys")
        let hub = shared.hub
        ownerLine = hub.line(of: shared.owner.publicIdentity(named: "owner"), at: 1)
        thiefLine = hub.line(of: shared.thief.publicIdentity(named: "thief"), invitedBy: ownerLine, at: 2)
    }

    private var sharing: Sharing { shared.sharing() }

    private func isRefused(_ line: HubInMemory.Line) throws -> Bool {
        do { _ = try line.log(after: 0, waitSeconds: 0) } catch let failure as HubFailure
            where failure.error.code == .revoked
        {
            return true
        }
        return false
    }

    private func paper(_ sharing: Sharing) throws -> RecoveryKey {
        var groups: [String] = []
        try sharing.makeRecoveryKey(replacesFormer: false) { groups = $0 }
        return try RecoveryKey(typed: groups.joined())
    }

    @Test(
        "They go with who had them registered, whenever that was; whose keys they are stays",
        arguments: [2, 3, 4]
    )
    func ghosts(seconds: Int) throws {
        let sharing = sharing
        let key = try paper(sharing)
        let known = try key.identity().publicIdentity(named: RecoveryKey.deviceName)
        let (member, founder) = (other.publicIdentity(named: "other"), owner.publicIdentity(named: "owner"))
        // The other device is in the log before it is registered.
        let early = hub.line(of: member, invitedBy: thiefLine, at: seconds)
        let otherLine = hub.line(of: member, invitedBy: ownerLine, at: 3)
        var ghosts = [early]
        for identity in [known, known, member, founder] {
            ghosts.append(hub.line(of: identity, invitedBy: thiefLine, at: seconds))
            ghosts.append(hub.line(of: known, invitedBy: ghosts.last, at: seconds))
            // By one that has the keys of who has let in the other.
            ghosts.append(hub.line(of: member, invitedBy: ghosts.last, at: seconds))
        }
        #expect(try sharing.revoke(thief.id) == .revoked)
        for (number, ghost) in ghosts.enumerated() { #expect(try isRefused(ghost), "\(number)") }
        #expect(try isRefused(thiefLine) && !isRefused(ownerLine) && !isRefused(otherLine))
        try sharing.check(key)
    }

    @Test("Of one that the thief has let in itself one registration stays, of all in the same second")
    func letInByThief() throws {
        let friend = try DeviceIdentity(random: RandomBytes.make).publicIdentity(named: "friend")
        try Founding.add(friend, to: keys, by: thief, at: hub.line())
        let lines = (0..<5).map { _ in hub.line(of: friend, invitedBy: thiefLine, at: 6) }
        let again = hub.line(of: friend, at: 9)
        #expect(try sharing.revoke(thief.id) == .revoked)
        #expect(try lines.filter { try !isRefused($0) }.count == 1)
        // What the hub's own command has invited was none of the thief's doing.
        #expect(try !isRefused(again))
    }

    // MARK: At a hub over HTTP

    /// Off the pool of threads that the server's tasks may need.
    private static func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// An owner, and a thief whom it has let in, at a hub of this process.
    private struct Scene: Sendable {
        let address: URL
        let container: ContainerName
        let sharing: Sharing
        let thief: DeviceIdentity
        let stolen: DeviceCredentials
        let key: RecoveryKey

        init(at address: URL, in folder: URL, _ invitation: String) throws {
            self.address = address
            container = ContainerName(unchecked: try RandomBytes.make(ContainerName.byteCount))
            let owner = try DeviceIdentity(random: RandomBytes.make)
            let client = try HubClient(address)
            _ = try client.register(.of(owner, "owner", invitation))
            try client.makeContainer(container)
            let line = HubContainer(container, at: client)
            let keys = try Founding.found(container, by: owner, named: "owner", at: line)
            sharing = Sharing(in: FilePath(folder.path), KeyRing(keys) { _ in }, by: owner, at: line)
            thief = try DeviceIdentity(random: RandomBytes.make)
            try Founding.add(thief.publicIdentity(named: "thief"), to: keys, by: owner, at: line)
            let gift = try client.invite().invitation
            stolen = try HubClient(address).register(.of(thief, "thief", gift))
            var groups: [String] = []
            try sharing.makeRecoveryKey(replacesFormer: false) { groups = $0 }
            key = try RecoveryKey(typed: groups.joined())
        }

        /// As the thief asks for it: over HTTP.
        func registerUnderKeysOfPaper() throws {
            let own = try HubClient(address, token: stolen.token)
            let paper = try key.identity()
            var registration = try DeviceRegistration.of(thief, "ghost", try own.invite().invitation)
            registration.signingKey = PublicKeyBytes(unchecked: paper.signing.publicBytes)
            registration.agreementKey = PublicKeyBytes(unchecked: paper.agreement.publicBytes)
            _ = try HubClient(address).register(registration)
        }

        func isRefused(_ token: String) throws -> Bool {
            do { _ = try HubClient(address, token: token).containers() } catch let failure as HubFailure
                where failure.error.code == .revoked
            {
                return true
            }
            return false
        }
    }

    @Test("Those that have filled the paper's place with keys go, and the paper gets each new key")
    func filled() async throws {
        var options = HubProcess.Options()
        options.data = shared.folder.url.appendingPathComponent("hub").path
        options.address = .loopback(port: 0)
        let hub = try RunningHub(options, complain: { Issue.record("\($0)") })
        let address = try #require(URL(string: "http://\(hub.address)"))
        let (folder, invitation) = (shared.folder.url, try HubProcess.invite(options))
        let scene = try await Self.blocking { try Scene(at: address, in: folder, invitation) }
        let refused = await #expect(throws: HubFailure.self) {
            try await Self.blocking { try scene.registerUnderKeysOfPaper() }
        }
        #expect(refused?.error.code == .malformed)
        // As a hub did that did not ask for a signature: all within the second.
        let paper = try scene.key.identity()
        var (ghosts, count): ([HubCaller], UInt32) = ([], 0)
        let receiver = DeviceName(of: paper.id)
        var failure: HubRefusal?
        for number in UInt8(0)..<22 {
            let ghost = NewDevice(
                device: DeviceName(unchecked: try RandomBytes.make(DeviceName.byteCount)),
                tokenHash: try HubTokens.hash("ghost \(number)"),
                name: "ghost",
                signingKey: PublicKeyBytes(unchecked: paper.signing.publicBytes),
                agreementKey: PublicKeyBytes(unchecked: paper.agreement.publicBytes)
            )
            let inviter = scene.stolen.device
            try await hub.records.addInvitation(hash: [number], to: .first, by: inviter, until: 1000)
            _ = try await hub.records.register(ghost, invitationHash: [number], now: 50)
            ghosts.append(HubCaller(device: ghost.device, account: .first))
        }
        for ghost in ghosts where failure == nil {
            for _ in 0..<64 {
                count += 1
                let rubbish = WrappedKeys(generation: 1000 + count, keys: Data([1]))
                do {
                    _ = try await hub.records.putKeys(
                        rubbish,
                        for: receiver,
                        in: scene.container,
                        by: ghost,
                        byteCountMax: .max
                    )
                } catch let refusal as HubRefusal { failure = refusal }
            }
        }
        #expect(failure?.failure.error.code == .keysFull)
        try await Self.blocking {
            #expect(try scene.sharing.revoke(scene.thief.id) == .revoked)
            #expect(try scene.isRefused(scene.stolen.token))
            for number in 0..<22 { #expect(try scene.isRefused("ghost \(number)"), "\(number)") }
            #expect(scene.sharing.keys.keys.newest.generation == 2)
            try scene.sharing.check(scene.key)
        }
        await hub.stop()
    }
}

extension DeviceRegistration {
    fileprivate static func of(
        _ device: DeviceIdentity,
        _ name: String,
        _ invitation: String
    ) throws -> DeviceRegistration {
        try DeviceRegistration(
            invitation: invitation,
            name: name,
            signing: device.signing,
            agreementKey: PublicKeyBytes(unchecked: device.agreement.publicBytes)
        )
    }
}
