import DeviceSync
import DocumentFoundation
import FileSystem
import Foundation
import HubProtocol
import Locks
import Sealing
import SyncMessages

/// One device with a folder of its own, in a temporary place.
final class TestDevice: Sendable {
    let folder: URL
    let line: HubInMemory.Line
    private let place: ContainerSync.Place
    let identity: DeviceIdentity
    /// The user's versions on this device.
    let versions: VersionStore
    private let keys: ContainerKeys
    private let reports: Locked<[SyncReport]> = Locked([])
    private let news = NSCondition()
    private let sync: Locked<ContainerSync?> = Locked(nil)

    /// A device that shares a container.
    init(
        _ number: Int,
        in base: URL,
        _ identity: DeviceIdentity,
        _ keys: ContainerKeys,
        at hub: HubInMemory
    ) throws {
        folder = base.appendingPathComponent("device \(number)", isDirectory: true)
        let memory = base.appendingPathComponent("memory \(number)", isDirectory: true)
        for folder in [folder, memory] {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        line = hub.line()
        (self.identity, self.keys) = (identity, keys)
        let home = base.appendingPathComponent("home \(number)").path
        versions = VersionStore(VersionSettings(environment: ["HOME": home], hostName: "device \(number)"))
        place = ContainerSync.Place(
            folder: FilePath(folder.path),
            memory: FilePath(memory.path),
            deviceName: "device \(number)"
        )
    }

    deinit { sync.withLock { $0 }?.stop() }

    func start() throws {
        line.open()
        let made = try ContainerSync(
            place,
            keys: keys,
            by: identity,
            hub: line,
            merger: TypeMerger(),
            versions: versions,
            report: { [weak self] in self?.heard($0) }
        )
        try made.start()
        sync.withLock { $0 = made }
    }

    func stop() {
        let running = sync.withLock { sync in
            defer { sync = nil }
            return sync
        }
        running?.stop()
    }

    var status: SyncStatus? { sync.withLock { $0 }?.status }
    var running: ContainerSync? { sync.withLock { $0 } }
    /// Where the device keeps its vault.
    var memory: FilePath { place.memory }
    var memoryFolder: URL { place.memory.url(isDirectory: true) }
    func decide(goesOn: Bool) -> Bool { sync.withLock { $0 }?.decide(goesOn: goesOn) ?? false }
    func explanation(_ path: String) -> Explanation? { sync.withLock { $0 }?.explain(path) }
    var said: [SyncReport] { reports.withLock { $0 } }

    private func heard(_ report: SyncReport) {
        reports.withLock { $0.append(report) }
        news.withLock { news.broadcast() }
    }

    /// Waits for news of the device until something is so.
    ///
    /// - Returns: False after some time.
    func wait(seconds: Double = 20, until condition: () throws -> Bool) rethrows -> Bool {
        let deadline = Date().addingTimeInterval(seconds)
        while true {
            if try condition() { return true }
            news.lock()
            // Not all that changes a folder is told: one look in a while.
            _ = news.wait(until: min(deadline, Date().addingTimeInterval(0.02)))
            news.unlock()
            if Date() > deadline { return try condition() }
        }
    }

    // MARK: The folder

    func write(_ text: String, to name: String) throws {
        let url = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
    }

    func text(_ name: String) -> String? {
        (try? Data(contentsOf: folder.appendingPathComponent(name))).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// What has lost a conflict with a file that nobody has settled.
    func conflicts(_ name: String) throws -> [String] {
        let url = folder.appendingPathComponent(name)
        return try VersionStore.$shared.withValue(versions) {
            try versions.unresolvedConflicts(at: url).map {
                String(decoding: try Data(contentsOf: $0.url), as: UTF8.self)
            }
        }
    }

    /// All paths below the folder with what is there: a file's text, "/" for a folder.
    var contents: [String: String] {
        var found: [String: String] = [:]
        let names = FileManager.default.enumerator(atPath: folder.path)
        while let name = names?.nextObject() as? String {
            if name.contains(".sheaf-") { continue }
            found[name] = text(name) ?? "/"
        }
        return found
    }
}
