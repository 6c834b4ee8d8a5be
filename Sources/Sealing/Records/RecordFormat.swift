internal import Cryptography
internal import HubProtocol

/// How a sealed record looks, and what it is bound to; Docs/formats/sealing.md says it in words.
enum RecordFormat {
    static let version: UInt8 = 1
    static let saltByteCount = 24
    static let headByteCount = 1 + 4 + saltByteCount
    /// As a hub takes at most.
    static let byteCountMax = 256 << 10

    /// Container, item, base and identifier: all that the hub knows of a commit, and could exchange.
    static func bound(
        _ container: ContainerName,
        _ item: ItemName,
        _ base: UInt64,
        _ id: CommitName
    ) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(container.bytes)
        writer.raw(item.bytes)
        writer.integer(base)
        writer.text(id.text)
        return writer.bytes
    }

    /// The digest under which a record is in its author's tree.
    static func leaf(
        _ bound: [UInt8],
        _ body: [UInt8],
        _ hasher: SHA256Hasher
    ) throws(CryptographyError) -> [UInt8] {
        try HashTree.leaf(Array("sheaf record 1".utf8) + bound + body, hasher)
    }

    /// What an author signs.
    static func signed(_ root: [UInt8]) -> [UInt8] { Array("sheaf records 1".utf8) + root }

    /// The record's own key: HKDF-Expand of the generation's for its salt, which is one block.
    static func key(_ salt: [UInt8], _ records: KeyedHasher) throws(CryptographyError) -> [UInt8] {
        try records.code(of: salt + [1])
    }
}
