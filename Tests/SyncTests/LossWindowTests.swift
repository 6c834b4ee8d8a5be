import Testing

@testable import Sync

/// What counts as a part of a large change that comes bit by bit, and how one goes back to what was before it.
@Suite("Sync: large changes in small pieces")
struct LossWindowTests {
    /// A device and its hub, which takes every commit at once.
    private struct Scene {
        var engine: SyncEngine
        var log = ContainerLog()
        let items: [ItemID]

        init(count: Int) {
            items = (1...UInt64(count)).map { ItemID(1, $0) }
            for (number, item) in items.enumerated() {
                let id = Commit.ID(DeviceID(9), session: 1, UInt64(number + 1))
                _ = log.offer(Commit(id, item, on: 0, Self.document(item, "good \(item)")))
            }
            var memory = SyncMemory()
            memory.agreed = ItemMap(items.map { ($0, Self.document($0, "good \($0)")) })
            engine = SyncEngine(device: DeviceID(1), session: 1, memory, entries: log.entries)
            _ = engine.take([.scanned(memory.agreed), .reconnected])
        }

        static func document(_ item: ItemID, _ content: String) -> ItemState {
            ItemState(.document, at: ItemPlace(.root, "\(item)"), content: ContentName(content))
        }

        /// Something happens, and all that the engine says is done.
        mutating func take(_ events: [SyncEngine.Event]) {
            var effects = engine.take(events)
            while !effects.isEmpty {
                switch effects.removeFirst() {
                case .upload(let content): effects += engine.take(.uploaded(content))
                case .fetch(let content): effects += engine.take(.fetched(content))
                case .commit(let commit):
                    _ = log.offer(commit)
                    effects += engine.take(.logRead(Array(log.entries(after: engine.tree.position))))
                case .place(let item, _, _), .remove(let item, _): effects += engine.take(.placed(item))
                case .become, .merge: Issue.record("nothing is to be merged or united here")
                }
            }
        }

        /// One of the items is written over here, and all comes to rest.
        mutating func overwrite(_ index: Int, with content: String = "garbage") {
            take([.diskChanged(items[index], Self.document(items[index], content))])
        }

        /// Another device writes over one.
        mutating func overwriteThere(_ index: Int) {
            let item = items[index]
            let id = Commit.ID(DeviceID(9), session: 2, UInt64(index + 1))
            _ = log.offer(
                Commit(id, item, on: engine.tree.revision(of: item), Self.document(item, "theirs \(item)"))
            )
            take([.logRead(Array(log.entries(after: engine.tree.position)))])
        }

        mutating func restart() {
            let memory = engine.memory
            engine = SyncEngine(device: DeviceID(1), session: 2, memory, entries: log.entries)
            let disk = ItemMap(engine.tree.items.map { ($0.key, $0.value) })
            take([.scanned(disk), .reconnected])
        }

        var garbageCount: Int {
            engine.tree.items.values.count { $0.content?.value.hasPrefix("garbage") == true }
        }
    }

    @Test(
        "Forty of forty are written over one by one, with a rest after each: the brake holds at more than half"
    )
    func oneByOne() {
        var scene = Scene(count: 40)
        for index in 0..<40 { scene.overwrite(index) }
        #expect(scene.garbageCount == 20)
        let brake = scene.engine.brake
        #expect(brake?.direction == .leaving && brake?.waitingCount == 20 && brake?.doneCount == 20)
        #expect(brake?.itemCount == 40 && brake?.restorePoint == 40)
    }

    @Test("What others write over one by one is held, too")
    func arriving() {
        var scene = Scene(count: 40)
        for index in 0..<40 { scene.overwriteThere(index) }
        let brake = scene.engine.brake
        #expect(brake?.direction == .arriving && brake?.waitingCount == 20 && brake?.doneCount == 20)
    }

    @Test("A start, and a start again, do not have it forget")
    func restarted() {
        var scene = Scene(count: 40)
        for index in 0..<20 {
            scene.overwrite(index)
            scene.restart()
        }
        #expect(scene.engine.brake == nil && scene.garbageCount == 20)
        scene.overwrite(20)
        #expect(scene.engine.brake?.waitingCount == 1 && scene.engine.brake?.doneCount == 20)
        #expect(scene.engine.brake?.restorePoint == 40)
    }

    @Test("What is remembered bit by bit is what is remembered as a whole")
    func memoryChanges() {
        var scene = Scene(count: 40)
        _ = scene.engine.takeMemoryChanges()
        var known = SyncMemory()
        for index in 0..<45 {
            if index == 10 { scene.take([.periodBegan]) }
            if index == 40 { scene.take([.brakeReleased(.leaving)]) }
            if index == 42 { scene.take([.periodBegan, .periodBegan]) }
            scene.overwrite(index % 40, with: "garbage \(index)")
            let changes = scene.engine.takeMemoryChanges()
            for (item, loss) in changes.losses { known.losses[item] = loss }
            if let braking = changes.braking { known.braking = braking }
            if let change = changes.lastChange { known.lastChange = change }
            let memory = scene.engine.memory
            #expect(known.losses == memory.losses && known.braking == memory.braking, "after \(index)")
            #expect(known.lastChange == memory.lastChange, "after \(index)")
        }
        #expect(known.lastChange != nil)
    }

    @Test("Whoever works on the same few documents is never asked")
    func sameFew() {
        var scene = Scene(count: 21)
        for round in 0..<100 {
            for index in 0..<10 { scene.overwrite(index, with: "draft \(round)") }
        }
        #expect(scene.engine.brake == nil)
    }

    @Test("What is done in weeks is not one change; what is done in two periods is")
    func periods() {
        var slow = Scene(count: 40)
        for index in 0..<40 {
            slow.overwrite(index)
            if index % 10 == 9 { slow.take([.periodBegan]) }
        }
        #expect(slow.engine.brake == nil && slow.garbageCount == 40)
        var quick = Scene(count: 40)
        for index in 0..<40 {
            quick.overwrite(index)
            if index % 15 == 14 { quick.take([.periodBegan]) }
        }
        #expect(quick.engine.brake?.doneCount == 20)
    }

    @Test("A question stays as it is however long it waits")
    func patience() {
        var scene = Scene(count: 40)
        for index in 0..<40 { scene.overwrite(index) }
        scene.take([.periodBegan, .periodBegan, .periodBegan])
        #expect(scene.engine.brake?.doneCount == 20 && scene.engine.brake?.restorePoint == 40)
    }

    @Test("To put something new beside each document before that is removed is a large change, too")
    func copies() {
        var scene = Scene(count: 40)
        for index in 0..<40 {
            let copy = ItemID(5, UInt64(index + 1))
            let state = ItemState(
                .document,
                at: ItemPlace(.root, "\(index).x"),
                content: ContentName("garbage")
            )
            scene.take([.diskChanged(copy, state)])
            scene.take([.diskChanged(scene.items[index], nil)])
            if index == 10 { scene.restart() }
        }
        #expect(scene.engine.brake?.doneCount == 20 && scene.engine.brake?.waitingCount == 20)
        // What came since may go: that is not what there was.
        var other = Scene(count: 40)
        other.overwrite(0)
        let new = (1...100).map { ItemID(5, UInt64($0)) }
        for item in new {
            other.take([
                .diskChanged(
                    item,
                    ItemState(.document, at: ItemPlace(.root, "\(item)"), content: ContentName("x"))
                )
            ])
        }
        for item in new.prefix(50) { other.take([.diskChanged(item, nil)]) }
        #expect(other.engine.brake == nil)
    }

    @Test("A merge takes nothing: it does not count, however many there are")
    func merges() {
        var scene = Scene(count: 40)
        scene.engine.brakeLimits = SyncBrake.Limits(sharePercent: 1, countMin: 1)
        let item = scene.items[0]
        let id = Commit.ID(DeviceID(9), session: 3, 1)
        _ = scene.log.offer(Commit(id, item, on: 1, Scene.document(item, "theirs")))
        // Changed on both sides: merged.
        var effects = scene.engine.take([
            .diskChanged(item, Scene.document(item, "ours")),
            .logRead(Array(scene.log.entries(after: 40))),
        ])
        effects += scene.engine.take([.fetched(ContentName("theirs")), .fetched(ContentName("good \(item)"))])
        #expect(effects.contains { if case .merge = $0 { true } else { false } })
        let merged = SyncEngine.Event.merged(
            item,
            base: ContentName("good \(item)"),
            ours: ContentName("ours"),
            theirs: ContentName("theirs"),
            ContentName("both")
        )
        scene.take([merged])
        scene.take([.placed(item)])
        #expect(scene.engine.brake == nil && scene.engine.isAtRest)
        #expect(scene.engine.tree[item]?.content == ContentName("both"))
    }

    @Test("Who has answered is asked about the next change anew, and not about the rest of this one")
    func answered() {
        var scene = Scene(count: 40)
        for index in 0..<25 { scene.overwrite(index) }
        scene.take([.brakeReleased(.leaving)])
        #expect(scene.garbageCount == 25 && scene.engine.brake == nil)
        for index in 0..<20 { scene.overwrite(index, with: "garbage again") }
        #expect(scene.engine.brake == nil)
        scene.overwrite(30)
        #expect(scene.engine.brake?.waitingCount == 1)
    }

    @Test(
        "Who has answered is asked about the next change, too, where something that is paused never comes to rest"
    )
    func answeredWithoutRest() {
        var scene = Scene(count: 40)
        let held = scene.items[39]
        var moved = Scene.document(held, "good \(held)")
        moved.place.name = "moved"
        scene.take([.paused([held]), .diskChanged(held, moved)])
        for index in 0..<25 { scene.overwrite(index) }
        #expect(scene.engine.brake?.waitingCount == 5)
        scene.take([.brakeReleased(.leaving)])
        #expect(scene.garbageCount == 25 && scene.engine.brake == nil && !scene.engine.isAtRest)
        scene.take([.periodBegan])
        scene.take([.periodBegan])
        for index in 0..<25 { scene.overwrite(index, with: "garbage again \(index)") }
        #expect(scene.engine.brake?.direction == .leaving && scene.engine.brake?.waitingCount == 5)
        #expect(scene.engine.tree[held]?.place.name == "\(held)")
    }

    @Test("Switched off, it asks never")
    func off() {
        var scene = Scene(count: 40)
        scene.engine.brakeLimits = .off
        for index in 0..<40 { scene.overwrite(index) }
        #expect(scene.engine.brake == nil && scene.garbageCount == 40)
    }

    // MARK: Back

    private func goBack(_ scene: inout Scene) {
        guard let change = scene.engine.largeChange else {
            Issue.record("there is nothing to go back to")
            return
        }
        scene.take([.wantedBack(change.formers(in: scene.log.entries))])
    }

    @Test(
        "After it has gone on one can go back: what was replaced and removed is what it was, and what is newer stays"
    )
    func back() {
        var scene = Scene(count: 40)
        for index in 0..<19 { scene.overwrite(index) }
        for index in 19..<38 { scene.take([.diskChanged(scene.items[index], nil)]) }
        scene.take([.brakeReleased(.leaving)])
        #expect(scene.engine.tree.itemCount == 21 && scene.garbageCount == 19)
        #expect(scene.engine.largeChange?.items.count == 38 && scene.engine.largeChange?.restorePoint == 40)
        scene.overwrite(3, with: "newer")
        // Somebody has its name by now.
        let other = ItemID(2, 1)
        var taken = Scene.document(scene.items[20], "another")
        taken.place.name = "\(scene.items[20])"
        scene.take([.diskChanged(other, taken)])
        scene.restart()
        goBack(&scene)
        #expect(scene.engine.isAtRest && scene.engine.brake == nil)
        for (index, item) in scene.items.enumerated() {
            let content = scene.engine.tree[item]?.content
            #expect(content == ContentName(index == 3 ? "newer" : "good \(item)"), "\(index)")
            #expect(scene.engine.disk[item] == scene.engine.tree[item])
        }
        #expect(scene.engine.tree[scene.items[20]]?.place.name == "\(scene.items[20]) 2")
        #expect(scene.engine.tree[other]?.content == ContentName("another"))
        // Once more does nothing.
        let position = scene.engine.tree.position
        goBack(&scene)
        #expect(scene.engine.tree.position == position && scene.engine.isAtRest)
    }

    @Test("What was taken back before it went on can be had back as far as it had gone already")
    func backOfTheFirst() {
        var scene = Scene(count: 40)
        for index in 0..<30 { scene.overwrite(index) }
        scene.take([.brakeUndone(.leaving)])
        #expect(scene.garbageCount == 20 && scene.engine.brake == nil && scene.engine.isAtRest)
        goBack(&scene)
        #expect(scene.garbageCount == 0 && scene.engine.isAtRest)
    }

    @Test("Documents in folders that are gone come back with these")
    func folders() {
        let (folder, count) = (ItemID(3, 1), 3)
        var log = ContainerLog()
        let members = (1...UInt64(count)).map { ItemID(1, $0) }
        func offer(_ item: ItemID, _ state: ItemState?, _ number: UInt64) {
            let base = log.entries.last { $0.commit.item == item }?.position ?? 0
            _ = log.offer(Commit(Commit.ID(DeviceID(9), session: 1, number), item, on: base, state))
        }
        offer(folder, ItemState(.folder, at: ItemPlace(.root, "f")), 1)
        for member in members {
            let state = ItemState(.document, at: ItemPlace(folder, "\(member)"), content: ContentName("c"))
            offer(member, state, 1 + member.low)
        }
        for member in members { offer(member, nil, 10 + member.low) }
        offer(folder, nil, 20)
        let change = LargeChange(items: Set(members), restorePoint: 4, endPoint: 8)
        let formers = change.formers(in: log.entries)
        #expect(Set(formers.keys) == Set(members + [folder]))
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        _ = engine.take([.logRead(log.entries), .reconnected])
        var effects = engine.take(.wantedBack(formers))
        #expect(
            effects.first == .place(folder, ItemState(.folder, at: ItemPlace(.root, "f")), expecting: nil)
                || effects.first == .fetch(ContentName("c"))
        )
        effects = engine.take([.placed(folder), .fetched(ContentName("c"))])
        let placed = effects.filter { if case .place = $0 { true } else { false } }
        #expect(placed.count == count, "\(effects)")
    }

    @Test("A document that came after the restore point is what it was before the change")
    func late() {
        var scene = Scene(count: 40)
        scene.overwrite(0, with: "an edit")
        let new = ItemID(4, 1)
        let state = ItemState(.document, at: ItemPlace(.root, "new"), content: ContentName("new"))
        scene.take([.diskChanged(new, state)])
        for index in 1..<25 { scene.overwrite(index) }
        scene.take([.diskChanged(new, nil), .brakeReleased(.leaving)])
        #expect(scene.engine.tree[new] == nil && scene.engine.largeChange?.restorePoint == 40)
        goBack(&scene)
        #expect(scene.engine.tree[new] == state && scene.garbageCount == 0)
    }

    @Test("What has no contents here becomes what it was without them")
    func evicted() {
        var scene = Scene(count: 40)
        for index in 0..<25 { scene.overwrite(index) }
        scene.take([.brakeReleased(.leaving)])
        scene.take([.evicted([scene.items[2]])])
        goBack(&scene)
        #expect(scene.garbageCount == 0 && scene.engine.isAtRest)
        #expect(scene.engine.dataless == [scene.items[2]])
        #expect(scene.engine.tree[scene.items[2]]?.content == ContentName("good \(scene.items[2])"))
    }

    @Test("What is decided is not asked about again by the next process, though a period has passed")
    func decidedBefore() {
        var scene = Scene(count: 40)
        for index in 0..<25 { scene.overwrite(index) }
        #expect(scene.engine.brake?.waitingCount == 5)
        // The process ends before it has done it.
        _ = scene.engine.take(.brakeReleased(.leaving))
        let disk = ItemMap(scene.items.map { ($0, scene.engine.disk[$0] ?? Scene.document($0, "")) })
        let memory = scene.engine.memory
        scene.engine = SyncEngine(device: DeviceID(1), session: 2, memory, entries: scene.log.entries)
        _ = scene.engine.take([.periodBegan])
        scene.take([.scanned(disk), .reconnected])
        #expect(scene.engine.brake == nil && scene.garbageCount == 25)
        #expect(scene.engine.largeChange?.items.count == 25)
    }

    @Test("What is paused while its contents are got does not become what it was")
    func pausedOnItsWayBack() throws {
        var scene = Scene(count: 40)
        for index in 0..<25 { scene.overwrite(index) }
        scene.take([.brakeReleased(.leaving)])
        scene.restart()
        let formers = try #require(scene.engine.largeChange).formers(in: scene.log.entries)
        let item = scene.items[0]
        let wanted = try #require(formers[item]?.state.content)
        #expect(scene.engine.take(.wantedBack([item: try #require(formers[item])])) == [.fetch(wanted)])
        #expect(scene.engine.mayBePaused(item))
        _ = scene.engine.take(.paused([item]))
        #expect(scene.engine.take(.fetched(wanted)) == [])
        #expect(scene.engine.disk[item]?.content != wanted && scene.engine.isAtRest)
    }

    @Test("What another device has edited before its removal was sent is not lost, and does not count")
    func stayed() {
        var scene = Scene(count: 40)
        for index in 0..<35 { _ = scene.engine.take(.diskChanged(scene.items[index], nil)) }
        #expect(scene.engine.brake?.waitingCount == 35)
        for index in 0..<10 { scene.overwriteThere(index) }
        #expect(scene.engine.brake?.waitingCount == 25 && scene.engine.brake?.doneCount == 0)
    }
}
