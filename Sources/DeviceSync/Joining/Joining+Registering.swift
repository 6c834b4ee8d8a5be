package import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sealing

// A hub that was put back to a backup does not know who has joined since: neither the device nor, maybe, the container. Only an
// invitation lets the device in again; it is the same one as before to all others, by its keys.
extension Joining {
    /// Registers the device of a folder again, as what it was, at a hub that does not know it any more.
    ///
    /// - Parameters:
    ///   - folder: One that is joined at this hub, which may be at another address by now. Nobody may keep it in step meanwhile.
    ///   - invitation: The hub's. It is used up only where the hub takes it.
    /// - Returns: What is kept of the container now. Nil where there is nothing to do: for a folder that is not joined here, and for
    ///   one whose device the hub knows.
    /// - Throws: `SyncFailure` with code `inUse` while the folder is kept in step, `refused` for another account's invitation, and
    ///   where another hub knows the device; `HubFailure`, `LineFailure`. What is kept is as it was then, and another invitation may
    ///   be tried.
    package func registerAgain(_ folder: FilePath, invitation: String) throws -> ContainerSettings? {
        guard let joined = try home.joined(in: folder), try !isKnown(joined.settings) else { return nil }
        guard try !isKnownElsewhere(joined.settings) else {
            throw SyncFailure.knownElsewhere(folder, joined.settings.hub)
        }
        let container = joined.settings.container
        // Who keeps it in step would go on with what the hub does not know.
        let own = try StorageFolder(at: home.folder(of: container))
        let lock = try Sharing.lockFile(DeviceMemory.lockName, in: own)
        guard try lock.lock(waits: false) else { throw SyncFailure.inUseRegistering(folder) }
        defer { lock.unlock() }
        // It was asked a moment ago.
        let client = try HubClient(hub, losses: .borne)
        defer { client.close() }
        let former = Joining(home, at: hub, named: joined.settings.deviceName)
        let credentials = try former.register(joined.identity, client, invitation)
        do { try client.makeContainer(container) } catch let failure as HubFailure
            where [.conflict, .removed].contains(failure.error.code)
        {
            // Nobody wants a device in another account, or of a folder that the hub's owner has removed. Where it stays all the
            // same, nobody has its token.
            try? client.revoke(credentials.device)
            throw failure.error.code == .conflict ? SyncFailure.otherAccount(folder) : failure
        }
        // Before the token is kept: what dies in between is done again with the next invitation.
        try Founding.foundAgain(
            joined.keys,
            by: joined.identity,
            named: joined.settings.deviceName,
            at: HubContainer(container, at: client)
        )
        return try home.keep(hub, credentials, of: joined)
    }
}
