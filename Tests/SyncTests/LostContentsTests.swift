import Testing

@testable import Sync

/// Items that were evicted, and a hub that was put back to before it had their contents.
@Suite("Sync: lost contents")
struct LostContentsTests {
    private let item = ItemID(1, 1)
    private let other = ItemID(1, 2)
    private let folder = ItemID(1, 3)
    private let first = ContentName("first")
    private let second = ContentName("second")

    private func document(_ content: ContentName, _ place: ItemPlace = ItemPlace(.root, "a")) -> ItemState {
        ItemState(.document, at: place, content: content)
    }

    /// A log in which somebody else has committed states of the items.
    private func log(_ states: [(ItemID, ItemState?)]) -> [LogEntry] {
        states.enumerated().map { index, pair in
            let id = Commit.ID(DeviceID(9), session: 9, UInt64(index + 1))
            let base = states[..<index].lastIndex { $0.0 == pair.0 }.map { LogPosition($0 + 1) } ?? 0
            return LogEntry(LogPosition(index + 1), Commit(id, pair.0, on: base, pair.1))
        }
    }

    /// An engine whose disk is as the log says, with the item evicted.
    private func engine(_ entries: [LogEntry]) -> SyncEngine {
        var tree = ContainerTree()
        for entry in entries { _ = tree.read(entry) }
        var memory = SyncMemory()
        memory.agreed = tree.items
        var engine = SyncEngine(device: DeviceID(1), session: 1, memory, entries: entries)
        #expect(engine.take([.evicted([item]), .scanned(tree.items), .reconnected]) == [])
        return engine
    }

    @Test("What the hub has lost and is not here is not sent; it waits for a device that has it")
    func noSource() {
        let entries = log([(item, document(first))])
        var engine = engine(entries)
        #expect(engine.rewind(to: []) == [] && engine.take(.reconnected) == [])
        #expect(engine.reasons(for: item) == [.contentsLost(first)])
        #expect(engine.lostItems == [item] && engine.isAtRestApartFromLost && !engine.isAtRest)
        #expect(engine.take(.logRead(entries)) == [] && engine.isAtRest && engine.lostItems == [])
    }

    @Test("What is here again is sent")
    func hereAgain() {
        var engine = engine(log([(item, document(first))]))
        _ = engine.rewind(to: [])
        #expect(engine.take(.filled(item)) == [.upload(first)])
        // And gone before it has been sent.
        #expect(engine.take(.evicted([item])) == [])
        #expect(engine.reasons(for: item) == [.contentsLost(first)])
    }

    @Test("What the hub turns out to have lost waits as well, and is sent once it has come back here")
    func withheld() {
        var engine = engine(log([(item, document(first))]))
        let moved = document(first, ItemPlace(.root, "b"))
        guard case .commit(let commit)? = engine.take(.diskChanged(item, moved)).first else {
            Issue.record("nothing is committed")
            return
        }
        #expect(engine.take(.commitWithheld(commit.id, lacking: [first])) == [])
        #expect(engine.reasons(for: item) == [.contentsLost(first)])
        #expect(engine.take(.fetched(first)) == [.upload(first)])
        #expect(engine.take(.uploaded(first)).count == 1 && engine.isCommitting(item))
    }

    @Test("Another item with the same contents has them sent for both")
    func twin() {
        var engine = engine(log([(item, document(first))]))
        _ = engine.rewind(to: [])
        let effects = engine.take(.diskChanged(other, document(first, ItemPlace(.root, "b"))))
        #expect(effects == [.upload(first)])
        #expect(engine.take(.uploaded(first)).count == 2)
    }

    @Test("What the log still has of it holds, and what another device sends comes on top")
    func olderContents() {
        let entries = log([(item, document(first)), (item, document(second))])
        var engine = engine(entries)
        let placing = SyncEngine.Effect.place(item, document(first), expecting: document(second))
        #expect(engine.rewind(to: entries.prefix(1)) == [placing])
        #expect(engine.take(.placed(item)) == [] && engine.isAtRest)
        let back = SyncEngine.Effect.place(item, document(second), expecting: document(first))
        #expect(engine.take(.logRead(entries)) == [back])
    }

    @Test(
        "Nor does it take back what another device has made of it, by a commit of its own that is found again",
        arguments: [false, true]
    )
    func ownCommitAgain(isRemoved: Bool) {
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        var entries: [LogEntry] = []
        for content in [first, second] {
            _ = engine.take(.diskChanged(item, document(content)))
            guard case .commit(let commit)? = engine.take(.uploaded(content)).first else {
                Issue.record("nothing is committed")
                return
            }
            entries.append(LogEntry(LogPosition(entries.count + 1), commit))
            _ = engine.take(.logRead(entries))
        }
        _ = engine.take([.reconnected, .evicted([item])])
        let placing = SyncEngine.Effect.place(item, document(first), expecting: document(second))
        #expect(engine.rewind(to: entries.prefix(1)) == [placing])
        #expect(engine.take(.placed(item)) == [])
        if isRemoved { _ = engine.take(.diskChanged(item, nil)) }
        // The hub is put back again, to after the second.
        var effects = engine.take([.logRead(entries), .reconnected])
        if effects == [.fetch(second)] { effects = engine.take(.fetched(second)) }
        let expected = isRemoved ? nil : document(first)
        #expect(effects == [.place(item, document(second), expecting: expected)])
    }

    @Test("It leaves its name to an item that the log has")
    func givesWay() {
        var engine = engine(log([(item, document(first))]))
        #expect(engine.rewind(to: []) == [] && engine.take(.reconnected) == [])
        let arriving = document(second)
        #expect(engine.take(.logRead(log([(other, arriving)]))) == [.fetch(second)])
        let moved = document(first, ItemPlace(.root, "a 2"))
        #expect(engine.take(.fetched(second)) == [.place(item, moved, expecting: document(first))])
        #expect(engine.take(.placed(item)) == [.place(other, arriving, expecting: nil)])
        #expect(engine.take(.placed(other)) == [] && engine.lostItems == [item])
    }

    @Test("It leaves a folder that is to go")
    func leavesFolder() {
        let state = document(first, ItemPlace(folder, "a"))
        let shared: [(ItemID, ItemState?)] = [(folder, ItemState(.folder, at: ItemPlace(.root, "f")))]
        let entries = log(shared + [(item, state)])
        var engine = engine(entries)
        #expect(engine.rewind(to: entries.prefix(1)) == [] && engine.take(.reconnected) == [])
        let effects = engine.take(.logRead(log(shared + [(folder, nil)])))
        #expect(effects == [.place(item, document(first), expecting: state)])
        guard let known = shared[0].1 else { return }
        #expect(engine.take(.placed(item)) == [.remove(folder, expecting: known)])
        #expect(engine.take(.placed(folder)) == [] && engine.lostItems == [item])
    }

    @Test("A brake that is released is set again, though contents are lost for ever")
    func changeEnds() {
        var engine = engine(log([(item, document(first))]))
        _ = engine.rewind(to: [])
        #expect(engine.memory.braking.stages == [.leaving: .excused])
        #expect(engine.take(.reconnected) == [] && engine.memory.braking.stages == [:])
    }

    @Test("A person takes back what others have made of an evicted item: the hub has it, and nothing is sent")
    func takenBack() {
        let entries = log([(item, document(first)), (item, document(second))])
        var engine = engine(Array(entries.prefix(1)))
        engine.brakeLimits = SyncBrake.Limits(sharePercent: 1, countMin: 1)
        #expect(engine.take(.logRead(entries)) == [])
        #expect(engine.brakedItems(.arriving) == [item])
        let effects = engine.take(.brakeUndone(.arriving))
        guard case .commit(let commit)? = effects.first, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
        #expect(commit.base == 2 && commit.state == document(first))
        #expect(engine.take(.logRead([LogEntry(3, commit)])) == [] && engine.isAtRest && engine.brake == nil)
        #expect(engine.memory.braking.stages == [:])
    }

    @Test(
        "What two edits come from is not asked for where they are in conflict whatever it is",
        arguments: [false, true]
    )
    func needlessBase(areInConflict: Bool) {
        let (mine, theirs) = (ContentName("mine"), ContentName("theirs"))
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        engine.areInConflict = { [first] name, base, ours, other in
            areInConflict && name == "a" && base == first && ours == mine && other == theirs
        }
        _ = engine.take([.logRead(log([(item, document(first))])), .reconnected])
        _ = engine.take(.fetched(first))
        _ = engine.take(.placed(item))
        _ = engine.take(.diskChanged(item, document(mine)))
        _ = engine.take(.evicted([]))
        let both = log([(item, document(first)), (item, document(theirs))])
        let effects = Set(engine.take(.logRead(both)))
        #expect(effects == (areInConflict ? [.fetch(theirs)] : [.fetch(first), .fetch(theirs)]))
        let merge = SyncEngine.Effect.merge(item, base: first, ours: mine, theirs: theirs)
        #expect(engine.take(.fetched(theirs)) == (areInConflict ? [merge] : []))
    }

    @Test("Two edits of what nobody has any more are merged without it; nothing else goes on without")
    func lostBase() {
        let (mine, theirs) = (ContentName("mine"), ContentName("theirs"))
        let first = log([(item, document(self.first))])
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        _ = engine.take([.logRead(first), .reconnected])
        #expect(engine.take(.lost(self.first)) == [])
        _ = engine.take(.fetched(self.first))
        #expect(engine.take(.placed(item)) == [] && engine.isAtRest)
        _ = engine.take(.diskChanged(item, document(mine)))
        // Somebody has written into the file in place, and the vault has let go of what it was.
        _ = engine.take(.evicted([]))
        let both = log([(item, document(self.first)), (item, document(theirs))])
        #expect(Set(engine.take(.logRead(both))) == [.fetch(self.first), .fetch(theirs)])
        #expect(engine.take(.fetched(theirs)) == [])
        #expect(engine.take(.lost(self.first)) == [.merge(item, base: nil, ours: mine, theirs: theirs)])
        #expect(!engine.isGetting(self.first) && engine.waitingItem(for: self.first) == nil)
        let effects = engine.take(.merged(item, base: nil, ours: mine, theirs: theirs, nil))
        var losing = document(mine)
        losing.conflicts = [mine]
        #expect(effects == [.place(item, losing, expecting: document(mine))])
    }

    @Test("What a merge came to, and what a person wants back, is needed though no item has it yet")
    func coming() {
        let (mine, theirs, merged) = (ContentName("mine"), ContentName("theirs"), ContentName("merged"))
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        _ = engine.take([.logRead(log([(item, document(first))])), .reconnected])
        _ = engine.take(.fetched(first))
        _ = engine.take(.placed(item))
        _ = engine.take(.diskChanged(item, document(mine)))
        _ = engine.take(.logRead(log([(item, document(first)), (item, document(theirs))])))
        _ = engine.take(.fetched(theirs))
        _ = engine.take(.merged(item, base: first, ours: mine, theirs: theirs, merged))
        #expect(engine.comingContents(of: item) == [merged] && engine.differing == [item])
        _ = engine.take(.wantedBack([other: LargeChange.Former(document(second), replacement: nil)]))
        #expect(engine.comingContents(of: other) == [second] && engine.differing == [item, other])
    }

    @Test("What is wanted back in a folder that another has made meanwhile comes into that")
    func backInAnothersFolder() {
        let theirs = ItemID(2, 1)
        let state = ItemState(.folder, at: ItemPlace(.root, "f"))
        let inside = document(first, ItemPlace(folder, "a"))
        // Made, filled and removed; made by another, and then made again by the first.
        let states: [(ItemID, ItemState?)] = [
            (folder, state), (item, inside), (item, nil), (folder, nil), (theirs, state), (folder, state),
        ]
        let entries = log(states).map { entry in
            var commit = entry.commit
            if commit.item == theirs { commit.id = Commit.ID(DeviceID(8), session: 8, 1) }
            return LogEntry(entry.position, commit)
        }
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        _ = engine.take([.logRead(entries), .reconnected])
        _ = engine.take(.placed(theirs))
        #expect(engine.isAtRest && engine.tree.successor(of: folder) == theirs)
        let former = LargeChange.Former(inside, replacement: nil)
        #expect(engine.take(.wantedBack([item: former])) == [.fetch(first)])
        let back = document(first, ItemPlace(theirs, "a"))
        #expect(engine.take(.fetched(first)) == [.place(item, back, expecting: nil)])
    }
}
