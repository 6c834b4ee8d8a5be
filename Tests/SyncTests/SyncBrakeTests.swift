import Testing

@testable import Sync

/// A change that would remove or overwrite much waits for a person.
@Suite("Sync: brake")
struct SyncBrakeTests {
    private let count = 40
    private var items: [ItemID] { (1...UInt64(count)).map { ItemID(1, $0) } }

    private func document(_ item: ItemID, _ content: String = "c") -> ItemState {
        ItemState(.document, at: ItemPlace(.root, "\(item)"), content: ContentName(content))
    }

    private var states: [ItemID: ItemState] {
        Dictionary(uniqueKeysWithValues: items.map { ($0, document($0)) })
    }

    /// An engine whose disk and log have the same forty documents.
    private func engine() -> SyncEngine {
        var memory = SyncMemory()
        memory.agreed = ItemMap(states)
        var engine = SyncEngine(device: DeviceID(1), session: 1, memory, entries: entries(states, from: 0))
        #expect(engine.take([.scanned(ItemMap(states)), .reconnected]) == [])
        #expect(engine.isAtRest)
        return engine
    }

    @Test(
        "To go on from a memory is nothing to write down, whatever a person has been asked",
        arguments: [false, true]
    )
    func remembered(isAsked: Bool) {
        var memory = SyncMemory()
        memory.agreed = ItemMap(states)
        if isAsked {
            memory.braking.stages = [.leaving: .asked]
            memory.braking.points = [
                .leaving: SyncMemory.Points(
                    period: 1,
                    former: nil,
                    current: .init(position: 40, itemCount: 40)
                )
            ]
        }
        var engine = SyncEngine(device: DeviceID(1), session: 1, memory, entries: entries(states, from: 0))
        #expect(engine.takeMemoryChanges() == SyncMemoryChanges())
        let left = isAsked ? states.filter { $0.key == items[0] } : states
        #expect(engine.take([.scanned(ItemMap(left))]) == [])
        #expect(engine.takeMemoryChanges() == SyncMemoryChanges())
        #expect((engine.brake != nil) == isAsked)
    }

    /// Another device's commits.
    private func entries(_ states: [ItemID: ItemState?], from position: LogPosition) -> [LogEntry] {
        states.sorted { $0.key < $1.key }.enumerated().map { index, pair in
            let id = Commit.ID(DeviceID(9), session: position, UInt64(index + 1))
            let base = position == 0 ? 0 : LogPosition(pair.key.low)
            return LogEntry(position + LogPosition(index + 1), Commit(id, pair.key, on: base, pair.value))
        }
    }

    private func removals(_ count: Int) -> [SyncEngine.Event] {
        items.prefix(count).map { .diskChanged($0, nil) }
    }

    @Test(
        "Up to half of the items are removed without a question, at once or one by one",
        arguments: [false, true]
    )
    func half(oneByOne: Bool) {
        var engine = engine()
        let effects =
            oneByOne ? removals(20).flatMap { engine.take($0) } : engine.take(removals(20))
        #expect(effects.count == 20 && engine.brake == nil)
    }

    @Test("A small folder is emptied without a question")
    func small() {
        var engine = engine()
        engine.brakeLimits = SyncBrake.Limits(sharePercent: 10, countMin: 30)
        #expect(engine.take(removals(29)).count == 29)
    }

    @Test("More than half is removed: nothing goes to the hub, all else goes on, until somebody says so")
    func leaving() {
        var engine = engine()
        #expect(engine.take(removals(21)) == [])
        let brake = engine.brake
        #expect(brake?.direction == .leaving && brake?.waitingCount == 21 && brake?.itemCount == 40)
        #expect(brake?.restorePoint == 40 && brake?.doneCount == 0)
        #expect(engine.reasons(for: items[0]) == [.braked(.leaving)])
        let other = ItemID(1, 99)
        #expect(engine.take(.diskChanged(other, document(other, "new"))) == [.upload(ContentName("new"))])
        let effects = engine.take(.brakeReleased(.leaving))
        #expect(effects.count == 21 && engine.brake == nil)
        #expect(
            effects.allSatisfy { if case .commit(let commit) = $0 { commit.state == nil } else { false } }
        )
    }

    @Test("Contents that wait to be written over go on waiting when the other side gains a conflict")
    func conflicts() {
        var conflicting = states
        for item in items.prefix(30) { conflicting[item]?.conflicts = [ContentName("other")] }
        let gained = conflicting.filter { items.prefix(30).contains($0.key) }
        // Written over here: what is at the hub waits.
        var engine = engine()
        engine.brakeLimits = SyncBrake.Limits(sharePercent: 10, countMin: 1)
        for item in items.prefix(30) { _ = engine.take(.uploaded(ContentName("new \(item)"))) }
        _ = engine.take(items.prefix(30).map { .diskChanged($0, document($0, "new \($0)")) })
        #expect(engine.brake(.leaving)?.waitingCount == 30)
        let effects = engine.take(.logRead(entries(gained.mapValues { $0 }, from: 40)))
        #expect(!effects.contains { if case .commit = $0 { true } else { false } }, "\(effects)")
        #expect(engine.brake(.leaving)?.waitingCount == 30)
        // Written over there: what is here waits.
        engine = self.engine()
        engine.brakeLimits = SyncBrake.Limits(sharePercent: 10, countMin: 1)
        let theirs = Dictionary(
            uniqueKeysWithValues: items.prefix(30).map { ($0, document($0, "new \($0)")) }
        )
        _ = engine.take(.logRead(entries(theirs, from: 40)))
        for item in items.prefix(30) { _ = engine.take(.fetched(ContentName("new \(item)"))) }
        #expect(engine.brake(.arriving)?.waitingCount == 30)
        let placed = engine.take(gained.map { .diskChanged($0.key, $0.value) })
        #expect(!placed.contains { if case .place = $0 { true } else { false } }, "\(placed)")
        #expect(engine.brake(.arriving)?.waitingCount == 30)
    }

    @Test("What is gone and should not be is got back")
    func undone() {
        var engine = engine()
        _ = engine.take(removals(30))
        let effects = engine.take(.brakeUndone(.leaving))
        let wanted = items.prefix(30).map { SyncEngine.Effect.place($0, document($0), expecting: nil) }
        #expect(effects == wanted && engine.brake == nil)
        #expect(engine.take(items.prefix(30).map { .placed($0) }) == [] && engine.isAtRest)
    }

    @Test(
        "One change that is heard of bit by bit is held as soon as it is too large, with what is left of it"
    )
    func bitByBit() {
        var engine = engine()
        #expect(engine.take(Array(removals(20))).count == 20)
        #expect(engine.take(Array(removals(25).suffix(5))) == [])
        #expect(engine.brake?.waitingCount == 25)
        // Those that were on their way arrive all the same.
        let gone: [ItemID: ItemState?] = Dictionary(uniqueKeysWithValues: items.prefix(20).map { ($0, nil) })
        _ = engine.take(.logRead(entries(gone, from: 40)))
        #expect(
            engine.brake?.waitingCount == 5 && engine.brake?.doneCount == 20 && engine.brake?.itemCount == 40
        )
    }

    private static func commits(_ effects: [SyncEngine.Effect]) -> [Commit] {
        effects.compactMap { if case .commit(let commit) = $0 { commit } else { nil } }
    }

    @Test(
        "What was on its way before too much was is got back as well, and is new should the hub have heard of it",
        arguments: [false, true]
    )
    func undoneOnItsWay(isPlacedFirst: Bool) {
        var engine = engine()
        let offered = Self.commits(engine.take(removals(20)))
        _ = engine.take(Array(removals(25).suffix(5)))
        #expect(offered.count == 20 && engine.brake?.waitingCount == 25)
        let effects = engine.take(.brakeUndone(.leaving))
        #expect(effects == items.prefix(25).map { .place($0, document($0), expecting: nil) })
        let placed = items.prefix(25).map { SyncEngine.Event.placed($0) }
        // The hub has heard of half of them.
        let heard = offered.prefix(10).enumerated().map { LogEntry(41 + LogPosition($0), $1) }
        let asked = engine.take(isPlacedFirst ? placed + [.logRead(heard)] : [.logRead(heard)] + placed)
        let again = Self.commits(asked)
        #expect(!asked.contains { if case .remove = $0 { true } else { false } }, "\(asked)")
        #expect(
            again.map(\.item) == Array(items.prefix(10)) && again.allSatisfy { $0.state == document($0.item) }
        )
        _ = engine.take(.logRead(again.enumerated().map { LogEntry(51 + LogPosition($0), $1) }))
        #expect(engine.isAtRest && engine.brake == nil && engine.disk.count == count)
    }

    @Test(
        "Contents that were on their way before too much was are got back as well, also if the hub has heard of them",
        arguments: [false, true]
    )
    func rewrittenOnItsWay(isPlacedFirst: Bool) {
        var engine = engine()
        let rewritten = items.prefix(25)
        for item in rewritten { _ = engine.take(.uploaded(ContentName("new \(item)"))) }
        let events = rewritten.map { SyncEngine.Event.diskChanged($0, document($0, "new \($0)")) }
        let offered = Self.commits(engine.take(Array(events.prefix(20))))
        _ = engine.take(Array(events.suffix(5)))
        #expect(offered.count == 20 && engine.brake?.waitingCount == 25)
        _ = engine.take(.fetched(ContentName("c")))
        let effects = engine.take(.brakeUndone(.leaving))
        #expect(effects == rewritten.map { .place($0, document($0), expecting: document($0, "new \($0)")) })
        #expect(engine.brake == nil)
        let placed = rewritten.map { SyncEngine.Event.placed($0) }
        let heard = offered.prefix(10).enumerated().map { LogEntry(41 + LogPosition($0), $1) }
        let asked = engine.take(isPlacedFirst ? placed + [.logRead(heard)] : [.logRead(heard)] + placed)
        let again = Self.commits(asked)
        #expect(again.map(\.item) == Array(items.prefix(10)))
        #expect(again.allSatisfy { $0.state?.content == ContentName("c") }, "\(again)")
        _ = engine.take(.logRead(again.enumerated().map { LogEntry(51 + LogPosition($0), $1) }))
        #expect(engine.isAtRest && engine.brake == nil)
        #expect(items.allSatisfy { engine.disk[$0]?.content == ContentName("c") })
    }

    @Test("Contents that come in place of too many others wait, and those that were here can be kept")
    func arriving() {
        var engine = engine()
        let others: [ItemID: ItemState?] = states.mapValues { state in
            var state = state
            state.content = ContentName("scrambled")
            return state
        }
        #expect(engine.take(.logRead(entries(others, from: 40))) == [])
        #expect(engine.brake?.direction == .arriving && engine.brake?.waitingCount == 40)
        let effects = engine.take(.brakeUndone(.arriving))
        let commits = effects.compactMap { if case .commit(let commit) = $0 { commit } else { nil } }
        #expect(commits.count == 40 && commits.allSatisfy { $0.state?.content == ContentName("c") })
        #expect(engine.brake == nil)
    }

    @Test("Who puts back by hand what is gone is asked nothing any more")
    func putBack() {
        var engine = engine()
        _ = engine.take(removals(40))
        #expect(engine.brake != nil)
        #expect(engine.take(items.map { .diskChanged($0, document($0)) }) == [])
        #expect(engine.brake == nil && engine.isAtRest)
        #expect(engine.take(removals(20)).count == 20)
    }

    @Test(
        "Who puts back so much that he would not have been asked is asked nothing any more, and the rest goes on"
    )
    func shrunk() {
        var engine = engine()
        #expect(engine.take(removals(25)) == [])
        #expect(engine.take(items.prefix(4).map { .diskChanged($0, document($0)) }) == [])
        #expect(engine.brake?.waitingCount == 21)
        let rest = Self.commits(engine.take(.diskChanged(items[4], document(items[4]))))
        #expect(rest.map(\.item) == Array(items[5..<25]) && rest.allSatisfy { $0.state == nil })
        #expect(engine.brake == nil)
        // What has gone on counts.
        #expect(engine.take(Array(removals(26).suffix(1))) == [] && engine.brake?.waitingCount == 21)
    }

    @Test("What waits does not go on by more items, nor by other limits")
    func notShrunk() {
        var engine = engine()
        _ = engine.take(.uploaded(ContentName("new")))
        _ = engine.take(removals(25))
        let new = (1001...1200).map { ItemID(5, UInt64($0)) }
        _ = engine.take(new.map { .diskChanged($0, document($0, "new")) })
        #expect(engine.brake?.waitingCount == 25)
        engine.brakeLimits = .off
        _ = engine.take(.diskChanged(new[0], document(new[0], "newer")))
        #expect(engine.brake?.waitingCount == 25)
        // By those with which he was asked.
        _ = engine.take(.diskChanged(items[0], document(items[0])))
        #expect(engine.brake?.waitingCount == 24)
        let rest = engine.take(items[1..<5].map { .diskChanged($0, document($0)) })
        #expect(Self.commits(rest).filter { $0.state == nil }.count == 20 && engine.brake == nil)
    }

    @Test("What is here and has not been sent yet is among all there is")
    func unsent() {
        var engine = engine()
        let new = (1001...1060).map { ItemID(5, UInt64($0)) }
        _ = engine.take(new.map { .diskChanged($0, document($0, "new")) })
        #expect(Self.commits(engine.take(removals(30))).count == 30 && engine.brake == nil)
    }

    @Test("A question and an answer outlive the process", arguments: [false, true])
    func restarted(isAnswered: Bool) {
        var engine = engine()
        _ = engine.take(removals(40))
        if isAnswered { _ = engine.take(.brakeReleased(.leaving)) }
        let stage: SyncBrake.Stage = isAnswered ? .answered : .asked
        #expect(engine.takeMemoryChanges().braking?.stages == [.leaving: stage])
        #expect(engine.takeMemoryChanges().braking == nil)
        let log = entries(states, from: 0)
        var next = SyncEngine(device: DeviceID(1), session: 2, engine.memory, entries: log)
        // Less than the share is left to do, and it is the same change.
        let rest = states.filter { $0.key.low > 10 }
        #expect(next.take(.scanned(ItemMap(rest))).count == (isAnswered ? 10 : 0))
        #expect((next.brake == nil) == isAnswered)
    }

    @Test("A new container is filled, and a hub put back to a backup is healed, without a question")
    func noQuestion() {
        var fresh = SyncEngine(device: DeviceID(2), session: 1)
        _ = fresh.take(.logRead(entries(states, from: 0)))
        #expect(fresh.take(.fetched(ContentName("c"))).count == 40 && fresh.brake == nil)
        let others: [ItemID: ItemState?] = states.mapValues { state in
            var state = state
            state.content = ContentName("later")
            return state
        }
        let log = entries(states, from: 0)
        var memory = SyncMemory()
        memory.agreed = ItemMap(others.compactMapValues { $0 })
        var engine = SyncEngine(
            device: DeviceID(1),
            session: 1,
            memory,
            entries: log + entries(others, from: 40)
        )
        _ = engine.take(.scanned(memory.agreed))
        #expect(engine.rewind(to: log) == [.upload(ContentName("later"))])
        #expect(engine.take(.uploaded(ContentName("later"))).count == 40)
    }

    @Test("A folder that a brake has held makes room once it is released")
    func makesRoom() {
        let (folder, member) = (ItemID(1, 1), ItemID(1, 2))
        let former = [
            folder: ItemState(.folder, at: ItemPlace(.root, "a")),
            member: ItemState(.document, at: ItemPlace(folder, "x"), content: ContentName("c")),
        ]
        var log = entries(former, from: 0)
        var memory = SyncMemory()
        memory.agreed = ItemMap(former)
        var engine = SyncEngine(device: DeviceID(1), session: 1, memory, entries: log)
        engine.brakeLimits = SyncBrake.Limits(sharePercent: 1, countMin: 1)
        #expect(engine.take([.scanned(ItemMap(former)), .reconnected]) == [])
        for state in [
            document(member, "c"), nil,
            ItemState(.document, at: ItemPlace(.root, "a"), content: ContentName("c")),
        ] {
            let position = LogPosition(log.count + 1)
            let id = Commit.ID(DeviceID(9), session: 9, position)
            log.append(LogEntry(position, Commit(id, state == nil ? folder : member, on: 0, state)))
        }
        // The member is to have the folder's name, and the folder to go when the member has left it.
        #expect(engine.take(.logRead(log)) == [])
        #expect(engine.brakedItems(.arriving) == [folder])
        let effects = engine.take(.brakeReleased(.arriving))
        guard case .place(folder, let aside, _)? = effects.first else {
            Issue.record("nobody makes room: \(effects)")
            return
        }
        #expect(aside.place.name == SyncEngine.asideName(folder, "a"))
    }
}
