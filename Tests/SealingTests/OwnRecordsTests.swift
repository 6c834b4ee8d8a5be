import Foundation
import HubProtocol
import Sync
import Testing

@testable import Sealing

@Suite("A device's own entries")
struct OwnRecordsTests {
    private let world: SealingWorld
    private var hub: MakeBelieveHub
    private let item = ItemID(1, 1)

    init() throws {
        world = try SealingWorld()
        hub = try MakeBelieveHub(world.container)
        let sealer = try RecordSealer(
            world.keys,
            world.emptyList,
            by: world.phone,
            random: world.random.source
        )
        for (number, statement) in [world.founding, world.adding].enumerated() {
            let id = Commit.ID(world.phone.id, session: 1, UInt64(number))
            let body = RecordBody(.devices(statement), seen: hub.head)
            let base = hub.revision(of: ItemName(.devices))
            try hub.append(try sealer.seal([OpenRecord(id, .devices, on: base, body)])[0])
        }
    }

    private func record(_ number: Int, on base: LogPosition = 0) -> OpenRecord {
        let id = Commit.ID(world.phone.id, session: 2, UInt64(number))
        return OpenRecord(Commit(id, item, on: base, world.document("\(number)")), seen: hub.head)
    }

    /// A record as it was sealed, and another one of the same commit that was sealed by itself: what a lie about it looks like.
    private func sealed(_ record: OpenRecord) throws -> (own: SealedCommit, other: SealedCommit) {
        let sealer = try world.sealer(world.phone)
        return (try sealer.seal([record])[0], try sealer.seal([record])[0])
    }

    private func entry(_ commit: SealedCommit) throws -> LogRecord {
        try SealingWorld.entry(commit, after: hub.head)
    }

    @Test("One that comes back to the byte is known, once")
    func known() throws {
        let record = record(1)
        let sealed = try sealed(record).own
        var own = OwnRecords()
        own.expect([sealed], of: [record], for: world.list.hash)
        #expect(own.take(try entry(sealed), for: world.list.hash) == record)
        #expect(own.take(try entry(sealed), for: world.list.hash) == nil)
    }

    /// What a hub, or what has happened meanwhile, makes of an entry.
    enum Change: CaseIterable {
        case byte, sealedAgain, base, item, list
    }

    @Test("Whatever is different about one has it opened as others' are", arguments: Change.allCases)
    func changed(_ change: Change) throws {
        let record = record(1)
        let sealed = try sealed(record)
        var own = OwnRecords()
        own.expect([sealed.own], of: [record], for: world.list.hash)
        var entry = try entry(change == .sealedAgain ? sealed.other : sealed.own)
        switch change {
        case .byte: entry.record[entry.record.count - 1] ^= 1
        case .base: entry.base += 1
        case .item: entry.item = ItemName(ItemID(2, 2))
        case .sealedAgain, .list: break
        }
        let list = change == .list ? DeviceListHash.none : world.list.hash
        #expect(own.take(entry, for: list) == nil)
    }

    @Test("Statements about devices are opened, and no more are kept than so many")
    func bounded() throws {
        var own = OwnRecords()
        let statement = OpenRecord(
            Commit.ID(world.phone.id, session: 2, 0),
            .devices,
            on: 2,
            RecordBody(.devices(world.adding), seen: hub.head)
        )
        let first = try sealed(statement).own
        own.expect([first], of: [statement], for: world.list.hash)
        #expect(own.take(try entry(first), for: world.list.hash) == nil)

        let sealed = try sealed(record(1)).own
        let count = OwnRecords.countMax / 4
        for start in 0...4 {
            let numbers = start * count..<(start + 1) * count
            let some = numbers.map { number in
                let id = CommitName(Commit.ID(world.phone.id, session: 3, UInt64(number)))
                return SealedCommit(item: sealed.item, base: sealed.base, id: id, record: sealed.record)
            }
            own.expect(some, of: numbers.map { record($0) }, for: world.list.hash)
        }
        func isKnown(_ number: Int) throws -> Bool {
            let id = CommitName(Commit.ID(world.phone.id, session: 3, UInt64(number)))
            let commit = SealedCommit(item: sealed.item, base: sealed.base, id: id, record: sealed.record)
            return own.take(try entry(commit), for: world.list.hash) != nil
        }
        #expect(try !isKnown(0))
        #expect(try isKnown(4 * count))
    }

    /// Reads the log's beginning, says what the device has sealed, and reads what comes of it.
    private func read(_ lie: (inout MakeBelieveHub) throws -> Void = { _ in }) throws -> LogReading {
        var hub = hub
        let reader = try LogReader(world.keys)
        let start = try reader.read(hub.page(after: 0)) { _ in 0 }
        #expect(start.finding == nil && start.entries.count == 2)
        let record = record(1)
        let sealed = try world.sealer(world.phone).seal([record])
        reader.expect(sealed, of: [record])
        try hub.append(sealed[0])
        try lie(&hub)
        let reading = try reader.read(hub.page(after: 2)) { _ in 0 }
        // What is read without it is the same.
        let other = try LogReader(world.keys)
        _ = try other.read(hub.page(after: 0, limit: 2)) { _ in 0 }
        #expect(try other.read(hub.page(after: 2)) { _ in 0 } == reading)
        return reading
    }

    @Test("A reader that knows them reads the same as one that opens all, from a hub that lies as well")
    func same() throws {
        let honest = try read()
        #expect(honest.finding == nil && honest.entries.map(\.record) == [record(1)])
        let altered = try read { try $0.rewrite { $0[2].record[60] ^= 1 } }
        guard case .tampered(3, let error) = altered.finding else {
            Issue.record("\(String(describing: altered.finding))")
            return
        }
        #expect(error.code == .damagedOrExchanged)
        let elsewhere = try read { try $0.rewrite { $0[2].item = ItemName(ItemID(2, 2)) } }
        #expect(elsewhere.finding != nil && elsewhere.entries.isEmpty)
    }
}
