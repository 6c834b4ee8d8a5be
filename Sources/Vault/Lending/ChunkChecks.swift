internal import Cryptography
internal import Locks

/// Checksums of chunks of lent files that this process has named a moment ago: what is about to be sent is found unchanged in
/// a fifth of the time that its name takes.
///
/// They are made of the very bytes that the name was made of, under a key that no other process has, and are as long as it takes
/// for nothing to be taken for something else by chance.
final class ChunkChecks: Sendable {
    /// So many are kept for certain, and twice as many at most.
    private static let countMax = 16_384

    private struct Known {
        var now: [ObjectName: SecretChecksum.Value] = [:]
        var before: [ObjectName: SecretChecksum.Value] = [:]
    }

    private let key: [UInt8]
    private let known = Locked(Known())

    init() throws { key = try RandomBytes.make(SecretChecksum.keyByteCount) }

    /// For one thread.
    func checksum() throws -> SecretChecksum { try SecretChecksum(key: key) }

    func note(_ name: ObjectName, _ value: SecretChecksum.Value) {
        known.withLock { known in
            known.now[name] = value
            if known.now.count >= Self.countMax { (known.before, known.now) = (known.now, [:]) }
        }
    }

    /// Nil for what has not been named lately.
    subscript(name: ObjectName) -> SecretChecksum.Value? {
        known.withLock { $0.now[name] ?? $0.before[name] }
    }
}
