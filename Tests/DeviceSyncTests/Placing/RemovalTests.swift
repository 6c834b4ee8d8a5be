import FileSystem
import Foundation
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

@Suite("Documents that are taken aside to be removed", .onOwnThreads)
struct RemovalTests: LookingAtFolder {
    let folder: TestFolder

    init() throws { folder = try TestFolder("removal") }

    /// A disk from which nothing can be removed.
    private struct FailingDisk: SystemCallObserver {
        func willMake(_ call: SystemCall) -> CInt { call.name == "unlinkat" ? EIO : 0 }
        func didMake(_ call: SystemCall) {}
    }

    private func name(_ byteCount: Int) -> String { String(repeating: "n", count: byteCount - 4) + ".txt" }

    private func path(_ name: String) -> FilePath { FilePath(root.path).appending(name) }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: root.path).sorted() }
    }

    @Test("What has the longest name goes, also on a volume whose names are shorter", arguments: [143, 255])
    func longest(byteCount: Int) throws {
        let name = name(byteCount)
        try write("text", name)
        let volume = byteCount > 143 ? nil : LimitedVolume(root.path, .narrowNames)
        defer { volume?.end() }
        let isRemoved = try Removal.remove(path(name), if: { _, _ in true })
        #expect(isRemoved)
        #expect(try names == [])
    }

    @Test(
        "What comes back has the name that it had, however long: by its inode, and by its mark on a disk with another number",
        arguments: [true, false]
    )
    func comesBack(hasNumber: Bool) throws {
        let (long, longer) = (name(250), name(255))
        try write("long", long)
        try write("longer", longer)
        var table = FolderTable()
        _ = try look(&table)
        let items = [long, longer].map { item($0, in: table) }
        for name in [long, longer] {
            #expect(throws: SystemError.self) {
                try SystemCallObservation.withObserver(FailingDisk()) {
                    _ = try Removal.remove(path(name), if: { _, _ in true })
                }
            }
        }
        #expect(try names.allSatisfy { $0.hasPrefix(".sheaf-removed-") && $0.utf8.count <= 143 })
        if !hasNumber {
            for item in items.compactMap({ $0 }) {
                let known = try #require(table[item]?.trace)
                table[item]?.trace = ItemTrace(
                    device: known.device + 1,
                    inode: known.inode,
                    kind: known.kind,
                    byteCount: known.byteCount,
                    permissions: known.permissions,
                    modified: known.modified,
                    changed: known.changed
                )
            }
        }
        let outcome = try look(&table)
        #expect(try names == [long, longer])
        #expect([long, longer].map { item($0, in: table) } == items)
        #expect(outcome.missing.isEmpty && outcome.placed.isEmpty && table.items.count == 2)
    }

    @Test(
        "What is left of a package that is gone is nobody's business, and goes whoever may write to its folders"
    )
    func gone() throws {
        let left = root.appendingPathComponent(".sheaf-gone-12ab/in")
        try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
        try write("text", ".sheaf-gone-12ab/in/TXT.rtf")
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: left.path)
        var table = FolderTable()
        let outcome = try SystemCallObservation.withObserver(FailingDisk()) { try look(&table) }
        #expect(outcome.leftOut.isEmpty && table.items.isEmpty)
        #expect(try names == [".sheaf-gone-12ab"])
        _ = try look(&table)
        #expect(try names == [])
    }
}
