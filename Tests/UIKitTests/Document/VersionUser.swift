import DocumentFoundation
import FileSystem
import Foundation
import Testing
import UIKit
import Vault

/// A user with a vault and a clock of their own.
final class VersionUser {
    let playground: Playground
    let home: Playground
    let store: VersionStore
    let reports: Reports
    let clock: Clock
    private let settings: VersionSettings

    /// What the store has said.
    final class Reports: @unchecked Sendable {
        // Sendable because the texts are only touched under the lock.
        private let lock = NSLock()
        private var texts: [String] = []
        func add(_ text: String) { lock.withLock { texts.append(text) } }
        var all: [String] { lock.withLock { texts } }
    }

    /// A clock that can be stopped: whoever asks it waits until it goes on.
    final class Clock: @unchecked Sendable {
        // Sendable because the value is only touched with the condition locked.
        private let condition = NSCondition()
        private var isStopped = false

        var now: Date {
            condition.lock()
            defer { condition.unlock() }
            while isStopped { condition.wait() }
            return Date()
        }

        func stop() { set(true) }
        func go() { set(false) }

        private func set(_ value: Bool) {
            condition.lock()
            defer { condition.unlock() }
            isStopped = value
            condition.broadcast()
        }
    }

    init() throws {
        let (reports, clock) = (Reports(), Clock())
        playground = try Playground()
        home = try Playground()
        var environment = ["HOME": home.folder.path]
        for name in ["DATA", "STATE", "CACHE"] { environment["XDG_\(name)_HOME"] = home[name].path }
        environment["SHEAF_VAULT"] = home["vault"].path
        settings = VersionSettings(environment: environment, hostName: "desk")
        store = VersionStore(
            settings,
            now: { clock.now },
            report: { reports.add($0) }
        )
        self.reports = reports
        self.clock = clock
    }

    deinit {
        clock.go()
        // Copies of versions are read-only; what stays is the system's to clean up.
        if let path = FilePath(home.folder) { try? ReadOnlyTree.remove(path) }
    }

    /// The same versions as another process of the user's sees them that has just begun.
    ///
    /// - Parameter retrySeconds: As of the store.
    func anotherProcess(retrySeconds: Double = 60) -> VersionStore {
        VersionStore(settings, retrySeconds: retrySeconds, report: { [reports] in reports.add($0) })
    }

    var vault: FilePath { FilePath(home["vault"].path) }

    /// Runs what apps write, with this user's vault; documents made in it keep it.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try VersionStore.$shared.withValue(store, operation: body)
    }

    /// What the other versions of a file hold, the oldest first.
    func texts(_ url: URL) throws -> [String] {
        try run { try #require(NSFileVersion.otherVersionsOfItem(at: url)) }.map { version in
            String(decoding: try Data(contentsOf: version.url), as: UTF8.self)
        }
    }

    /// All versions of an item, as another process sees them.
    func kept(_ url: URL) throws -> [KeptVersion] {
        let mark = try #require(try FileIdentity(of: FilePath(url.path)).mark)
        return try Vault(at: vault).versions(of: mark)
    }
}

extension UIDocument {
    /// Waits until what follows a save or a reading is done.
    func settle() async {
        await withCheckedContinuation { continuation in
            performAsynchronousFileAccess { continuation.resume() }
        }
    }
}
