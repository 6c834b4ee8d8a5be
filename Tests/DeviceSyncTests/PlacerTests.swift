import DocumentFoundation
import FileSystem
import Foundation
import Sync
import TestFolders
import Testing
import Vault

@testable import DeviceSync

@Suite("What is put in place, and what others do meanwhile")
struct PlacerTests {
    private let item = ItemID(1, 1)

    /// Works in a folder that is gone afterwards.
    private func withPlacer(_ body: (Placer, FilePath) throws -> Void) throws {
        let folder = try TestFolder("placer")
        defer { withExtendedLifetime(folder) {} }
        let root = FilePath(folder.path)
        let vault = try Vault(at: root.appending("vault"))
        let contents = ContentStore(vault: vault, device: UUID(), deviceName: "here")
        let coordinator = NSFileCoordinator(filePresenter: nil)
        try body(Placer(root: root, contents: contents, coordinator: coordinator), root)
    }

    private func known(_ path: FilePath, _ content: ContentName) throws -> FolderItem {
        let status = try #require(try FolderScan.status(at: path))
        let state = ItemState(.document, at: ItemPlace(.root, path.name), content: content)
        return FolderItem(state: state, trace: ItemTrace(status))
    }

    @Test(
        "What somebody saves as his document is moved is read: it is not what was moved",
        arguments: [true, false]
    )
    func savedWhileMoved(isSaved: Bool) throws {
        try withPlacer { placer, root in
            let (former, now) = (root.appending("a.txt"), root.appending("b.txt"))
            try Data("what was read".utf8).write(to: former.url(isDirectory: false))
            let known = try known(former, ContentName("read"))
            try FileManager.default.moveItem(atPath: former.string, toPath: now.string)
            if isSaved {
                try Data("what is saved".utf8).write(to: now.url(isDirectory: false), options: .atomic)
            }
            let trace = try #require(try placer.trace(of: now, moved: known))
            let seen = ItemTrace(try #require(try FolderScan.status(at: now)))
            // A trace that is not the file's has the next look read it.
            #expect((trace == seen) == !isSaved)
        }
    }

    @Test("What changes nothing on the disk leaves what is known of it alone")
    func notedOnly() throws {
        try withPlacer { placer, root in
            let path = root.appending("a.txt")
            try Data("mine".utf8).write(to: path.url(isDirectory: false))
            let known = try known(path, ContentName("mine"))
            var table = FolderTable()
            table[item] = known
            var noted = known.state
            noted.conflicts = [ContentName("mine")]
            var replaced: ReplacedFile?
            let outcome = try placer.place(item, noted, in: table, replaced: &replaced)
            guard case .done(let placed) = outcome else {
                Issue.record("it is not done: \(outcome)")
                return
            }
            #expect(placed == FolderItem(state: noted, trace: known.trace) && replaced == nil)
        }
    }
}
