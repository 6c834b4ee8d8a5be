import DocumentFoundation
import FileSystem
import Foundation
import Testing

/// A user with documents, a vault and a clock of their own.
final class VersionStage {
    let root: URL
    let store: VersionStore
    let reports = Reports()
    let clock: Clock

    /// What the store has said.
    final class Reports: @unchecked Sendable {
        // Sendable because the texts are only touched under the lock.
        private let lock = NSLock()
        private var texts: [String] = []
        func add(_ text: String) { lock.withLock { texts.append(text) } }
        var all: [String] { lock.withLock { texts } }
    }

    /// A clock that a test sets forward, and the machine whose it is.
    final class Clock: @unchecked Sendable {
        // Sendable because the shifts are only touched under the lock.
        private let lock = NSLock()
        private var shift: TimeInterval = 0
        private var running: TimeInterval = 0
        private let begun = Date()
        var now: Date { lock.withLock { Date() + shift } }
        var runningSeconds: TimeInterval { lock.withLock { Date().timeIntervalSince(begun) + running } }
        /// Time goes by.
        func advance(_ seconds: TimeInterval) {
            lock.withLock {
                shift += seconds
                running += seconds
            }
        }
        /// Somebody sets the clock, and no time goes by.
        func set(forwardBy seconds: TimeInterval) { lock.withLock { shift += seconds } }
        /// The machine is off for a while, and begins anew.
        func turnOff(for seconds: TimeInterval) {
            lock.withLock {
                shift += seconds
                running = begun.timeIntervalSinceNow
            }
        }
    }

    private let ownsRoot: Bool

    /// - Parameters:
    ///   - vault: What `SHEAF_VAULT` says.
    ///   - root: Another stage's, which is seen as another process of the user would.
    ///   - clock: Another stage's, or one of its own.
    ///   - savingSeconds: As of the store.
    init(
        vault: String? = nil,
        root: URL? = nil,
        clock: Clock = Clock(),
        savingSeconds: Double = 1
    ) throws {
        self.clock = clock
        ownsRoot = root == nil
        self.root =
            try root
            ?? {
                let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
                    .appendingPathComponent("versions-\(UUID().uuidString)", isDirectory: true)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                return folder
            }()
        store = VersionStore(
            Self.settings(self.root, vault: vault),
            now: { [clock] in clock.now },
            running: { [clock] in clock.runningSeconds },
            savingSeconds: savingSeconds,
            report: { [reports] in reports.add($0) }
        )
    }

    deinit {
        // Copies of versions are read-only; what stays is the system's to clean up.
        if ownsRoot, let path = FilePath(root) { try? ReadOnlyTree.remove(path) }
    }

    static func settings(_ root: URL, vault: String? = nil) -> VersionSettings {
        var environment = ["HOME": root.path]
        for (name, folder) in [("DATA", "data"), ("STATE", "state"), ("CACHE", "cache")] {
            environment["XDG_\(name)_HOME"] = root.appendingPathComponent(folder).path
        }
        environment["SHEAF_VAULT"] = vault
        return VersionSettings(environment: environment, hostName: "desk")
    }

    /// Runs what apps write, with this user's vault.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try VersionStore.$shared.withValue(store, operation: body)
    }

    func place(_ name: String) -> URL { root.appendingPathComponent(name) }

    @discardableResult
    func write(_ text: String, at name: String) throws -> URL {
        let url = place(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
        return url
    }

    /// Writes a state as documents do, and keeps it.
    @discardableResult
    func save(_ text: String, at name: String) throws -> URL {
        let url = place(name)
        let save = try StagedSave(item: try #require(FilePath(url)))
        try save.write(Data(text.utf8))
        _ = try save.commit()
        try keep(url)
        return url
    }

    func keep(_ url: URL) throws {
        try store.keep(url, VersionKeeping(.explicit))
    }

    func others(_ url: URL) throws -> [NSFileVersion] {
        try run { try #require(NSFileVersion.otherVersionsOfItem(at: url)) }
    }

    /// What the other versions of a file hold, the oldest first.
    func texts(_ url: URL) throws -> [String] {
        try others(url).map { try text($0.url) }
    }

    func text(_ url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }

    /// As a shell does it.
    func shell(_ command: String, _ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + arguments
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
