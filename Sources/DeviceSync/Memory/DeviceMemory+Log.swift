internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import SQLite
internal import Sync

// The log as far as it has been read.
extension DeviceMemory {
    /// How many entries of the log there are: its positions have no gaps, and to count rows reads all of them.
    ///
    /// A damaged row may have any position: what is made room for is bounded.
    func logCount() throws -> Int {
        try max(0, min(number("SELECT coalesce(max(position), 0) FROM log"), Self.logCountMax))
    }

    private static let logCountMax = 1 << 24

    /// What a device has read of the log, as of what is remembered in a folder; nothing where it has no memory. Another process may
    /// have that open, and goes on.
    static func log(in folder: FilePath) throws -> [LogDesk.Heard] {
        try beside(folder)?.log() ?? []
    }

    /// What is remembered in a folder, beside who has it open; nil where nothing is.
    static func beside(_ folder: FilePath) throws -> DeviceMemory? {
        let own = try StorageFolder(at: folder)
        guard try own.status(of: fileName) != nil else { return nil }
        return try DeviceMemory(beside: own)
    }

    func log() throws -> [LogDesk.Heard] {
        let rows = try connection.statement(
            "SELECT position, entry, hash, statement FROM log ORDER BY position"
        )
        var heard: [LogDesk.Heard] = []
        heard.reserveCapacity(try logCount())
        while try rows.step() {
            let (commit, modified, lost) = try rows.withBlob(1) { bytes in
                var reader = StateReader(bytes)
                return try reader.datedCommit()
            }
            let entry = LogEntry(LogPosition(rows.integer(0)), commit)
            guard let hash = LogHash(bytes: rows.blob(2)) else {
                throw MalformedMemory(what: "a hash of the log")
            }
            let statement = rows.blob(3)
            heard.append(
                LogDesk.Heard(
                    entry: entry,
                    hash: hash,
                    statement: statement.isEmpty ? nil : statement,
                    modified: modified,
                    lost: lost
                )
            )
        }
        return heard
    }

    func forgetLog(after position: LogPosition) throws {
        let statement = try connection.statement("DELETE FROM log WHERE position > ?1")
        statement.bind(1, Int(position))
        try statement.run()
    }

    func put(_ heard: [LogDesk.Heard]) throws {
        guard !heard.isEmpty else { return }
        let statement = try connection.statement("INSERT OR REPLACE INTO log VALUES (?1, ?2, ?3, ?4)")
        var writer = StateWriter()
        for heard in heard {
            statement.bind(1, Int(heard.entry.position))
            writer.clear()
            writer.commit(heard.entry.commit, modified: heard.modified, lost: heard.lost)
            statement.bind(2, writer.bytes)
            statement.bind(3, heard.hash.bytes)
            statement.bind(4, heard.statement ?? [])
            try statement.run()
        }
    }

    /// Shows entries of the log, in order, one at a time.
    func forEachEntry(upTo position: LogPosition, _ body: (LogEntry) throws -> Void) throws {
        let rows = try connection.statement(
            "SELECT position, entry FROM log WHERE position <= ?1 ORDER BY position"
        )
        rows.bind(1, Int(clamping: position))
        defer { rows.reset() }
        while try rows.step() {
            let commit = try rows.withBlob(1) { bytes in
                var reader = StateReader(bytes)
                return try reader.commit()
            }
            try body(LogEntry(LogPosition(rows.integer(0)), commit))
        }
    }

    /// The hash of the log as far as an entry; nil for one that is not known.
    func hash(at position: LogPosition) throws -> LogHash? {
        let rows = try connection.statement("SELECT hash FROM log WHERE position = ?1")
        rows.bind(1, Int(clamping: position))
        defer { rows.reset() }
        return try rows.step() ? LogHash(bytes: rows.blob(0)) : nil
    }

    /// Who has made an entry of the log; nil for one that is not known.
    func author(at position: LogPosition) throws -> DeviceID? {
        try entry(at: position) { try $0.commit().id.device }
    }

    /// When an entry of the log says that its document was modified last; nil where it does not, or is about other contents.
    func modified(at position: LogPosition, as content: ContentName) throws -> Int64? {
        try entry(at: position) { try $0.commit().state?.content == content ? try $0.modified() : nil }
    }

    /// A commit that the log has, and when its document and contents in conflict with it were modified last.
    func datedCommit(at position: LogPosition) throws -> DatedCommit? {
        try entry(at: position) { try $0.datedCommit() }
    }

    private func entry<Value>(
        at position: LogPosition,
        _ read: (inout StateReader) throws -> Value?
    ) throws -> Value? {
        let rows = try connection.statement("SELECT entry FROM log WHERE position = ?1")
        rows.bind(1, Int(position))
        guard try rows.step() else { return nil }
        defer { rows.reset() }
        return try rows.withBlob(0) { bytes in
            var reader = StateReader(bytes)
            return try read(&reader)
        }
    }
}

/// A commit; when its document was modified last, in nanoseconds since 1970; and the same of contents that have lost a conflict.
typealias DatedCommit = (commit: Commit, modified: Int64?, lost: [ContentName: Int64])

extension StateReader {
    fileprivate mutating func datedCommit() throws -> DatedCommit {
        let commit = try commit()
        let modified = try modified()
        return (commit, modified, try lost(in: commit))
    }
}
