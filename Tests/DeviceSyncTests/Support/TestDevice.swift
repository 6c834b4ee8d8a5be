import DeviceSync
import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Sealing
import SyncMessages

typealias TestDevice = WorldDevice

/// What tests do in a device's folder, and what they look at.
extension WorldDevice {
    convenience init(
        _ number: Int,
        in base: URL,
        _ identity: DeviceIdentity,
        _ keys: ContainerKeys,
        at hub: HubInMemory,
        room: ContainerSync.Room = ContainerSync.Room(),
        _ isPackage: (@Sendable (String) -> Bool)? = nil
    ) throws {
        try self.init(
            "device \(number)",
            in: base,
            identity,
            keys,
            at: hub,
            room: room,
            isPackage: isPackage
        )
    }

    /// Where the device keeps its vault.
    var memory: FilePath { place.memory }
    var memoryFolder: URL { place.memory.url(isDirectory: true) }
    func tryAgain() { running?.tryAgain() }
    func decide(goesOn: Bool) -> Bool { running?.decide(goesOn: goesOn) ?? false }

    /// What keeps its folder in step through a hub of a test's own; to be started, and stopped. The device itself must not run.
    func sync(
        at hub: any ContainerHub,
        merger: any DocumentMerger = TypeMerger(),
        report: @escaping @Sendable (SyncReport) -> Void = { _ in }
    ) -> ContainerSync {
        ContainerSync(
            place,
            keys: keys,
            by: identity,
            hub: hub,
            merger: merger,
            versions: versions,
            report: report
        )
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

    /// Puts a file in place whole: nobody finds half of it.
    func put(_ text: String, at name: String) throws {
        let source = folder.deletingLastPathComponent().appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: source)
        guard Foundation.rename(source.path, path(name)) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
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

    /// How many versions of a file or package have lost a conflict that nobody has settled.
    func conflictCount(_ name: String) throws -> Int {
        let url = folder.appendingPathComponent(name)
        return try VersionStore.$shared.withValue(versions) {
            try versions.unresolvedConflicts(at: url).count
        }
    }

    /// What a file was before, as far as versions tell.
    func formerTexts(of name: String) throws -> [String] {
        let url = folder.appendingPathComponent(name)
        return try VersionStore.$shared.withValue(versions) {
            try (NSFileVersion.otherVersionsOfItem(at: url) ?? []).map {
                String(decoding: try Data(contentsOf: $0.url), as: UTF8.self)
            }
        }
    }

    /// The files right in the folder by the bytes of their names: in `contents`, as in all dictionaries by text, names that only
    /// look alike are one.
    var filesByBytes: [[UInt8]: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { !$0.hasPrefix(".sheaf-") }
            .reduce(into: [:]) { $0[Array($1.utf8)] = text($1) }
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
