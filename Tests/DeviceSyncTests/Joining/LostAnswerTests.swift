import Cryptography
import Dispatch
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

/// A folder joins over a line that loses an answer: what was asked has been done, and an invitation works once.
@Suite("Joining over a line that loses an answer", .onOwnThreads, .timeLimit(.minutes(2)))
struct LostAnswerTests {
    private let own: TestFolder
    private let hub: RunningHub
    private let options: HubProcess.Options
    private let home: DeviceHome

    init() throws {
        own = try TestFolder("lost-answers")
        var options = HubProcess.Options()
        options.data = own.url.appendingPathComponent("hub").path
        options.address = .loopback(port: 0)
        hub = try RunningHub(options, complain: { Issue.record("\($0)") })
        self.options = options
        home = try DeviceHome(at: FilePath(own.path).appending("home"))
    }

    private func end() {
        let ended = DispatchSemaphore(value: 0)
        hub.stop { ended.signal() }
        ended.wait()
    }

    @Test(
        "It joins all the same, as one device",
        arguments: ["POST /v1/devices", "PUT /v1/containers/", "POST /v1/containers/"]
    )
    func begun(request: String) throws {
        defer { end() }
        let relay = try CuttingRelay(before: hub.address.port, cutting: request)
        defer { relay.stop() }
        let address = try #require(URL(string: "http://127.0.0.1:\(relay.port)"))
        let folder = FilePath(own.path).appending("folder")
        let invitation = try HubProcess.invite(options)
        let settings = try Joining(home, at: address, named: "desk").begin(folder, invitation: invitation)
        #expect(relay.cutCount == 1)
        let client = try HubClient(address, token: settings.credentials.token)
        defer { client.close() }
        #expect(try client.devices().map(\.device) == [settings.credentials.device])
        #expect(try client.containers().map(\.container) == [settings.container])
        let log = try HubContainer(settings.container, at: client).log(after: 0, waitSeconds: 0)
        #expect(log.head.position == 1)
        #expect(try home.joined(settings.container)?.settings.credentials == settings.credentials)
    }

    @Test("A hub that was asked too often is asked again, once it has registered this device, too")
    func asksTooMuch() throws {
        end()
        var options = options
        options.data = own.url.appendingPathComponent("another-hub").path
        // Less than it takes.
        options.settings.addressRate = (burst: 1, perSecond: 2)
        let hub = try RunningHub(options, complain: { Issue.record("\($0)") })
        defer {
            let ended = DispatchSemaphore(value: 0)
            hub.stop { ended.signal() }
            ended.wait()
        }
        let address = try #require(URL(string: "http://\(hub.address)"))
        let invitation = try HubProcess.invite(options)
        let stranger = try HubClient(address)
        defer { stranger.close() }
        let wrong = try DeviceRegistration(
            invitation: "WRONG",
            name: "stranger",
            signing: try DeviceIdentity(random: RandomBytes.make).signing,
            agreementKey: PublicKeyBytes(unchecked: [UInt8](repeating: 1, count: 32))
        )
        // Until it says that it is enough.
        var code: HubFailureCode?
        while code != .tooMany {
            do { _ = try stranger.register(wrong) } catch let failure as HubFailure {
                code = failure.error.code
            }
        }
        let settings = try Joining(home, at: address, named: "desk").begin(
            FilePath(own.path).appending("folder"),
            invitation: invitation
        )
        #expect(try home.joined(settings.container) != nil)
    }

    @Test("Where no hub is that is said at once")
    func nobody() throws {
        end()
        let address = try #require(URL(string: "http://\(hub.address)"))
        let start = DispatchTime.now()
        #expect(throws: LineFailure.self) {
            try Joining(home, at: address, named: "desk").begin(
                FilePath(own.path).appending("folder"),
                invitation: "ANY"
            )
        }
        // It would have been tried for a minute.
        #expect(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds < 30_000_000_000)
    }

    @Test("A line that is lost is waited for as long as nobody has to do something, and for a minute")
    func patience() {
        var never = LinePatience(wasThere: false, pauseSeconds: 3)
        #expect(never.pause(after: LineFailure("no network")) == nil)
        never.regain()
        #expect(never.pause(after: LineFailure("no network")) == 3)
        var patience = LinePatience(wasThere: true, pauseSeconds: 3)
        #expect(patience.pause(after: LineFailure("no network")) == 3)
        patience.regain()
        #expect(patience.pause(after: LineFailure("a sign-in", remedy: "Sign in.")) == nil)
        #expect(patience.pause(after: LineFailure("no network", status: 502)) == 3)
    }
}
