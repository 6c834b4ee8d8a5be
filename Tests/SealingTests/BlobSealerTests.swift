import HubProtocol
import Sealing
import SeededNumbers
import Testing

@Suite("BlobSealer")
struct BlobSealerTests {
    private let world: SealingWorld
    private let name: [UInt8]
    private let plain = Array("A picture of the sea, and a text about it.".utf8)

    init() throws {
        world = try SealingWorld()
        name = world.random.bytes(32)
    }

    @Test("What is sealed is opened as it was, and is the same bytes on each device")
    func roundTrip() throws {
        let (phone, pad) = (
            try BlobSealer(world.keys, sealingUnder: 1), try BlobSealer(world.keys, sealingUnder: 1)
        )
        for byteCount in [0, 1, 15, 16, 100, 4096, 70_000] {
            let plain = world.random.bytes(byteCount)
            let sealed = try phone.seal(plain, kind: 1, name: name)
            #expect(sealed.count == byteCount + BlobFormat.overheadByteCount)
            #expect(try pad.seal(plain, kind: 1, name: name) == sealed)
            let opened = try pad.open(sealed, kind: 1, name: name)
            #expect(opened.stored == plain)
            #expect(
                opened.contents == BlobContents(.plain, plainByteCount: byteCount, storedByteCount: byteCount)
            )
        }
    }

    @Test("What was pressed together in two ways is sealed under two keys")
    func compression() throws {
        let sealer = try BlobSealer(world.keys, sealingUnder: 1)
        let (first, second) = (world.random.bytes(40), world.random.bytes(40))
        let sealed = try [first, second].map {
            try sealer.seal($0, .zstd, plainByteCount: 100, kind: 1, name: name)
        }
        // Under one key the difference of what is sealed would be that of the plain bytes.
        let difference = zip(sealed[0][26...], sealed[1][26...]).map { $0 ^ $1 }
        #expect(Array(difference.prefix(40)) != zip(first, second).map { $0 ^ $1 })
        #expect(sealed[0][5..<21] != sealed[1][5..<21])
        let opened = try sealer.open(sealed[1], kind: 1, name: name)
        #expect(opened.contents == BlobContents(.zstd, plainByteCount: 100, storedByteCount: 40))
        #expect(opened.stored == second)
    }

    @Test("A blob is opened only whole, by its name, and as its kind")
    func exchange() throws {
        let sealer = try BlobSealer(world.keys, sealingUnder: 1)
        let sealed = try sealer.seal(plain, kind: 1, name: name)
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 0x10
            let code = SealingError.Code.of { _ = try sealer.open(damaged, kind: 1, name: name) }
            let expected: SealingError.Code =
                index == 0 ? .versionUnknown : index < 5 ? .generationUnknown : .damagedOrExchanged
            #expect(code == expected, "byte \(index)")
        }
        for count in 0..<sealed.count {
            let cut = Array(sealed.prefix(count))
            #expect(
                SealingError.Code.of { _ = try sealer.open(cut, kind: 1, name: name) } == .damagedOrExchanged
            )
        }
        let other = world.random.bytes(32)
        #expect(
            SealingError.Code.of { _ = try sealer.open(sealed, kind: 1, name: other) } == .damagedOrExchanged
        )
        #expect(
            SealingError.Code.of { _ = try sealer.open(sealed, kind: 2, name: name) } == .damagedOrExchanged
        )
        let foreign = try BlobSealer(try SealingWorld(seed: 2).keys, sealingUnder: 1)
        #expect(
            SealingError.Code.of { _ = try foreign.open(sealed, kind: 1, name: name) } == .damagedOrExchanged
        )
    }

    @Test("A newer key seals, older ones open; who has not got the newer one is told so")
    func rotation() throws {
        var rotated = world.keys
        try rotated.add(try rotated.nextKey(world.list, random: world.random.source))
        let (former, present) = (
            try BlobSealer(world.keys, sealingUnder: 1), try BlobSealer(rotated, sealingUnder: 2)
        )
        let old = try former.seal(plain, kind: 1, name: name)
        let new = try present.seal(plain, kind: 1, name: name)
        #expect(old != new)
        #expect(try present.open(old, kind: 1, name: name).stored == plain)
        #expect(try present.open(new, kind: 1, name: name).stored == plain)
        #expect(
            SealingError.Code.of { _ = try former.open(new, kind: 1, name: name) } == .generationUnknown
        )
        #expect(try former.address(of: name) == present.address(of: name))
    }

    @Test("The hub's name of a blob is the same on all devices, and no other container's")
    func addresses() throws {
        let address = try BlobSealer(world.keys, sealingUnder: 1).address(of: name)
        #expect(try BlobSealer(world.keys, sealingUnder: 1).address(of: name) == address)
        #expect(address.bytes != name)
        #expect(try BlobSealer(SealingWorld(seed: 2).keys, sealingUnder: 1).address(of: name) != address)
    }

    @Test("More than a vault's object can hold is refused")
    func limit() throws {
        let sealer = try BlobSealer(world.keys, sealingUnder: 1)
        let code = SealingError.Code.of {
            _ = try sealer.seal(plain, .zstd, plainByteCount: 1 << 24 + 1, kind: 1, name: name)
        }
        #expect(code == .beyondLimit)
    }

    @Test("Bytes of no sense, or with some changed, do no harm", arguments: [UInt64(4)])
    func hostile(seed: UInt64) throws {
        let random = SeededRandom(seed)
        let sealer = try BlobSealer(world.keys, sealingUnder: 1)
        let sealed = try sealer.seal(plain, kind: 1, name: name)
        for _ in 0..<300 {
            var bytes = random.below(2) == 0 ? random.bytes(random.below(120)) : sealed
            for _ in 0..<1 + random.below(3) where !bytes.isEmpty {
                bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
            }
            guard bytes != sealed else { continue }
            #expect(
                SealingError.Code.of { _ = try sealer.open(bytes, kind: 1, name: name) } != nil,
                "\(seed)"
            )
        }
    }
}
