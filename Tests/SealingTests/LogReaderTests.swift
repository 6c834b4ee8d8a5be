import Foundation
import HubProtocol
import SeededNumbers
import Sync
import Testing

@testable import Sealing

/// A hub that does each of what a hub could do, and what a device says of it.
@Suite("LogReader")
struct LogReaderTests {
    private let world: SealingWorld
    private let items = [ItemID(1, 1), ItemID(2, 2), ItemID(3, 3)]

    init() throws { world = try SealingWorld() }

    /// Two statements, then commits about three items in turn.
    private func hub(_ count: Int = 6) throws -> MakeBelieveHub {
        var hub = try MakeBelieveHub(world.container)
        let list = world.emptyList
        let sealer = try RecordSealer(world.keys, list, by: world.phone, random: world.random.source)
        for (number, statement) in [world.founding, world.adding].enumerated() {
            let id = Commit.ID(world.phone.id, session: 1, UInt64(number))
            let body = RecordBody(.devices(statement), seen: hub.head)
            let base = hub.revision(of: ItemName(.devices))
            try hub.append(try sealer.seal([OpenRecord(id, .devices, on: base, body)])[0])
        }
        for number in 0..<count {
            try commit(number, by: number % 2 == 0 ? world.phone : world.pad, to: &hub)
        }
        return hub
    }

    private func commit(
        _ number: Int,
        by device: DeviceIdentity,
        to hub: inout MakeBelieveHub,
        seen: LogHead? = nil
    ) throws {
        let item = items[number % 3]
        let commit = Commit(
            Commit.ID(device.id, session: 2, UInt64(number)),
            item,
            on: hub.revision(of: ItemName(item)),
            world.document("\(number)")
        )
        try hub.append(try world.sealer(device).seal([OpenRecord(commit, seen: seen ?? hub.head)])[0])
    }

    private func read(
        _ page: LogPage,
        _ reader: LogReader,
        _ hub: MakeBelieveHub
    ) throws -> LogReading {
        let known = Int(reader.watch.head.position)
        return try reader.read(page) { item in
            hub.entries.prefix(known).last { $0.item == ItemName(item) }?.position ?? 0
        }
    }

    /// A device that has read all that a hub has.
    private func reader(of hub: MakeBelieveHub) throws -> LogReader {
        let reader = try LogReader(world.keys)
        let reading = try read(hub.page(after: 0), reader, hub)
        #expect(reading.finding == nil)
        #expect(reader.watch.head == hub.head)
        return reader
    }

    @Test("An honest hub's log is read as it was committed, page by page")
    func honest() throws {
        let hub = try hub()
        let reader = try LogReader(world.keys)
        var entries: [LogReading.Entry] = []
        while reader.watch.head != hub.head {
            let reading = try read(hub.page(after: reader.watch.head.position, limit: 3), reader, hub)
            #expect(reading.finding == nil && reading.others.isEmpty)
            entries += reading.entries
        }
        #expect(entries.count == 8)
        #expect(reader.devices.present.map(\.name).sorted() == ["pad", "phone"])
        #expect(entries[7].record.commit.state == world.document("5"))
        var tree = ContainerTree()
        for entry in entries { _ = tree.read(entry.logEntry) }
        #expect(tree.items.count == 3)
        #expect(try read(hub.page(after: 8), reader, hub) == LogReading())
    }

    @Test("A hub that alters a record is caught, whether or not its chain fits")
    func tamper() throws {
        for fits in [true, false] {
            var lying = try hub()
            if fits {
                try lying.rewrite { $0[4].record[60] ^= 1 }
                let reader = try LogReader(world.keys)
                let reading = try read(lying.page(after: 0), reader, lying)
                #expect(reading.entries.count == 4)
                #expect(isTampered(reading.finding, at: 5))
                #expect(reader.watch.head.position == 4)
            } else {
                var page = lying.page(after: 0)
                page.entries[4].record[60] ^= 1
                let reader = try LogReader(world.keys)
                #expect(isTampered(try read(page, reader, lying).finding, at: 5))
            }
        }
    }

    @Test("A hub that exchanges the records of two items is caught")
    func swap() throws {
        var lying = try hub()
        try lying.rewrite { entries in
            let record = entries[3].record
            entries[3].record = entries[4].record
            entries[4].record = record
        }
        var reader = try LogReader(world.keys)
        #expect(try read(lying.page(after: 0), reader, lying).finding == .exchanged(4, with: 5))
        // What was read some time before is remembered for that.
        reader = try LogReader(world.keys)
        let honest = try hub()
        #expect(try read(honest.page(after: 0, limit: 4), reader, honest).finding == nil)
        lying = honest
        try lying.rewrite { $0[4].record = $0[3].record }
        #expect(try read(lying.page(after: 4), reader, lying).finding == .exchanged(5, with: 4))
    }

    @Test("A hub that puts an old entry in again is caught")
    func replay() throws {
        var lying = try hub()
        try lying.rewrite { $0.append($0[2]) }
        let reader = try LogReader(world.keys)
        let reading = try read(lying.page(after: 0), reader, lying)
        #expect(reading.finding == .replayed(9))
        #expect(reading.entries.count == 8)
        // With a base that fits, it is no more what was signed.
        try lying.rewrite { $0[8].base = 6 }
        #expect(try read(lying.page(after: 8), reader, lying).finding == .replayed(9))
        // Nor to who has not read what it was.
        let late = try LogReader(world.keys)
        #expect(try read(lying.page(after: 0), late, lying).finding == .replayed(9))
    }

    @Test("A hub that exchanges two entries of one item is caught")
    func reorder() throws {
        var lying = try hub()
        try lying.rewrite { $0.swapAt(2, 5) }
        let reader = try LogReader(world.keys)
        // The first of them was made on what has not come.
        #expect(try read(lying.page(after: 0), reader, lying).finding == .truncated(after: 2))
    }

    @Test("A hub that leaves entries out is caught")
    func truncate() throws {
        let hub = try hub()
        let reader = try LogReader(world.keys)
        var page = hub.page(after: 0)
        page.entries.remove(at: 3)
        #expect(try read(page, reader, hub).finding == .truncated(after: 3))
        #expect(reader.watch.head.position == 3)
        page = LogPage([], head: hub.head)
        #expect(try read(page, reader, hub).finding == .truncated(after: 3))
        // With a chain that fits the gap, the item's next entry has no base.
        var lying = hub
        try lying.rewrite { $0.remove(at: 2) }
        let other = try LogReader(world.keys)
        #expect(try read(lying.page(after: 0), other, lying).finding == .truncated(after: 4))
    }

    @Test("A hub that was put back is told from one that forked")
    func rollBack() throws {
        let present = try hub()
        let reader = try reader(of: present)
        var restored = present
        try restored.rewrite { $0.removeLast(3) }
        #expect(
            try read(restored.page(after: 8), reader, restored).finding == .rolledBack(last: restored.head)
        )
        // What it holds of what came after that, a device commits again, once it has gone back.
        try reader.goBack(to: restored.head)
        try commit(9, by: world.pad, to: &restored)
        let reading = try read(restored.page(after: 5), reader, restored)
        #expect(reading.finding == nil)
        #expect(reader.watch.head == restored.head)
    }

    @Test("A hub that goes on differently from a former state is caught")
    func fork() throws {
        var (here, there) = (try hub(), try hub(0))
        try there.rewrite { $0 = here.entries }
        try commit(6, by: world.phone, to: &here)
        try commit(7, by: world.phone, to: &here)
        try commit(6, by: world.pad, to: &there)
        let reader = try reader(of: here)
        #expect(try read(there.page(after: 9), reader, there).finding == .forked(last: here.head(at: 8)))
        try commit(7, by: world.pad, to: &there)
        #expect(try read(there.page(after: 10), reader, there).finding == .forked(last: here.head(at: 9)))
        try commit(8, by: world.pad, to: &there)
        // The entry is a device's own, so it is the log that is another one.
        let finding = try read(there.page(after: 10), reader, there).finding
        #expect(finding == .forked(last: here.head(at: 9)))
        // From the last common place, the other log can be read.
        try reader.goBack(to: here.head(at: 8))
        #expect(reader.devices == world.list)
        #expect(try read(there.page(after: 8), reader, there).finding == nil)
        #expect(reader.watch.head == there.head)
    }

    @Test("A hub that has shown two devices two logs is caught as soon as one reads what the other committed")
    func twoFaces() throws {
        var (here, there) = (try hub(), try hub(0))
        try there.rewrite { $0 = here.entries }
        try commit(6, by: world.phone, to: &here)
        try commit(7, by: world.pad, to: &there)
        // The hub passes on what the pad commits next, in the log that the phone sees.
        let reader = try reader(of: here)
        try commit(8, by: world.pad, to: &here, seen: there.head)
        let reading = try read(here.page(after: 9), reader, here)
        #expect(
            reading.others == [OtherLog(position: 10, author: world.pad.id, seen: there.head)]
        )
        // An author cannot have read further than where its entry stands.
        try commit(9, by: world.pad, to: &here, seen: LogHead(position: 11, hash: there.head.hash))
        #expect(try read(here.page(after: 10), reader, here).others.count == 1)
    }

    @Test("A device that lacks the announced key says so, and reads on when it has it")
    func missingKey() throws {
        var hub = try hub(0)
        var keys = world.keys
        let next = try keys.nextKey(world.list, random: world.random.source)
        let statement = try world.list.revoking(world.pad.id, next: next, keys, by: world.phone)
        let base = hub.revision(of: ItemName(.devices))
        let body = RecordBody(.devices(statement), seen: hub.head)
        let revoking = OpenRecord(Commit.ID(world.phone.id, session: 1, 9), .devices, on: base, body)
        try hub.append(try world.sealer(world.phone).seal([revoking])[0])
        var list = world.list
        try list.apply(statement, at: 3)
        try keys.add(next)
        let commit = Commit(Commit.ID(world.phone.id, session: 2, 1), items[0], on: 0, world.document("new"))
        let sealer = try RecordSealer(keys, list, by: world.phone, random: world.random.source)
        try hub.append(try sealer.seal([OpenRecord(commit, seen: hub.head)])[0])
        let reader = try LogReader(world.keys)
        var reading = try read(hub.page(after: 0), reader, hub)
        #expect(reading.finding == .keysMissing(4) && reading.entries.count == 3)
        try reader.use(keys)
        reading = try read(hub.page(after: 3), reader, hub)
        #expect(reading.finding == nil && reading.entries.map(\.record.commit) == [commit])
    }

    @Test("Another container's devices are not believed")
    func otherFounder() throws {
        var lying = try MakeBelieveHub(world.container)
        // Who has the keys, and begins a list of its own.
        let founding = try DeviceStatement.founding(world.container, by: world.stranger, named: "phone")
        let sealer = try world.sealer(world.stranger)
        let id = Commit.ID(world.stranger.id, session: 1, 1)
        let body = RecordBody(.devices(founding), seen: lying.head)
        try lying.append(try sealer.seal([OpenRecord(id, .devices, on: 0, body)])[0])
        let reader = try LogReader(world.keys)
        let finding = try read(lying.page(after: 0), reader, lying).finding
        guard case .tampered(1, let error) = finding else {
            Issue.record("\(String(describing: finding))")
            return
        }
        #expect(error.code == .listBroken)
    }

    @Test("Places are remembered: all of the last ones, some of the others")
    func marks() throws {
        var watch = try LogWatch(of: world.container)
        let random = SeededRandom(3)
        var places: [LogHead] = [watch.head]
        let count = Int(LogWatch.recentCount + 3 * LogWatch.sparseStep)
        var hub = LogChain(at: watch.head)
        let record = Data(random.bytes(8))
        let name = try #require(CommitName("1"))
        var page: [LogRecord] = []
        for _ in 0..<count {
            let head = try hub.append(item: ItemName(.root), base: 0, id: name, record: record)
            places.append(head)
            page.append(
                LogRecord(
                    position: head.position,
                    item: ItemName(.root),
                    base: 0,
                    id: name,
                    record: record,
                    device: DeviceName(unchecked: [UInt8](repeating: 0, count: 8)),
                    hash: head.hash
                )
            )
        }
        for entry in page { #expect(try watch.read(entry, revision: 0) == nil) }
        #expect(watch.marks.count <= Int(LogWatch.recentCount) + 5)
        for position in [0, 1024, 2048, count - 4096, count - 1] {
            #expect(watch.hash(at: UInt64(position)) == places[position].hash, "\(position)")
        }
        #expect(watch.place(atOrBefore: 2000) == places[1024])
        #expect(watch.finding(places[2000]) == .rolledBack(last: places[1024]))
        let later = LogWatch(at: watch.head, marks: watch.marks)
        #expect(later == watch)
    }

    private func isTampered(_ finding: LogFinding?, at position: LogPosition) -> Bool {
        if case .tampered(position, let error) = finding { return error.code == .damagedOrExchanged }
        return false
    }
}
