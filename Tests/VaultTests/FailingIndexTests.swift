import CrashHarness
import FileSystem
import Foundation
import SQLite
import TestThreads
import Testing

@testable import Vault

/// Refuses what SQLite reads below a folder.
private final class UnreadableDatabases: SQLiteCallJudge {
    let folder: FilePath
    init(_ folder: FilePath) { self.folder = folder }
    func judge(readOf path: String) -> CInt { path.hasPrefix(folder.string + "/") ? EIO : 0 }
    func judge(writeTo path: String) -> CInt { 0 }
}

@Suite("A vault's index on a disk that fails", .onOwnThreads)
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

    @Test(
        "A pack that could not be written to is not written to any more",
        arguments: ["write", "fsync"]
    )
    func failedPack(call: String) throws {
        let scratch = try ScratchFolder()
        let store = try VaultStore(at: scratch.path.appending("vault"), key: nil)
        let writer = try store.makeWriter()
        let bytes = [UInt8](repeating: 1, count: 100)
        let header = PackFormat.RecordHeader(
            kind: .chunk,
            encoding: .plain,
            storedByteCount: bytes.count,
            plainByteCount: bytes.count,
            name: ObjectName()
        )
        func append() throws { _ = try bytes.withUnsafeBytes { try writer.append(header, stored: $0) } }
        try append()
        let full = FullOnce(call: call)
        SystemCallObservation.withObserver(full) {
            #expect(throws: SystemError.self) { try writer.sync() }
            // There is room again, but nobody knows where the pack ends.
            #expect(throws: SystemError.self) { try append() }
            #expect(throws: SystemError.self) { try writer.sync() }
        }
        #expect(full.hasRefused)
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

    @Test("An index that is damaged after its disk has failed for a while is made anew")
    func damagedLater() throws {
        let scratch = try ScratchFolder()
        let place = scratch.path.appending("vault")
        let store = try VaultStore(at: place, key: nil)
        let path = place.appending(VaultIndex.fileName)
        // What another has written has to be read.
        let other = try SQLiteConnection(path: path.string)
        try other.execute("CREATE TABLE others(number INTEGER)")
        try other.checkpoint()
        let judge = UnreadableDatabases(place)
        try SQLiteVolumes.add(judge)
        defer { SQLiteVolumes.remove(judge) }
        let fault = #expect(throws: SQLiteError.self) { try store.withIndex { try $0.packs().count } }
        #expect(fault?.isFault == true)
        SQLiteVolumes.remove(judge)
        let file = try FileHandle(forWritingTo: path.url(isDirectory: false))
        let byteCount = try file.seekToEnd()
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data(repeating: 0xAA, count: Int(byteCount)))
        try file.close()
        #expect(try store.withIndex { try $0.packs().count } == 0)
        #expect(try store.writeIndex { try $0.packs().count } == 0)
    }
}
