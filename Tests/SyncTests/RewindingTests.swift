import Testing

@testable import Sync

/// A hub was put back to an old backup: what each device does then.
@Suite("Sync: rewinding")
struct RewindingTests {
    private let item = ItemID(1, 1)
    private let other = ItemID(1, 2)
    private let first = ContentName("first")
    private let second = ContentName("second")
    private let third = ContentName("third")

    private func document(_ content: ContentName, _ name: String = "a") -> ItemState {
        ItemState(.document, at: ItemPlace(.root, name), content: content)
    }

    /// A log in which somebody else has committed states of the items.
    private func log(_ states: [(ItemID, ItemState?)]) -> [LogEntry] {
        states.enumerated().map { index, pair in
            let id = Commit.ID(DeviceID(9), session: 9, UInt64(index + 1))
            let base = states[..<index].lastIndex { $0.0 == pair.0 }.map { LogPosition($0 + 1) } ?? 0
            return LogEntry(LogPosition(index + 1), Commit(id, pair.0, on: base, pair.1))
        }
    }

    /// An engine that has read a log, and remembers and has on its disk what is given.
    private func engine(
        _ entries: [LogEntry],
        agreed: ItemMap<ItemState>,
        disk: ItemMap<ItemState>
    ) -> (SyncEngine, [SyncEngine.Effect]) {
        var memory = SyncMemory()
        memory.agreed = agreed
        var engine = SyncEngine(device: DeviceID(1), session: 1, memory, entries: entries)
        #expect(engine.take(.reconnected) == [], "nothing is done before the disk is known")
        let effects = engine.take(.scanned(disk))
        return (engine, effects)
    }

    /// What is committed once all that is sent has arrived.
    private func commits(_ engine: inout SyncEngine, _ effects: [SyncEngine.Effect]) -> [ItemID: ItemState?] {
        var (effects, commits) = (effects, [ItemID: ItemState?]())
        while !effects.isEmpty {
            switch effects.removeFirst() {
            case .upload(let content): effects += engine.take(.uploaded(content))
            case .commit(let commit): commits.updateValue(commit.state, forKey: commit.item)
            default: break
            }
        }
        return commits
    }

    @Test(
        "What the disk has and the hub has lost is committed again, with its contents, on what the log still has"
    )
    func committedAgain() {
        let entries = log([(item, document(first)), (item, document(second)), (other, document(third, "b"))])
        let disk: ItemMap = [item: document(second), other: document(third, "b")]
        var (engine, _) = engine(entries, agreed: disk, disk: disk)
        let effects = engine.rewind(to: entries.prefix(1))
        #expect(effects == [.upload(second), .upload(third)])
        #expect(commits(&engine, effects) == [item: disk[item], other: disk[other]])
    }

    @Test("What is about to be removed, and was edited in a log that took the place of the first, stays")
    func editedInAnotherLog() {
        let entries = log([(item, document(first)), (item, nil)])
        var (engine, effects) = engine(
            Array(entries.prefix(1)),
            agreed: [item: document(first)],
            disk: [item: document(first)]
        )
        effects += engine.take(.logRead(entries))
        #expect(effects == [.remove(item, expecting: document(first))])
        // The hub has lost all, and has an edit then; and is put back once more.
        _ = engine.rewind(to: [])
        let others = log([(item, document(second)), (other, document(third, "b"))])
        _ = engine.take([.logRead(others), .reconnected])
        _ = engine.rewind(to: others.prefix(1))
        effects = engine.take([.reconnected, .placed(item)])
        #expect(commits(&engine, effects).isEmpty)
        #expect(effects.contains(.fetch(second)))
    }

    @Test("What was removed by what is lost is removed again")
    func removedAgain() {
        let entries = log([(item, document(first)), (item, nil)])
        var (engine, _) = engine(entries, agreed: [:], disk: [:])
        let effects = engine.rewind(to: entries.prefix(1))
        #expect(commits(&engine, effects) == [item: nil])
    }

    @Test("What the log still has and the disk not yet is placed, not undone")
    func stillPlaced() {
        let entries = log([(item, document(first)), (item, document(second)), (item, document(third))])
        var (engine, effects) = engine(
            entries,
            agreed: [item: document(first)],
            disk: [item: document(first)]
        )
        #expect(effects == [.fetch(third)])
        effects = engine.rewind(to: entries.prefix(2))
        #expect(effects == [.fetch(second)])
        let placing = SyncEngine.Effect.place(item, document(second), expecting: document(first))
        #expect(engine.take(.fetched(second)) == [placing])
    }

    @Test("What was never here is not taken for removed")
    func neverHere() {
        let entries = log([(item, document(first)), (item, document(second))])
        var (engine, effects) = engine(entries, agreed: [:], disk: [:])
        #expect(effects == [.fetch(second)])
        effects = engine.rewind(to: entries.prefix(1))
        #expect(effects == [.fetch(first)])
    }

    @Test("Edited here on top of what is lost: it is committed on what the log still has")
    func editedOnLost() {
        let entries = log([(item, document(first)), (item, document(second))])
        var (engine, _) = engine(entries, agreed: [item: document(second)], disk: [item: document(third)])
        let effects = engine.rewind(to: entries.prefix(1))
        #expect(commits(&engine, effects) == [item: document(third)])
    }

    @Test("Two devices heal the same at once: the later one finds its own in the other's commit")
    func bothHeal() {
        let entries = log([(item, document(first)), (item, document(second, "b"))])
        let disk: ItemMap = [item: document(second, "b")]
        var (engine, _) = engine(entries, agreed: disk, disk: disk)
        let effects = engine.rewind(to: entries.prefix(1))
        guard case .commit(let commit)? = engine.take(.uploaded(second)).first else {
            Issue.record("nothing is committed after \(effects)")
            return
        }
        #expect(engine.take(.logRead([entries[1]])) == [])
        #expect(engine.take(.commitRefused(commit.id, readTo: 2)) == [])
        #expect(engine.isAtRest && engine.disk.all == disk)
    }

    @Test("What is being placed is this device's to send, once it is placed", arguments: [false, true])
    func beingPlaced(isKilled: Bool) {
        let entries = log([(item, document(first)), (item, document(second))])
        var (engine, _) = engine(entries, agreed: [item: document(first)], disk: [item: document(first)])
        #expect(engine.take(.fetched(second)).count == 1)
        #expect(engine.rewind(to: entries.prefix(1)) == [])
        let disk: ItemMap = [item: document(second)]
        if isKilled {
            engine = SyncEngine(device: DeviceID(1), session: 2, engine.memory, entries: entries.prefix(1))
        }
        let effects = engine.take(isKilled ? .scanned(disk) : .placed(item))
        #expect(commits(&engine, effects) == [item: document(second)])
    }

    @Test("What is being removed, and was brought back before the hub's loss, comes back")
    func removedAndBack() {
        let entries = log([
            (item, document(first)), (item, nil), (item, document(second)), (item, document(third)),
        ])
        let disk: ItemMap = [item: document(first)]
        var (engine, effects) = engine(Array(entries.prefix(2)), agreed: disk, disk: disk)
        #expect(effects == [.remove(item, expecting: document(first))])
        _ = engine.take(.logRead(Array(entries.suffix(2))))
        effects = engine.rewind(to: entries.prefix(3))
        #expect(engine.take(.placed(item)) == [.fetch(second)])
    }

    @Test("A hub that was put back to before what it has refused is asked again")
    func refusedBefore() {
        var (engine, _) = engine([], agreed: [:], disk: [:])
        _ = engine.take(.diskChanged(item, document(first)))
        guard case .commit(let commit)? = engine.take(.uploaded(first)).first else {
            Issue.record("nothing is committed")
            return
        }
        #expect(engine.take(.commitRefused(commit.id, readTo: 1)) == [])
        // Nothing that was read is lost, so there is nothing to go back from.
        let effects = engine.take(.reconnected)
        #expect(commits(&engine, effects) == [item: document(first)])
    }

    @Test(
        "What stands aside bears its own name again, whatever has been forgotten",
        arguments: ["b.txt", nil]
    )
    func aside(_ name: String?) {
        let name = name ?? String(repeating: "\u{E9}", count: 127)
        var (engine, _) = engine(log([(item, document(first, "a"))]), agreed: [:], disk: [:])
        let aside = SyncEngine.asideName(item, name)
        #expect(aside.utf8.count <= 143)
        var effects = engine.rewind(to: [])
        effects += engine.take(.diskChanged(item, document(second, aside)))
        let committed = commits(&engine, effects)[item]??.place.name ?? ""
        #expect(name.hasPrefix(committed) && committed.utf8.count >= min(name.utf8.count, 80))
    }
}
