import Testing

@testable import Sync

/// What a disk has lost though nobody has removed it.
@Suite("Sync: what has vanished")
struct VanishingTests {
    private let item = ItemID(1, 1)
    private let state = ItemState(.document, at: ItemPlace(.root, "a"), content: ContentName("c"))

    private func entry(_ position: LogPosition, _ commit: Commit) -> LogEntry { LogEntry(position, commit) }

    private var made: LogEntry { entry(1, Commit(Commit.ID(DeviceID(9), session: 1, 1), item, on: 0, state)) }

    private var memory: SyncMemory {
        var memory = SyncMemory()
        memory.agreed[item] = state
        return memory
    }

    /// An engine whose disk and log have the same document.
    private func engine() -> SyncEngine {
        var engine = SyncEngine(device: DeviceID(1), session: 1, memory, entries: [made])
        var disk = ItemMap<ItemState>()
        disk[item] = state
        #expect(engine.take([.scanned(disk), .reconnected]) == [] && engine.isAtRest)
        return engine
    }

    private func effects(of engine: inout SyncEngine, _ event: SyncEngine.Event) -> [SyncEngine.Effect] {
        let effects = engine.take(event)
        // What was fetched a moment ago may be here still.
        guard effects == [.fetch(ContentName("c"))] else { return effects }
        return engine.take(.fetched(ContentName("c")))
    }

    @Test("What is gone is removed everywhere, and what has vanished comes back", arguments: [true, false])
    func gone(hasVanished: Bool) {
        var engine = engine()
        let effects = effects(of: &engine, hasVanished ? .vanished([item]) : .diskChanged(item, nil))
        guard hasVanished else {
            #expect(
                effects.contains { if case .commit(let commit) = $0 { commit.state == nil } else { false } }
            )
            return
        }
        #expect(effects == [.place(item, state, expecting: nil)])
        #expect(engine.take(.placed(item)) == [] && engine.isAtRest && engine.memory.vanished == [])
        #expect(engine.memory == memory)
    }

    @Test(
        "It comes back after a start, in which all else is scanned, and after another one before it has come"
    )
    func started() {
        var first = SyncEngine(device: DeviceID(1), session: 1, memory, entries: [made])
        let place: [SyncEngine.Effect] = [.fetch(ContentName("c"))]
        #expect(first.take([.vanished([item]), .scanned(ItemMap())]) == place)
        var remembered = memory
        let changes = first.takeMemoryChanges()
        for (item, state) in changes.agreed { remembered.agreed[item] = state }
        remembered.vanished = Set(changes.vanished.filter(\.value).keys)
        #expect(remembered == first.memory && remembered.vanished == [item])
        var second = SyncEngine(device: DeviceID(1), session: 2, remembered, entries: [made])
        #expect(second.take([.scanned(ItemMap()), .reconnected]) == place)
        #expect(second.takeMemoryChanges().vanished == [:])
    }

    @Test(
        "It comes back as it was sent last, though the hub's answer to that comes when it has vanished",
        arguments: [true, false]
    )
    func sent(isStartedAnew: Bool) throws {
        var engine = engine()
        var edited = state
        edited.content = ContentName("d")
        #expect(engine.take(.diskChanged(item, edited)) == [.upload(ContentName("d"))])
        let effects = engine.take(.uploaded(ContentName("d")))
        guard case .commit(let commit) = try #require(effects.first) else {
            Issue.record("\(effects)")
            return
        }
        #expect(engine.take(.vanished([item])) == [])
        if isStartedAnew {
            engine = SyncEngine(device: DeviceID(1), session: 2, engine.memory, entries: [made])
            _ = engine.take([.scanned(ItemMap())])
        }
        _ = engine.take([.logRead([entry(2, commit)]), .reconnected])
        let placed = engine.take(.fetched(ContentName("d")))
        #expect(engine.tree[item]?.content == ContentName("d"))
        #expect(placed == [.place(item, edited, expecting: nil)] || engine.lastAgreed(item) == nil)
        _ = engine.take(.placed(item))
        #expect(engine.disk[item] == edited && engine.isAtRest)
    }

    @Test(
        "What has come back before the log was read goes where it was moved to, as the process before has sent",
        arguments: [true, false]
    )
    func movedBefore(isStartedOnceMore: Bool) throws {
        var engine = engine()
        var moved = state
        moved.place.name = "b"
        let effects = engine.take(.diskChanged(item, moved))
        guard case .commit(let commit) = try #require(effects.first) else {
            Issue.record("\(effects)")
            return
        }
        engine = SyncEngine(device: DeviceID(1), session: 2, engine.memory, entries: [made])
        _ = engine.take([.vanished([item]), .scanned(ItemMap())])
        #expect(engine.take(.fetched(ContentName("c"))) == [.place(item, state, expecting: nil)])
        _ = engine.take(.placed(item))
        if isStartedOnceMore {
            engine = SyncEngine(device: DeviceID(1), session: 3, engine.memory, entries: [made])
            _ = engine.take([.scanned([item: state])])
        }
        let last = engine.take([.logRead([entry(2, commit)]), .reconnected])
        #expect(last == [.place(item, moved, expecting: state)])
        #expect(engine.take(.placed(item)) == [] && engine.isAtRest)
        #expect(engine.memory.vanished == [] && engine.lastAgreed(item) == moved)
    }

    @Test("What has been removed elsewhere meanwhile does not come back")
    func removedElsewhere() {
        var engine = engine()
        _ = engine.take(.vanished([item]))
        let removal = Commit(Commit.ID(DeviceID(9), session: 1, 2), item, on: 1, nil)
        #expect(engine.take(.logRead([entry(2, removal)])) == [])
        #expect(engine.take(.placeRefused(item, found: nil)) == [])
        #expect(engine.isAtRest && engine.memory.vanished == [] && engine.disk[item] == nil)
    }

    @Test("Nobody is asked about it, however much it is")
    func many() {
        let items = (1...40).map { ItemID(1, UInt64($0)) }
        var memory = SyncMemory()
        var disk = ItemMap<ItemState>()
        var entries: [LogEntry] = []
        for item in items {
            let state = ItemState(.document, at: ItemPlace(.root, "\(item)"), content: ContentName("c"))
            (memory.agreed[item], disk[item]) = (state, state)
            let id = Commit.ID(DeviceID(9), session: 1, item.low)
            entries.append(entry(item.low, Commit(id, item, on: 0, state)))
        }
        var engine = SyncEngine(device: DeviceID(1), session: 1, memory, entries: entries)
        _ = engine.take([.scanned(disk), .reconnected])
        _ = engine.take(.vanished(Set(items)))
        #expect(engine.brake == nil)
        #expect(engine.take(.fetched(ContentName("c"))).isEmpty || engine.brake == nil)
    }
}
