internal import Foundation
internal import Locks

/// Where uploaded files wait until the import that names their batch.
///
/// A folder of this process alone; what is never imported goes with the process.
final class UploadFolder: Sendable {
    private let folder: URL
    private let batches = Locked<[String: URL]>([:])

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(
                "sheaf-uploads-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
            )
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// The place for one file of a batch. The host has checked that the path leads nowhere else.
    func place(_ path: String, batch: String, tab: String) throws -> URL {
        let home = batches.withLock { batches -> URL in
            let name = tab + "/" + batch
            let home = batches[name] ?? folder.appendingPathComponent(UUID().uuidString, isDirectory: true)
            batches[name] = home
            return home
        }
        let file = home.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        return file
    }

    /// The folder of a batch, which is the caller's from now on; nil for one that does not exist.
    func take(_ batch: String, of tab: String) -> URL? {
        batches.withLock { $0.removeValue(forKey: tab + "/" + batch) }
    }

    func removeAll() {
        // What cannot be removed here lies in the system's temporary folder, which is emptied by the system.
        try? FileManager.default.removeItem(at: folder)
    }
}
