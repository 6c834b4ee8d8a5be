internal import Dispatch
internal import FileSystem
internal import Foundation
package import HubProtocol
internal import Locks
internal import SQLite

extension HubProcess {
    /// What a hub knows of a container: how much there is, and whose.
    package struct Container: Sendable {
        /// A device that has read or written it and is not refused.
        package struct Device: Hashable, Sendable {
            package let name: String
            /// When it asked last what is new, in seconds since 1970, as far as that is known.
            package let asked: Int?
        }

        /// Whether the hub has it.
        package enum Standing: Hashable, Sendable {
            case kept
            /// It was removed, and can be kept again.
            case removed
            /// It was removed, and its time is over.
            case gone
        }

        package let id: ContainerName
        package let account: AccountID
        package let commitCount: Int
        /// What its records, its keys and its blobs come to, released ones too that are not deleted yet.
        package let byteCount: Int
        package let devices: [Device]
        /// When something was committed last, in seconds since 1970; nil where that was before hubs noted it.
        package let committed: Int?
        package let standing: Standing
    }

    /// How long a running hub is waited for, in seconds.
    private static let orderSeconds = 20.0

    /// All containers, account by account, whether or not the hub is running.
    package static func containers(_ options: Options) throws -> [Container] {
        let folder = try existing(options)
        let blobs = folder.path.appending(SegmentedBlobStore.indexName)
        let byteCounts =
            try folder.status(of: SegmentedBlobStore.indexName) == nil
            ? [:] : try SegmentedBlobStore.byteCounts(at: blobs)
        return try SQLiteRecordStore.containers(
            at: folder.path.appending(SQLiteRecordStore.fileName),
            blobByteCounts: byteCounts
        )
    }

    /// Removes a container, whether or not the hub is running: its devices are told so, and do without it. What it holds is kept as
    /// long as what devices have deleted.
    ///
    /// - Throws: `HubError` where there is none, or a running hub does not do it.
    package static func remove(_ container: ContainerName, _ options: Options) throws {
        try fulfil(OrderFiles.Order(.remove, container), options)
        if try standing(of: container, options) == .kept {
            throw HubError("The hub has not removed \(container): somebody has had it kept again just now.")
        }
    }

    /// Has a container that was removed be there again, whether or not the hub is running.
    ///
    /// - Throws: `HubError` where there is none, nothing of it is left, or a running hub does not do it.
    package static func keep(_ container: ContainerName, _ options: Options) throws {
        try fulfil(OrderFiles.Order(.keep, container), options)
        guard try standing(of: container, options) == .kept else {
            throw HubError(
                """
                The time is over for which \(container) was kept after it was removed: nothing of it is left here. A backup from before \
                may have it: sheaf hub restore makes a hub of that. Its devices have what is in their folders.
                """
            )
        }
    }

    private static func standing(of container: ContainerName, _ options: Options) throws -> Container.Standing
    {
        let path = try existing(options).path.appending(SQLiteRecordStore.fileName)
        guard let standing = try SQLiteRecordStore.standing(of: container, at: path) else {
            throw HubError("The hub has no folder \(container). See “sheaf hub folders”.")
        }
        return standing
    }

    /// Has the hub that is running do what is ordered, or does it where none is.
    private static func fulfil(_ order: OrderFiles.Order, _ options: Options) throws {
        _ = try standing(of: order.container, options)
        let folder = try existing(options)
        let orders = try folder.subfolder(OrderFiles.folderName)
        let change = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "sheaf.hub.order")
        // Where it cannot be watched it is looked at now and then all the same.
        let watch = try? DirectoryWatch(orders.path, on: queue) { _ in change.signal() }
        defer { watch?.cancel() }
        try OrderFiles.add(order, in: orders)
        let end = ProcessInfo.processInfo.systemUptime + orderSeconds
        while try OrderFiles.isThere(order, in: orders) {
            // It may have ended meanwhile.
            if let lock = try options.folder.lockIfFree() {
                try fulfilAlone(order, in: folder)
                try OrderFiles.remove(order, in: orders)
                return withExtendedLifetime(lock) {}
            }
            guard ProcessInfo.processInfo.systemUptime < end else {
                try OrderFiles.remove(order, in: orders)
                throw HubError(
                    """
                    The hub that runs on \(options.folder.path) has not done it: it is of an earlier version, or what it says on \
                    standard error tells why. End it, say this again, and start it.
                    """
                )
            }
            _ = change.wait(timeout: .now() + 0.1)
        }
    }

    /// Does what is ordered with the databases, which are this process's alone.
    private static func fulfilAlone(_ order: OrderFiles.Order, in folder: StorageFolder) throws {
        try RunningHub.checkRecords(in: folder)
        let (records, now) = try RunningHub.undamaged {
            (try SQLiteRecordStore(in: folder), try SegmentedBlobStore.servedSeconds(in: folder))
        }
        let outcome = Locked<Result<Void, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            do {
                try await OrderDesk.fulfil(order, records, now: now)
                outcome.withLock { $0 = .success(()) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        try outcome.withLock { try $0?.get() }
    }
}

extension SQLiteRecordStore {
    /// All containers of a store that another process may have open; nothing is written.
    ///
    /// - Parameter blobByteCounts: What the blobs of each come to.
    static func containers(
        at place: FilePath,
        blobByteCounts: [ContainerName: Int]
    ) throws -> [HubProcess.Container] {
        let connection = try SQLiteConnection(path: place.string)
        // A hub of an earlier version has removed nothing.
        let isNoted =
            try connection.knownFormatVersion(upTo: RecordSchema.formatVersion)
            >= RecordSchema.removalsVersion
        let names = try deviceNames(connection)
        let select = try connection.statement(
            """
            SELECT container, account, number, position, \(isNoted ? "committed, removed" : "NULL, NULL")
            FROM containers ORDER BY account, number
            """
        )
        var found: [HubProcess.Container] = []
        while try select.step() {
            let (id, number) = (ContainerName(unchecked: select.blob(0)), select.integer(2))
            let (writers, byteCount) = try writers(of: number, connection)
            var devices = Dictionary(uniqueKeysWithValues: writers.map { ($0, Int?.none) })
            devices.merge(try readers(of: number, connection)) { $1 }
            found.append(
                HubProcess.Container(
                    id: id,
                    account: AccountID(select.integer(1)),
                    commitCount: select.integer(3),
                    byteCount: byteCount + (blobByteCounts[id] ?? 0),
                    devices: devices.compactMap { device, asked in
                        names[device].map { HubProcess.Container.Device(name: $0, asked: asked) }
                    }.sorted { ($0.name, $0.asked ?? 0) < ($1.name, $1.asked ?? 0) },
                    committed: select.isNull(4) ? nil : select.integer(4),
                    standing: HubProcess.Container.Standing(Removal(select, 5))
                )
            )
        }
        return found
    }

    /// How a container stands in a store that another process may have open; nil where there is none.
    static func standing(
        of container: ContainerName,
        at place: FilePath
    ) throws -> HubProcess.Container.Standing? {
        let connection = try SQLiteConnection(path: place.string)
        let isNoted =
            try connection.knownFormatVersion(upTo: RecordSchema.formatVersion)
            >= RecordSchema.removalsVersion
        let select = try connection.statement(
            "SELECT \(isNoted ? "removed" : "NULL") FROM containers WHERE container = ?"
        )
        select.bind(1, container.bytes)
        defer { select.reset() }
        return try select.step() ? HubProcess.Container.Standing(Removal(select, 0)) : nil
    }

    /// What devices that are not refused are called.
    private static func deviceNames(_ connection: SQLiteConnection) throws -> [[UInt8]: String] {
        let select = try connection.statement("SELECT device, name FROM devices WHERE revoked = 0")
        var names: [[UInt8]: String] = [:]
        while try select.step() { names[select.blob(0)] = String(decoding: select.blob(1), as: UTF8.self) }
        return names
    }

    /// Who has written a container's log, and what its records and keys come to.
    private static func writers(
        of number: Int,
        _ connection: SQLiteConnection
    ) throws -> (devices: Set<[UInt8]>, byteCount: Int) {
        let entries = try connection.statement(
            """
            SELECT device, sum(length(record) + \(RecordSchema.entryByteCount)) FROM entries
            WHERE key > ? AND key < ? GROUP BY device
            """
        )
        entries.bind(1, key(number, 0))
        entries.bind(2, key(number + 1, 0))
        var (devices, byteCount): (Set<[UInt8]>, Int) = ([], 0)
        while try entries.step() {
            devices.insert(entries.blob(0))
            byteCount += entries.integer(1)
        }
        let keys = try connection.statement(
            "SELECT ifnull(sum(length(keys)), 0) FROM keys WHERE container = ?"
        )
        keys.bind(1, number)
        while try keys.step() { byteCount += keys.integer(0) }
        return (devices, byteCount)
    }

    /// Who has waited at a container's log, and when it was last.
    private static func readers(of number: Int, _ connection: SQLiteConnection) throws -> [[UInt8]: Int?] {
        // Before version 2 it was not written.
        guard try connection.formatVersion() >= 2 else { return [:] }
        let select = try connection.statement("SELECT device, asked FROM readings WHERE container = ?")
        select.bind(1, number)
        var devices: [[UInt8]: Int?] = [:]
        while try select.step() { devices[select.blob(0)] = select.integer(1) }
        return devices
    }
}

extension HubProcess.Container.Standing {
    fileprivate init(_ removal: Removal?) {
        switch removal {
        case nil: self = .kept
        case .kept?: self = .removed
        case .going?, .gone?: self = .gone
        }
    }
}

extension SegmentedBlobStore {
    /// What the blobs of each container come to in a store that another process may have open; nothing is written.
    static func byteCounts(at place: FilePath) throws -> [ContainerName: Int] {
        let connection = try SQLiteConnection(path: place.string)
        guard try connection.knownFormatVersion(upTo: BlobSchema.formatVersion) > 0 else { return [:] }
        let select = try connection.statement(
            """
            SELECT substr(key, 1, \(ContainerName.byteCount)), sum(bytes + \(BlobSchema.rowByteCount)) FROM blobs
            GROUP BY 1
            """
        )
        var byteCounts: [ContainerName: Int] = [:]
        while try select.step() {
            byteCounts[ContainerName(unchecked: select.blob(0))] = select.integer(1)
        }
        return byteCounts
    }

    /// For how long blobs have been served by all processes, where none runs.
    static func servedSeconds(in folder: StorageFolder) throws -> Int {
        try index(in: folder).map(BlobSchema.servedSeconds) ?? 1
    }

    /// Whether any account has ever had a blob here, where no process runs.
    static func hasKeptAny(in folder: StorageFolder) throws -> Bool {
        try index(in: folder).map(BlobSchema.hasAccounts) ?? false
    }

    /// Nil for none, and for one that was never begun to the end: it begins with the next process.
    private static func index(in folder: StorageFolder) throws -> SQLiteConnection? {
        guard try folder.status(of: indexName) != nil else { return nil }
        let connection = try SQLiteConnection(path: folder.path.appending(indexName).string)
        // Of an earlier version the times may be of a clock, far from 1.
        guard try connection.knownFormatVersion(upTo: BlobSchema.formatVersion) > 0 else { return nil }
        try BlobSchema.prepare(connection)
        return connection
    }
}
