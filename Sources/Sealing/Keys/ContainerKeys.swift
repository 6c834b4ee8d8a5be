package import Cryptography
package import HubProtocol

/// All keys of a container that a device holds. The newest seals; all of them open.
///
/// The naming key is the same for as long as the container exists: it is the key of each device's vault, so that equal
/// pieces have equal names on all of them.
package struct ContainerKeys: Hashable, Sendable, CustomStringConvertible {
    package static let namingKeyByteCount = 32
    /// So many generations fit, sealed for a device, into the 4 KiB that a hub keeps of them.
    package static let generationCountMax = 100

    package let container: ContainerName
    /// Names what is in the container: HMAC-SHA-256 under it.
    package let namingKey: [UInt8]
    /// What the list of the container's devices begins with; no other list is believed.
    package let anchor: DeviceListHash
    /// By generation, ascending; never empty.
    package private(set) var keys: [ContainerKey]

    /// Keys as they were kept, or of a test.
    ///
    /// - Parameter keys: By generation, ascending, at least one.
    package init(
        container: ContainerName,
        namingKey: [UInt8],
        anchor: DeviceListHash,
        keys: [ContainerKey]
    ) {
        precondition(namingKey.count == Self.namingKeyByteCount, "a naming key of \(namingKey.count) bytes")
        precondition(!keys.isEmpty && keys.count <= Self.generationCountMax, "\(keys.count) keys")
        precondition(
            zip(keys, keys.dropFirst()).allSatisfy { $0.generation < $1.generation },
            "keys in order"
        )
        (self.container, self.namingKey, self.anchor, self.keys) = (container, namingKey, anchor, keys)
    }

    /// Random keys of a new container.
    package init(
        newFor container: ContainerName,
        anchor: DeviceListHash,
        random: RandomSource
    ) throws(SealingError) {
        let namingKey = try SealingError.calling { () throws(CryptographyError) in
            try random(Self.namingKeyByteCount)
        }
        let key = try ContainerKey(generation: 1, random: random)
        self.init(container: container, namingKey: namingKey, anchor: anchor, keys: [key])
    }

    /// The key that seals.
    package var newest: ContainerKey { keys[keys.count - 1] }

    package subscript(generation: UInt32) -> ContainerKey? {
        keys.first { $0.generation == generation }
    }

    /// The key that is to follow, when a device is shut out.
    ///
    /// - Parameter list: The container's devices: another key may have been announced that has not come here.
    /// - Throws: `beyondLimit` where there is no other key any more; `outOfMemory`.
    package func nextKey(
        _ list: DeviceList,
        random: RandomSource
    ) throws(SealingError) -> ContainerKey {
        let (next, isBeyond) = max(newest.generation, list.generation).addingReportingOverflow(1)
        guard keys.count < Self.generationCountMax, !isBeyond else {
            throw .beyondLimit("keys of a container", Self.generationCountMax)
        }
        return try ContainerKey(generation: next, random: random)
    }

    /// Takes a newer key, once the list of devices has announced it: it seals from then on.
    package mutating func add(_ key: ContainerKey) throws(SealingError) {
        guard key.generation > newest.generation, keys.count < Self.generationCountMax else {
            throw .beyondLimit("keys of a container, each newer than the one before", Self.generationCountMax)
        }
        keys.append(key)
    }

    /// These, and a key besides, in its place; one of the same generation stays.
    package func adding(_ key: ContainerKey) throws(SealingError) -> ContainerKeys {
        var merged = self
        try merged.merge(
            ContainerKeys(container: container, namingKey: namingKey, anchor: anchor, keys: [key])
        )
        return merged
    }

    /// Takes what another device sent of the same container: what either has. Where the two differ in a key, this
    /// device's stays.
    package mutating func merge(_ other: ContainerKeys) throws(SealingError) {
        guard other.container == container, other.namingKey == namingKey, other.anchor == anchor else {
            throw SealingError(.keyExchanged, "These keys are another container's. Pair the device again.")
        }
        let new = other.keys.filter { self[$0.generation] == nil }
        guard keys.count + new.count <= Self.generationCountMax else {
            throw .beyondLimit("keys of a container", Self.generationCountMax)
        }
        keys = (keys + new).sorted { $0.generation < $1.generation }
    }

    /// Without the keys themselves, which are to be in no log.
    package var description: String { "keys of container \(container): \(keys)" }
}

extension ContainerKeys {
    private static let version: UInt8 = 1

    /// The keys in the clear: for a file that only the user can read (mode 0600), or to be sealed.
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.integer(Self.version)
        writer.raw(container.bytes)
        writer.raw(anchor.bytes)
        writer.raw(namingKey)
        writer.integer(UInt16(keys.count))
        for key in keys {
            writer.integer(key.generation)
            writer.raw(key.bytes)
        }
        return writer.bytes
    }

    /// - Throws: `versionUnknown`, `malformed`.
    package init(encoded bytes: [UInt8]) throws(SealingError) {
        var reader = ByteReader(bytes, "A container's keys")
        try reader.version(Self.version)
        let container = ContainerName(unchecked: try reader.raw(ContainerName.byteCount))
        let anchor = DeviceListHash(unchecked: try reader.raw(DeviceListHash.byteCount))
        let namingKey = try reader.raw(Self.namingKeyByteCount)
        let count = Int(try reader.integer(UInt16.self))
        guard (1...Self.generationCountMax).contains(count) else { throw reader.malformed("\(count) keys") }
        var keys: [ContainerKey] = []
        for _ in 0..<count {
            let generation = try reader.integer(UInt32.self)
            guard generation > keys.last?.generation ?? 0 else { throw reader.malformed("keys in no order") }
            keys.append(ContainerKey(generation: generation, bytes: try reader.raw(ContainerKey.byteCount)))
        }
        try reader.finish()
        self.init(container: container, namingKey: namingKey, anchor: anchor, keys: keys)
    }
}
