package import FileSystem
internal import Foundation
internal import HubProtocol

// A hub that is at another address: by another name, on another machine, behind a proxy with TLS. To the devices it is the same as long
// as it knows them.
extension Joining {
    /// Has a joined folder be kept in step with its hub at this address from now on. Who keeps it in step just now goes on at the
    /// former one until it ends.
    ///
    /// - Returns: What is kept of the container now. Nil for a folder that is not joined here, or at this address already.
    /// - Throws: `SyncFailure` with code `refused` where what is at the address does not know this device; `HubFailure`, `LineFailure`.
    ///   What is kept is as it was then.
    package func move(_ folder: FilePath) throws -> ContainerSettings? {
        guard let joined = try home.joined(in: folder) else { return nil }
        guard try isKnown(joined.settings) else { throw SyncFailure.unknownThere(folder, hub) }
        return HubClient.isSame(joined.settings.hub, hub) ? nil : try home.keep(hub, of: joined)
    }

    /// Whether the hub at the address knows a device, be it that it refuses it as one that was shut out. What is no hub, and is not where
    /// it was before, is not told the token.
    func isKnown(_ settings: ContainerSettings) throws -> Bool {
        if !HubClient.isSame(settings.hub, hub) {
            let stranger = try HubClient(hub)
            defer { stranger.close() }
            _ = try stranger.health()
        }
        return try Self.isKnown(settings, at: hub)
    }

    /// Whether a folder's hub is another one, which knows the device. One that does not answer is gone, by what the person says who gives
    /// another address.
    func isKnownElsewhere(_ settings: ContainerSettings) throws -> Bool {
        guard !HubClient.isSame(settings.hub, hub) else { return false }
        do { return try Self.isKnown(settings, at: settings.hub) } catch is LineFailure { return false }
    }

    private static func isKnown(_ settings: ContainerSettings, at hub: URL) throws -> Bool {
        let client = try HubClient(hub, token: settings.credentials.token)
        defer { client.close() }
        do { _ = try client.containers() } catch let failure as HubFailure
            where [.unauthorized, .revoked].contains(failure.error.code)
        {
            return failure.error.code == .revoked
        }
        return true
    }
}
