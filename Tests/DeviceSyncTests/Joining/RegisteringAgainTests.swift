import Cryptography
import Dispatch
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import HTTPService
import Hub
import HubProtocol
import Sealing
import SyncMessages
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// A device that its hub does not know any more is registered again, over HTTP at a hub of this process.
@Suite("Registering again", .onOwnThreads, .timeLimit(.minutes(2)))
struct RegisteringAgainTests {
    /// A hub, and a device with a folder of a container that this hub has never heard of.
    private final class Scene {
        let own: TestFolder
        let hub: RunningHub
        let options: HubProcess.Options
        let address: URL
        let home: DeviceHome
        let folder: FilePath
        let joined: JoinedContainer

        init() throws {
            own = try TestFolder("registering")
            var options = HubProcess.Options()
            options.data = own.url.appendingPathComponent("hub").path
            options.address = .loopback(port: 0)
            let hub = try RunningHub(options, complain: { Issue.record("\($0)") })
            let address = try #require(URL(string: "http://\(hub.address)"))
            (self.hub, self.options, self.address) = (hub, options, address)
            home = try DeviceHome(at: FilePath(own.url.appendingPathComponent("home").path))
            let documents = own.url.appendingPathComponent("documents")
            try FileManager.default.createDirectory(at: documents, withIntermediateDirectories: false)
            let folder = FilePath(documents.path)
            self.folder = folder
            let identity = try DeviceIdentity(random: RandomBytes.make)
            let container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
            let former = try HubInMemory(container).line()
            let keys = try Founding.found(container, by: identity, named: "desk", at: former)
            let name = DeviceName(unchecked: (0..<DeviceName.byteCount).map { _ in .random(in: 0...255) })
            var settings = ContainerSettings(
                container: container,
                folder: folder.string,
                hub: address,
                deviceName: "desk",
                credentials: DeviceCredentials(device: name, token: "forgotten"),
                identifier: "iCloud.notes",
                joinedSeconds: 7
            )
            settings.brake = BrakeLimits()
            joined = JoinedContainer(settings: settings, keys: keys, identity: identity)
            try home.keep(joined)
        }

        var container: ContainerName { joined.settings.container }
        var kept: ContainerSettings? { get throws { try home.joined(container)?.settings } }

        func register(_ invitation: String) throws -> ContainerSettings? {
            // What a person says now of the device's name, and what apps call it, is not asked.
            try Joining(home, at: address, named: "other").registerAgain(folder, invitation: invitation)
        }

        func invitation() throws -> String { try HubProcess.invite(options) }

        /// What keeps the folder in step as `sheaf up` does, with what is kept now.
        func sync() throws -> ContainerSync {
            let settings = try #require(try kept)
            var place = ContainerSync.Place(
                folder: folder,
                memory: home.folder(of: container),
                deviceName: settings.deviceName
            )
            place.hub = settings.hub
            let client = try HubClient(settings.hub, token: settings.credentials.token)
            return ContainerSync(
                place,
                keys: home.ring(of: joined),
                by: joined.identity,
                hub: HubContainer(container, at: client),
                merger: TypeMerger(),
                versions: VersionStore(
                    VersionSettings(environment: ["HOME": own.path], hostName: "desk"),
                    now: { Date() }
                ),
                report: { _ in }
            )
        }

        func end() {
            let ended = DispatchSemaphore(value: 0)
            hub.stop { ended.signal() }
            ended.wait()
        }
    }

    private static func run(_ body: @escaping @Sendable (Scene) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            // Off the pool of threads that the server's tasks may need.
            Thread.detachNewThread {
                continuation.resume(with: Result { try runHere(body) })
            }
        }
    }

    private static func runHere(_ body: (Scene) throws -> Void) throws {
        let scene = try Scene()
        defer { scene.end() }
        try body(scene)
    }

    private static func wait(_ location: SourceLocation = #_sourceLocation, until isSo: () -> Bool) {
        let (deadline, pause) = (Date().addingTimeInterval(60), DispatchSemaphore(value: 0))
        while !isSo() {
            guard Date() < deadline else {
                Issue.record("not within a minute", sourceLocation: location)
                return
            }
            _ = pause.wait(timeout: .now() + 0.02)
        }
    }

    @Test("As what it was, with what the hub has lost; only what the hub knows it by is another")
    func again() async throws {
        try await Self.run { scene in
            let found = try #require(try scene.register(try scene.invitation()))
            #expect(try scene.kept == found)
            var former = scene.joined.settings
            #expect(found.credentials != former.credentials)
            former.credentials = found.credentials
            #expect(found == former)
            let client = try HubClient(scene.address, token: found.credentials.token)
            #expect(try client.containers().map(\.container) == [scene.container])
            let known = scene.joined.identity.publicIdentity(named: "desk")
            #expect(try client.devices().map { known.isMeant(by: $0) && $0.name == "desk" } == [true])
            let visit = try LogVisit(
                scene.home.ring(of: scene.joined),
                by: scene.joined.identity,
                at: HubContainer(scene.container, at: client)
            )
            try visit.catchUp()
            #expect(visit.desk.isMember && visit.desk.head.position == 1)
            // Now that the hub knows it nothing is done, and the invitation is not used up.
            let next = try scene.invitation()
            #expect(try scene.register(next) == nil)
            #expect(try scene.kept == found)
            let joining = Joining(scene.home, at: scene.address, named: "x")
            #expect { _ = try joining.begin(scene.folder, invitation: next) } throws: {
                ($0 as? DeviceHomeError) == .folderTaken(scene.folder, scene.folder)
            }
        }
    }

    @Test("What runs says what helps; it is not registered while that runs, and is in step again after it")
    func running() async throws {
        try await Self.run { scene in
            try Data("a".utf8).write(to: URL(fileURLWithPath: scene.folder.string + "/a.txt"))
            let blind = try scene.sync()
            try blind.start()
            Self.wait { blind.status.lineRemedy != nil }
            let command = "sheaf join \(scene.folder) --hub \(scene.address) --invitation"
            #expect(blind.status.lineRemedy?.contains(command) == true)
            // It is to be copied to a shell.
            let quoted = UnknownDevice.remedy(FilePath("/mnt/My Notes"), at: URL(string: "http://a/b"))
            #expect(
                quoted.contains("sheaf join '/mnt/My Notes' --hub http://a/b --invitation -"),
                "\(quoted)"
            )
            #expect(blind.status.lineFailure?.contains("does not know this device") == true)
            Self.wait { blind.explain("a.txt").next == blind.status.lineRemedy }
            let invitation = try scene.invitation()
            #expect { _ = try scene.register(invitation) } throws: { ($0 as? SyncFailure)?.code == .inUse }
            #expect(try scene.kept == scene.joined.settings)
            blind.stop()
            #expect(try scene.register(invitation) != nil)
            let seeing = try scene.sync()
            try seeing.start()
            Self.wait { seeing.status.isSettled && seeing.status.itemCount == 1 }
            #expect(seeing.status.lineRemedy == nil)
            seeing.stop()
        }
    }

    @Test("An invitation that is none, or another account's, changes nothing here")
    func refused() async throws {
        try await Self.run { scene in
            #expect { _ = try scene.register("AAAAA-BBBBB-CCCCC-DDDDD") } throws: {
                ($0 as? HubFailure)?.error.code == .badInvitation
            }
            #expect(try scene.kept == scene.joined.settings)
            // The first account has the container.
            let other = try DeviceIdentity(random: RandomBytes.make)
            let client = try HubClient(scene.address)
            _ = try client.register(
                DeviceRegistration(
                    invitation: try scene.invitation(),
                    name: "other",
                    signing: other.signing,
                    agreementKey: PublicKeyBytes(unchecked: other.agreement.publicBytes)
                )
            )
            try client.makeContainer(scene.container)
            let foreign = try HubProcess.invite(scene.options, for: nil)
            #expect { _ = try scene.register(foreign) } throws: {
                guard let failure = $0 as? SyncFailure else { return false }
                return failure.code == .refused && failure.description.contains("--account N")
            }
            #expect(try scene.kept == scene.joined.settings)
            #expect(try HubProcess.accounts(scene.options).map(\.deviceNames) == [["other"], []])
            #expect(try scene.register(try scene.invitation()) != nil)
        }
    }

    @Test("A folder that the hub's owner has removed is not begun again, and what runs says so")
    func removed() async throws {
        try await Self.run { scene in
            let known = try #require(try scene.register(try scene.invitation()))
            let blind = try scene.sync()
            try blind.start()
            Self.wait { blind.status.isSettled }
            // The hub runs, and hears of it by a file.
            try HubProcess.remove(scene.container, scene.options)
            Self.wait { blind.status.lineRemedy?.contains("sheaf hub keep \(scene.container)") == true }
            #expect(blind.status.lineFailure == RemovedFolder.why)
            let leaving = "sheaf revoke \(scene.folder) desk --without-hub"
            #expect(blind.status.lineRemedy?.contains(leaving) == true)
            try HubProcess.keep(scene.container, scene.options)
            Self.wait { blind.status.lineRemedy == nil && blind.status.isSettled }
            try HubProcess.remove(scene.container, scene.options)
            blind.stop()
            // As if the hub did not know the device, either: it is registered, finds that out, and is nobody's.
            let client = try HubClient(scene.address, token: known.credentials.token)
            try client.revoke(known.credentials.device)
            let former = scene.joined.settings.credentials
            let settings = try scene.home.keep(scene.address, former, of: scene.joined)
            let invitation = try scene.invitation()
            #expect { _ = try scene.register(invitation) } throws: {
                ($0 as? HubFailure)?.error.code == .removed
            }
            #expect(try scene.kept == settings)
            #expect(try HubProcess.accounts(scene.options).map(\.deviceNames) == [[]])
        }
    }

    @Test("A folder that is not joined is none to be registered again, nor one where nobody answers")
    func others() async throws {
        try await Self.run { scene in
            let elsewhere = try #require(URL(string: "http://127.0.0.1:1"))
            let joining = Joining(scene.home, at: elsewhere, named: "desk")
            #expect(throws: LineFailure.self) {
                _ = try joining.registerAgain(scene.folder, invitation: "ANY")
            }
            #expect(throws: LineFailure.self) { _ = try joining.move(scene.folder) }
            #expect(try scene.kept == scene.joined.settings)
            let empty = scene.folder.parent.appending("empty")
            let here = Joining(scene.home, at: scene.address, named: "desk")
            #expect(try here.registerAgain(empty, invitation: "ANY") == nil)
            #expect(try here.move(empty) == nil)
        }
    }

    @Test("How the hub's address is written makes no other of it")
    func spelling() async throws {
        try await Self.run { scene in
            let address = try #require(URL(string: "http://127.0.0.1:\(scene.address.port ?? 0)/"))
            let joining = Joining(scene.home, at: address, named: "other")
            let invitation = try scene.invitation()
            #expect(try joining.registerAgain(scene.folder, invitation: invitation) != nil)
            #expect(try joining.move(scene.folder) == nil)
        }
    }

    @Test("A hub that is at another address is the same as long as it knows the device; all else stays")
    func moved() async throws {
        try await Self.run { scene in
            let moved = try #require(URL(string: "http://localhost:\(scene.address.port ?? 0)"))
            let joining = Joining(scene.home, at: moved, named: "other")
            #expect { _ = try joining.move(scene.folder) } throws: {
                guard let failure = $0 as? SyncFailure else { return false }
                return failure.code == .refused && failure.description.contains("--invitation")
            }
            #expect(try scene.kept == scene.joined.settings)
            var known = try #require(try scene.register(try scene.invitation()))
            #expect(try joining.registerAgain(scene.folder, invitation: "ANY") == nil)
            #expect(try scene.kept == known)
            known.hub = moved
            #expect(try joining.move(scene.folder) == known)
            #expect(try scene.kept == known)
            let client = try HubClient(known.hub, token: known.credentials.token)
            #expect(try client.containers().map(\.container) == [scene.container])
        }
    }

    @Test("One that was put back and moved knows the device again, at its new address")
    func movedAndPutBack() async throws {
        try await Self.run { scene in
            let moved = try #require(URL(string: "http://localhost:\(scene.address.port ?? 0)"))
            let joining = Joining(scene.home, at: moved, named: "other")
            let invitation = try scene.invitation()
            let found = try #require(try joining.registerAgain(scene.folder, invitation: invitation))
            #expect(found.hub == moved && found.credentials != scene.joined.settings.credentials)
            #expect(try scene.kept == found)
        }
    }

    @Test("A folder whose hub knows the device goes to no other hub")
    func otherHub() async throws {
        try await Self.run { scene in
            let known = try #require(try scene.register(try scene.invitation()))
            try Self.runHere { other in
                let joining = Joining(scene.home, at: other.address, named: "other")
                let invitation = try other.invitation()
                for attempt in [
                    { try joining.registerAgain(scene.folder, invitation: invitation) },
                    { try joining.move(scene.folder) },
                ] {
                    #expect { _ = try attempt() } throws: { ($0 as? SyncFailure)?.code == .refused }
                }
                #expect(try HubProcess.accounts(other.options).allSatisfy { $0.deviceNames.isEmpty })
            }
            #expect(try scene.kept == known)
        }
    }

    @Test(
        "Addresses are one whatever case, end or port they are written with",
        arguments: [
            ("http://hub.example", "HTTP://Hub.Example:80/", true),
            ("https://hub.example/a", "https://hub.example:443/a/", true),
            ("http://hub.example", "https://hub.example", false),
            ("http://hub.example:7433", "http://hub.example", false),
            ("https://hub.example/a", "https://hub.example/b", false),
        ]
    )
    func addresses(one: String, other: String, areOne: Bool) throws {
        let (one, other) = (try #require(URL(string: one)), try #require(URL(string: other)))
        #expect(HubClient.isSame(one, other) == areOne)
    }
}
