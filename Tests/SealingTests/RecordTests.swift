import Cryptography
import Foundation
import HubProtocol
import SeededNumbers
import Sync
import Testing

@testable import Sealing

@Suite("Sealed records")
struct RecordTests {
    private let world: SealingWorld
    private let start: LogHead

    init() throws {
        world = try SealingWorld()
        start = try LogChain(of: world.container).head
    }

    private func record(
        _ state: ItemState?,
        by device: DeviceIdentity,
        number: UInt64 = 1,
        item: ItemID = ItemID(1, 2),
        extra: [UInt8] = []
    ) -> OpenRecord {
        let commit = Commit(Commit.ID(device.id, session: 7, number), item, on: 0, state)
        return OpenRecord(commit, seen: start, extra: extra)
    }

    private var records: [OpenRecord] {
        let folder = ItemState(.folder, at: ItemPlace(ItemID(5, 6), "Ferien 🌊"))
        let inConflict = ItemState(
            .document,
            at: ItemPlace(.root, "Brief.txt"),
            content: ContentName("01"),
            conflicts: [ContentName("b"), ContentName("a"), ContentName("ä")]
        )
        return [
            record(folder, by: world.phone, number: 1), record(inConflict, by: world.phone, number: 2),
            record(nil, by: world.phone, number: UInt64.max),
            record(world.document("x"), by: world.phone, number: 4, extra: [1, 2, 3]),
        ]
    }

    @Test("What was committed is what is opened, many under one signature or each by itself")
    func roundTrip() throws {
        let sealer = try world.sealer(world.phone)
        for batch in [records] + records.map({ [$0] }) {
            let sealed = try sealer.seal(batch)
            let opener = try RecordOpener(world.keys)
            for (record, commit) in zip(batch, sealed) {
                #expect(try opener.open(SealingWorld.entry(commit, after: start), world.list) == record)
            }
        }
        #expect(try sealer.seal([]).isEmpty)
    }

    @Test(
        "Each of any number of records can be checked without the others",
        arguments: [1, 2, 3, 5, 8, 13, 100]
    )
    func batches(count: Int) throws {
        let batch = (0..<count).map { record(world.document("\($0)"), by: world.phone, number: UInt64($0)) }
        let sealed = try world.sealer(world.phone).seal(batch)
        for (record, commit) in zip(batch, sealed) {
            let opener = try RecordOpener(world.keys)
            #expect(try opener.open(SealingWorld.entry(commit, after: start), world.list) == record)
        }
    }

    @Test("The same commit is never sealed to the same bytes")
    func salt() throws {
        let sealer = try world.sealer(world.phone)
        #expect(try sealer.seal([records[0]])[0].record != sealer.seal([records[0]])[0].record)
    }

    @Test("A record is bound to item, base, identifier and container, and whole")
    func bonds() throws {
        let opener = try RecordOpener(world.keys)
        let sealed = try world.sealer(world.phone).seal(records)
        let entry = try SealingWorld.entry(sealed[0], after: start)
        var changes: [LogRecord] = []
        let change = { (body: (inout LogRecord) -> Void) in
            var changed = entry
            body(&changed)
            changes.append(changed)
        }
        change { $0.item = ItemName(ItemID(1, 3)) }
        change { $0.base = 1 }
        change { $0.id = sealed[1].id }
        change { $0.record = Data(sealed[1].record) }
        change { $0.record.removeLast() }
        change { $0.record.append(0) }
        for index in stride(from: 5, to: entry.record.count, by: 7) { change { $0.record[index] ^= 4 } }
        for changed in changes {
            let code = SealingError.Code.of { _ = try opener.open(changed, world.list) }
            #expect(code == .damagedOrExchanged, "\(changed)")
        }
        let foreign = try RecordOpener(SealingWorld(seed: 2).keys)
        #expect(SealingError.Code.of { _ = try foreign.open(entry, world.list) } == .damagedOrExchanged)
    }

    @Test("A device that has the keys cannot commit in another's name")
    func forgery() throws {
        // The stranger has got hold of the keys, and calls itself the phone.
        let impostor = try world.sealer(world.stranger)
        let sealed = try impostor.seal([record(nil, by: world.stranger)])
        let entry = try SealingWorld.entry(sealed[0], after: start)
        let opener = try RecordOpener(world.keys)
        #expect(SealingError.Code.of { _ = try opener.open(entry, world.list) } == .signerUnknown)
        // It signs what it says that the phone has committed.
        let phones = record(nil, by: world.phone)
        let forged = try logEntry(of: phones, signedBy: world.stranger)
        #expect(SealingError.Code.of { _ = try opener.open(forged, world.list) } == .signatureWrong)
        #expect(try opener.open(logEntry(of: phones, signedBy: world.phone), world.list) == phones)
        // What the phone has signed is not good in the pad's name.
        let mine = try world.sealer(world.phone).seal([record(nil, by: world.phone)])
        var swapped = try SealingWorld.entry(mine[0], after: start)
        swapped.id = CommitName(Commit.ID(world.pad.id, session: 7, 1))
        #expect(SealingError.Code.of { _ = try opener.open(swapped, world.list) } == .damagedOrExchanged)
    }

    /// A record as one who has the keys could make it in whosever name.
    private func logEntry(of record: OpenRecord, signedBy signer: DeviceIdentity) throws -> LogRecord {
        let (item, id) = (ItemName(record.item), CommitName(record.id))
        let bound = RecordFormat.bound(world.container, item, record.base, id)
        let body = try RecordCoding.encode(record.body)
        let leaf = try RecordFormat.leaf(bound, body, SHA256Hasher())
        let signature = try signer.signing.signature(of: RecordFormat.signed(leaf))
        let salt = world.random.bytes(RecordFormat.saltByteCount)
        let records = try KeySchedule(world.keys.newest, of: world.container).records
        let head = [RecordFormat.version, 0, 0, 0, 1] + salt
        let sealed = try OneTimeSeal.seal(
            signature + [0] + body,
            RecordFormat.key(salt, KeyedHasher(key: records)),
            head + bound
        )
        let commit = SealedCommit(item: item, base: record.base, id: id, record: head + sealed)
        return try SealingWorld.entry(commit, after: start)
    }

    @Test("A device that was shut out commits nothing after that, and opens nothing new")
    func revocation() throws {
        var list = world.list
        var keys = world.keys
        let next = try keys.nextKey(list, random: world.random.source)
        try list.apply(try list.revoking(world.pad.id, next: next, keys, by: world.phone), at: 3)
        try keys.add(next)
        let opener = try RecordOpener(keys)
        let old = try world.sealer(world.pad).seal([record(nil, by: world.pad)])[0]
        var entry = try SealingWorld.entry(old, after: start)
        entry.position = 2
        #expect(throws: Never.self) { try opener.open(entry, list) }
        entry.position = 4
        #expect(SealingError.Code.of { _ = try opener.open(entry, list) } == .signerRevoked)
        let sealer = try RecordSealer(keys, list, by: world.phone, random: world.random.source)
        let new = try sealer.seal([record(nil, by: world.phone)])[0]
        let shutOut = try RecordOpener(world.keys)
        #expect(
            SealingError.Code.of { _ = try shutOut.open(SealingWorld.entry(new, after: start), list) }
                == .generationUnknown
        )
        // A device that has not heard of the new key does not go on under the old one.
        #expect(
            SealingError.Code.of {
                _ = try RecordSealer(world.keys, list, by: world.phone, random: world.random.source)
            } == .generationUnknown
        )
        // Nor under one that a hub has put in the new one's place.
        var wrong = world.keys
        try wrong.add(ContainerKey(generation: 2, bytes: world.random.bytes(32)))
        #expect(
            SealingError.Code.of { _ = try RecordSealer(wrong, list, by: world.phone) } == .keyExchanged
        )
    }

    @Test("A key seals only once it has been announced")
    func announcement() throws {
        var keys = world.keys
        try keys.add(try keys.nextKey(world.list, random: world.random.source))
        let early = try world.sealer(world.phone, keys).seal([record(nil, by: world.phone)])[0]
        let opener = try RecordOpener(world.keys)
        #expect(throws: Never.self) { try opener.open(SealingWorld.entry(early, after: start), world.list) }
        // What claims to be sealed under a key that nobody has announced is no device's.
        var entry = try SealingWorld.entry(early, after: start)
        entry.record[4] = 2
        #expect(SealingError.Code.of { _ = try opener.open(entry, world.list) } == .damagedOrExchanged)
    }

    @Test("Of many records under one signature each counts by itself")
    func signedNodes() throws {
        let hasher = try SHA256Hasher()
        for count in [1, 2, 3, 7, 64, 100] {
            let leaves = try (0..<count).map { try HashTree.leaf([UInt8($0)], hasher) }
            let tree = try HashTree(leaves, hasher)
            var (nodes, checkCount) = (SignedNodes(), 0)
            let isSigned = { (root: [UInt8]) in
                checkCount += 1
                return root == tree.root
            }
            for index in (0..<count).reversed() {
                #expect(
                    try nodes.contains(leaves[index], tree.paths[index], by: [1], hasher, isSigned: isSigned)
                )
            }
            #expect(checkCount == 1)
            let forged = try HashTree.leaf([255], hasher)
            #expect(try !nodes.contains(forged, tree.paths[0], by: [1], hasher, isSigned: isSigned))
            #expect(try !nodes.contains(leaves[0], tree.paths[0], by: [2], hasher) { _ in false })
            #expect(try nodes.contains(leaves[0], tree.paths[0], by: [1], hasher, isSigned: isSigned))
        }
    }

    @Test("Names that lead elsewhere, and what is too much, is not sealed")
    func limits() throws {
        let sealer = try world.sealer(world.phone)
        for name in ["", ".", "..", "a/b", "a\0b"] {
            let code = SealingError.Code.of {
                _ = try sealer.seal([record(world.document(name), by: world.phone)])
            }
            #expect(code == .malformed, "\(name)")
        }
        let long = String(repeating: "é", count: 513)
        #expect(
            SealingError.Code.of { _ = try sealer.seal([record(world.document(long), by: world.phone)]) }
                == .beyondLimit
        )
        var crowded = world.document("x")
        crowded.conflicts = Set((0..<257).map { ContentName("\($0)") })
        #expect(
            SealingError.Code.of { _ = try sealer.seal([record(crowded, by: world.phone)]) } == .beyondLimit
        )
        var worded = world.document("x")
        worded.content = ContentName(String(repeating: "a", count: 32_769))
        #expect(
            SealingError.Code.of { _ = try sealer.seal([record(worded, by: world.phone)]) } == .beyondLimit
        )
        let large = record(nil, by: world.phone, extra: [UInt8](repeating: 0, count: 1 << 16 + 1))
        #expect(SealingError.Code.of { _ = try sealer.seal([large]) } == .beyondLimit)
        let many = [OpenRecord](repeating: record(nil, by: world.phone), count: 1001)
        #expect(SealingError.Code.of { _ = try sealer.seal(many) } == .beyondLimit)
    }

    @Test(
        "As much as an item may be has room in a record, with all that may be said beside, and is read again"
    )
    func most() throws {
        var most = world.document(String(repeating: "n", count: 1024))
        most.content = ContentName(String(repeating: "c0", count: 16_384))
        func conflicts(_ digitCount: Int) -> Set<ContentName> {
            let zeros = String(repeating: "0", count: digitCount - 4)
            return Set((1...256).map { ContentName(zeros + String(format: "%04x", $0)) })
        }
        most.conflicts = conflicts(628)
        #expect(RecordExcess(of: most) == nil)
        let whole = record(most, by: world.phone, extra: [UInt8](repeating: 7, count: 1 << 16))
        let others = [OpenRecord](repeating: record(nil, by: world.phone), count: 999)
        let sealed = try world.sealer(world.phone).seal([whole] + others)
        #expect(sealed[0].record.count <= HubLimits.recordByteCountMax)
        let entry = try SealingWorld.entry(sealed[0], after: start)
        #expect(try RecordOpener(world.keys).open(entry, world.list) == whole)
        func excess(_ change: (inout ItemState) -> Void) -> RecordExcess.Subject? {
            var state = most
            change(&state)
            return RecordExcess(of: state)?.subject
        }
        #expect(excess { $0.place.name += "n" } == .name)
        #expect(excess { $0.content = ContentName(String(repeating: "c0", count: 16_385)) } == .contents)
        #expect(excess { $0.conflicts.insert(ContentName("ff")) } == .conflictCount)
        #expect(excess { $0.conflicts = [ContentName(String(repeating: "c0", count: 16_385))] } == .conflict)
        #expect(excess { $0.conflicts = conflicts(630) } == .all)
    }

    @Test("Identifiers and items have one name each at the hub")
    func names() throws {
        let id = Commit.ID(DeviceID(0x0123_4567_89ab_cdef), session: 1, 255)
        #expect(CommitName(id).text == "0123456789abcdef.0000000000000001.ff")
        #expect(CommitName(id).commitID == id)
        for text in [
            "0123456789abcdef.0000000000000001.0ff", "1.2.3", "a", "0123456789abcdef.0000000000000001.",
        ] {
            #expect(CommitName(text)?.commitID == nil, "\(text)")
        }
        #expect(ItemName(ItemID(1, 2)).itemID == ItemID(1, 2))
    }

    @Test("Records with bytes changed by one who has the keys do no harm", arguments: [UInt64(9)])
    func hostile(seed: UInt64) throws {
        let random = SeededRandom(seed)
        let sealed = try world.sealer(world.phone).seal(records)
        let opener = try RecordOpener(world.keys)
        for _ in 0..<200 {
            var entry = try SealingWorld.entry(sealed[random.below(4)], after: start)
            let former = entry
            if random.below(3) == 0 { entry.record = Data(random.bytes(random.below(200))) }
            for _ in 0..<1 + random.below(3) where !entry.record.isEmpty {
                entry.record[random.below(entry.record.count)] = UInt8(random.below(256))
            }
            guard entry != former else { continue }
            #expect(SealingError.Code.of { _ = try opener.open(entry, world.list) } != nil, "seed \(seed)")
        }
    }
}
