import Testing

@testable import Sync

/// Single steps of an engine.
@Suite("Sync: engine")
struct SyncEngineTests {
    private let item = ItemID(1, 1)
    private let content = ContentName("c")

    @Test(
        "After a line was lost contents are offered anew: the hub may have been put back to a backup without them"
    )
    func offeredAnew() {
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        #expect(engine.take(.reconnected) == [])
        let state = ItemState(.document, at: ItemPlace(.root, "a"), content: content)
        #expect(engine.take(.diskChanged(item, state)) == [.upload(content)])
        guard case .commit(let commit)? = engine.take(.uploaded(content)).first else {
            Issue.record("nothing is committed")
            return
        }
        #expect(commit.state == state)
        #expect(engine.take(.reconnected) == [.upload(content)])
    }

    @Test("An item that differs says why, and one that does not says nothing")
    func reasons() {
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        let state = ItemState(.document, at: ItemPlace(.root, "a"), content: content)
        _ = engine.take(.diskChanged(item, state))
        #expect(engine.change(of: item) == .here && engine.reasons(for: item) == [.sending(content)])
        guard case .commit(let commit)? = engine.take(.uploaded(content)).first else {
            Issue.record("nothing is committed")
            return
        }
        #expect(engine.reasons(for: item) == [.committing] && !engine.isAtRest)
        _ = engine.take(.logRead([LogEntry(1, commit)]))
        #expect(engine.reasons(for: item) == [] && engine.isAtRest)
    }

    @Test(
        "What many items wait for is gone through once to say it of all, which is what is said of each",
        .timeLimit(.minutes(3))
    )
    func reasonsOfMany() {
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        let items = (1...40_000).map { ItemID(1, UInt64($0)) }
        func content(_ item: ItemID) -> ContentName { ContentName("c\(item)") }
        let events = items.map { item -> SyncEngine.Event in
            let place = ItemPlace(.root, "\(item)")
            return .diskChanged(item, ItemState(.document, at: place, content: content(item)))
        }
        _ = engine.take(events)
        let settled = ItemID(2, 1)
        let reasons = engine.reasons(forAll: Set(items + [settled]))
        #expect(reasons.count == items.count && reasons[settled] == nil)
        #expect(items.allSatisfy { reasons[$0] == [.sending(content($0))] })
        for item in items.prefix(3) { #expect(engine.reasons(for: item) == reasons[item]) }
    }

    @Test("What an engine remembers is enough to go on")
    func memory() {
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        let state = ItemState(.document, at: ItemPlace(.root, "a"), content: content)
        _ = engine.take(.diskChanged(item, state))
        var log = ContainerLog()
        for case .commit(let commit) in engine.take(.uploaded(content)) { _ = log.offer(commit) }
        _ = engine.take(.logRead(log.entries))
        let changes = engine.takeMemoryChanges()
        #expect(changes.agreed == [item: state] && changes.commitCount == 1)
        #expect(engine.takeMemoryChanges() == SyncMemoryChanges())
        var next = SyncEngine(device: DeviceID(1), session: 2, engine.memory, entries: log.entries)
        #expect(next.take(.scanned([item: state])) == [] && next.isAtRest)
        // Removed while nothing ran: that is told, not undone.
        var other = SyncEngine(device: DeviceID(1), session: 3, engine.memory, entries: log.entries)
        guard case .commit(let removal)? = other.take(.scanned([:])).first else {
            Issue.record("nothing is committed")
            return
        }
        #expect(removal.state == nil && removal.base == 1)
    }

    /// Takes events, and has a hub answer at once whatever is sent, until nothing is left to do.
    private func run(_ engine: inout SyncEngine, _ log: inout ContainerLog, _ events: [SyncEngine.Event]) {
        var events = events
        while !events.isEmpty {
            for effect in engine.take(events.removeFirst()) {
                switch effect {
                case .upload(let content): events.append(.uploaded(content))
                case .commit(let commit):
                    _ = log.offer(commit)
                    events.append(.logRead(log.entries))
                default: Issue.record("\(effect) is nothing that a person's own change asks for")
                }
            }
        }
    }

    private func scene(_ names: [String]) -> (engine: SyncEngine, log: ContainerLog, items: [ItemID]) {
        var (engine, log) = (SyncEngine(device: DeviceID(1), session: 1), ContainerLog())
        let items = names.indices.map { ItemID(1, UInt64($0)) }
        for (item, name) in zip(items, names) {
            let state = ItemState(.document, at: ItemPlace(.root, name), content: content)
            run(&engine, &log, [.diskChanged(item, state)])
        }
        return (engine, log, items)
    }

    private func state(_ name: String) -> ItemState {
        ItemState(.document, at: ItemPlace(.root, name), content: content)
    }

    @Test("A name that a person has given to another item is that item's, whatever is heard first")
    func nameGivenOn() {
        var (engine, log, items) = scene(["a", "b"])
        // The second is seen at its new name before the first is known to be gone.
        run(&engine, &log, [.diskChanged(items[1], state("a")), .diskChanged(items[0], nil)])
        #expect(engine.isAtRest && engine.tree.items == [items[1]: state("a")])
        (engine, log, items) = scene(["a", "b"])
        run(&engine, &log, [.diskChanged(items[1], state("a")), .diskChanged(items[0], state("c"))])
        #expect(engine.isAtRest && engine.tree.items == [items[0]: state("c"), items[1]: state("a")])
    }

    @Test(
        "Whatever takes the name of what is not known to be gone yet waits for that, and has the name then",
        arguments: [ItemState.Kind.folder, .document]
    )
    func nameTakenOver(kind: ItemState.Kind) {
        var (engine, log, items) = scene(["a"])
        let new = ItemID(2, 1)
        let place = ItemPlace(.root, "a")
        let newcomer = ItemState(kind, at: place, content: kind == .folder ? nil : content)
        #expect(engine.take(.diskChanged(new, newcomer)) == [])
        #expect(engine.reasons(for: new) == [.nameLeft(by: items[0])])
        // What is in it comes after it.
        let inside = ItemState(.document, at: ItemPlace(new, "b"), content: content)
        if kind == .folder { #expect(engine.take(.diskChanged(ItemID(2, 2), inside)) == []) }
        run(&engine, &log, [.diskChanged(items[0], nil)])
        #expect(engine.isAtRest && engine.tree[new] == newcomer && engine.tree[items[0]] == nil)
        #expect(engine.tree[ItemID(2, 2)] == (kind == .folder ? inside : nil))
        // It has only been elsewhere when it is found there.
        (engine, log, items) = scene(["a"])
        #expect(engine.take(.diskChanged(new, newcomer)) == [])
        run(&engine, &log, [.diskChanged(items[0], state("c"))])
        #expect(engine.isAtRest && engine.tree[new] == newcomer && engine.tree[items[0]] == state("c"))
    }

    @Test("Of two that come to one name at once each may be the one that leaves it again")
    func nameTakenTwice() {
        for leaving in 0..<2 {
            var (engine, log, items) = scene(["a", "b"])
            let news = items.map { SyncEngine.Event.diskChanged($0, state("c")) }
            #expect(engine.take(news) == [])
            #expect(items.allSatisfy { !engine.reasons(for: $0).isEmpty })
            run(&engine, &log, [.diskChanged(items[leaving], state("d"))])
            #expect(engine.isAtRest)
            #expect(engine.tree.items == [items[leaving]: state("d"), items[1 - leaving]: state("c")])
        }
    }

    @Test(
        "What the hub turns out to lack is sent before what needs it is committed, and holds up no later edit"
    )
    func withheld() {
        var (engine, log, items) = scene(["a"])
        let edited = { (text: String) in
            ItemState(.document, at: ItemPlace(.root, "a"), content: ContentName(text))
        }
        run(&engine, &log, [.diskChanged(items[0], edited("edited"))])
        // As far as the log says, the hub has what it was.
        guard case .commit(let commit)? = engine.take(.diskChanged(items[0], state("a"))).first else {
            Issue.record("nothing is committed")
            return
        }
        let other = Commit.ID(DeviceID(1), session: 1, 99)
        #expect(engine.take(.commitWithheld(other, lacking: [content])) == [])
        #expect(engine.reasons(for: items[0]) == [.committing])
        var later = engine
        #expect(engine.take(.commitWithheld(commit.id, lacking: [content])) == [.upload(content)])
        #expect(engine.reasons(for: items[0]) == [.sending(content)] && !engine.isCommitting(items[0]))
        run(&engine, &log, [.uploaded(content)])
        #expect(engine.isAtRest && engine.tree[items[0]] == state("a"))
        #expect(later.take(.diskChanged(items[0], edited("later"))) == [])
        let next = SyncEngine.Effect.upload(ContentName("later"))
        #expect(later.take(.commitWithheld(commit.id, lacking: [content])) == [next])
    }

    @Test("Names that only look alike are two on a disk: neither waits for the other to go")
    func alikeNames() {
        var engine = scene(["caf\u{e9}"]).engine
        let new = state("cafe\u{301}")
        guard case .commit(let commit)? = engine.take(.diskChanged(ItemID(2, 1), new)).first else {
            Issue.record("nothing is committed")
            return
        }
        #expect(commit.state == new)
    }

    @Test("Items exchange their names", arguments: [2, 3, 4])
    func namesExchanged(count: Int) {
        let names = (0..<count).map { "name \($0)" }
        var (engine, log, items) = scene(names)
        let moved = items.indices.map { state(names[($0 + 1) % count]) }
        run(&engine, &log, zip(items, moved).map { .diskChanged($0, $1) })
        #expect(
            engine.isAtRest && engine.tree.items == ItemMap(zip(items, moved).map { (key: $0, value: $1) })
        )
    }

    @Test(
        "A paused item stands still on both sides, and says so; resumed it goes on, or takes what the log has"
    )
    func paused() {
        var (engine, log, items) = scene(["a"])
        let edited = ItemState(.document, at: ItemPlace(.root, "a"), content: ContentName("edited"))
        let theirs = ItemState(.document, at: ItemPlace(.root, "b"), content: content)
        #expect(engine.take(.paused([items[0]])) == [])
        #expect(engine.take(.diskChanged(items[0], edited)) == [])
        #expect(engine.reasons(for: items[0]) == [.paused] && !engine.isAtRest)
        // Let through once, it is committed as it was then; what comes after that waits.
        run(&engine, &log, [.offered(items[0])])
        #expect(engine.tree[items[0]] == edited && engine.isAtRest && !engine.isLetThrough(items[0]))
        let again = ItemState(.document, at: ItemPlace(.root, "a"), content: ContentName("again"))
        #expect(engine.take(.diskChanged(items[0], again)) == [])
        _ = log.offer(
            Commit(
                Commit.ID(DeviceID(2), session: 9, 1),
                items[0],
                on: engine.tree.revision(of: items[0]),
                theirs
            )
        )
        #expect(engine.take(.logRead(log.entries)) == [])
        // Somebody else has changed it: nothing is let through.
        #expect(engine.take(.offered(items[0])) == [])
        #expect(engine.isOvertaken(items[0]) && engine.reasons(for: items[0]) == [.paused])
        var other = engine
        #expect(
            other.take(.resumed(items[0], dropsLocal: true)) == [.place(items[0], theirs, expecting: again)]
        )
        let effects = engine.take(.resumed(items[0], dropsLocal: false))
        #expect(
            effects.allSatisfy { if case .merge = $0 { true } else { $0 == .fetch(content) } }
                && !effects.isEmpty
        )
    }

    @Test("A process that dies as it puts the winner of a conflict in place has not forgotten what lost")
    func deathBetweenLoserAndWinner() throws {
        let (base, mine, theirs) = (ContentName("base"), ContentName("mine"), ContentName("theirs"))
        let later = ContentName("later")
        let place = ItemPlace(.root, "a")
        let hubs = { Commit(Commit.ID(DeviceID(2), session: 9, $0), item, on: $1, $2) }
        let agreed = ItemState(.document, at: place, content: base)
        let other = ItemState(.document, at: place, content: theirs)
        let log = [LogEntry(1, hubs(1, 0, agreed)), LogEntry(2, hubs(2, 1, other))]
        let ours = ItemState(.document, at: place, content: mine)
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        _ = engine.take(.logRead([log[0]]))
        _ = engine.take(.fetched(base))
        _ = engine.take(.placed(item))
        _ = engine.take(.diskChanged(item, ours))
        #expect(engine.take(.logRead([log[1]])) == [.fetch(theirs)])
        #expect(engine.take(.fetched(theirs)) == [.merge(item, base: base, ours: mine, theirs: theirs)])
        // What lost is noted before anything else is in its place.
        let losing = ItemState(.document, at: place, content: mine, conflicts: [mine])
        let won = ItemState(.document, at: place, content: theirs, conflicts: [mine])
        let noted = engine.take(.merged(item, base: base, ours: mine, theirs: theirs, nil))
        #expect(noted == [.place(item, losing, expecting: ours)])
        #expect(engine.take(.placed(item)) == [.place(item, won, expecting: losing)])
        // The disk has the winner, or what somebody has made of it since; all that is known beyond that is in the memory.
        for found in [theirs, later] {
            var next = SyncEngine(device: DeviceID(1), session: 2, engine.memory, entries: log)
            let seen = ItemState(.document, at: place, content: found, conflicts: [mine])
            let lost = Set([mine, found]).subtracting([theirs])
            var committed: [ItemState?] = []
            var effects = next.take(.scanned([item: seen]))
            while let effect = effects.popLast() {
                switch effect {
                case .fetch(let content): effects += next.take(.fetched(content))
                case .upload(let content): effects += next.take(.uploaded(content))
                case .merge(_, let base, let ours, let theirs):
                    effects += next.take(.merged(item, base: base, ours: ours, theirs: theirs, nil))
                case .place, .remove: effects += next.take(.placed(item))
                case .become(let item, let other, _): effects += next.take(.became(item, other))
                case .commit(let commit): committed.append(commit.state)
                }
            }
            #expect(committed == [ItemState(.document, at: place, content: theirs, conflicts: lost)])
        }
    }

    @Test(
        "What was about to lose a conflict, and is what all have agreed on since, has not lost against what comes of it"
    )
    func agreedAfterLosing() {
        let (mine, later, place) = (ContentName("mine"), ContentName("later"), ItemPlace(.root, "a"))
        let hubs = { Commit(Commit.ID(DeviceID(2), session: 9, $0), item, on: $1, $2) }
        let agreed = ItemState(.document, at: place, content: mine)
        let losing = ItemState(.document, at: place, content: mine, conflicts: [mine])
        let newer = ItemState(.document, at: place, content: later)
        for theirs in [newer, nil] {
            var engine = SyncEngine(device: DeviceID(1), session: 1)
            _ = engine.take(.logRead([LogEntry(1, hubs(1, 0, agreed))]))
            _ = engine.take(.fetched(mine))
            _ = engine.take(.placed(item))
            _ = engine.take(.paused([item]))
            _ = engine.take(.diskChanged(item, losing))
            _ = engine.take(.logRead([LogEntry(2, hubs(2, 1, theirs))]))
            _ = engine.take(.fetched(later))
            #expect(
                engine.take(.resumed(item, dropsLocal: false)) == [
                    theirs.map { .place(item, $0, expecting: losing) } ?? .remove(item, expecting: losing)
                ]
            )
        }
    }

    @Test("A paused item that was removed here comes back when what the hub has is to hold")
    func pausedAndRemoved() {
        var (engine, _, items) = scene(["a"])
        let theirs = engine.tree[items[0]]
        _ = engine.take(.paused([items[0]]))
        #expect(engine.take(.diskChanged(items[0], nil)) == [])
        let effects = engine.take(.resumed(items[0], dropsLocal: true))
        #expect(effects == [theirs.map { .place(items[0], $0, expecting: nil) }])
    }

    @Test("What is let through of a paused item is on its way until the log has just that")
    func letThroughAgain() throws {
        var (engine, log, items) = scene(["a"])
        _ = engine.take(.paused([items[0]]))
        let edits = ["first", "second"].map {
            ItemState(.document, at: ItemPlace(.root, "a"), content: ContentName($0))
        }
        _ = engine.take(.diskChanged(items[0], edits[0]))
        _ = engine.take(.offered(items[0]))
        guard case .commit(let commit)? = engine.take(.uploaded(ContentName("first"))).first else {
            Issue.record("nothing is committed")
            return
        }
        _ = engine.take(.diskChanged(items[0], edits[1]))
        _ = engine.take(.offered(items[0]))
        _ = log.offer(commit)
        let effects = engine.take(.logRead(log.entries))
        #expect(engine.tree[items[0]] == edits[0] && engine.isLetThrough(items[0]))
        #expect(effects == [.upload(ContentName("second"))])
        run(&engine, &log, [.uploaded(ContentName("second"))])
        #expect(engine.tree[items[0]] == edits[1] && !engine.isLetThrough(items[0]))
    }

    @Test("An item without its contents becomes what the log says, and needs none of them")
    func evicted() {
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        let state = ItemState(.document, at: ItemPlace(.root, "a"), content: content)
        _ = engine.take(.diskChanged(item, state))
        guard case .commit(let commit)? = engine.take(.uploaded(content)).first else {
            Issue.record("nothing is committed")
            return
        }
        _ = engine.take(.logRead([LogEntry(1, commit)]))
        #expect(engine.take(.evicted([item])) == [] && engine.isAtRest)
        // Its name is edited here, its contents elsewhere; one has lost a conflict.
        var (here, there) = (state, state)
        here.place.name = "b"
        there.content = ContentName("d")
        there.conflicts = [ContentName("e")]
        guard case .commit(let renaming)? = engine.take(.diskChanged(item, here)).first else {
            Issue.record("a rename waits for contents")
            return
        }
        let other = Commit(Commit.ID(DeviceID(2), session: 1, 1), item, on: 1, there)
        let effects =
            engine.take(.logRead([LogEntry(2, other)]))
            + engine.take(
                .commitRefused(renaming.id, readTo: 2)
            )
        var wanted = there
        wanted.place.name = "b"
        #expect(effects == [.place(item, wanted, expecting: here)])
        guard case .commit(let second)? = engine.take(.placed(item)).first else {
            Issue.record("the rename is lost")
            return
        }
        #expect(second.state == wanted)
        _ = engine.take(.logRead([LogEntry(3, second)]))
        #expect(engine.isAtRest && engine.dataless == [item])
        // Another item with the same contents has to have them.
        let twin = ItemID(2, 2)
        let copy = ItemState(.document, at: ItemPlace(.root, "c"), content: there.content)
        let commitOfTwin = Commit(Commit.ID(DeviceID(2), session: 1, 2), twin, on: 0, copy)
        #expect(engine.take(.logRead([LogEntry(4, commitOfTwin)])) == [.fetch(ContentName("d"))])
        // Filled again it is an item like all others.
        _ = engine.take(.filled(item))
        #expect(engine.dataless == [])
        let removal = Commit(Commit.ID(DeviceID(2), session: 1, 3), item, on: 3, nil)
        #expect(engine.take(.logRead([LogEntry(5, removal)])).contains(.remove(item, expecting: wanted)))
    }

    @Test("A rename to a name that only looks the same is one: committed here, and placed there")
    func formOfName() {
        let (composed, decomposed) = ("caf\u{E9}.txt", "cafe\u{301}.txt")
        let before = ItemState(.document, at: ItemPlace(.root, composed), content: content)
        let after = ItemState(.document, at: ItemPlace(.root, decomposed), content: content)
        let log = [LogEntry(1, Commit(Commit.ID(DeviceID(2), session: 1, 1), item, on: 0, before))]
        var memory = SyncMemory()
        memory.agreed = [item: before]
        func engine() -> SyncEngine {
            var engine = SyncEngine(device: DeviceID(1), session: 2, memory, entries: log)
            #expect(engine.take(.scanned([item: before])) == [] && engine.isAtRest)
            return engine
        }
        var here = engine()
        guard case .commit(let commit)? = here.take(.diskChanged(item, after)).first else {
            Issue.record("nobody hears of it")
            return
        }
        #expect(commit.state?.isNamed(exactly: decomposed) == true && !here.isAtRest)
        var there = engine()
        guard
            case .place(_, let placed, let expected)? = there.take(.logRead([LogEntry(2, commit)])).first
        else {
            Issue.record("it is not placed")
            return
        }
        #expect(placed.isNamed(exactly: decomposed) && expected?.isNamed(exactly: composed) == true)
    }

    @Test("An own edit that was heard of only after a start is no conflict with what was done since")
    func ownBeforeAStart() {
        func state(_ name: String) -> ItemState {
            ItemState(.document, at: ItemPlace(.root, "a.txt"), content: ContentName(name))
        }
        let log = [LogEntry(1, Commit(Commit.ID(DeviceID(2), session: 1, 1), item, on: 0, state("a")))]
        var memory = SyncMemory()
        memory.agreed = [item: state("a")]
        memory.commitCounts = [1: 1]
        var engine = SyncEngine(device: DeviceID(1), session: 2, memory, entries: log)
        var effects = engine.take(.scanned([item: state("c")]))
        let own = Commit(Commit.ID(DeviceID(1), session: 1, 1), item, on: 1, state("b"))
        effects += engine.take(.logRead([LogEntry(2, own)]))
        effects += engine.take(.uploaded(ContentName("c")))
        let commits = effects.compactMap { effect in
            if case .commit(let commit) = effect { commit } else { nil }
        }
        #expect(commits.last?.base == 2 && commits.last?.state == state("c"), "\(effects)")
        let merges = effects.filter { if case .merge = $0 { true } else { false } }
        #expect(merges == [])
    }

    @Test("The name under which an item stands aside is none too long for encrypted folders")
    func asideLength() {
        let item = ItemID(.max, .max)
        for name in [String(repeating: "n", count: 143), String(repeating: "\u{e9}", count: 127), "a"] {
            let aside = SyncEngine.asideName(item, name)
            #expect(aside.utf8.count <= 143 && aside.utf8.count >= min(142, 55 + name.utf8.count), "\(aside)")
        }
    }

    @Test("A name that begins with a sign of the one before it stands aside, and comes back")
    func signsOfOneBefore() {
        let name = "\u{301}a"
        let aside = SyncEngine.asideName(item, name)
        let before = ItemState(.document, at: ItemPlace(.root, name), content: content)
        let log = [LogEntry(1, Commit(Commit.ID(DeviceID(2), session: 1, 1), item, on: 0, before))]
        var memory = SyncMemory()
        memory.agreed = [item: before]
        var engine = SyncEngine(device: DeviceID(1), session: 2, memory, entries: log)
        let found = ItemState(.document, at: ItemPlace(.root, aside), content: content)
        // Its name is no person's work, and no other device hears of it.
        #expect(engine.take(.scanned([item: found])) == [.place(item, before, expecting: found)])
    }

    @Test("After a start an item that had been evicted is not taken for one whose contents are here")
    func evictedBefore() {
        let state = ItemState(.document, at: ItemPlace(.root, "a"), content: content)
        let commit = Commit(Commit.ID(DeviceID(2), session: 1, 1), item, on: 0, state)
        var memory = SyncMemory()
        memory.agreed = [item: state]
        var engine = SyncEngine(device: DeviceID(1), session: 2, memory, entries: [LogEntry(1, commit)])
        #expect(engine.take(.evicted([item])) == [])
        #expect(engine.take(.scanned([item: state])) == [] && engine.isAtRest)
        var edited = state
        edited.content = ContentName("d")
        let edit = Commit(Commit.ID(DeviceID(2), session: 1, 2), item, on: 1, edited)
        #expect(engine.take(.logRead([LogEntry(2, edit)])) == [.place(item, edited, expecting: state)])
        // Removed with its placeholder.
        _ = engine.take(.placed(item))
        guard case .commit(let removal)? = engine.take(.diskChanged(item, nil)).first else {
            Issue.record("nothing is committed")
            return
        }
        #expect(removal.state == nil && engine.dataless == [])
    }

    @Test("A process that was put back with its machine takes nothing for its own that the log had from it")
    func putBackWithProcess() throws {
        func made(
            _ item: ItemID,
            _ name: String,
            _ content: String,
            by engine: inout SyncEngine
        ) throws -> Commit {
            let content = ContentName(content)
            let state = ItemState(.document, at: ItemPlace(.root, name), content: content)
            _ = engine.take(.diskChanged(item, state))
            guard case .commit(let commit)? = engine.take(.uploaded(content)).first else {
                throw CancellationError()
            }
            return commit
        }
        let (lost, other) = (ItemID(1, 2), ItemID(1, 3))
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        _ = engine.take(.reconnected)
        let first = LogEntry(1, try made(item, "a", "a0", by: &engine))
        _ = engine.take(.logRead([first]))
        // A snapshot is taken; what comes after it is lost here, and not in the log.
        var future = engine
        let second = LogEntry(2, try made(lost, "b", "b0", by: &future))
        _ = future.take(.logRead([second]))
        let third = LogEntry(3, try made(item, "a", "a1", by: &future))
        let again = try made(other, "c", "c0", by: &engine)
        #expect(again.id == second.commit.id)
        let edit = try made(item, "a", "a2", by: &engine)
        #expect(edit.id == third.commit.id && edit.item == third.commit.item)
        // What is not here has not been removed here, and two edits are two.
        let effects = engine.take(.logRead([second, third]))
        #expect(Set(effects) == [.fetch(ContentName("b0")), .fetch(ContentName("a1"))])
        // What is given from now on is new.
        _ = engine.take(.logRead([LogEntry(4, again)]))
        #expect(engine.reasons(for: other) == [])
        let next = try made(ItemID(1, 4), "d", "d0", by: &engine)
        #expect(![again, edit, third.commit].map(\.id).contains(next.id))
    }
}
