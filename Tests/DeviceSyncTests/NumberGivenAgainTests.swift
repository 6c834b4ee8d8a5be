import DocumentFoundation
import FileSystem
import Foundation
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// File systems give the number of a removed file to the next one that is made.
@Suite("An inode's number that is given again", .onOwnThreads, .timeLimit(.minutes(2)))
struct NumberGivenAgainTests: LookingAtFolder {
    let folder: TestFolder

    init() throws { folder = try TestFolder("number") }

    private func mark(_ name: String) throws -> ItemID? {
        try FileIdentity.mark(at: FilePath(root.appendingPathComponent(name).path)).map { ItemID($0) }
    }

    private func inode(_ name: String) throws -> UInt64 {
        let path = FilePath(root.appendingPathComponent(name).path)
        return ItemTrace(try #require(try FolderScan.status(at: path))).inode
    }

    @Test("What a temporary file is renamed onto stays what it was, though another has its number by now")
    func replaced() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        try write("new", "a.txt.tmp")
        _ = try look(&table)
        let document = try #require(item("a.txt", in: table))
        let temporary = try #require(item("a.txt.tmp", in: table))
        try rename("a.txt.tmp", "a.txt")
        try write("another", "b.txt")
        table[document]?.trace.inode = try inode("b.txt")
        let outcome = try look(&table)
        let another = try #require(item("b.txt", in: table))
        #expect(item("a.txt", in: table) == document && another != document)
        #expect(outcome.missing == [temporary] && Set(outcome.touched.keys) == [document, another])
        #expect(try mark("a.txt") == document && mark("b.txt") == another)
    }

    @Test("So it does when what has the number has the temporary file's name")
    func replacedAgain() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        try write("new", "tmp")
        _ = try look(&table)
        let (document, temporary) = (
            try #require(item("a.txt", in: table)), try #require(item("tmp", in: table))
        )
        try rename("tmp", "a.txt")
        try write("newer", "tmp")
        table[document]?.trace.inode = try inode("tmp")
        let outcome = try look(&table)
        #expect(item("a.txt", in: table) == document && item("tmp", in: table) == temporary)
        #expect(outcome.missing.isEmpty && Set(outcome.touched.keys) == [document, temporary])
    }

    @Test("What a renamed document is replaced by is another, and the document is found, changed as it is")
    func movedAway() throws {
        var table = FolderTable()
        try write("old", "a.txt")
        try write("new", "tmp")
        _ = try look(&table)
        let document = try #require(item("a.txt", in: table))
        try rename("a.txt", "b.txt")
        try write("old, and changed", "b.txt")
        try rename("tmp", "a.txt")
        let outcome = try look(&table)
        #expect(outcome.missing.isEmpty && item("b.txt", in: table) == document)
        #expect(item("a.txt", in: table).map { $0 != document } == true)
    }
}
