package import FileSystem
internal import Foundation
internal import LocalSockets

/// The folder with everything that a hub keeps.
package struct HubData: Sendable {
    package let path: FilePath

    package init(path: FilePath) { self.path = path }

    /// Where it is unless somebody says otherwise.
    package init(environment: [String: String]) {
        path = BaseDirectories(environment: environment).data.appending("sheaf").appending("hub")
    }

    private var lockPath: String { path.appending("lock").string }

    /// Whether there is anything of a hub's.
    var isThere: Bool {
        FileManager.default.fileExists(atPath: path.appending(SQLiteRecordStore.fileName).string)
    }

    /// Opens the folder, made where it is missing, for its owner alone.
    func open() throws -> StorageFolder {
        // Whatever is wrong with the folders above shows in the next call, with its errno.
        try? FileManager.default.createDirectory(
            atPath: path.parent.string,
            withIntermediateDirectories: true
        )
        let parent = try StorageFolder(containing: path)
        let folder = try parent.subfolder(path.name)
        try parent.sync()
        guard try folder.isPrivate() else {
            throw HubError(
                "\(path) could be read by others. It must be yours, and closed to them (chmod 700)."
            )
        }
        return folder
    }

    /// Takes the folder for one process.
    func lock() throws -> LockFile {
        guard let lock = try lockIfFree() else {
            throw HubError("A hub is running on \(path) already. Stop it first, or choose another --data.")
        }
        return lock
    }

    /// Takes the folder for one process; nil where another one has it.
    func lockIfFree() throws -> LockFile? { try LockFile(ifFree: lockPath) }

    /// Waits until nobody makes a backup, or keeps a hub from giving room back while one is made.
    static let backupLockName = "backup.lock"
}
