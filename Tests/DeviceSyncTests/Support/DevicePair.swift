import Cryptography
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import LocalSockets
import Sealing
import SyncMessages
import TestFolders
import Testing

@testable import DeviceSync

/// Two devices that share a container at a hub, and run.
final class DevicePair {
    private let folder: TestFolder
    var base: URL { folder.url }
    let container: ContainerName
    let hub: HubInMemory
    let one: TestDevice
    let two: TestDevice

    /// - Parameters:
    ///   - room: Of both.
    ///   - packagesOfSecond: Which names are packages' on the second device; nil for those that this machine knows.
    ///   - areStarted: Whether both run; else none has ever run.
    ///   - isSecondToStart: False leaves the second to the test, which may put into its folder what it has before it joins.
    init(
        room: ContainerSync.Room = ContainerSync.Room(),
        packagesOfSecond: (@Sendable (String) -> Bool)? = nil,
        areStarted: Bool = true,
        isSecondToStart: Bool = true
    ) throws {
        let folder = try TestFolder("pair")
        self.folder = folder
        container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        hub = try HubInMemory(container)
        let identities = try (0..<2).map { _ in try DeviceIdentity(random: RandomBytes.make) }
        let keys = try Founding.found(container, by: identities[0], named: "device 1", at: hub.line())
        try Founding.add(
            identities[1].publicIdentity(named: "device 2"),
            to: keys,
            by: identities[0],
            at: hub.line()
        )
        one = try TestDevice(1, in: folder.url, identities[0], keys, at: hub, room: room)
        two = try TestDevice(2, in: folder.url, identities[1], keys, at: hub, room: room, packagesOfSecond)
        guard areStarted else { return }
        try one.start()
        if isSecondToStart { try two.start() }
    }

    /// Both have a document.
    static func holding(_ text: String, as name: String) throws -> DevicePair {
        let pair = try DevicePair()
        try pair.one.write(text, to: name)
        pair.wait { pair.two.text(name) == text && pair.isSettled }
        return pair
    }

    func end() {
        one.stop()
        two.stop()
    }

    func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        let isSo = two.wait { condition() }
        #expect(isSo, "\(one.contents) and \(two.contents); \(two.said)", sourceLocation: location)
    }

    /// Whether both are in step, with all that the hub has: what one has just told the other has heard.
    var isSettled: Bool {
        let entryCount = hub.entryCount
        let areSettled = [one, two].allSatisfy { device in
            // In this order: what it reads between the two questions is not done yet.
            device.running?.logPosition == UInt64(entryCount) && device.status?.isSettled == true
        }
        return areSettled && hub.entryCount == entryCount
    }

    /// Has a service answer on a thread of its own.
    ///
    /// - Returns: What ends that.
    static func answering(_ service: SyncService) -> () -> Void {
        let ended = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try service.answer() } catch { Issue.record("\(error)") }
            ended.signal()
        }
        thread.start()
        return {
            service.stop()
            ended.wait()
        }
    }

    /// Runs something while the second device is kept in step by a process that answers, for this account.
    func served(_ body: () async throws -> Void) async throws {
        let (account, end) = try serve()
        defer { end() }
        try await UbiquityAccount.$shared.withValue(account) {
            try await VersionStore.$shared.withValue(two.versions) { try await body() }
        }
    }

    /// Where the account of a service's user keeps what it has joined.
    var accountHome: URL { base.appendingPathComponent("account", isDirectory: true) }

    /// Has the second device be kept in step by a service that other parts of this process ask as if it were another process.
    ///
    /// - Parameter identifier: Of the container that apps mean; nil for the first.
    /// - Returns: The account, and what ends the service.
    func serve(as identifier: String? = nil) throws -> (account: UbiquityAccount, end: () -> Void) {
        let runtime = try RuntimeFolder(path: base.path + "/run")
        let home = accountHome
        let own = home.appendingPathComponent("containers/\(container)", isDirectory: true)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        let joined = JoinedFolder(
            container: "\(container)",
            folder: two.folder.path,
            identifier: nil,
            joinedSeconds: 1
        )
        try JSONEncoder().encode(joined).write(to: own.appendingPathComponent("settings"))
        let sync = try #require(two.running)
        let service = try SyncService(
            [SyncService.Running(folder: two.folder.path, hub: "memory", sync: sync)],
            in: runtime
        )
        let end = Self.answering(service)
        var environment = ["SHEAF_HOME": home.path, "SHEAF_RUNTIME_DIR": runtime.path]
        environment["SHEAF_UBIQUITY_CONTAINER"] = identifier
        #expect(two.wait { (try? SyncQuery.status(in: runtime)) != nil })
        return (UbiquityAccount(environment: environment, information: [:]), end)
    }
}
