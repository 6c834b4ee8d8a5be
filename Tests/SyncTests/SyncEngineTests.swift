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
}
