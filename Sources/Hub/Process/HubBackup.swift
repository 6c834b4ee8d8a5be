internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import SQLite

/// Copies of a hub's folder that belong together.
///
/// 1. Records are copied before blobs: what a record speaks of was stored before it.
/// 2. While a backup is made the hub gives no room back, so that what the copied index speaks of is there.
/// 3. A backup has its name only when all of it is durable.
/// 4. What is copied of segments is what the copied index speaks of. A blob that cannot be read is not in a backup, nor in its
///    index: devices are asked for it after a restore, as for any that is missing.
package enum HubBackup {
    /// The databases, records first, and the newest format of each that this version of Sheaf knows: of a later one it cannot say
    /// which bytes belong to it.
    private static let databases = [
        (name: SQLiteRecordStore.fileName, formatVersion: RecordSchema.formatVersion),
        (name: SegmentedBlobStore.indexName, formatVersion: BlobSchema.formatVersion),
    ]
    private static let walSuffix = "-wal"

    /// Makes a backup, whether or not the hub is running.
    ///
    /// - Parameters:
    ///   - target: A folder that is not there yet.
    ///   - complain: Told of blobs that could not be read, once there is a backup without them.
    package static func make(
        of data: HubData,
        to target: String,
        complain: (String) -> Void = { _ in }
    ) throws {
        guard data.isThere else { throw HubError("There is no hub in \(data.path). Give --data.") }
        let source = try data.open()
        let lock = try LockFile(waitingFor: data.path.appending(HubData.backupLockName).string)
        var unread: [UnreadBlob] = []
        try withDraft(of: target) { draft in
            for database in databases {
                try copyDatabase(database.name, database.formatVersion, from: source, to: draft)
            }
            try withConnection(SQLiteRecordStore.fileName, in: draft) { try RecordSchema.forgetReadings($0) }
            var copy = try BlobCopy(from: source, to: draft, leavesUnreadOut: true)
            unread = try withConnection(SegmentedBlobStore.indexName, in: draft) { try copy.make(by: $0) }
        }
        withExtendedLifetime(lock) {}
        for line in UnreadBlob.lines(unread) { complain(line) }
    }

    /// Puts a backup in place of a hub's folder that is not there; or the copy of such a folder that was made while no hub ran,
    /// in which the newest is in the databases' logs.
    package static func restore(_ backup: String, to data: HubData) throws {
        let source = try StorageFolder(at: FilePath(URL(fileURLWithPath: backup).path))
        guard try databases.allSatisfy({ try source.status(of: $0.name) != nil }) else {
            throw HubError("\(backup) is no backup of a hub.")
        }
        // Whatever is wrong with the folders above shows in the next call, with its errno.
        try? FileManager.default.createDirectory(
            atPath: data.path.parent.string,
            withIntermediateDirectories: true
        )
        try withDraft(of: data.path.string) { draft in
            for (name, formatVersion) in databases {
                for name in [name, name + walSuffix] where try source.status(of: name) != nil {
                    try copyFile(name, from: source, to: draft)
                }
                try check(name, formatVersion, of: source, in: draft)
            }
            // A backup has none; the copy of a folder does.
            try withConnection(SQLiteRecordStore.fileName, in: draft) { try RecordSchema.forgetReadings($0) }
            // Who asks for this copy may have another one in which everything can be read.
            var copy = try BlobCopy(from: source, to: draft, leavesUnreadOut: false)
            _ = try withConnection(SegmentedBlobStore.indexName, in: draft) { try copy.make(by: $0) }
        }
    }

    /// Fills a folder beside the target, makes it durable and gives it its name.
    private static func withDraft(of target: String, _ fill: (StorageFolder) throws -> Void) throws {
        let place = FilePath(URL(fileURLWithPath: target).path)
        guard !FileManager.default.fileExists(atPath: place.string) else {
            throw HubError("\(target) is there already. Move it away, or choose another folder.")
        }
        let parent = try StorageFolder(containing: place)
        let name = place.name + ".partial"
        if try parent.status(of: name) != nil {
            try FileManager.default.removeItem(atPath: place.parent.appending(name).string)
        }
        let draft = try parent.makeFolder(name)
        do {
            try fill(draft)
            try draft.sync()
        } catch {
            // The first error is the one to tell; what is left says by its name what it is.
            try? FileManager.default.removeItem(atPath: place.parent.appending(name).string)
            throw error
        }
        do { try parent.move(name, toFree: place.name) } catch {
            throw HubError(
                "\(place.parent.appending(name)) has everything in it and cannot get the name \(place.name) (\(error)). Give "
                    + "it another name yourself: the next copy to \(place.name) would begin by removing it."
            )
        }
        try parent.sync()
    }

    /// Copies a database as of one moment, while others may write to it.
    private static func copyDatabase(
        _ name: String,
        _ formatVersion: Int,
        from source: StorageFolder,
        to target: StorageFolder
    ) throws {
        let connection = try SQLiteConnection(path: source.path.appending(name).string)
        try connection.knownFormatVersion(upTo: formatVersion)
        let place = target.path.appending(name).string.replacing("'", with: "''")
        // SQLite would make a file that others may read.
        let copy = try target.create(name)
        try connection.execute("VACUUM INTO '\(place)'")
        try copy.sync()
    }

    private static func check(
        _ name: String,
        _ formatVersion: Int,
        of source: StorageFolder,
        in folder: StorageFolder
    ) throws {
        try withConnection(name, in: folder) { connection in
            let check = try connection.statement("PRAGMA quick_check(1)")
            let answer = try check.step() ? check.text(0) : ""
            check.reset()
            guard answer == "ok" else { throw HubError("\(name) of the backup is damaged: \(answer)") }
            let original = source.path.appending(name).string
            try connection.knownFormatVersion(upTo: formatVersion, copiedFrom: original)
        }
    }

    /// Opens a database that is ours alone, and leaves it as one file.
    private static func withConnection<Value>(
        _ name: String,
        in folder: StorageFolder,
        _ body: (SQLiteConnection) throws -> Value
    ) throws -> Value {
        let value = try {
            let connection = try SQLiteConnection(path: folder.path.appending(name).string)
            let value = try body(connection)
            try connection.checkpoint()
            return value
        }()
        for suffix in [walSuffix, "-shm"] { try folder.remove(name + suffix) }
        return value
    }

    private static func copyFile(
        _ name: String,
        from source: StorageFolder,
        to target: StorageFolder
    ) throws {
        let (from, to) = (try source.open(name), try target.create(name))
        let byteCount = try from.byteCount()
        var offset = 0
        while offset < byteCount {
            let piece = try from.read(at: offset, byteCount: min(1 << 20, byteCount - offset))
            guard !piece.isEmpty else { throw HubError("\(from.path) has become shorter meanwhile.") }
            try piece.withUnsafeBytes { try to.write($0, at: offset) }
            offset += piece.count
        }
        try to.sync()
    }
}
