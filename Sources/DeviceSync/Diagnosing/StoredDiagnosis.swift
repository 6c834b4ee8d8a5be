internal import FileSystem
internal import Foundation
internal import SQLite
internal import Sealing

/// What of a container lies on this device, for a report: sizes, and whether it is whole. Nothing of it is changed.
package struct StoredDiagnosis: Codable, Hashable, Sendable {
    /// A database, with what is still in its log.
    package struct Database: Codable, Hashable, Sendable {
        package var name: String
        package var byteCount: Int
        package var logByteCount: Int
        /// “whole”, or what is wrong with it, without a word of what is in it.
        package var integrity: String
        /// What helps where it cannot be read; no part of the report.
        package var remedy: String?

        private enum CodingKeys: CodingKey { case name, byteCount, logByteCount, integrity }
    }

    package var databases: [Database] = []
    package var packCount = 0
    package var packByteCount = 0
    package var keyGenerations: [UInt32] = []
    /// Whether shutting a device out was begun and not ended.
    package var isRevoking = false

    /// Looks at it.
    ///
    /// - Parameters:
    ///   - joined: Whose.
    ///   - home: Where this device keeps its own.
    /// - Throws: `SystemError` for what cannot be looked at.
    package init(of joined: JoinedContainer, in home: DeviceHome) throws {
        let own = home.folder(of: joined.settings.container)
        keyGenerations = joined.keys.keys.map(\.generation)
        isRevoking = try FileStamp.ifPresent(at: own.appending(Sharing.planName)) != nil
        let vault = own.appending("vault")
        for (name, place) in [
            ("memory", own.appending(DeviceMemory.fileName)),
            ("vault index", vault.appending("index.sqlite")),
        ] {
            if let found = try Self.database(name, at: place) { databases.append(found) }
        }
        let packs = vault.appending("packs")
        guard try FileStamp.ifPresent(at: packs) != nil else { return }
        for name in try FolderScan.names(in: packs) where name.hasSuffix(".pack") {
            packCount += 1
            packByteCount += try Self.byteCount(at: packs.appending(name))
        }
    }

    private static func byteCount(at place: FilePath) throws -> Int {
        try StorageFolder(containing: place).status(of: place.name).map { Int($0.stamp.byteCount) } ?? 0
    }

    private static func database(_ name: String, at place: FilePath) throws -> Database? {
        guard try FileStamp.ifPresent(at: place) != nil else { return nil }
        let (integrity, remedy) = integrity(at: place)
        return Database(
            name: name,
            byteCount: try byteCount(at: place),
            logByteCount: try byteCount(at: FilePath(place.string + "-wal")),
            integrity: integrity,
            remedy: remedy
        )
    }

    private static func integrity(at place: FilePath) -> (said: String, remedy: String?) {
        do {
            let connection = try SQLiteConnection(path: place.string)
            let check = try connection.statement("PRAGMA quick_check(1)")
            guard try check.step() else { return ("no answer", nil) }
            defer { check.reset() }
            return (check.blob(0) == Array("ok".utf8) ? "whole" : "damaged", nil)
        } catch {
            return error.isDamage ? ("damaged", nil) : ("cannot be read: code \(error.code)", error.remedy)
        }
    }
}
