internal import Cryptography
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import SeededNumbers
internal import Sync

/// A container with a log, as its devices have sealed it: the same with every run, so that a seed tells all.
struct SealedSamples {
    let container: ContainerName
    let (phone, pad): (DeviceIdentity, DeviceIdentity)
    let keys: ContainerKeys
    let next: ContainerKey
    let recovery: RecoveryKey
    private(set) var list: DeviceList
    private(set) var bodies: [RecordBody] = []
    private(set) var entries: [LogRecord] = []
    private(set) var records: [OpenRecord] = []
    private(set) var head: LogHead
    private let numbers: Numbers

    /// Random bytes that are the same each time. For one thread at a time.
    final class Numbers {
        private var numbers = SplitMix64(seed: 7)
        var source: RandomSource { { [self] count throws(CryptographyError) in bytes(count) } }

        private func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
        }
    }

    var random: RandomSource { numbers.source }

    init() throws {
        let numbers = Numbers()
        self.numbers = numbers
        container = ContainerName(unchecked: try numbers.source(ContainerName.byteCount))
        (phone, pad) = (
            try DeviceIdentity(random: numbers.source), try DeviceIdentity(random: numbers.source)
        )
        recovery = try RecoveryKey(random: numbers.source)
        let founding = try DeviceStatement.founding(container, by: phone, named: "phone")
        keys = try ContainerKeys(newFor: container, anchor: try founding.hash(), random: numbers.source)
        next = try ContainerKey(generation: 2, random: numbers.source)
        list = DeviceList(for: keys)
        head = try LogChain(of: container).head
        try append(.devices(founding), to: .devices, on: 0)
        try append(
            .devices(try list.adding(pad.publicIdentity(named: "pad"), by: phone)),
            to: .devices,
            on: 1
        )
        let (folder, document) = (ItemID(3, 4), ItemID(5, 6))
        try append(.item(ItemState(.folder, at: ItemPlace(.root, "letters"))), to: folder, on: 0)
        try append(.item(Self.document(in: folder, conflicts: [])), to: document, on: 0)
        try append(
            .item(Self.document(in: folder, conflicts: ["c0ffee", "not digits"])),
            to: document,
            on: 4
        )
        try append(.item(nil), to: document, on: 5)
    }

    private static func document(in folder: ItemID, conflicts: [String]) -> ItemState {
        ItemState(
            .document,
            at: ItemPlace(folder, "Gruß.txt"),
            content: ContentName("0a1b2c3d"),
            conflicts: Set(conflicts.map { ContentName($0) })
        )
    }

    private mutating func append(
        _ contents: RecordBody.Contents,
        to item: ItemID,
        on base: LogPosition
    ) throws {
        let id = Commit.ID(phone.id, session: 9, head.position + 1)
        let body = RecordBody(contents, seen: head, extra: RecordExtra(modified: 77).encoded)
        let record = OpenRecord(id, item, on: base, body)
        let sealer = try RecordSealer(keys, list, by: phone, random: random)
        for sealed in try sealer.seal([record]) {
            entries.append(
                LogRecord(
                    position: 0,
                    item: sealed.item,
                    base: sealed.base,
                    id: sealed.id,
                    record: Data(sealed.record),
                    device: DeviceName(unchecked: [UInt8](repeating: 1, count: DeviceName.byteCount)),
                    hash: head.hash
                )
            )
        }
        (entries, head) = try Self.chained(entries, of: container)
        records.append(record)
        bodies.append(body)
        if case .devices(let statement) = contents { try list.apply(statement, at: head.position) }
    }

    /// Entries as a hub has them that makes the chain of what it likes.
    static func chained(
        _ entries: [LogRecord],
        of container: ContainerName
    ) throws -> (entries: [LogRecord], head: LogHead) {
        var (chain, chained) = (try LogChain(of: container), entries)
        for index in chained.indices {
            let entry = chained[index]
            let head = try chain.append(
                item: entry.item,
                base: entry.base,
                id: entry.id,
                record: entry.record
            )
            (chained[index].position, chained[index].hash) = (head.position, head.hash)
        }
        return (chained, chain.head)
    }
}
