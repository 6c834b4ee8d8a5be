import Testing

@testable import Sync

/// What was removed on one device and edited on another stays, and who has removed it is told.
@Suite("Sync: removed here, edited there")
struct SurvivorTests {
    private let item = ItemID(1, 1)
    private let folder = ItemID(1, 2)
    private let member = ItemID(1, 3)

    private func document(_ content: String, in parent: ItemID = .root) -> ItemState {
        ItemState(.document, at: ItemPlace(parent, "d"), content: ContentName(content))
    }

    private var emptyFolder: ItemState { ItemState(.folder, at: ItemPlace(.root, "f")) }

    /// A device, the hub, and another device that only commits.
    private struct Scene {
        var engine = SyncEngine(device: DeviceID(1), session: 1)
        var log = ContainerLog()
        var otherCount: UInt64 = 0

        /// The other device commits, on what is the last of it.
        mutating func there(_ item: ItemID, _ state: ItemState?) {
            otherCount += 1
            let base = log.entries.last { $0.commit.item == item }?.position ?? 0
            let id = Commit.ID(DeviceID(9), session: 1, otherCount)
            #expect(log.offer(Commit(id, item, on: base, state)) == .accepted(log.head))
        }

        /// Something happens here, and what the engine says is done.
        mutating func here(_ events: [SyncEngine.Event]) { carryOut(engine.take(events)) }

        mutating func readLog() { here([.logRead(Array(log.entries(after: engine.tree.position)))]) }

        mutating func carryOut(_ first: [SyncEngine.Effect]) {
            var effects = first
            while !effects.isEmpty {
                switch effects.removeFirst() {
                case .upload(let content): effects += engine.take(.uploaded(content))
                case .fetch(let content): effects += engine.take(.fetched(content))
                case .commit(let commit):
                    switch log.offer(commit) {
                    case .accepted:
                        effects += engine.take(.logRead(Array(log.entries(after: engine.tree.position))))
                    case .refused(let position):
                        effects += engine.take(.commitRefused(commit.id, readTo: position))
                        effects += engine.take(.logRead(Array(log.entries(after: engine.tree.position))))
                    }
                case .place(let item, _, _), .remove(let item, _): effects += engine.take(.placed(item))
                case .become, .merge: Issue.record("nothing is to be merged or united here")
                }
            }
        }

        /// The process ends, and another goes on.
        mutating func restart() {
            let memory = engine.memory
            engine = SyncEngine(
                device: DeviceID(1),
                session: 2,
                memory,
                entries: log.entries.prefix(Int(engine.tree.position))
            )
            let disk = ItemMap(engine.tree.items.map { ($0.key, $0.value) })
            here([.scanned(disk), .reconnected])
        }
    }

    private func scene(_ states: [(ItemID, ItemState)]) -> Scene {
        var scene = Scene()
        for (item, state) in states { scene.there(item, state) }
        scene.here([.logRead(scene.log.entries), .reconnected])
        #expect(scene.engine.isAtRest && scene.engine.takeSurvivors() == [])
        return scene
    }

    @Test("Edited there before the hub hears of the removal", arguments: [false, true])
    func editFirst(isRead: Bool) {
        var scene = scene([(item, document("a"))])
        scene.there(item, document("b"))
        // It has heard of the edit, or the hub refuses its removal.
        if isRead {
            let entries = Array(scene.log.entries(after: 1))
            scene.here([.diskChanged(item, nil), .logRead(entries)])
        } else {
            scene.here([.diskChanged(item, nil)])
        }
        #expect(scene.engine.disk[item] == document("b") && scene.engine.isAtRest)
        #expect(scene.engine.takeSurvivors() == [.init(item: item, position: 2, isFolder: false)])
        #expect(scene.engine.takeSurvivors() == [])
        #expect(scene.engine.survival(of: item) == 2)
    }

    @Test("Edited there after the removal has reached the hub", arguments: [false, true])
    func removalFirst(isRestarted: Bool) {
        var scene = scene([(item, document("a"))])
        scene.here([.diskChanged(item, nil)])
        #expect(scene.engine.tree[item] == nil && scene.log.head == 2)
        if isRestarted { scene.restart() }
        scene.there(item, document("b"))
        scene.readLog()
        #expect(scene.engine.disk[item] == document("b"))
        #expect(scene.engine.takeSurvivors() == [.init(item: item, position: 3, isFolder: false)])
        // A start forgets nothing, and tells nothing twice.
        scene.restart()
        #expect(scene.engine.survival(of: item) == 3 && scene.engine.takeSurvivors() == [])
    }

    @Test("It is said until it is edited or removed again", arguments: ["here", "there", "removed"])
    func ends(how: String) {
        var scene = scene([(item, document("a"))])
        scene.here([.diskChanged(item, nil)])
        scene.there(item, document("b"))
        scene.readLog()
        #expect(scene.engine.survival(of: item) == 3)
        switch how {
        case "here": scene.here([.diskChanged(item, document("c"))])
        case "there":
            scene.there(item, document("c"))
            scene.readLog()
        default: scene.here([.diskChanged(item, nil)])
        }
        #expect(scene.engine.survival(of: item) == nil && scene.engine.memory.survivors == [:])
        #expect(scene.engine.takeSurvivors().count == 1)
    }

    @Test("Nobody is told of what others have removed, of what comes back as it was, and of edits alone")
    func nothingToTell() {
        var scene = scene([(item, document("a"))])
        scene.there(item, nil)
        scene.readLog()
        scene.there(item, document("b"))
        scene.readLog()
        scene.there(item, document("c"))
        scene.readLog()
        #expect(scene.engine.takeSurvivors() == [])
        scene.here([.diskChanged(item, nil)])
        scene.there(item, document("c"))
        scene.readLog()
        #expect(scene.engine.disk[item] == document("c") && scene.engine.takeSurvivors() == [])
    }

    @Test("A folder was removed here, and something new is in it", arguments: [false, true])
    func folders(isRemovalFirst: Bool) {
        var scene = scene([(folder, emptyFolder)])
        if isRemovalFirst { scene.here([.diskChanged(folder, nil)]) }
        scene.there(member, document("new", in: folder))
        if isRemovalFirst {
            scene.readLog()
        } else {
            let entries = Array(scene.log.entries(after: 1))
            scene.here([.diskChanged(folder, nil), .logRead(entries)])
        }
        #expect(scene.engine.disk[folder] == emptyFolder && scene.engine.disk[member] != nil)
        let position = scene.log.head
        #expect(scene.engine.takeSurvivors() == [.init(item: folder, position: position, isFolder: true)])
        #expect(scene.engine.survival(of: folder) == position && scene.engine.survival(of: member) == nil)
    }

    @Test(
        "Of a document that was edited in a folder that was removed, the document is told of",
        arguments: [false, true]
    )
    func editInFolder(isRemovalFirst: Bool) {
        var scene = scene([(folder, emptyFolder), (member, document("a", in: folder))])
        if isRemovalFirst { scene.here([.diskChanged(member, nil), .diskChanged(folder, nil)]) }
        scene.there(member, document("b", in: folder))
        if isRemovalFirst {
            scene.readLog()
        } else {
            let entries = Array(scene.log.entries(after: 2))
            scene.here([.diskChanged(member, nil), .diskChanged(folder, nil), .logRead(entries)])
        }
        #expect(scene.engine.disk[folder] == emptyFolder && scene.engine.isAtRest)
        #expect(scene.engine.takeSurvivors().map(\.item) == [member])
    }

    @Test("What is remembered bit by bit is what is remembered as a whole")
    func memory() {
        var scene = scene([(item, document("a"))])
        _ = scene.engine.takeMemoryChanges()
        scene.here([.diskChanged(item, nil)])
        scene.there(item, document("b"))
        scene.readLog()
        #expect(scene.engine.takeMemoryChanges().survivors == [item: 3])
        scene.here([.diskChanged(item, document("c"))])
        #expect(scene.engine.takeMemoryChanges().survivors == [item: nil])
    }
}
