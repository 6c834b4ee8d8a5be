import Cryptography
import HubProtocol
import Sealing
import Sync
import Testing

@Suite("DeviceList")
struct DeviceListTests {
    private let world: SealingWorld

    init() throws { world = try SealingWorld() }

    @Test("Devices are added by those who are there, and it is known by whom and where")
    func adding() throws {
        let pad = try #require(world.list.members[world.pad.id])
        #expect(pad.addedBy == world.phone.id && pad.addedAt == 2 && !pad.isRevoked)
        #expect(world.list.present.count == 2)
        var list = world.list
        let statement = try list.adding(world.stranger.publicIdentity(named: "laptop"), by: world.pad)
        try list.apply(statement, at: 9)
        #expect(list.members[world.stranger.id]?.addedBy == world.pad.id)
        #expect(try DeviceStatement(encoded: statement.encoded) == statement)
    }

    @Test("A list begins with the statement that the keys were made for, and goes on without a gap")
    func order() throws {
        var list = world.emptyList
        #expect(SealingError.Code.of { try list.apply(world.adding, at: 1) } == .listBroken)
        let other = try DeviceStatement.founding(world.container, by: world.stranger, named: "phone")
        #expect(SealingError.Code.of { try list.apply(other, at: 1) } == .listBroken)
        try list.apply(world.founding, at: 1)
        #expect(SealingError.Code.of { try list.apply(world.founding, at: 2) } == .listBroken)
        let foreign = try SealingWorld(seed: 5)
        #expect(SealingError.Code.of { try list.apply(foreign.adding, at: 2) } == .listBroken)
        try list.apply(world.adding, at: 2)
        #expect(list == world.list)
        #expect(try list.asOf(1).present.map(\.name) == ["phone"])
        #expect(try list.asOf(0) == world.emptyList && list.asOf(99) == list)
    }

    @Test("Of two statements that were made at once the later is refused, and what follows it")
    func fork() throws {
        let laptop = world.stranger.publicIdentity(named: "laptop")
        let tablet = try DeviceIdentity(random: world.random.source).publicIdentity(named: "tablet")
        var (here, there) = (world.list, world.list)
        try here.apply(here.adding(laptop, by: world.phone), at: 3)
        let other = try there.adding(tablet, by: world.pad)
        try there.apply(other, at: 3)
        let watch = try DeviceIdentity(random: world.random.source).publicIdentity(named: "watch")
        let next = try there.adding(watch, by: world.pad)
        #expect(SealingError.Code.of { try here.apply(other, at: 4) } == .listBroken)
        #expect(SealingError.Code.of { try here.apply(next, at: 4) } == .listBroken)
    }

    @Test("Nobody announces a key that no other can follow, and after the last there is none")
    func keysFarAhead() throws {
        let pad = world.pad.id
        for generation in [102, UInt32.max] {
            var list = world.list
            let next = try ContainerKey(generation: generation, random: world.random.source)
            let said = try list.revoking(pad, next: next, world.keys, by: world.phone)
            #expect(SealingError.Code.of { try list.apply(said, at: 3) } == .listBroken)
            #expect(list == world.list)
        }
        // Who has skipped keys that nobody has announced is believed.
        var list = world.list
        let next = try ContainerKey(generation: 101, random: world.random.source)
        try list.apply(list.revoking(pad, next: next, world.keys, by: world.phone), at: 3)
        #expect(list.generation == 101)
        let last = try ContainerKey(generation: .max, random: world.random.source)
        let keys = try world.keys.adding(last)
        #expect(
            SealingError.Code.of { _ = try keys.nextKey(world.list, random: world.random.source) }
                == .beyondLimit
        )
    }

    @Test("Whoever is not there, or no more, says nothing about devices")
    func authors() throws {
        var list = world.list
        let laptop = world.stranger.publicIdentity(named: "laptop")
        let own = try list.adding(laptop, by: world.stranger)
        #expect(SealingError.Code.of { try list.apply(own, at: 3) } == .signerUnknown)
        let said = try list.adding(laptop, by: world.pad)
        var bytes = said.encoded
        bytes[bytes.count - 1] ^= 1
        let forged = try DeviceStatement(encoded: bytes)
        #expect(SealingError.Code.of { try list.apply(forged, at: 3) } == .signatureWrong)
        let next = try world.keys.nextKey(list, random: world.random.source)
        try list.apply(list.revoking(world.pad.id, next: next, world.keys, by: world.phone), at: 3)
        let late = try list.adding(laptop, by: world.pad)
        #expect(SealingError.Code.of { try list.apply(late, at: 4) } == .signerRevoked)
        let back = try list.adding(world.pad.publicIdentity(named: "pad"), by: world.phone)
        #expect(SealingError.Code.of { try list.apply(back, at: 4) } == .listBroken)
        let last = try list.revoking(world.phone.id, next: next, world.keys, by: world.phone)
        #expect(SealingError.Code.of { try list.apply(last, at: 4) } == .listBroken)
    }

    @Test("Keys are sealed for one device, by one that is there")
    func wrapping() throws {
        let receiver = world.pad.publicIdentity(named: "pad")
        let wrapped = try WrappedKeys(world.keys, for: receiver, by: world.phone, random: world.random.source)
        let sent = wrapped.encoded
        let read = try WrappedKeys(encoded: sent)
        #expect(read == wrapped)
        #expect(try read.open(as: world.pad, world.list) == world.keys)
        #expect(
            SealingError.Code.of { _ = try read.open(as: world.stranger, world.list) } == .damagedOrExchanged
        )
        // A hub that makes up keys of its own.
        let made = try WrappedKeys(
            ContainerKeys(newFor: world.container, anchor: world.keys.anchor, random: world.random.source),
            for: receiver,
            by: world.stranger,
            random: world.random.source
        )
        #expect(SealingError.Code.of { _ = try made.open(as: world.pad, world.list) } == .signerUnknown)
        for index in stride(from: 0, to: sent.count, by: 3) {
            var damaged = sent
            damaged[index] ^= 1
            let code = SealingError.Code.of {
                _ = try WrappedKeys(encoded: damaged).open(as: world.pad, world.list)
            }
            #expect(code != nil, "byte \(index)")
        }
        for count in 0..<sent.count {
            let code = SealingError.Code.of {
                _ = try WrappedKeys(encoded: Array(sent.prefix(count))).open(as: world.pad, world.list)
            }
            #expect(code != nil)
        }
    }

    @Test("As many keys as a container may have fit into what a hub keeps for a device")
    func size() throws {
        var keys = world.keys
        while keys.keys.count < ContainerKeys.generationCountMax {
            try keys.add(try keys.nextKey(world.list, random: world.random.source))
        }
        #expect(
            SealingError.Code.of { _ = try keys.nextKey(world.list, random: world.random.source) }
                == .beyondLimit
        )
        let receiver = world.pad.publicIdentity(named: "pad")
        let wrapped = try WrappedKeys(keys, for: receiver, by: world.phone, random: world.random.source)
        #expect(wrapped.encoded.count <= WrappedKeys.byteCountMax)
        #expect(try WrappedKeys(encoded: wrapped.encoded).open(as: world.pad, world.list) == keys)
    }

    @Test("Keys and identities are kept and read again, and show nothing in a log")
    func keeping() throws {
        #expect(try ContainerKeys(encoded: world.keys.encoded) == world.keys)
        let again = try DeviceIdentity(encoded: world.phone.encoded)
        #expect(again.id == world.phone.id && again.encoded == world.phone.encoded)
        for text in ["\(world.keys)", "\(world.phone)", "\(world.keys.newest)"] {
            #expect(!text.contains(HexadecimalText.text(of: Array(world.keys.namingKey.prefix(4)))))
            #expect(!text.contains(HexadecimalText.text(of: Array(world.phone.signing.seed.prefix(4)))))
            #expect(text.utf8.count < 120)
        }
        #expect(SealingError.Code.of { _ = try ContainerKeys(encoded: [2]) } == .versionUnknown)
        #expect(SealingError.Code.of { _ = try ContainerKeys(encoded: [1, 2]) } == .malformed)
    }

    @Test("Bytes of no sense, or with some changed, do no harm", arguments: [UInt64(6)])
    func hostile(seed: UInt64) throws {
        let random = SeededRandom(seed)
        let samples = [
            world.keys.encoded, world.phone.encoded, world.adding.encoded,
            try WrappedKeys(
                world.keys,
                for: world.pad.publicIdentity(named: "pad"),
                by: world.phone,
                random: random.source
            ).encoded,
        ]
        for _ in 0..<400 {
            var bytes = samples[random.below(samples.count)]
            bytes.removeLast(random.below(3) == 0 ? random.below(bytes.count) : 0)
            for _ in 0..<random.below(4) where !bytes.isEmpty {
                bytes[random.below(bytes.count)] = UInt8(random.below(256))
            }
            // Whatever it is, it is read or refused; that no error but ours comes is what is shown.
            _ = SealingError.Code.of { _ = try ContainerKeys(encoded: bytes) }
            _ = SealingError.Code.of { _ = try DeviceIdentity(encoded: bytes) }
            _ = SealingError.Code.of { _ = try DeviceStatement(encoded: bytes) }
            let opened = SealingError.Code.of {
                _ = try WrappedKeys(encoded: bytes).open(as: world.pad, world.list)
            }
            #expect(opened != nil || bytes == samples[3], "seed \(seed)")
        }
    }
}
