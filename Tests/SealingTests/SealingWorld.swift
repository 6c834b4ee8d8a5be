import Cryptography
import Foundation
import HubProtocol
import Sealing
import SeededNumbers
import Sync

/// Random bytes that a seed gives again.
final class SeededRandom {
    private var numbers: SplitMix64

    init(_ seed: UInt64) { numbers = SplitMix64(seed: seed) }

    func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
    }

    func below(_ bound: Int) -> Int { numbers.below(bound) }

    var source: RandomSource { { [self] count throws(CryptographyError) in bytes(count) } }
}

/// A container that two devices share, and a third that is not of them.
struct SealingWorld {
    let random: SeededRandom
    let container: ContainerName
    let (phone, pad, stranger): (DeviceIdentity, DeviceIdentity, DeviceIdentity)
    let keys: ContainerKeys
    let founding: DeviceStatement
    let adding: DeviceStatement
    /// After both statements, which are the log's first two entries.
    let list: DeviceList

    init(seed: UInt64 = 1) throws {
        random = SeededRandom(seed)
        container = ContainerName(unchecked: random.bytes(16))
        phone = try DeviceIdentity(random: random.source)
        pad = try DeviceIdentity(random: random.source)
        stranger = try DeviceIdentity(random: random.source)
        founding = try DeviceStatement.founding(container, by: phone, named: "phone")
        keys = try ContainerKeys(newFor: container, anchor: founding.hash(), random: random.source)
        var list = DeviceList(for: keys)
        try list.apply(founding, at: 1)
        adding = try list.adding(pad.publicIdentity(named: "pad"), by: phone)
        try list.apply(adding, at: 2)
        self.list = list
    }

    /// A list that has not read the log.
    var emptyList: DeviceList { DeviceList(for: keys) }

    func sealer(_ device: DeviceIdentity, _ keys: ContainerKeys? = nil) throws -> RecordSealer {
        try RecordSealer(keys ?? self.keys, list, by: device, random: random.source)
    }

    /// The hub's entry of a commit that it has accepted.
    static func entry(_ commit: SealedCommit, after head: LogHead) throws -> LogRecord {
        var chain = LogChain(at: head)
        let new = try chain.append(
            item: commit.item,
            base: commit.base,
            id: commit.id,
            record: Data(commit.record)
        )
        return LogRecord(
            position: new.position,
            item: commit.item,
            base: commit.base,
            id: commit.id,
            record: Data(commit.record),
            device: DeviceName(unchecked: [UInt8](repeating: 0, count: 8)),
            hash: new.hash
        )
    }

    func document(_ name: String, content: String = "c0ffee") -> ItemState {
        ItemState(.document, at: ItemPlace(.root, name), content: ContentName(content))
    }
}

extension SealingError.Code {
    /// The code of what a piece of code throws; nil when it throws nothing of ours.
    static func of(_ body: () throws -> Void) -> SealingError.Code? {
        do { try body() } catch { return (error as? SealingError)?.code }
        return nil
    }
}
