import FileSystem
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

/// What a process has to know that its disk has lost, as the one before it has written that down.
@Suite("Device memory: what has vanished", .onOwnThreads)
struct RememberedVanishingTests {
    private let folder: TestFolder
    private let item = ItemID(1, 1)
    private let state = ItemState(.document, at: ItemPlace(.root, "a"), content: ContentName("c"))

    init() throws { folder = try TestFolder("vanishing") }

    /// Writes changes down, and says what the next process finds.
    private func written(_ changes: [DeviceMemory.Changes]) throws -> SyncMemory {
        let storage = try StorageFolder(at: FilePath(folder.path))
        let memory = try DeviceMemory(in: storage)
        for changes in changes { try memory.write(changes) }
        memory.release()
        return try DeviceMemory(in: storage).engine()
    }

    private func changes(_ engine: SyncMemoryChanges) -> DeviceMemory.Changes {
        var changes = DeviceMemory.Changes()
        (changes.engine, changes.session) = (engine, 1)
        return changes
    }

    @Test("It is remembered until it is back")
    func untilBack() throws {
        let other = ItemID(1, 2)
        var (gone, back) = (SyncMemoryChanges(), SyncMemoryChanges())
        gone.vanished = [item: true, other: true]
        back.vanished = [other: false]
        let remembered = try written([changes(gone), changes(back)])
        #expect(remembered.vanished == [item])
    }

    @Test("The next process removes nothing for it, though what was sent of it last is heard of only then")
    func sent() throws {
        let made = LogEntry(1, Commit(Commit.ID(DeviceID(9), session: 1, 1), item, on: 0, state))
        var log = ReadLog(entryCount: 1)
        log.read(made)
        var known = SyncMemory()
        known.agreed = [item: state]
        var engine = SyncEngine(device: DeviceID(1), session: 1, known, log)
        var disk = ItemMap<ItemState>()
        disk[item] = state
        #expect(engine.take([.scanned(disk), .reconnected]) == [] && engine.isAtRest)
        var edited = state
        edited.content = ContentName("d")
        #expect(engine.take(.diskChanged(item, edited)) == [.upload(ContentName("d"))])
        let effects = engine.take(.uploaded(ContentName("d")))
        guard case .commit(let commit) = try #require(effects.first) else {
            Issue.record("\(effects)")
            return
        }
        #expect(engine.take(.vanished([item])) == [])
        // It ends before it hears of its commit.
        let remembered = try written([changes(engine.takeMemoryChanges())])
        #expect(remembered.vanished == [item])
        var next = SyncEngine(device: DeviceID(1), session: 2, remembered, log)
        _ = next.take(.scanned(ItemMap()))
        var all = next.take([.logRead([LogEntry(2, commit)]), .reconnected])
        all += next.take(.fetched(ContentName("d")))
        let removals = all.filter { if case .commit(let commit) = $0 { commit.state == nil } else { false } }
        #expect(removals == [], "\(all)")
        #expect(next.tree[item]?.content == ContentName("d"))
        _ = next.take(.placed(item))
        #expect(next.disk[item] == edited && next.isAtRest)
    }
}
