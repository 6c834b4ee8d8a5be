import CrashHarness
import Foundation
import TestThreads
import Testing

@testable import FileSystem

/// What root may do anyway, so that all of it is tried as another user.
@Suite("ReadOnlyFolder", .onOwnThreads, .enabled(if: geteuid() == 0, "only root can be another user"))
struct ReadOnlyFolderTests {
    /// Does something as user 1001, in a folder that is his.
    private static func asOther(_ body: (FilePath) throws -> Void) throws {
        let place = try OthersPlace()
        try #require(setegid(1001) == 0 && seteuid(1001) == 0)
        defer {
            _ = seteuid(0)
            _ = setegid(0)
        }
        try body(place.scratch.path)
    }

    private static func make(_ path: FilePath, _ text: String) throws {
        try DiskTree.folder(["a": .file(text), "Sub": ["b": .file(text)]]).write(to: path)
        for folder in [path.appending("Sub"), path] { try #require(chmod(folder.string, 0o555) == 0) }
    }

    private static func permissions(of path: FilePath) throws -> UInt32 {
        try FileStamp(of: path).permissions
    }

    private static func staged(_ item: FilePath, _ text: String) throws -> StagedSave {
        let save = try StagedSave(item: item, followsSymbolicLink: false)
        try make(try save.stagedPath(), text)
        return save
    }

    @Test("A package that nobody may write to comes to its place, and stays as it is")
    func arriving() async {
        await #expect(processExitsWith: .success) {
            try Self.asOther { folder in
                let item = folder.appending("item.rtfd")
                try Self.staged(item, "new").commit(MemberAttributes(permissions: 0o555))
                #expect(try DiskTree(at: item) == ["a": "new", "Sub": ["b": "new"]])
                #expect(try Self.permissions(of: item) == 0o555)
                #expect(try FolderScan.names(in: folder) == ["item.rtfd"])
            }
        }
    }

    @Test(
        "It is replaced by who carries out what was done elsewhere, and by nobody else",
        arguments: [false, true]
    )
    func replaced(replacesReadOnly: Bool) async {
        await #expect(processExitsWith: .success) { [replacesReadOnly = replacesReadOnly as Bool] in
            try Self.asOther { folder in
                let item = folder.appending("item.rtfd")
                try Self.make(item, "old")
                let save = try Self.staged(item, "new")
                save.replacesReadOnly = replacesReadOnly
                do {
                    try save.commit(MemberAttributes(permissions: 0o555))
                    #expect(replacesReadOnly)
                    try save.removeRemains()
                } catch let error as SystemError {
                    #expect(!replacesReadOnly && error.errno == EACCES)
                }
                let text = replacesReadOnly ? "new" : "old"
                #expect(try DiskTree(at: item) == ["a": .file(text), "Sub": ["b": .file(text)]])
                #expect(try Self.permissions(of: item) == 0o555)
                #expect(try FolderScan.names(in: folder) == ["item.rtfd"])
            }
        }
    }

    @Test("What is not as expected goes back, with the permissions that it had")
    func putBack() async {
        await #expect(processExitsWith: .success) {
            try Self.asOther { folder in
                let item = folder.appending("item.rtfd")
                try Self.make(item, "old")
                let save = try Self.staged(item, "new")
                save.replacesReadOnly = true
                save.isReplaceable = { _, _ in false }
                let error = #expect(throws: SystemError.self) { try save.commit() }
                #expect(error?.errno == ESTALE)
                #expect(try DiskTree(at: item) == ["a": "old", "Sub": ["b": "old"]])
                #expect(try Self.permissions(of: item) == 0o555)
                #expect(try FolderScan.names(in: folder) == ["item.rtfd"])
            }
        }
    }

    @Test("A folder in a package that nobody may write to can be removed from it")
    func member() async {
        await #expect(processExitsWith: .success) {
            try Self.asOther { folder in
                let item = folder.appending("item.rtfd")
                try Self.make(item, "old")
                try #require(chmod(item.string, 0o755) == 0)
                let save = try StagedSave(item: item)
                try save.write(PackageChanges(removed: [try #require(MemberPath(["Sub"]))]))
                try save.commit()
                try save.removeRemains()
                #expect(try DiskTree(at: item) == ["a": "old"])
            }
        }
    }

    @Test("It moves to another folder, and arrives among many")
    func moved() async {
        await #expect(processExitsWith: .success) {
            try Self.asOther { folder in
                let item = folder.appending("item.rtfd")
                try Self.make(item, "old")
                for name in ["there", "taken"] { try ItemMoves.createFolder(folder.appending(name)) }
                try ItemMoves.move(item, toFree: folder.appending("there/item.rtfd"))
                #expect(try Self.permissions(of: folder.appending("there/item.rtfd")) == 0o555)
                try ItemMoves.createFolder(folder.appending("taken/item.rtfd"))
                let error = #expect(throws: SystemError.self) {
                    try ItemMoves.move(
                        folder.appending("there/item.rtfd"),
                        toFree: folder.appending("taken/item.rtfd")
                    )
                }
                #expect(error?.errno == EEXIST)
                #expect(try Self.permissions(of: folder.appending("there/item.rtfd")) == 0o555)
                let arrivals = try Arrivals(in: folder)
                let tray = arrivals.folder.appending(Arrivals.name(ofTray: 0))
                try ItemMoves.createFolder(tray)
                try Self.make(tray.appending(Arrivals.name(of: 0)), "new")
                try arrivals.settle()
                try arrivals.put(0, at: item)
                try arrivals.finish()
                #expect(try DiskTree(at: item) == ["a": "new", "Sub": ["b": "new"]])
                #expect(try Self.permissions(of: item) == 0o555)
            }
        }
    }
}
