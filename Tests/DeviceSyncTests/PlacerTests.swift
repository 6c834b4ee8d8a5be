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

    /// Somebody who saves a document at the very moment in which it has got another name.
    private struct Saver: SystemCallObserver {
        let path: FilePath
        let text: String?

        func willMake(_ call: SystemCall) -> CInt { 0 }

        func didMake(_ call: SystemCall) {
            guard call.name == "renameat2", let text else { return }
            do { try Data(text.utf8).write(to: path.url(isDirectory: false), options: .atomic) } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test(
        "What somebody saves as his document is moved is read: it is not what was moved",
        arguments: ["what is saved", nil]
    )
    func savedWhileMoved(saved: String?) throws {
        try withPlacer { placer, root in
            let (former, now) = (root.appending("a.txt"), root.appending("b.txt"))
            try Data("what was read".utf8).write(to: former.url(isDirectory: false))
            var table = FolderTable()
            table[item] = try known(former, ContentName("read"))
            var moved = try #require(table[item]?.state)
            moved.place.name = "b.txt"
            var replaced: ReplacedFile?
            let outcome = try SystemCallObservation.withObserver(Saver(path: now, text: saved)) {
                try placer.place(item, moved, in: table, replaced: &replaced)
            }
            guard case .done(let placed?) = outcome else {
                Issue.record("it is not done: \(outcome)")
                return
            }
            let text = String(decoding: try Data(contentsOf: now.url(isDirectory: false)), as: UTF8.self)
            #expect(text == saved ?? "what was read")
            // A trace that is not the file's has the next look read it.
            let seen = ItemTrace(try #require(try FolderScan.status(at: now)))
            #expect((placed.trace == seen) == (saved == nil))
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
