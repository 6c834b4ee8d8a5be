import Testing

@testable import Sync

/// Folders that one device moves and removes: in which order the log is to be told, so that it comes to the same.
@Suite("Sync: the order of folders")
struct FolderOrderTests {
    private let folder = ItemID(1, 1)
    private let other = ItemID(1, 2)
    private let document = ItemID(1, 3)
    private var engine = SyncEngine(device: DeviceID(1), session: 1)
    private var log = ContainerLog()

    private func folder(_ parent: ItemID, _ name: String) -> ItemState {
        ItemState(.folder, at: ItemPlace(parent, name))
    }

    /// Takes an event, and gives what is committed once all that is sent has arrived.
    private mutating func commits(_ event: SyncEngine.Event) -> [Commit] {
        var (effects, commits) = (engine.take(event), [Commit]())
        while !effects.isEmpty {
            switch effects.removeFirst() {
            case .upload(let content): effects += engine.take(.uploaded(content))
            case .commit(let commit): commits.append(commit)
            case let effect: Issue.record("\(effect) is nothing that a person's own change asks for")
            }
        }
        return commits
    }

    /// The hub takes a commit, and the engine hears of it.
    private mutating func accept(_ commit: Commit) -> [Commit] {
        #expect(log.offer(commit) == .accepted(log.head))
        return commits(.logRead(log.entries))
    }

    @Test("A folder is not removed before what was on its way into it has come there and gone")
    mutating func removal() throws {
        let made = try #require(commits(.diskChanged(folder, folder(.root, "a"))).first)
        #expect(accept(made).isEmpty)
        let state = ItemState(.document, at: ItemPlace(folder, "b"), content: ContentName("c"))
        let coming = try #require(commits(.diskChanged(document, state)).first)
        #expect(commits(.diskChanged(document, nil)).isEmpty)
        #expect(commits(.diskChanged(folder, nil)).isEmpty)
        #expect(engine.reasons(for: folder) == [.members([document])])
        let removal = try #require(accept(coming).first)
        #expect(removal.item == document && removal.state == nil)
        let last = try #require(accept(removal).first)
        #expect(last.item == folder && last.state == nil)
        #expect(accept(last).isEmpty && engine.isAtRest && engine.tree.items.isEmpty)
        #expect(engine.comings.isEmpty)
    }

    @Test("A folder that a line was lost for is removed all the same")
    mutating func removalWithoutAnswer() throws {
        let made = try #require(commits(.diskChanged(folder, folder(.root, "a"))).first)
        #expect(accept(made).isEmpty)
        let state = ItemState(.document, at: ItemPlace(folder, "b"), content: ContentName("c"))
        #expect(commits(.diskChanged(document, state)).count == 1)
        #expect(commits(.diskChanged(document, nil)).isEmpty)
        #expect(commits(.diskChanged(folder, nil)).isEmpty)
        let removal = try #require(commits(.reconnected).first)
        #expect(removal.item == folder && removal.state == nil)
        #expect(accept(removal).isEmpty && engine.isAtRest)
    }

    @Test("A folder goes into one that was in it once the log has that outside")
    mutating func turnedOver() throws {
        for (item, state) in [(folder, folder(.root, "a")), (other, folder(folder, "b"))] {
            let made = try #require(commits(.diskChanged(item, state)).first)
            #expect(accept(made).isEmpty)
        }
        // Heard of together: whichever is planned first.
        let effects = engine.take([
            .diskChanged(other, folder(.root, "b")), .diskChanged(folder, folder(other, "a")),
        ])
        guard case .commit(let out)? = effects.first, effects.count == 1 else {
            Issue.record("\(effects)")
            return
        }
        #expect(out.item == other)
        let inside = try #require(accept(out).first)
        #expect(inside.item == folder && accept(inside).isEmpty && engine.isAtRest)
        #expect(engine.tree[folder] == folder(other, "a") && engine.tree[other] == folder(.root, "b"))
    }

    @Test("Two folders that change places and names, one inside the other, come to rest")
    mutating func exchanged() throws {
        for (item, state) in [(folder, folder(.root, "a")), (other, folder(folder, "b"))] {
            let made = try #require(commits(.diskChanged(item, state)).first)
            #expect(accept(made).isEmpty)
        }
        var left: [Commit] = []
        for event in [
            SyncEngine.Event.diskChanged(other, folder(.root, "a")), .diskChanged(folder, folder(other, "b")),
        ] {
            left += commits(event)
        }
        for _ in 0..<10 where !left.isEmpty {
            let commit = left.removeFirst()
            if case .refused(let position) = log.offer(commit) {
                left += commits(.commitRefused(commit.id, readTo: position))
            }
            left += commits(.logRead(log.entries))
        }
        #expect(left.isEmpty && engine.isAtRest)
        #expect(engine.tree[folder] == folder(other, "b") && engine.tree[other] == folder(.root, "a"))
    }
}
