import DeviceSync
import Foundation
import HubProtocol
import Sync
import Vault

/// Hides nothing: for tests of what is done with what is sealed.
struct OpenSeal: ContainerSeal {
    private struct Record: Codable {
        var device: UInt64
        var session: UInt64
        var number: UInt64
        var kind: Int
        var parent: [UInt64]
        var name: String
        var content: String?
        var conflicts: [String]
    }

    func blobName(of object: VaultObject) throws -> BlobName { BlobName(unchecked: object.name.bytes) }
    func seal(_ packed: [UInt8], of object: VaultObject) throws -> Data { Data(packed) }
    func open(_ sealed: Data, of object: VaultObject) throws -> [UInt8] { Array(sealed) }

    func seal(_ commit: Commit) throws -> OfferedCommit {
        let state = commit.state
        let record = Record(
            device: commit.id.device.number,
            session: commit.id.session,
            number: commit.id.number,
            kind: state == nil ? 0 : state?.kind == .folder ? 1 : 2,
            parent: [state?.place.parent.high ?? 0, state?.place.parent.low ?? 0],
            name: state?.place.name ?? "",
            content: state?.content?.value,
            conflicts: state?.conflicts.map(\.value) ?? []
        )
        let id = "\(String(commit.id.device.number, radix: 16))-\(String(commit.id.session, radix: 16))-\(commit.id.number)"
        let item = withUnsafeBytes(of: (commit.item.high.bigEndian, commit.item.low.bigEndian)) { Array($0) }
        return OfferedCommit(
            item: ItemName(unchecked: item),
            base: commit.base,
            id: CommitName(id)!,
            record: try JSONEncoder().encode(record)
        )
    }

    func open(_ record: LogRecord) throws -> Commit {
        let plain = try JSONDecoder().decode(Record.self, from: record.record)
        func number(_ range: Range<Int>) -> UInt64 { record.item.bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        let id = Commit.ID(DeviceID(plain.device), session: plain.session, plain.number)
        var state: ItemState?
        if plain.kind > 0 {
            let place = ItemPlace(ItemID(plain.parent[0], plain.parent[1]), plain.name)
            state = ItemState(
                plain.kind == 1 ? .folder : .document,
                at: place,
                content: plain.content.map { ContentName($0) },
                conflicts: Set(plain.conflicts.map { ContentName($0) })
            )
        }
        return Commit(id, ItemID(number(0..<8), number(8..<16)), on: record.base, state)
    }
}
