import FileSystem
import Foundation
import SyncMessages

@testable import DocumentFoundation

/// A device's home of its own with folders that are joined, without a process that keeps them in step.
final class AccountPlace: Sendable {
    let base: URL
    var home: URL { base.appendingPathComponent("home", isDirectory: true) }

    init() throws {
        let temporary = FilePath(FileManager.default.temporaryDirectory.path)
        base = try temporary.resolved().url(isDirectory: true)
            .appendingPathComponent("account-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
    }

    // Who just asks on a thread of its own may make the runtime folder anew while this is removed; it ends with its place.
    deinit {
        for _ in 0..<100 where FileManager.default.fileExists(atPath: base.path) {
            try? FileManager.default.removeItem(at: base)
        }
    }

    /// Joins a folder as `DeviceHome` keeps it, without the keys.
    @discardableResult
    func join(_ name: String, identifier: String? = nil, at seconds: Double) throws -> URL {
        let folder = base.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let container = String(format: "%032x", Int(seconds))
        let joined = JoinedFolder(
            container: container,
            folder: folder.path,
            identifier: identifier,
            joinedSeconds: seconds
        )
        let own = home.appendingPathComponent("containers/\(container)", isDirectory: true)
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        try JSONEncoder().encode(joined).write(to: own.appendingPathComponent("settings"), options: .atomic)
        return folder
    }

    func account(_ information: [String: Any] = [:], _ environment: [String: String] = [:]) -> UbiquityAccount
    {
        let own = ["SHEAF_HOME": home.path, "SHEAF_RUNTIME_DIR": base.appendingPathComponent("run").path]
        return UbiquityAccount(
            environment: own.merging(environment) { $1 },
            information: information
        )
    }
}
