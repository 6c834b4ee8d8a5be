import Testing

@testable import Sync

/// What two devices have made without knowing of each other, and is the same.
@Suite("Sync: uniting")
struct UnitingTests {
    private let mine = ItemID(1, 1)
    private let theirs = ItemID(2, 2)
    private let content = ContentName("c")

    private func document(_ parent: ItemID, _ name: String, _ content: String = "c") -> ItemState {
        ItemState(.document, at: ItemPlace(parent, name), content: ContentName(content))
    }

    private func folder(_ parent: ItemID, _ name: String) -> ItemState {
        ItemState(.folder, at: ItemPlace(parent, name))
    }

    /// Somebody else's log.
    private func log(_ items: [(ItemID, ItemState?)]) -> [LogEntry] {
        var (log, tree) = (ContainerLog(), ContainerTree())
        for (number, (item, state)) in items.enumerated() {
            let id = Commit.ID(DeviceID(2), session: 1, UInt64(number + 1))
            _ = log.offer(Commit(id, item, on: tree.revision(of: item), state))
            for entry in log.entries(after: tree.position) { _ = tree.read(entry) }
        }
        return log.entries
    }

    private func engine(_ disk: ItemMap<ItemState>) -> SyncEngine {
        var engine = SyncEngine(device: DeviceID(1), session: 1, SyncMemory(), entries: [])
        _ = engine.take(.scanned(disk))
        return engine
    }

    @Test("An equal document that the log has becomes the log's: nothing is sent, fetched or placed")
    func document() {
        let ours = document(.root, "a")
        var engine = engine([mine: ours])
        let effects = engine.take([.logRead(log([(theirs, ours)])), .reconnected])
        #expect(effects == [.become(mine, theirs, expecting: ours)])
        #expect(engine.take(.became(mine, theirs)) == [])
        #expect(engine.isAtRest && engine.disk[theirs] == ours && engine.disk[mine] == nil)
        #expect(engine.memory.agreed == [theirs: ours])
    }

    @Test("A document of the same name with other contents stays another one")
    func otherContents() {
        let ours = document(.root, "a")
        var engine = engine([mine: ours])
        let effects = engine.take([.logRead(log([(theirs, document(.root, "a", "d"))])), .reconnected])
        #expect(Set(effects) == [.upload(content), .fetch(ContentName("d"))])
    }

    @Test("A folder of one name becomes the log's with all in it, and what is in both is one at any depth")
    func folders() {
        let inner = ItemID(1, 2)
        let lone = ItemID(1, 3)
        let theirInner = ItemID(2, 3)
        var engine = engine([
            mine: folder(.root, "sub"), inner: document(mine, "a"), lone: document(mine, "mine only", "m"),
        ])
        let entries = log([
            (theirs, folder(.root, "sub")), (theirInner, document(theirs, "a")),
            (ItemID(2, 4), document(theirs, "theirs only", "t")),
        ])
        var effects = engine.take([.logRead(entries), .reconnected])
        #expect(effects.contains(.become(mine, theirs, expecting: folder(.root, "sub"))))
        effects += engine.take(.became(mine, theirs))
        #expect(effects.contains(.become(inner, theirInner, expecting: document(theirs, "a"))))
        effects += engine.take(.became(inner, theirInner))
        effects += engine.take(.uploaded(ContentName("m")))
        effects += engine.take(.fetched(ContentName("t")))
        #expect(engine.disk[lone]?.parent == theirs)
        let commits = effects.compactMap { if case .commit(let commit) = $0 { commit } else { nil } }
        #expect(commits.map(\.item) == [lone] && commits.first?.state?.parent == theirs)
        #expect(effects.contains(.place(ItemID(2, 4), document(theirs, "theirs only", "t"), expecting: nil)))
        #expect(!effects.contains(.fetch(content)) && !effects.contains(.upload(content)))
    }

    @Test("A folder and a document of one name are no more one than before")
    func kinds() {
        var engine = engine([mine: folder(.root, "a")])
        let effects = engine.take([.logRead(log([(theirs, document(.root, "a"))])), .reconnected])
        #expect(!effects.contains { if case .become = $0 { true } else { false } })
    }

    @Test("What differs in what it bears only is one item, and that is merged as two edits are")
    func alike() {
        let (ours, other) = (document(.root, "a", "c+x"), document(.root, "a", "c"))
        var engine = engine([mine: ours])
        engine.areAlike = { $0.value.first == $1.value.first }
        #expect(
            engine.take([.logRead(log([(theirs, other)])), .reconnected]) == [
                .become(mine, theirs, expecting: ours)
            ]
        )
        #expect(engine.take(.became(mine, theirs)) == [.fetch(content)])
        #expect(
            engine.take(.fetched(content))
                == [.merge(theirs, base: nil, ours: ContentName("c+x"), theirs: content)]
        )
    }

    @Test("What has been written into it before it has become another is an edit of that")
    func editedMeanwhile() {
        let ours = document(.root, "a")
        var engine = engine([mine: ours])
        _ = engine.take([.logRead(log([(theirs, ours)])), .reconnected])
        let edited = document(.root, "a", "d")
        _ = engine.take(.diskChanged(mine, edited))
        // It is another item then: both stay.
        let effects = engine.take(.placeRefused(mine, found: edited))
        #expect(effects == [.upload(ContentName("d"))] && !engine.isAtRest)
    }

    @Test("A process that dies before or after, and says nothing of it, goes on", arguments: [true, false])
    func killed(isDone: Bool) {
        let ours = document(.root, "a")
        var engine = engine([mine: ours])
        let entries = log([(theirs, ours)])
        _ = engine.take([.logRead(entries), .reconnected])
        var next = SyncEngine(device: DeviceID(1), session: 2, engine.memory, entries: entries)
        let effects = next.take(.scanned(isDone ? [theirs: ours] : [mine: ours]))
        #expect(effects == (isDone ? [] : [.become(mine, theirs, expecting: ours)]))
        #expect(next.isAtRest == isDone)
    }

    /// An engine whose own item the hub has heard of after another's equal one.
    private func unitedLater(
        _ state: ItemState,
        _ more: [(ItemID, ItemState?)] = []
    ) -> (SyncEngine, [SyncEngine.Effect]) {
        var (engine, log) = (SyncEngine(device: DeviceID(1), session: 1), ContainerLog())
        var effects = engine.take([.reconnected, .diskChanged(mine, state)])
        effects = effects.flatMap { effect in
            if case .upload(let content) = effect { engine.take(.uploaded(content)) } else { [effect] }
        }
        _ = log.offer(Commit(Commit.ID(DeviceID(2), session: 1, 1), theirs, on: 0, state))
        for case .commit(let commit) in effects { #expect(log.offer(commit) == .accepted(2)) }
        for (number, (item, state)) in more.enumerated() {
            let base = log.entries.last { $0.commit.item == item }?.position ?? 0
            _ = log.offer(
                Commit(Commit.ID(DeviceID(2), session: 1, UInt64(number + 2)), item, on: base, state)
            )
        }
        effects = engine.take(.logRead(log.entries))
        return (engine, effects)
    }

    @Test("Two that have told the log of theirs in one moment have one: the later becomes the earlier")
    func atOnce() {
        for state in [document(.root, "a"), folder(.root, "f")] {
            var (engine, effects) = unitedLater(state)
            #expect(effects == [.become(mine, theirs, expecting: state)])
            effects = engine.take(.became(mine, theirs))
            #expect(
                effects == [] && engine.isAtRest && engine.disk[theirs] == state && engine.disk[mine] == nil
            )
        }
    }

    @Test("What was written meanwhile is an edit of the one")
    func editedAtOnce() {
        var (engine, _) = unitedLater(document(.root, "a"))
        let edited = document(.root, "a", "d")
        _ = engine.take(.diskChanged(mine, edited))
        #expect(engine.take(.placeRefused(mine, found: edited)) == [.become(mine, theirs, expecting: edited)])
        #expect(engine.take(.became(mine, theirs)) == [.upload(ContentName("d"))])
        guard case .commit(let commit)? = engine.take(.uploaded(ContentName("d"))).first else {
            Issue.record("it is lost")
            return
        }
        #expect(commit.item == theirs && commit.state == edited && commit.base == 1)
    }

    @Test("What has lost a conflict meanwhile is not lost with what goes, as the one is here as well")
    func conflictAtOnce() {
        let state = document(.root, "a")
        var (engine, _) = unitedLater(state, [(theirs, document(.root, "b")), (theirs, state)])
        // It is elsewhere on this disk, and what was made here has a conflict by now.
        _ = engine.take(.diskChanged(theirs, document(.root, "b")))
        var found = state
        found.conflicts = [ContentName("lost")]
        let effects = engine.take([
            .fetched(ContentName("lost")), .diskChanged(mine, found), .placeRefused(mine, found: found),
        ])
        #expect(!effects.contains { if case .remove = $0 { true } else { false } })
        #expect(engine.disk[mine] == found && !engine.isAtRest)
    }

    @Test("Where both are here, the later one waits until the earlier one is as the log has it, and says so")
    func bothHere() {
        let state = document(.root, "a")
        let edited = document(.root, "b", "d")
        var (engine, _) = unitedLater(state, [(theirs, edited)])
        let former = document(.root, "b")
        var effects = engine.take([.diskChanged(theirs, former), .placeRefused(mine, found: state)])
        #expect(effects == [.fetch(ContentName("d"))])
        #expect(engine.reasons(for: mine) == [.uniting(with: theirs)])
        let d = ContentName("d")
        effects = engine.take(.fetched(d))
        #expect(effects == [.merge(theirs, base: nil, ours: content, theirs: d)])
        #expect(engine.reasons(for: mine) == [.uniting(with: theirs)])
        effects = engine.take(.merged(theirs, base: nil, ours: content, theirs: d, d))
        #expect(effects == [.place(theirs, edited, expecting: former)])
        #expect(engine.take(.placed(theirs)) == [.remove(mine, expecting: state)])
    }

    @Test("What the one was edited to elsewhere comes, and its removal there is none of the other")
    func changedAtOnce() {
        let other = document(.root, "a", "d")
        var (engine, effects) = unitedLater(document(.root, "a"), [(theirs, other)])
        #expect(effects == [.become(mine, theirs, expecting: document(.root, "a"))])
        #expect(engine.take(.became(mine, theirs)) == [.fetch(ContentName("d"))])
        #expect(
            engine.take(.fetched(ContentName("d")))
                == [.place(theirs, other, expecting: document(.root, "a"))]
        )
        (engine, effects) = unitedLater(document(.root, "a"), [(theirs, nil)])
        guard case .commit(let commit)? = effects.first else {
            Issue.record("it is lost")
            return
        }
        #expect(
            effects.count == 1 && commit.item == mine && commit.state == document(.root, "a")
                && commit.base == 2
        )
    }

    @Test("What is put beside what is here without its contents, and has the same, is that again")
    func beside() {
        let state = document(.root, "a")
        let entries = log([(theirs, state)])
        var memory = SyncMemory()
        memory.agreed = [theirs: state]
        var engine = SyncEngine(device: DeviceID(1), session: 2, memory, entries: entries)
        _ = engine.take([.evicted([theirs]), .scanned([theirs: state]), .reconnected])
        #expect(engine.take(.diskChanged(mine, state)) == [.become(mine, theirs, expecting: state)])
        #expect(engine.take(.became(mine, theirs)) == [])
        #expect(engine.isAtRest && engine.dataless.isEmpty && engine.disk[mine] == nil)
        // Anything else is another item.
        _ = engine.take(.evicted([theirs]))
        #expect(engine.take(.diskChanged(mine, document(.root, "a", "d"))) == [.upload(ContentName("d"))])
    }

    @Test("What is put beside what is just being made what the log says waits for that, and says so")
    func besideWork() {
        let (state, edited) = (document(.root, "a"), document(.root, "a", "d"))
        var memory = SyncMemory()
        memory.agreed = [theirs: state]
        let entries = log([(theirs, state), (theirs, edited)])
        var engine = SyncEngine(device: DeviceID(1), session: 2, memory, entries: entries)
        let effects = engine.take([.evicted([theirs]), .scanned([theirs: state]), .reconnected])
        #expect(effects == [.place(theirs, edited, expecting: state)])
        #expect(engine.take(.diskChanged(mine, state)) == [])
        #expect(engine.reasons(for: mine) == [.uniting(with: theirs)])
    }

    @Test("What has been removed here is not what is made in its place")
    func madeAnew() {
        let ours = document(.root, "a")
        let entries = log([(theirs, ours)])
        var memory = SyncMemory()
        memory.agreed = [theirs: ours]
        var engine = SyncEngine(device: DeviceID(1), session: 2, memory, entries: entries)
        let effects = engine.take([.scanned([mine: ours]), .reconnected])
        #expect(
            effects.contains { if case .commit(let commit) = $0 { commit.item == theirs } else { false } }
        )
        #expect(!effects.contains { if case .become = $0 { true } else { false } })
    }
}
