import SeededNumbers
import Testing

@testable import Sync

/// What disk, log and agreement have alike is kept once; whatever happens to one, the others stay as they are.
@Suite("Sync: the disk's items beside the log's")
struct DiskItemsTests {
    private struct World {
        var random: SplitMix64
        let items: [ItemID]
        var log: [LogEntry] = []
        /// What it comes to.
        var tree = ContainerTree()
        var disk: [ItemID: ItemState] = [:]
        var agreed: [ItemID: ItemState] = [:]

        init(_ random: SplitMix64, itemCount: Int) {
            self.random = random
            var random = random
            items = (0..<itemCount).map { ItemID(UInt64($0 + 1), random.next()) }
        }

        mutating func item() -> ItemID { items[random.below(items.count)] }

        mutating func state() -> ItemState {
            let parent = random.below(3) == 0 ? item() : .root
            // Two of the names look alike.
            let names = ["a", "b", "caf\u{E9}", "cafe\u{301}", "long enough to be no short text"]
            let place = ItemPlace(parent, names[random.below(names.count)])
            if random.below(4) == 0 { return ItemState(.folder, at: place) }
            return ItemState(.document, at: place, content: ContentName("\(random.below(3))"))
        }

        mutating func entry() -> LogEntry {
            let item = item()
            let position = LogPosition(log.count + 1)
            let id = Commit.ID(DeviceID(1), session: 1, position)
            let state = random.below(5) == 0 ? nil : random.below(2) == 0 ? disk[item] ?? state() : state()
            log.append(LogEntry(position, Commit(id, item, on: tree.revision(of: item), state)))
            return log[log.count - 1]
        }
    }

    private func isSame(_ one: ItemState?, _ other: ItemState?) -> Bool { one == other }

    private func check(_ disk: DiskItems, _ agreed: AgreedItems, _ world: World) {
        #expect(disk.count == world.disk.count && disk.isEmpty == world.disk.isEmpty)
        #expect(disk.log.items == world.tree.items)
        #expect(disk.all == ItemMap(world.disk) && Set(disk.keys) == Set(world.disk.keys))
        #expect(agreed.all(besides: disk.log) == ItemMap(world.agreed))
        for item in world.items {
            #expect(isSame(disk[item], world.disk[item]))
            #expect(isSame(agreed.state(of: item, logged: disk.log[item]), world.agreed[item]))
            let members = world.disk.filter { $0.value.parent == item }.keys
            #expect(disk.members(of: item).sorted() == members.sorted())
            #expect(disk.hasMembers(item) == !members.isEmpty)
        }
        for place in Set(world.disk.values.map(\.place)) {
            let there = world.disk.filter { $0.value.place == place }.keys
            #expect(disk.items(at: place).sorted() == there.sorted())
            #expect(disk.item(at: place).map { there.contains($0) } == true)
        }
        #expect(disk.item(at: ItemPlace(.root, "nothing")) == nil)
    }

    @Test(
        "Each is what it would be alone, whatever comes from the disk and the log",
        arguments: [4, 20, 100]
    )
    func asDictionaries(itemCount: Int) {
        var world = World(seededNumbers(for: "disk items"), itemCount: itemCount)
        var (disk, agreed, memory) = (DiskItems(), AgreedItems(), Memory())
        for step in 0..<400 {
            let item = world.item()
            switch world.random.below(8) {
            case 0, 1, 2:
                let entry = world.entry()
                let before = world.tree.items
                let changed = world.tree.read(entry)
                let changes = disk.read(entry)
                #expect(changes.map(\.item) == changed)
                for change in changes {
                    #expect(isSame(change.before, before[change.item]))
                    #expect(isSame(change.now, world.tree[change.item]))
                    agreed.keep(change.item, before: change.before, now: change.now)
                }
            case 3, 4:
                let state = world.random.below(4) == 0 ? nil : world.state()
                (disk[item], world.disk[item]) = (state, state)
            case 5: (disk[item], world.disk[item]) = (world.tree[item], world.tree[item])
            case 6:
                let state = world.random.below(2) == 0 ? world.disk[item] : world.tree[item]
                // A name that only looks otherwise is not taken over.
                if world.agreed[item] != state { world.agreed[item] = state }
                agreed.set(state, of: item, logged: disk.log[item])
            default:
                guard step % 7 == 0 else { continue }
                // The log is read anew, or less of it.
                world.tree = ContainerTree()
                world.log = Array(world.log.prefix(world.random.below(world.log.count + 1)))
                for entry in world.log { _ = world.tree.read(entry) }
                agreed.keep(besides: disk.log, now: world.tree)
                disk.replaceLog(world.tree)
            }
            if step % 10 == 0 { check(disk, agreed, world) }
            if world.random.below(6) == 0 { memory.write(&agreed, disk) }
            if world.random.below(12) == 0 { memory.check(&agreed, disk) }
        }
        check(disk, agreed, world)
        memory.check(&agreed, disk)
    }

    /// Disk and log as they were written down last, and what is noted beside them.
    private struct Memory {
        private var seen = ItemMap<ItemState>()
        private var noted = ItemMap<ItemState?>()

        /// Writes down what has come to be otherwise.
        mutating func write(_ agreed: inout AgreedItems, _ disk: DiskItems) {
            let others = Set(disk.keys).union(seen.keys).filter { seen[$0] != disk[$0] }
            seen = disk.all
            for item in agreed.takeWritten().union(others) {
                let logged = disk.log[item]
                let state = agreed.state(of: item, logged: logged)
                switch AgreedItems.Note(state, seen: seen[item], logged: logged) {
                case .toldByDiskAndLog: noted[item] = nil
                case .otherwise(let state): noted[item] = .some(state)
                }
            }
        }

        /// What is read of it is what was known, and notes are of what needs them alone.
        mutating func check(_ agreed: inout AgreedItems, _ disk: DiskItems) {
            write(&agreed, disk)
            let read = AgreedItems(noted: noted, seen: { seen[$0] }, besides: disk.log)
            #expect(read.all(besides: disk.log) == agreed.all(besides: disk.log))
            for (item, state) in noted {
                #expect(isOther(state, seen[item]) || isOther(state, disk.log[item]))
            }
        }

        private func isOther(_ one: ItemState?, _ other: ItemState?) -> Bool { one != other }
    }

    @Test(
        "A note that disk and log have come to tell of by themselves is read all the same, and written away"
    )
    func needless() {
        let (item, other) = (ItemID(1, 1), ItemID(1, 2))
        let state = ItemState(.document, at: ItemPlace(.root, "a"), content: ContentName("c"))
        var log = ContainerTree()
        _ = log.read(LogEntry(1, Commit(Commit.ID(DeviceID(9), session: 1, 1), item, on: 0, state)))
        let noted: ItemMap<ItemState?> = [item: .some(state), other: .some(state)]
        var agreed = AgreedItems(noted: noted, seen: { $0 == item ? state : nil }, besides: log)
        #expect(agreed.all(besides: log) == [item: state, other: state])
        #expect(agreed.takeWritten() == [item])
    }

    @Test(
        "Nothing is known of a disk before it is filled, or something of it is said",
        arguments: [false, true]
    )
    func blank(isFilled: Bool) {
        var world = World(seededNumbers(for: "blank disk"), itemCount: 30)
        for _ in 0..<60 { _ = world.tree.read(world.entry()) }
        var disk = DiskItems(log: world.tree)
        check(disk, AgreedItems([:], besides: world.tree), world)
        let entry = world.entry()
        (_, _) = (world.tree.read(entry), disk.read(entry))
        check(disk, AgreedItems([:], besides: world.tree), world)
        if isFilled {
            for item in world.items where world.random.below(2) == 0 {
                world.disk[item] = world.random.below(2) == 0 ? world.tree[item] : world.state()
            }
            var shown: [ItemID: (ItemState?, ItemState?)] = [:]
            disk.fill(ItemMap(world.disk)) { item, state, logged, areIdentical in
                shown[item] = (state, logged)
                #expect(areIdentical == (state == logged))
            }
            #expect(Set(shown.keys) == Set(world.disk.keys).union(world.tree.items.keys))
            #expect(shown.allSatisfy { isSame($1.0, world.disk[$0]) && isSame($1.1, world.tree[$0]) })
        } else {
            let item = world.item()
            world.disk[item] = world.state()
            disk[item] = world.disk[item]
        }
        check(disk, AgreedItems([:], besides: world.tree), world)
    }

    @Test("What agrees is written when it is otherwise than before, or the log is")
    func written() {
        var (disk, agreed) = (DiskItems(), AgreedItems())
        let (item, state) = (ItemID(1, 1), ItemState(.folder, at: ItemPlace(.root, "a")))
        let commit = Commit(Commit.ID(DeviceID(1), session: 1, 1), item, on: 0, state)
        for change in disk.read(LogEntry(1, commit)) {
            agreed.keep(change.item, before: change.before, now: change.now)
        }
        #expect(agreed.takeWritten() == [item] && agreed.state(of: item, logged: disk.log[item]) == nil)
        agreed.set(state, of: item, logged: disk.log[item])
        #expect(agreed.takeWritten() == [item] && agreed.takeWritten() == [])
        agreed.set(state, of: item, logged: disk.log[item])
        #expect(agreed.takeWritten() == [])
        agreed.set(nil, of: item, logged: disk.log[item])
        #expect(agreed.takeWritten() == [item] && agreed.state(of: item, logged: disk.log[item]) == nil)
    }
}
