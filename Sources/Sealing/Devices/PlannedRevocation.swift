package import Sync

/// A device that is to be shut out, and the key that is to seal from then on: kept durably before anything is said of it,
/// apart from the container's keys, as another device may shut one out first.
package struct PlannedRevocation: Hashable, Sendable, CustomStringConvertible {
    /// 2 says who it is; 1 only by what identifier.
    private static let (version, formerVersion): (UInt8, UInt8) = (2, 1)

    package let device: DeviceID
    /// Who that is, for a log that has forgotten it; nil for one that is to come to nothing there, and where a former version has
    /// planned it.
    package let identity: PublicIdentity?
    package let next: ContainerKey

    package init(of identity: PublicIdentity, next: ContainerKey) {
        (device, self.identity, self.next) = (identity.id, identity, next)
    }

    package init(of device: DeviceID, next: ContainerKey) {
        (self.device, identity, self.next) = (device, nil, next)
    }

    /// The same device, with another key.
    package func with(next: ContainerKey) -> PlannedRevocation {
        identity.map { PlannedRevocation(of: $0, next: next) } ?? PlannedRevocation(of: device, next: next)
    }

    /// Whether the container's devices have heard of it in just these words.
    package func isSaid(in list: DeviceList, _ keys: ContainerKeys) throws(SealingError) -> Bool {
        let check = try keys.check(of: next)
        return list.entries.contains {
            $0.statement.change == .revoked(device, generation: next.generation, keyCheck: check)
        }
    }

    /// In the clear: for a file that only the user can read (mode 0600).
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.integer(identity == nil ? Self.formerVersion : Self.version)
        if let identity { identity.encode(into: &writer) } else { writer.integer(device.number) }
        writer.integer(next.generation)
        writer.raw(next.bytes)
        return writer.bytes
    }

    /// - Throws: `versionUnknown`, `malformed`.
    package init(encoded bytes: [UInt8]) throws(SealingError) {
        var reader = ByteReader(bytes, "A revocation that was begun")
        let version: UInt8 = try reader.integer()
        guard [Self.version, Self.formerVersion].contains(version) else {
            throw .versionUnknown(version, "A revocation that was begun")
        }
        let (device, identity): (DeviceID, PublicIdentity?)
        if version == Self.version {
            let known = try PublicIdentity(from: &reader)
            (device, identity) = (known.id, known)
        } else {
            (device, identity) = (DeviceID(try reader.integer()), nil)
        }
        let generation: UInt32 = try reader.integer()
        guard generation > 0 else { throw reader.malformed("its key has no generation") }
        let key = ContainerKey(generation: generation, bytes: try reader.raw(ContainerKey.byteCount))
        try reader.finish()
        (self.device, self.identity, next) = (device, identity, key)
    }

    /// Without the key itself, which is to be in no log.
    package var description: String { "shutting out device \(device), with \(next)" }
}
