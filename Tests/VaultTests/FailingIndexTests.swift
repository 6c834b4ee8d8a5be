import CrashHarness
import FileSystem
import Foundation
import SQLite
import Testing

@testable import Vault

/// Refuses what SQLite reads below a folder.
private final class UnreadableDatabases: SQLiteCallJudge {
    let folder: FilePath
    init(_ folder: FilePath) { self.folder = folder }
    func judge(readOf path: String) -> CInt { path.hasPrefix(folder.string + "/") ? EIO : 0 }
    func judge(writeTo path: String) -> CInt { 0 }
}

@Suite("A vault's index on a disk that fails")
struct FailingIndexTests {
    @Test("An index that cannot be read is not taken for a damaged one, and is not made anew")
    func unreadable() throws {
        let scratch = try ScratchFolder()
        let folder = try StorageFolder(at: scratch.path)
        let place = scratch.path.appending("index.sqlite")
        try folder.create("index.sqlite").sync()
        try SQLiteConnection(path: place.string).execute(
            "CREATE TABLE numbers(number INTEGER); INSERT INTO numbers VALUES (1)"
        )
        let judge = UnreadableDatabases(scratch.path)
        try SQLiteVolumes.add(judge)
        defer { SQLiteVolumes.remove(judge) }
        let error = #expect(throws: SQLiteError.self) {
            let connection = try SQLiteConnection(path: place.string)
            _ = try connection.statement("SELECT number FROM numbers").step()
        }
        #expect(error?.isFault == true && error?.isDamage == false)
        SQLiteVolumes.remove(judge)
        let statement = try SQLiteConnection(path: place.string).statement("SELECT number FROM numbers")
        #expect(try statement.step())
    }

    @Test("A vault whose index cannot be read for a while has the same index afterwards")
    func sameIndex() throws {
        let scratch = try ScratchFolder()
        let place = scratch.path.appending("vault")
        let store = try VaultStore(at: place, key: nil)
        let inode = try store.folder.status(of: VaultIndex.fileName)?.stamp.inode
        let judge = UnreadableDatabases(place)
        try SQLiteVolumes.add(judge)
        defer { SQLiteVolumes.remove(judge) }
        #expect(throws: SQLiteError.self) { try VaultStore(at: place, key: nil) }
        #expect(try store.folder.status(of: VaultIndex.fileName)?.stamp.inode == inode)
        SQLiteVolumes.remove(judge)
        #expect(try VaultStore(at: place, key: nil).withIndex { try $0.packs().count } == 0)
        #expect(try store.folder.status(of: VaultIndex.fileName)?.stamp.inode == inode)
    }
}
