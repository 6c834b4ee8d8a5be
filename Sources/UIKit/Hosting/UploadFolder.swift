internal import FileSystem
internal import Foundation
internal import Locks

/// Where uploaded files wait until the import that names their batch.
///
/// A folder of this process alone; what is never imported goes when the page gives it up, with its tab, with the process, or with
/// the start of the next one when it was killed.
final class UploadFolder: Sendable {
    private let own: ProcessFolder
    private let batches = Locked<[String: URL]>([:])

    /// - Parameter temporary: The folder that all processes have theirs in.
    init(in temporary: URL = FileManager.default.temporaryDirectory) throws {
        own = try ProcessFolder("sheaf-app-uploads-", in: FilePath(temporary.path))
    }

    private var folder: URL { own.path.url(isDirectory: true) }

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

    /// The folders of all batches of a tab, which are the caller's from now on.
    func takeAll(of tab: String) -> [URL] {
        batches.withLock { batches in
            let keys = batches.keys.filter { $0.hasPrefix(tab + "/") }
            return keys.compactMap { batches.removeValue(forKey: $0) }
        }
    }

    func removeAll() {
        // What cannot be removed now goes when the next process starts.
        try? own.remove()
    }
}
