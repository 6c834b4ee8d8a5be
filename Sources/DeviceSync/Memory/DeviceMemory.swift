internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import SQLite
internal import Sealing
internal import Sync
internal import SyncMessages
internal import Vault

/// What a device remembers of a container: the log as far as it has read it, where disk and log agreed last, and how the
/// folder was seen last. For one thread at a time; one process has it open.
///
/// A write is one durable transaction. The newest may be lost with a backup that is put back: the engine finds its way.
final class DeviceMemory {
    let connection: SQLiteConnection
    /// Nil for one beside another, which has it.
    private let lock: StorageFile?
    private let home: StorageFolder
    /// Items that something is remembered of in `losses`: mostly none.
    var lossy: Set<ItemID> = []
    /// Items of which there is a note in `agreed`: mostly none.
    private var noted: Set<ItemID> = []

    static let fileName = "memory.sqlite"
    /// Locked by the process that keeps the container in step.
    static let lockName = "lock"
    /// 2: contents may be packed. 3: what disk and log agreed on last is noted where the two do not tell.
    private static let format = 3
    /// From how many bytes on SQLite's log is brought into the database: a start reads all of it.
    private static let logByteCountMax = 16 << 20
    /// It is written to here and there.
    private static let cacheKibibytes = 4096
    /// What is read as a whole, in its order, needs each page once. What is kept of it in memory is new memory each time, lies
    /// among what is made of it, and leaves holes there.
    private static let readCacheKibibytes = 64

    /// Opens the memory in a folder, made when there is none.
    ///
    /// - Throws: `SyncFailure` with code `inUse` when another process has it open; `SQLiteError`, `SystemError`.
    init(in folder: StorageFolder) throws {
        if try folder.status(of: Self.fileName) == nil {
            try folder.create(Self.fileName).sync()
            try folder.sync()
        }
        if try folder.status(of: Self.lockName) == nil { try folder.create(Self.lockName).sync() }
        let lock = try folder.open(Self.lockName, appends: true)
        guard try lock.lock(waits: false) else { throw SyncFailure.inUse(folder.path) }
        (self.lock, home) = (lock, folder)
        connection = try Self.open(folder, Self.cacheKibibytes)
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS log(
                position INTEGER PRIMARY KEY, entry BLOB NOT NULL, hash BLOB NOT NULL, statement BLOB NOT NULL);
            CREATE TABLE IF NOT EXISTS agreed(item BLOB PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS placing(item BLOB PRIMARY KEY, states BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS volumes(item BLOB PRIMARY KEY, volume BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS vanished(item BLOB PRIMARY KEY, how BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS sessions(session BLOB PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS conflicts(item BLOB PRIMARY KEY, versions BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS paused(item BLOB PRIMARY KEY, pause BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS excluded(item BLOB PRIMARY KEY, mark BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS requested(item BLOB PRIMARY KEY, request BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS losses(item BLOB PRIMARY KEY, losses BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS counted(item BLOB PRIMARY KEY, periods BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS survivors(item BLOB PRIMARY KEY, position BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS uncommitted(content BLOB PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS items(item BLOB PRIMARY KEY, seen BLOB NOT NULL) WITHOUT ROWID;
            """
        )
        let known = try value("format").flatMap { $0.first.map(Int.init) }
        if let known, known > Self.format { throw SyncFailure.tooNew(folder.path) }
        if known != Self.format { try connection.transaction { try set("format", [UInt8(Self.format)]) } }
        try forEach("SELECT item, losses FROM losses") { item, _ in lossy.insert(item) }
        try forEach("SELECT item, state FROM agreed") { item, _ in noted.insert(item) }
    }

    /// Opens a memory once more that somebody has open already, maybe, to read it on another thread or in another process.
    init(beside folder: StorageFolder) throws {
        (lock, home) = (nil, folder)
        connection = try Self.open(folder, Self.readCacheKibibytes)
    }

    /// When a memory was written to last, in seconds since 1970; 0 for never. To be asked before it is opened.
    static func lastWriteSeconds(in folder: StorageFolder) throws(SystemError) -> Int64 {
        var latest: Int64 = 0
        for name in [fileName, fileName + "-wal"] {
            if let status = try folder.status(of: name) {
                latest = max(latest, status.stamp.modificationSeconds)
            }
        }
        return latest
    }

    deinit { release() }

    /// Lets another have it, in this process or another one: nothing is written to it any more.
    ///
    /// The lock is given up by itself: to close it alone would leave it to a process that is just being started.
    func release() { lock?.unlock() }

    private static func open(
        _ folder: StorageFolder,
        _ cacheKibibytes: Int
    ) throws -> SQLiteConnection {
        try SQLiteConnection(
            path: folder.path.appending(fileName).string,
            cacheKibibytes: cacheKibibytes
        )
    }

    /// Has the next start find all of it in one place. Nothing is lost without.
    func settle() throws { try connection.checkpoint(empties: true) }

    /// Gives back what is kept of the database in memory; what is needed again is read again.
    func returnFreeRoom() { connection.returnFreePages() }

    /// Asks several things as of one moment, which costs less than to ask for each by itself. Nothing is written meanwhile.
    func atOneTime<Value>(_ body: () throws -> Value) throws -> Value { try connection.snapshot(body) }

    // MARK: Single values

    func value(_ key: String) throws -> [UInt8]? {
        let statement = try connection.statement("SELECT value FROM meta WHERE key = CAST(?1 AS TEXT)")
        statement.bind(1, Array(key.utf8))
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return statement.blob(0)
    }

    func set(_ key: String, _ value: [UInt8]) throws {
        let statement = try connection.statement("INSERT OR REPLACE INTO meta VALUES (CAST(?1 AS TEXT), ?2)")
        statement.bind(1, Array(key.utf8))
        statement.bind(2, value)
        try statement.run()
    }

    func remember(_ key: String, _ value: [UInt8]) throws {
        try connection.transaction { try set(key, value) }
    }

    func forget(_ key: String) throws {
        try connection.transaction {
            let statement = try connection.statement("DELETE FROM meta WHERE key = CAST(?1 AS TEXT)")
            statement.bind(1, Array(key.utf8))
            try statement.run()
        }
    }

    // MARK: All of it

    /// What disk and log agreed on last.
    ///
    /// - Parameters:
    ///   - seen: How the folder was seen last, as it is written down.
    ///   - log: What was read of the log.
    func agreed(seen: FolderTable, _ log: ContainerTree) throws -> AgreedItems {
        var noted = ItemMap<ItemState?>()
        try forEach("SELECT item, state FROM agreed") { item, reader in
            noted[item] = .some(try reader.state(like: log[item]))
        }
        return AgreedItems(noted: noted, seen: { seen.writtenState(of: $0) }, besides: log)
    }

    /// What an engine remembers beside that.
    func engine() throws -> SyncMemory {
        var memory = SyncMemory()
        try forEach("SELECT item, states FROM placing") { item, reader in
            memory.placing[item] = SyncMemory.Placing(try reader.state(), agreedAs: try reader.state())
        }
        try forEach("SELECT item, how FROM vanished") { item, _ in memory.vanished.insert(item) }
        let sessions = try connection.statement("SELECT session, count FROM sessions")
        while try sessions.step() {
            let session = try sessions.withBlob(0) { bytes in
                var reader = StateReader(bytes)
                return try reader.integer(UInt64.self)
            }
            memory.commitCounts[session] = UInt64(sessions.integer(1))
        }
        try recallBraking(into: &memory)
        try forEach("SELECT item, position FROM survivors") { item, reader in
            memory.survivors[item] = try reader.integer()
        }
        return memory
    }

    /// How the folder was seen last.
    func folder() throws -> FolderTable {
        try connection.setCache(kibibytes: Self.readCacheKibibytes)
        defer {
            // Without it later writes take longer, and do all the same.
            try? connection.setCache(kibibytes: Self.cacheKibibytes)
        }
        var table = FolderTable()
        table.reserveCapacity(try number("SELECT count(*) FROM items"))
        try forEach("SELECT item, seen FROM items") { item, reader in
            guard let state = try reader.state() else {
                throw MalformedMemory(what: "an item without a state")
            }
            var seen = FolderItem(state: state, trace: try reader.trace())
            seen.isDataless = try !reader.isAtEnd && reader.integer(UInt8.self) == 1
            table.recall(item, as: seen)
        }
        table.recall(volumes: try volumes())
        return table
    }

    /// The versions that contents have become which lost a conflict.
    func conflicts() throws -> [ItemID: [ContentName: VersionID]] {
        var conflicts: [ItemID: [ContentName: VersionID]] = [:]
        try forEach("SELECT item, versions FROM conflicts") { item, reader in
            for _ in 0..<(try reader.integer(UInt32.self)) {
                let content = try reader.content()
                let bytes = try (0..<16).map { _ in try reader.integer(UInt8.self) }
                conflicts[item, default: [:]][content] = VersionID(bytes: bytes)
            }
        }
        return conflicts
    }

    func remember(conflicts: [ContentName: VersionID], of item: ItemID) throws {
        try connection.transaction { try put(conflicts, of: item) }
    }

    private func put(_ conflicts: [ContentName: VersionID], of item: ItemID) throws {
        let encode: (inout StateWriter) -> Void = { writer in
            writer.integer(UInt32(conflicts.count))
            for (content, version) in conflicts {
                writer.content(content)
                for byte in version.bytes { writer.integer(byte) }
            }
        }
        try put("conflicts", item, conflicts.isEmpty ? nil : encode)
    }

    /// Items that somebody has paused.
    func pauses() throws -> [ItemID: SyncPause] {
        var pauses: [ItemID: SyncPause] = [:]
        try forEach("SELECT item, pause FROM paused") { item, reader in
            let seconds = Double(bitPattern: try reader.integer())
            pauses[item] = SyncPause(sinceSeconds: seconds, by: try reader.text())
        }
        return pauses
    }

    /// - Parameters:
    ///   - pauses: By item; nil for: paused no more.
    ///   - agreed: What disk and log agree on by that.
    func remember(pauses: [ItemID: SyncPause?], agreed: [ItemID: AgreedItems.Note] = [:]) throws {
        guard !pauses.isEmpty else { return }
        try connection.transaction {
            for (item, pause) in pauses {
                try put(
                    "paused",
                    item,
                    pause.map { pause in
                        { writer in
                            writer.integer(pause.sinceSeconds.bitPattern)
                            writer.text(pause.by)
                        }
                    }
                )
            }
            try put(agreed)
        }
        noteWritten(agreed)
    }

    /// Items whose contents somebody has asked for, and waits for no more.
    func requests() throws -> Set<ItemID> {
        var requests: Set<ItemID> = []
        try forEach("SELECT item, request FROM requested") { item, _ in requests.insert(item) }
        return requests
    }

    func remember(requests: Set<ItemID>, areOpen: Bool) throws {
        guard !requests.isEmpty else { return }
        try connection.transaction {
            for item in requests { try put("requested", item, areOpen ? { $0.integer(UInt8(1)) } : nil) }
        }
    }

    func number(_ sql: String) throws -> Int {
        let rows = try connection.statement(sql)
        defer { rows.reset() }
        return try rows.step() ? rows.integer(0) : 0
    }

    func forEach(_ sql: String, _ body: (ItemID, inout StateReader) throws -> Void) throws {
        let statement = try connection.statement(sql)
        while try statement.step() {
            let item = try statement.withBlob(0) { bytes in
                var reader = StateReader(bytes)
                return try reader.item()
            }
            try statement.withBlob(1) { bytes in
                var reader = StateReader(bytes)
                try body(item, &reader)
            }
        }
    }

    // MARK: Changes

    /// What one write is about.
    struct Changes {
        /// What comes after this place of the log is forgotten.
        var logEnd: LogPosition?
        /// Who is to be let in again as what is forgotten said that they share the container; nil for as before.
        var forgotten: [PublicIdentity]?
        var heard: [LogDesk.Heard] = []
        /// Contents of which these speak, and that were noted as sent.
        var committed: Set<ContentName> = []
        /// But for what disk and log agreed on.
        var engine = SyncMemoryChanges()
        /// What disk and log agreed on, of items that one of the three has otherwise than before.
        var agreed: [ItemID: AgreedItems.Note] = [:]
        /// Whose commits are counted.
        var session: UInt64 = 0
        /// Nil for: it is not there any more.
        var items: [ItemID: FolderItem?] = [:]
        /// Nil for: none begins there any more. Remembered without what has vanished with the former one, that
        /// would count as removed.
        var volumes: [ItemID: FolderTable.Volume?] = [:]
        /// Which versions show what is in conflict with items. Remembered without the items' states they would count as settled.
        var conflicts: [ItemID: [ContentName: VersionID]] = [:]
        /// When a period began; nil for: none has since.
        var period: LossPeriods.Beginning?
        /// When a person has decided on a large change; nil for: nobody has.
        var changeSeconds: Double?

        var isEmpty: Bool {
            logEnd == nil && forgotten == nil && heard.isEmpty && engine == SyncMemoryChanges()
                && agreed.isEmpty && items.isEmpty && volumes.isEmpty && conflicts.isEmpty && period == nil
        }
    }

    /// Makes changes durable.
    func write(_ changes: Changes) throws {
        guard !changes.isEmpty else { return }
        try connection.transaction {
            if let end = changes.logEnd { try forgetLog(after: end) }
            if let forgotten = changes.forgotten { try put(forgotten: forgotten) }
            try put(changes.heard)
            try delete(uncommitted: changes.committed)
            try put(changes.agreed)
            var places = ItemRows("placing", of: connection)
            for (item, placing) in changes.engine.placing.sorted(by: { $0.key < $1.key }) {
                let encode: ((inout StateWriter) -> Void)? = placing.map { placing in
                    { writer in
                        writer.state(placing.state)
                        writer.state(placing.agreedAs)
                    }
                }
                try places.put(item, encode)
            }
            for (item, hasVanished) in changes.engine.vanished.sorted(by: { $0.key < $1.key }) {
                try put("vanished", item, hasVanished ? { $0.integer(UInt8(1)) } : nil)
            }
            var items = ItemRows("items", of: connection)
            for (item, seen) in changes.items.sorted(by: { $0.key < $1.key }) {
                let encode: ((inout StateWriter) -> Void)? = seen.map { seen in
                    { writer in
                        writer.state(seen.state)
                        writer.trace(seen.trace)
                        if seen.isDataless { writer.integer(UInt8(1)) }
                    }
                }
                try items.put(item, encode)
                if seen == nil, lossy.contains(item) { try put("losses", item, nil) }
            }
            try put(volumes: changes.volumes)
            for (item, conflicts) in changes.conflicts.sorted(by: { $0.key < $1.key }) {
                try put(conflicts, of: item)
            }
            try rememberBraking(changes)
            for (item, position) in changes.engine.survivors.sorted(by: { $0.key < $1.key }) {
                try put("survivors", item, position.map { position in { $0.integer(position) } })
            }
            if changes.engine.commitCount > 0 {
                let statement = try connection.statement("INSERT OR REPLACE INTO sessions VALUES (?1, ?2)")
                var writer = StateWriter()
                writer.integer(changes.session)
                statement.bind(1, writer.bytes)
                statement.bind(2, Int(changes.engine.commitCount))
                try statement.run()
            }
        }
        noteWritten(changes.agreed)
        let log = try home.status(of: Self.fileName + "-wal")
        if let log, log.stamp.byteCount > Self.logByteCountMax { try connection.checkpoint() }
    }

    private func put(_ agreed: [ItemID: AgreedItems.Note]) throws {
        var rows = ItemRows("agreed", of: connection)
        for (item, note) in agreed.sorted(by: { $0.key < $1.key }) {
            switch note {
            case .otherwise(let state): try rows.put(item) { $0.state(state) }
            case .toldByDiskAndLog: if noted.contains(item) { try rows.put(item, nil) }
            }
        }
    }

    private func noteWritten(_ agreed: [ItemID: AgreedItems.Note]) {
        for (item, note) in agreed {
            if note == .toldByDiskAndLog { noted.remove(item) } else { noted.insert(item) }
        }
    }

    func put(_ table: String, _ item: ItemID, _ encode: ((inout StateWriter) -> Void)?) throws {
        var rows = ItemRows(table, of: connection)
        try rows.put(item, encode)
    }
}
