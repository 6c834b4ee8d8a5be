internal import Sealing
package import Sync

extension DeviceList {
    /// What a device has let in, and what that has, at any depth, as far as it shares the container still; in the order in
    /// which it came.
    ///
    /// Also what came by way of one that was shut out since: whoever has the device's keys may have let in one by another. Keys
    /// on paper are among it, as is what only says that it is one.
    ///
    /// - Parameter own: The device that asks. Neither that counts, nor what it has let in: its owner has done so himself.
    func letIn(by device: DeviceID, butFor own: DeviceID) -> [Member] {
        var reached: Set<DeviceID> = [device]
        var found: [Member] = []
        // Who lets in another one was there before it.
        for member in members.values.sorted(by: { $0.addedAt < $1.addedAt }) {
            let id = member.identity.id
            guard id != own, id != device, reached.contains(member.addedBy) else { continue }
            reached.insert(id)
            if !member.isRevoked { found.append(member) }
        }
        return found
    }
}

extension Sharing {
    /// What a device has let in, at any depth, and is not shut out with it: it goes on reading all, under each new key.
    ///
    /// Somebody who has found a device may have let in his own by it; so may its owner have, before it was lost. Only a person
    /// can tell the two apart.
    ///
    /// - Parameter device: One that shares the container, or was shut out. Until it is, there may be more at each look.
    /// - Throws: As `devices()`.
    package func letIn(by device: DeviceID) throws -> [SharingDevice] {
        try shown { $0.letIn(by: device, butFor: identity.id) }
    }
}
