internal import FileSystem
internal import Foundation
internal import LocalSockets
internal import SQLite

/// Copies of a hub's folder that belong together.
///
/// 1. Records are copied before blobs: what a record speaks of was stored before it.
/// 2. While a backup is made the hub gives no room back, so that what the copied index speaks of is there.
/// 3. A backup has its name only when all of it is durable.
package enum HubBackup {
    /// The databases, records first, and the newest format of each that this version of Sheaf knows: of a later one it cannot say
    /// which bytes belong to it.
    private static let databases = [
        (name: SQLiteRecordStore.fileName, formatVersion: RecordSchema.formatVersion),
        (name: SegmentedBlobStore.indexName, formatVersion: BlobSchema.formatVersion),
    ]
    private static let segmentsName = "segments"
    private static let filesName = "files"
    private static let walSuffix = "-wal"

    /// Makes a backup, whether or not the hub is running.
    ///
    /// - Parameter target: A folder that is not there yet.
    package static func make(of data: HubData, to target: String) throws {
        guard data.isThere else { throw HubError("There is no hub in \(data.path). Give --data.") }
        let source = try data.open()
        let lock = try LockFile(waitingFor: data.path.appending(HubData.backupLockName).string)
        try withDraft(of: target) { draft in
            for database in databases {
                try copyDatabase(database.name, database.formatVersion, from: source, to: draft)
            }
            try withConnection(SQLiteRecordStore.fileName, in: draft) { try RecordSchema.forgetReadings($0) }
            try copyBlobs(from: source, to: draft)
        }
        withExtendedLifetime(lock) {}
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
                    try copy(name, from: source, to: draft, byteCount: nil)
                }
                try check(name, formatVersion, of: source, in: draft)
            }
            // A backup has none; the copy of a folder does.
            try withConnection(SQLiteRecordStore.fileName, in: draft) { try RecordSchema.forgetReadings($0) }
            try copyBlobs(from: source, to: draft)
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

    private static func copyBlobs(from source: StorageFolder, to target: StorageFolder) throws {
        var (ends, files): ([Int: Int], [Int]) = ([:], [])
        try withConnection(SegmentedBlobStore.indexName, in: target) { connection in
            // Neither what is deleted nor what is unfinished is copied.
            try connection.execute(
                "DELETE FROM garbage; DELETE FROM uploads; DELETE FROM segments WHERE blobs = 0"
            )
            let select = try connection.statement(
                "SELECT segment, MAX(start + bytes) FROM blobs WHERE segment > 0 GROUP BY segment"
            )
            while try select.step() { ends[select.integer(0)] = select.integer(1) }
            let large = try connection.statement("SELECT start FROM blobs WHERE segment = 0")
            while try large.step() { files.append(large.integer(0)) }
        }
        try copy(ends.map { (Segments.name($0), $1) }, segmentsName, from: source, to: target)
        try copy(files.map { (SegmentedBlobStore.fileName($0), nil) }, filesName, from: source, to: target)
    }

    private static func copy(
        _ members: [(name: String, byteCount: Int?)],
        _ folderName: String,
        from source: StorageFolder,
        to target: StorageFolder
    ) throws {
        let (from, to) = (try source.subfolder(folderName), try target.subfolder(folderName))
        for (name, byteCount) in members { try copy(name, from: from, to: to, byteCount: byteCount) }
        try to.sync()
    }

    /// - Parameter byteCount: How much of it; nil for all.
    private static func copy(
        _ name: String,
        from source: StorageFolder,
        to target: StorageFolder,
        byteCount: Int?
    ) throws {
        let (from, to) = (try source.open(name), try target.create(name))
        let byteCount = try byteCount ?? from.byteCount()
        var offset = 0
        while offset < byteCount {
            let piece = try from.read(at: offset, byteCount: min(1 << 20, byteCount - offset))
            guard !piece.isEmpty else {
                throw HubError(
                    "\(from.path) is shorter than the index says: \(offset) of \(byteCount) bytes."
                )
            }
            // Room that was given back stays so.
            if piece.contains(where: { $0 != 0 }) {
                try piece.withUnsafeBytes { try to.write($0, at: offset) }
            }
            offset += piece.count
        }
        if try to.byteCount() < byteCount { try to.cut(to: byteCount) }
        try to.sync()
    }
}
