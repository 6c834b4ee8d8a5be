import CrashHarness
import Foundation
import Testing

@testable import FileSystem

/// A folder where everybody may save, and files in it that are user 1000's. For a process of its own, which root has started:
/// who one is holds for all threads.
struct OthersPlace {
    let scratch: ScratchFolder

    init() throws {
        // Everybody can get there.
        scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        try #require(chmod(scratch.path.string, 0o777) == 0)
    }

    /// Makes a file of user 1000 and group 1000; nil where files cannot be given away.
    func file(named name: String, permissions: UInt32) throws -> FilePath? {
        let item = scratch.path.appending(name)
        try DiskTree.file("old").write(to: item)
        // Root's other groups could be the file's.
        guard chown(item.string, 1000, 1000) == 0, setgroups(0, nil) == 0 else {
            print("not tried: nothing can be given away here, \(errno)")
            return nil
        }
        try #require(chmod(item.string, permissions) == 0)
        return item
    }

    func status(of item: FilePath) throws -> FileStatus { try SystemCalls.fstatat(.working, item.string) }

    /// Saves as user 1001.
    func save(
        _ item: FilePath,
        asGroup group: UInt32,
        _ write: (StagedSave) throws -> Void = { try $0.write(Data("new".utf8)) }
    ) throws {
        try #require(setegid(group) == 0 && seteuid(1001) == 0)
        defer {
            _ = seteuid(0)
            _ = setegid(0)
        }
        let save = try StagedSave(item: item)
        try write(save)
        _ = try save.commit()
        try save.removeRemains()
    }
}
