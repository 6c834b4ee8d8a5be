import DocumentFoundation
import FileSystem
import Foundation
import Glibc
import Sync
import TestFolders
import Testing

@testable import DeviceSync

@Suite("Marks of many new documents")
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
            table[item]?.trace = trace
            table[item]?.state.content = ContentName("\(trace.inode)")
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
    }
}
