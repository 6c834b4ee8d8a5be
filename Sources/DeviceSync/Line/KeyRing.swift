internal import Locks
package import Sealing

/// A container's keys as this process holds them. More come when another device was shut out.
///
/// Any thread. Its state is in one value under one lock.
package final class KeyRing: Sendable {
    private let held: Locked<ContainerKeys>
    private let keep: @Sendable (ContainerKeys) throws -> Void
    private let read: @Sendable () throws -> ContainerKeys?

    /// - Parameters:
    ///   - keys: All that the device holds.
    ///   - keep: Makes keys durable, together with those that were kept before.
    ///   - read: Gets all that was kept, by other processes too; nil where there is none, or no other process.
    package init(
        _ keys: ContainerKeys,
        keep: @escaping @Sendable (ContainerKeys) throws -> Void,
        read: @escaping @Sendable () throws -> ContainerKeys? = { nil }
    ) {
        (held, self.keep, self.read) = (Locked(keys), keep, read)
    }

    package var keys: ContainerKeys { held.withLock { $0 } }

    /// Takes more. They are durable before anything is sealed under them.
    func take(_ keys: ContainerKeys) throws {
        try keep(keys)
        try held.withLock { try $0.merge(keys) }
    }

    /// Takes what another process of this device has kept meanwhile.
    func takeKept() throws {
        guard let kept = try read() else { return }
        try held.withLock { try $0.merge(kept) }
    }
}
