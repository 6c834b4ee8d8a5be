import Cryptography
import HubProtocol
import Sealing
import Testing

/// Who shares a container, where a log may be made up by who was shut out of it.
@Suite("A list of devices by the word of others", .timeLimit(.minutes(2)))
struct DeviceListMarkTests {
    private let world: SealingWorld
    private var stranger: PublicIdentity { world.stranger.publicIdentity(named: "stranger") }

    init() throws { world = try SealingWorld() }

    private func key(_ generation: UInt32) throws -> ContainerKey {
        try ContainerKey(generation: generation, random: world.random.source)
    }

    @Test("Another list than the one that was read does not get as far, and until it does no keys are taken")
    func expected() throws {
        var read = world.list
        try read.apply(read.revoking(world.pad.id, next: key(2), world.keys, by: world.phone), at: 3)
        try read.apply(read.adding(stranger, by: world.phone), at: 4)
        let start = DeviceList(for: world.keys, expecting: read.mark)
        var same = start
        for entry in read.entries {
            #expect(!same.isAsExpected)
            try same.apply(entry.statement, at: entry.position)
        }
        #expect(same.isAsExpected && same.mark == read.mark)
        // Who was shut out goes on as if he had not been.
        var other = start
        try other.apply(world.founding, at: 1)
        try other.apply(world.adding, at: 2)
        try other.apply(other.adding(stranger, by: world.pad), at: 3)
        #expect(try other.taking(world.keys.adding(key(2)), into: world.keys) == nil)
        let next = try other.revoking(world.phone.id, next: key(2), world.keys, by: world.pad)
        #expect(SealingError.Code.of { try other.apply(next, at: 4) } == .listBroken)
        #expect(!other.isAsExpected && other.number == 3)
        #expect(DeviceListMark(number: 4, hash: read.hash) == read.mark)
    }

    @Test("Keys that nobody has announced are taken as long as they are few")
    func strangeKeys() throws {
        var list = world.list
        let last = try key(100)
        try list.apply(list.revoking(world.pad.id, next: last, world.keys, by: world.phone), at: 3)
        func generations(strange: ClosedRange<UInt32>) throws -> [UInt32]? {
            var sent = try world.keys.adding(last)
            for generation in strange { sent = try sent.adding(key(generation)) }
            return try list.taking(sent, into: world.keys)?.keys.map(\.generation)
        }
        #expect(try generations(strange: 2...3) == [1, 2, 3, 100])
        #expect(try generations(strange: 2...99) == [1, 100])
        // A next one can be made then.
        let taken = try #require(try list.taking(world.keys.adding(last), into: world.keys))
        #expect(try taken.nextKey(list, random: world.random.source).generation == 101)
    }

    @Test("Nobody says that one more device is there than there can be: nobody could read it")
    func full() throws {
        var list = world.list
        while list.members.count < DeviceList.deviceCountMax {
            let device = try DeviceIdentity(random: world.random.source)
            let position = UInt64(list.number) + 1
            try list.apply(list.adding(device.publicIdentity(named: "d"), by: world.phone), at: position)
        }
        #expect(SealingError.Code.of { _ = try list.adding(stranger, by: world.phone) } == .beyondLimit)
    }
}
