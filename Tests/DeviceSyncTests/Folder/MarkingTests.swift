import DocumentFoundation
import FileSystem
import Foundation
import Glibc
import SeededNumbers
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

@Suite("Marks of many new documents", .onOwnThreads)
struct MarkingTests {
    private let folder: TestFolder
    private var root: FilePath { FilePath(folder.url.path) }

    init() throws {
        folder = try TestFolder("marking")
    }

    private func look(_ table: FolderTable) throws -> (FolderTable, FolderLook.Outcome) {
        var look = FolderLook(table, at: root, isPackage: { _ in false })
        let outcome = try look.look(at: [.root])
        var table = look.table
        // As if all had been read.
        for (item, trace) in outcome.touched {
            let former = table[item]?.trace
            table[item]?.trace = trace
            table[item]?.state.content = ContentName("\(trace.inode)")
            if let former, !former.isSameItem(as: trace) { table.handOnMark(of: item, former, in: root) }
        }
        return (table, outcome)
    }

    @Test("Each bears its item's, and all is as it was at the next look")
    func each() throws {
        let names = (0..<200).map { "\($0).txt" }
        for name in names { try Data(name.utf8).write(to: folder.url.appendingPathComponent(name)) }
        let (table, outcome) = try look(FolderTable())
        #expect(outcome.touched.count == names.count && outcome.unreadable.isEmpty)
        var items: Set<ItemID> = []
        for name in names {
            let item = try #require(table.item(at: ItemPlace(.root, name)))
            let place = root.appending(name)
            #expect(try FileIdentity.mark(at: place) == item.mark)
            #expect(try table[item]?.trace == FolderScan.status(at: place).map { ItemTrace($0) })
            items.insert(item)
        }
        #expect(items.count == names.count)
        let (_, next) = try look(table)
        #expect(next.touched.isEmpty && next.placed.isEmpty && next.missing.isEmpty)
    }

    @Test("Names of one file are items of their own, as are copies of a marked one")
    func alike() throws {
        let names = (0..<100).map { "\($0).txt" }
        for name in names { try Data(name.utf8).write(to: folder.url.appendingPathComponent(name)) }
        let links = ["", "a", "zz"].map { "\($0)0-link" }
        for link in links {
            #expect(Glibc.link(root.appending("7.txt").string, root.appending(link).string) == 0)
        }
        let mark = FileMark(UUID())
        let copies = ["5.txt", "50.txt", "90.txt"]
        for copy in copies { try FileIdentity.give(mark, toItemAt: root.appending(copy), replacing: true) }
        let (table, outcome) = try look(FolderTable())
        let items = (names + links).compactMap { table.item(at: ItemPlace(.root, $0)) }
        #expect(items.count == names.count + links.count && Set(items).count == items.count)
        #expect(outcome.touched.count == items.count)
        #expect(items.filter { $0 == ItemID(mark) }.count == 1)
        for name in names where name != "7.txt" {
            let item = table.item(at: ItemPlace(.root, name))
            #expect(try FileIdentity.mark(at: root.appending(name)) == item?.mark)
        }
        // The linked one bears the mark of one of its names, and no look takes that for another's.
        let linked = try (links + ["7.txt"]).map { try #require(table.item(at: ItemPlace(.root, $0))) }
        let borne = try #require(try FileIdentity.mark(at: root.appending("7.txt")))
        #expect(linked.contains(ItemID(borne)))
        let (same, next) = try look(table)
        #expect(next.touched.isEmpty && next.placed.isEmpty && next.missing.isEmpty)
        #expect(same.items.all == table.items.all)
        #expect(try FileIdentity.mark(at: root.appending("7.txt")) == borne)
    }

    @Test(
        "A look at everything finds what was done to names of one file, whichever bore its mark",
        arguments: 0..<40
    )
    func changedNames(_: Int) throws {
        let environment = ProcessInfo.processInfo.environment["SYNC_SEED"].flatMap { UInt64($0) }
        let seed = environment ?? .random(in: 1...999_999)
        var random = SplitMix64(seed: seed)
        let names = ["a", "b", "c", "d", "e"]
        try Data("first".utf8).write(to: folder.url.appendingPathComponent("a"))
        for name in ["b", "c"] {
            #expect(Glibc.link(root.appending("a").string, root.appending(name).string) == 0)
        }
        try Data("other".utf8).write(to: folder.url.appendingPathComponent("d"))
        var (table, _) = try look(FolderTable())
        for _ in 0..<6 {
            let (one, other) = (names[random.below(5)], names[random.below(5)])
            let (source, target) = (root.appending(one).string, root.appending(other).string)
            switch random.below(5) {
            case 0: _ = Glibc.rename(source, target)
            case 1: _ = Glibc.unlink(source)
            case 2: _ = Glibc.link(source, target)
            case 3:
                let file = Glibc.open(source, O_WRONLY | O_APPEND)
                if file >= 0 {
                    #expect(Glibc.write(file, "+", 1) == 1)
                    Glibc.close(file)
                }
            default:
                try Data("saved".utf8).write(to: folder.url.appendingPathComponent(".new"))
                _ = Glibc.rename(root.appending(".new").string, source)
            }
            let bystanders = names.filter { $0 != one && $0 != other }
            func items() -> [ItemID?] { bystanders.map { table.item(at: ItemPlace(.root, $0)) } }
            let before = items()
            let (next, outcome) = try look(table)
            table = next
            #expect(items() == before, "SYNC_SEED=\(seed)")
            // What is missing has gone for good.
            for item in outcome.missing {
                let trace = try #require(table[item]?.trace)
                table.handOnMark(of: item, trace, in: root)
                table[item] = nil
            }
            let found = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(table.items.values.map(\.state.place.name).sorted() == found, "SYNC_SEED=\(seed)")
            // There is nothing left to find, once it is seen which marks were given.
            table = try look(table).0
            let (same, rest) = try look(table)
            #expect(rest.touched.isEmpty && rest.placed.isEmpty && rest.missing.isEmpty, "SYNC_SEED=\(seed)")
            #expect(same.items.all == table.items.all)
        }
    }
}
