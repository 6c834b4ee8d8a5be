package import Sync

/// A device that is to be shut out, and the key that is to seal from then on: kept durably before anything is said of it,
/// apart from the container's keys, as another device may shut one out first.
package struct PlannedRevocation: Hashable, Sendable, CustomStringConvertible {
    private static let version: UInt8 = 1

    package let device: DeviceID
    package let next: ContainerKey

    package init(of device: DeviceID, next: ContainerKey) { (self.device, self.next) = (device, next) }

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
        writer.integer(Self.version)
        writer.integer(device.number)
        writer.integer(next.generation)
        writer.raw(next.bytes)
        return writer.bytes
    }

    /// - Throws: `versionUnknown`, `malformed`.
    package init(encoded bytes: [UInt8]) throws(SealingError) {
        var reader = ByteReader(bytes, "A revocation that was begun")
        try reader.version(Self.version)
        let device = DeviceID(try reader.integer())
        let generation: UInt32 = try reader.integer()
        guard generation > 0 else { throw reader.malformed("its key has no generation") }
        let key = ContainerKey(generation: generation, bytes: try reader.raw(ContainerKey.byteCount))
        try reader.finish()
        self.init(of: device, next: key)
    }

    /// Without the key itself, which is to be in no log.
    package var description: String { "shutting out device \(device), with \(next)" }
}
