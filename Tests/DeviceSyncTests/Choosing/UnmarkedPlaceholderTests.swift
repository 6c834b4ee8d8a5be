import DocumentFoundation
import FileSystem
import Foundation
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// Placeholders that bear no mark: nobody has removed what they stand for.
@Suite("Placeholders without marks", .onOwnThreads)
struct UnmarkedPlaceholderTests: LookingAtFolder {
    let folder: TestFolder

    init() throws { folder = try TestFolder("unmarked") }

    private func path(_ name: String) -> FilePath { FilePath(root.path).appending(name) }

    /// Writes the placeholder of a.txt, without a mark.
    private func writePlaceholder() throws {
        let stands = Placeholder(name: "a.txt", byteCount: 4, isDirectory: false, typeIdentifier: nil)
        try stands.encoded().write(to: root.appendingPathComponent(".a.txt.icloud"))
    }

    private func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: root.appendingPathComponent(name))
    }

    /// The item of a.txt, which is there with its contents.
    private func known(_ table: inout FolderTable) throws -> ItemID {
        try write("text", "a.txt")
        _ = try look(&table)
        return try #require(item("a.txt", in: table))
    }

    @Test(
        "One that a program has put back which leaves marks out is the item of its name, and is marked anew"
    )
    func putBack() throws {
        var table = FolderTable()
        let item = try known(&table)
        // As a process leaves it that is killed in the midst of an eviction, and as it is afterwards.
        for wasDataless in [false, true] {
            let name = wasDataless ? ".a.txt.icloud" : "a.txt"
            // Keeps the inode's number from being given again.
            let former = try FileHandle(forReadingFrom: root.appendingPathComponent(name))
            try remove(name)
            try writePlaceholder()
            let outcome = try look(&table)
            try former.close()
            #expect(outcome.missing.isEmpty && outcome.placed.isEmpty && outcome.leftovers.isEmpty)
            #expect(outcome.evicted == (wasDataless ? [] : [item]))
            #expect(table[item]?.isDataless == true && self.item("a.txt", in: table) == item)
            #expect(try FileIdentity.mark(at: path(".a.txt.icloud")) == item.mark)
        }
    }

    @Test("A copy, and one of what is not in the folder, stands for nothing, which is told")
    func stray() throws {
        var table = FolderTable()
        let item = try known(&table)
        try remove("a.txt")
        try writePlaceholder()
        _ = try look(&table)
        #expect(table[item]?.isDataless == true)
        for name in ["copy", "marked copy"] {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(name),
                withIntermediateDirectories: false
            )
            try FileManager.default.copyItem(
                atPath: path(".a.txt.icloud").string,
                toPath: path(name).appending(".a.txt.icloud").string
            )
        }
        try FileIdentity.give(item.mark, toItemAt: path("marked copy/.a.txt.icloud"), replacing: true)
        let outcome = try look(&table)
        #expect(outcome.missing.isEmpty && table[item]?.isDataless == true)
        for name in ["copy", "marked copy"] {
            let folder = try #require(self.item(name, in: table))
            #expect(
                outcome.leftOut[folder] == [LeftOut(name: ".a.txt.icloud", reason: .strayPlaceholder)],
                "\(name)"
            )
        }
        // Its item gone, the one that bears its mark is that.
        try remove(".a.txt.icloud")
        #expect(try look(&table).missing.isEmpty)
        #expect(table[item]?.state.parent == self.item("marked copy", in: table))
    }

    @Test("A copy that was looked at before all of it was there is no file of its own")
    func begunCopy() throws {
        var table = FolderTable()
        let item = try known(&table)
        try remove("a.txt")
        let stands = Placeholder(
            name: "a.txt",
            byteCount: 4,
            isDirectory: false,
            typeIdentifier: nil,
            mark: item.mark
        )
        try stands.encoded().write(to: root.appendingPathComponent(".a.txt.icloud"))
        _ = try look(&table)
        #expect(table[item]?.isDataless == true)
        try FileManager.default.createDirectory(
            at: root.appendingPathComponent("copy"),
            withIntermediateDirectories: false
        )
        try write("", "copy/.a.txt.icloud")
        _ = try look(&table)
        let folder = try #require(self.item("copy", in: table))
        let begun = try #require(table.item(at: ItemPlace(folder, ".a.txt.icloud")))
        // The file stays the one that it is.
        let file = try FileHandle(forWritingTo: root.appendingPathComponent("copy/.a.txt.icloud"))
        try file.write(contentsOf: try stands.encoded())
        try file.close()
        let outcome = try look(&table)
        #expect(outcome.missing == [begun] && outcome.placed.isEmpty)
        #expect(outcome.leftOut[folder] == [LeftOut(name: ".a.txt.icloud", reason: .strayPlaceholder)])
        #expect(table[item]?.isDataless == true)
    }

    @Test(
        "Where nothing bears a mark it is its item also when it has been touched or renamed, under whatever name"
    )
    func unmarkable() throws {
        let volume = LimitedVolume(root.path, .withoutDress)
        defer { volume.end() }
        var table = FolderTable()
        let item = try known(&table)
        try remove("a.txt")
        try writePlaceholder()
        _ = try look(&table)
        #expect(table[item]?.isDataless == true)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000)],
            ofItemAtPath: path(".a.txt.icloud").string
        )
        #expect(try look(&table).missing.isEmpty)
        #expect(table[item]?.isDataless == true)
        try rename(".a.txt.icloud", ".b.txt.icloud")
        let moved = try look(&table)
        #expect(moved.missing.isEmpty && moved.placed == [item])
        #expect(self.item("b.txt", in: table) == item && table[item]?.isDataless == true)
        try rename(".b.txt.icloud", "c.txt")
        let misnamed = try look(&table)
        #expect(misnamed.missing.isEmpty && Array(misnamed.misnamed.keys) == [item])
        #expect(table[item]?.isDataless == true && table.items.count == 1)
        // Removed, it is removed.
        try remove("c.txt")
        #expect(try look(&table).missing == [item])
    }

    @Test("One beside its item goes, and never takes the place of what has just been saved")
    func beside() throws {
        var table = FolderTable()
        let item = try known(&table)
        try writePlaceholder()
        try Data("saved anew".utf8).write(to: root.appendingPathComponent("new"))
        try rename("new", "a.txt")
        let outcome = try look(&table)
        #expect(outcome.leftovers == [path(".a.txt.icloud")])
        #expect(outcome.missing.isEmpty && outcome.evicted.isEmpty && table.items.count == 1)
        #expect(table[item]?.isDataless == false && self.item("a.txt", in: table) == item)
    }
}
