import DocumentFoundation
import DocumentTesting
import FileSystem
import Foundation
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// Programs that make a folder or a file and give it the mark of another after that, as those do that copy with all attributes.
@Suite("What is given another mark after it was seen", .onOwnThreads, .timeLimit(.minutes(2)))
struct RemarkedTests: LookingAtFolder {
    let folder: TestFolder

    init() throws { folder = try TestFolder("remarked") }

    private func make(_ name: String) throws {
        let url = root.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    private func give(_ mark: FileMark, _ name: String) throws {
        let path = FilePath(root.appendingPathComponent(name).path)
        try #require(try FileIdentity.give(mark, toItemAt: path, replacing: true))
    }

    @Test(
        "Folders in each other are what they are marked as, also by what is told of the former ones",
        arguments: [false, true]
    )
    func folders(isInnerLooked: Bool) throws {
        var table = FolderTable()
        try make("x/z")
        try write("1", "x/1.txt")
        try write("2", "x/z/2.txt")
        _ = try look(&table)
        let former = try #require(item("x", in: table))
        let formerInner = try #require(table.item(at: ItemPlace(former, "z")))
        let one = try #require(table.item(at: ItemPlace(former, "1.txt")))
        let two = try #require(table.item(at: ItemPlace(formerInner, "2.txt")))
        let (outer, inner) = (ItemID(FileMark.fresh()), ItemID(FileMark.fresh()))
        try give(inner.mark, "x/z")
        try give(outer.mark, "x")
        let outcome = try look(&table, at: isInnerLooked ? nil : [.root, former])
        #expect(outcome.missing == [former, formerInner])
        // What is missing is looked for where it was.
        let sought = try look(&table, at: [.root, former])
        #expect(sought.placed.isEmpty && sought.touched.isEmpty && sought.missing == [former])
        // What is new in a folder may be told of the former one.
        try write("3", "x/3.txt")
        try write("4", "x/z/4.txt")
        let next = try look(&table, at: [former, formerInner])
        #expect(next.missing.contains(former) && next.touched.count == 2)
        #expect(item("x", in: table) == outer && table.item(at: ItemPlace(outer, "z")) == inner)
        #expect(table.item(at: ItemPlace(outer, "1.txt")) == one)
        #expect(table.item(at: ItemPlace(inner, "2.txt")) == two)
        let isAllThere = [ItemPlace(outer, "3.txt"), ItemPlace(inner, "4.txt")].allSatisfy {
            table.item(at: $0) != nil
        }
        #expect(isAllThere)
        #expect(Set(table.subtree(of: former)) == [former, formerInner])
        #expect(try mark("x") == outer && mark("x/z") == inner)
    }

    @Test("A folder that is given the mark back that it bore first keeps the other, with all in it")
    func backAndForth() throws {
        var table = FolderTable()
        try make("x")
        try write("1", "x/1.txt")
        _ = try look(&table)
        let former = try #require(item("x", in: table))
        let now = ItemID(FileMark.fresh())
        try give(now.mark, "x")
        #expect(try look(&table).missing == [former])
        try give(former.mark, "x")
        #expect(try look(&table).missing == [former])
        #expect(try item("x", in: table) == now && mark("x") == now)
        #expect(table.item(at: ItemPlace(now, "1.txt")) != nil)
        #expect(table.members(of: former).isEmpty)
    }

    @Test("A file that was two items under one name bears the mark of the one that has the name")
    func file() throws {
        var table = FolderTable()
        try write("1", "a.txt")
        _ = try look(&table)
        let former = try #require(item("a.txt", in: table))
        let now = ItemID(FileMark.fresh())
        try give(now.mark, "a.txt")
        #expect(try look(&table).missing == [former])
        try give(former.mark, "a.txt")
        #expect(try look(&table).missing == [former])
        #expect(try item("a.txt", in: table) == now && mark("a.txt") == now)
    }

    @Test("A directory that has the number of a removed folder, and its mark, is that")
    func numberAndMark() throws {
        var table = FolderTable()
        try make("a")
        try make("b")
        _ = try look(&table)
        let (a, b) = (try #require(item("a", in: table)), try #require(item("b", in: table)))
        try FileManager.default.removeItem(at: root.appendingPathComponent("a"))
        try give(a.mark, "b")
        // As if "b" had been made just after "a" was removed.
        let inode = try #require(table[b]?.trace.inode)
        table[a]?.trace.inode = inode
        #expect(try look(&table).missing == [b])
        #expect(item("b", in: table) == a)
    }

    @Test("A tree that is removed and copied back with its marks is there again everywhere, and stays")
    func restored() throws {
        let pair = try DevicePair.holding("1", as: "x/1.txt")
        let (one, two) = (pair.one, pair.two)
        try one.write("2", to: "x/z/2.txt")
        let names = ["x", "x/1.txt", "x/z", "x/z/2.txt"]
        let all = ["x": "/", "x/1.txt": "1", "x/z": "/", "x/z/2.txt": "2"]
        pair.wait { two.contents == all && pair.isSettled }
        let mark = { (name: String) in try? FileIdentity.mark(at: FilePath(one.path(name))) }
        let marks = try names.map { try #require(mark($0)) }
        try FileManager.default.removeItem(atPath: one.path("x"))
        pair.wait { two.contents.isEmpty && pair.isSettled }
        try one.write("1", to: "x/1.txt")
        try one.write("2", to: "x/z/2.txt")
        pair.wait { two.contents == all && pair.isSettled }
        let running = try #require(one.running)
        // No look comes in between, however busy the machine is.
        let isMarked = running.ask(
            { _ in
                zip(names, marks).reversed().allSatisfy { name, mark in
                    let path = FilePath(one.path(name))
                    return (try? FileIdentity.give(mark, toItemAt: path, replacing: true)) == true
                }
            },
            or: { _ in false }
        )
        #expect(isMarked)
        try one.write("3", to: "x/z/3.txt")
        var expected = all
        expected["x/z/3.txt"] = "3"
        // The former ones are gone once it is settled.
        pair.wait { two.contents == expected && one.contents == expected && pair.isSettled }
        try one.write("changed", to: "x/z/2.txt")
        expected["x/z/2.txt"] = "changed"
        pair.wait { two.contents == expected && one.contents == expected && pair.isSettled }
        pair.end()
    }
}
