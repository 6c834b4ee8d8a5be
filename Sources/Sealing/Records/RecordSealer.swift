package import Cryptography
package import HubProtocol
internal import Sync

/// A commit as the hub keeps it.
package struct SealedCommit: Hashable, Sendable {
    package let item: ItemName
    package let base: UInt64
    package let id: CommitName
    package let record: [UInt8]
}

/// Seals and signs what this device commits. For one thread at a time.
///
/// All that is sealed in one call has one signature, as signing and checking take far longer than all else.
package final class RecordSealer {
    /// How many commits one call takes.
    package static let countMax = 1000

    private let container: ContainerName
    private let generation: UInt32
    private let identity: DeviceIdentity
    private let random: RandomSource
    private let records: KeyedHasher
    private let hasher: SHA256Hasher
    private let cipher: OneTimeCipher

    /// - Parameters:
    ///   - keys: All that the device holds.
    ///   - list: The container's devices, which says under which of the keys is sealed.
    ///   - identity: This device's.
    /// - Throws: `generationUnknown`, `keyExchanged`, `outOfMemory`.
    package init(
        _ keys: ContainerKeys,
        _ list: DeviceList,
        by identity: DeviceIdentity,
        random: @escaping RandomSource = RandomBytes.make
    ) throws(SealingError) {
        let key = try list.sealingKey(of: keys)
        (container, generation) = (keys.container, key.generation)
        (self.identity, self.random) = (identity, random)
        let schedule = try KeySchedule(key, of: keys.container)
        (records, hasher, cipher) = try SealingError.calling { () throws(CryptographyError) in
            (try KeyedHasher(key: schedule.records), try SHA256Hasher(), try OneTimeCipher())
        }
    }

    /// Seals commits, for one message to the hub.
    ///
    /// - Parameter commits: At most `countMax`, this device's own.
    /// - Returns: As many, in the same order.
    /// - Throws: `beyondLimit`, `malformed` for what is no item's name, `outOfMemory`. Nothing is sealed then.
    package func seal(_ commits: [OpenRecord]) throws(SealingError) -> [SealedCommit] {
        guard commits.count <= Self.countMax else {
            throw .beyondLimit("commits sealed at once", Self.countMax)
        }
        guard !commits.isEmpty else { return [] }
        var drafts: [Draft] = []
        for commit in commits { drafts.append(try draft(commit)) }
        let (tree, signature) = try SealingError.calling { () throws(CryptographyError) in
            var leaves: [[UInt8]] = []
            for draft in drafts { leaves.append(try RecordFormat.leaf(draft.bound, draft.body, hasher)) }
            let tree = try HashTree(leaves, hasher)
            return (tree, try identity.signing.signature(of: RecordFormat.signed(tree.root)))
        }
        var sealed: [SealedCommit] = []
        for (draft, path) in zip(drafts, tree.paths) { sealed.append(try seal(draft, signature, path)) }
        return sealed
    }

    private struct Draft {
        var item: ItemName
        var base: UInt64
        var id: CommitName
        var bound: [UInt8]
        var body: [UInt8]
    }

    private func draft(_ commit: OpenRecord) throws(SealingError) -> Draft {
        precondition(commit.id.device == identity.id, "a device seals its own commits")
        let (item, id) = (ItemName(commit.item), CommitName(commit.id))
        return Draft(
            item: item,
            base: commit.base,
            id: id,
            bound: RecordFormat.bound(container, item, commit.base, id),
            body: try RecordCoding.encode(commit.body)
        )
    }

    private func seal(
        _ draft: Draft,
        _ signature: [UInt8],
        _ path: HashTree.Path
    ) throws(SealingError) -> SealedCommit {
        var inner = ByteWriter()
        inner.raw(signature)
        inner.integer(UInt8(path.stepCount))
        inner.raw(path.bytes)
        inner.raw(draft.body)
        let (salt, key) = try SealingError.calling { () throws(CryptographyError) in
            let salt = try random(RecordFormat.saltByteCount)
            return (salt, try RecordFormat.key(salt, records))
        }
        var record = ByteWriter()
        record.integer(RecordFormat.version)
        record.integer(generation)
        record.raw(salt)
        record.raw(try OneTimeSeal.seal(inner.bytes, key, record.bytes + draft.bound, cipher))
        guard record.bytes.count <= RecordFormat.byteCountMax else {
            throw .beyondLimit("bytes of a sealed record", RecordFormat.byteCountMax)
        }
        return SealedCommit(item: draft.item, base: draft.base, id: draft.id, record: record.bytes)
    }
}
