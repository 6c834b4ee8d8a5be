internal import Cryptography
package import FileSystem
internal import Foundation
package import HubProtocol
package import Sealing
internal import Sync

/// Begins containers, and says who shares them.
package enum Founding {
    /// Begins a container whose log is empty yet.
    ///
    /// - Parameters:
    ///   - container: A new name.
    ///   - identity: The first device's.
    ///   - name: What its owner calls it.
    ///   - hub: The container at its hub.
    /// - Returns: The container's keys. Who loses all of them loses the container.
    /// - Throws: `SyncFailure` with code `hubChanged` when the log is not empty; `HubFailure`, `LineFailure`,
    ///   `SealingError`.
    package static func found(
        _ container: ContainerName,
        by identity: DeviceIdentity,
        named name: String,
        at hub: any ContainerHub
    ) throws -> ContainerKeys {
        let keys = try newKeys(of: container, by: identity, named: name)
        guard try found(keys, by: identity, named: name, at: hub) else {
            throw SyncFailure.begunByOther(container)
        }
        return keys
    }

    /// Keys of a container that is not begun yet.
    static func newKeys(
        of container: ContainerName,
        by identity: DeviceIdentity,
        named name: String
    ) throws -> ContainerKeys {
        let statement = try DeviceStatement.founding(container, by: identity, named: name)
        return try ContainerKeys(newFor: container, anchor: try statement.hash(), random: RandomBytes.make)
    }

    /// As above, with keys that are there already.
    ///
    /// - Returns: False when the log has begun otherwise.
    static func found(
        _ keys: ContainerKeys,
        by identity: DeviceIdentity,
        named name: String,
        at hub: any ContainerHub
    ) throws -> Bool {
        // A signature of the same has no chance in it.
        let statement = try DeviceStatement.founding(keys.container, by: identity, named: name)
        return try say(statement, keys, by: identity, at: hub)
    }

    /// Says again what a container's log begins with, at a hub that has lost all of it: all else is sent again by who has it.
    ///
    /// - Parameters:
    ///   - keys: The container's.
    ///   - name: What this device was called when it began the container.
    /// - Returns: Whether the log has a beginning now. Only the device that began the container can give it one, and none does
    ///   where another was shut out since: the new log would let that one in again.
    /// - Throws: `HubFailure`, `LineFailure`, `SealingError`.
    @discardableResult
    package static func foundAgain(
        _ keys: ContainerKeys,
        by identity: DeviceIdentity,
        named name: String,
        at hub: any ContainerHub
    ) throws -> Bool {
        guard try hub.log(after: 0, waitSeconds: 0).head.position == 0 else { return true }
        // The same as then, to the byte: a signature of the same has no chance in it.
        let statement = try DeviceStatement.founding(keys.container, by: identity, named: name)
        guard try statement.hash() == keys.anchor, keys.newest.generation == 1 else { return false }
        return try say(statement, keys, by: identity, at: hub)
    }

    /// - Returns: False when the log has begun otherwise.
    private static func say(
        _ statement: DeviceStatement,
        _ keys: ContainerKeys,
        by identity: DeviceIdentity,
        at hub: any ContainerHub
    ) throws -> Bool {
        let desk = try LogDesk(KeyRing(keys) { _ in }, by: identity, known: [])
        let id = Commit.ID(identity.id, session: .random(in: 1...UInt64.max), 1)
        guard let offered = try desk.sealFounding(statement, as: id) else { return true }
        guard case .accepted = try hub.offer([offered]).answers.first else { return false }
        return true
    }

    /// Says in a container's log that another device shares it from now on.
    ///
    /// - Parameters:
    ///   - keys: Has all of the container's when this returns.
    ///   - folder: What is the saying device's of the container: the log has to go on from what that remembers. Nil for nothing.
    /// - Returns: Who shares it by what was read then.
    /// - Throws: As `found`; `SyncFailure` with code `hubChanged` when the log is not what it should be or does not know the saying
    ///   device, `shutOut` for a device that was there before and is not to come back.
    @discardableResult
    package static func add(
        _ device: PublicIdentity,
        to keys: KeyRing,
        by identity: DeviceIdentity,
        at hub: any ContainerHub,
        remembered folder: FilePath? = nil
    ) throws -> DeviceListMark {
        let visit = try LogVisit(keys, by: identity, at: hub, remembered: folder)
        _ = try visit.say { id in
            if let end = visit.desk.shutOut { throw SyncFailure.shutOut(end) }
            return try visit.desk.sealAddition(of: device, as: id)
        }
        guard visit.desk.isMember, visit.devices.members[device.id]?.isRevoked == false else {
            throw SyncFailure.isForgotten
        }
        return visit.devices.mark
    }

    /// As above, for keys that are kept nowhere.
    @discardableResult
    package static func add(
        _ device: PublicIdentity,
        to keys: ContainerKeys,
        by identity: DeviceIdentity,
        at hub: any ContainerHub
    ) throws -> DeviceListMark {
        try add(device, to: KeyRing(keys) { _ in }, by: identity, at: hub)
    }
}

extension SyncFailure {
    static let isForgotten = SyncFailure.hubChanged(
        """
        The hub has forgotten this device, which can let in no other. Start sheaf up here, have another device that shares the folder \
        be kept in step, and say this again once there is a line here.
        """
    )
}
