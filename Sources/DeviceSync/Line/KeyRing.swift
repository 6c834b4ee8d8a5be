internal import Locks
package import Sealing

/// A container's keys as this process holds them. More come when another device was shut out.
///
/// Any thread. Its state is in one value under one lock.
package final class KeyRing: Sendable {
    private let held: Locked<ContainerKeys>
    private let expected: Locked<DeviceListMark?>
    private let forget: @Sendable () throws -> Void
    private let keep: @Sendable (ContainerKeys) throws -> Void
    private let read: @Sendable () throws -> ContainerKeys?

    /// - Parameters:
    ///   - keys: All that the device holds.
    ///   - keep: Makes keys durable, together with those that were kept before.
    ///   - read: Gets all that was kept, by other processes too; nil where there is none, or no other process.
    ///   - expected: What the container's list of devices has to come by, as the device had read it that let this one in.
    ///   - forget: Has that be expected no longer, when the device begins next, too.
    package init(
        _ keys: ContainerKeys,
        expecting expected: DeviceListMark? = nil,
        forget: @escaping @Sendable () throws -> Void = {},
        keep: @escaping @Sendable (ContainerKeys) throws -> Void,
        read: @escaping @Sendable () throws -> ContainerKeys? = { nil }
    ) {
        (held, self.keep, self.read) = (Locked(keys), keep, read)
        (self.expected, self.forget) = (Locked(expected), forget)
    }

    /// What the list of devices has to come by.
    var listMark: DeviceListMark? { expected.withLock { $0 } }

    /// The list has come by it, and the hub has lost that since: it comes otherwise now.
    func forgetListMark() throws {
        guard listMark != nil else { return }
        try forget()
        expected.withLock { $0 = nil }
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
