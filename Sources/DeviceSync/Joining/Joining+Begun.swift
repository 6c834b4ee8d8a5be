internal import Cryptography
internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sealing

// From the moment when the hub is asked for a place until the folder is joined. Whatever ends it in between, the same invitation or
// code is good once more on this device.
extension Joining {
    func means(_ kind: BegunJoining.Means.Kind, _ text: String) -> BegunJoining.Means {
        BegunJoining.Means(kind: kind, text: text, hub: hub, deviceName: deviceName)
    }

    /// What was begun with an invitation before, or something new.
    func begun(_ kind: BegunJoining.Means.Kind, invitation: String) throws -> BegunJoining {
        let means = means(kind, invitation)
        if let left = try BegunJoining.left(in: home, by: means) { return left }
        let identity = try DeviceIdentity(random: RandomBytes.make)
        return try BegunJoining.begin(in: home, by: means, as: identity, invitation: invitation)
    }

    /// Goes on with it to its end. Of what the hub has heard of something stays, to be gone on with, unless it is known to be over.
    func goOn(
        with begun: BegunJoining,
        _ join: () throws -> ContainerSettings
    ) throws -> ContainerSettings {
        do {
            let settings = try join()
            begun.end()
            return settings
        } catch {
            if !begun.isTold { begun.end() }
            throw error
        }
    }

    func register(_ begun: BegunJoining, _ client: HubClient) throws -> DeviceCredentials {
        do {
            return try register(begun.identity, client, begun.invitation) { begun.tell() }
        } catch let failure as HubFailure where failure.error.code == .badInvitation {
            begun.end()
            throw failure
        }
    }

    /// - Parameter tell: Called right before the hub is asked.
    func register(
        _ identity: DeviceIdentity,
        _ client: HubClient,
        _ invitation: String,
        tell: () -> Void = {}
    ) throws -> DeviceCredentials {
        // People have typed and compared since it was looked at.
        try home.checkRoom()
        // From here on a line that is lost is waited for.
        let tooOften = AskedTooOften()
        _ = try tooOften.patiently { try client.health() }
        tell()
        let registration = try DeviceRegistration(
            invitation: invitation,
            name: deviceName,
            signing: identity.signing,
            agreementKey: PublicKeyBytes(unchecked: identity.agreement.publicBytes)
        )
        return try tooOften.patiently { try client.register(registration) }
    }

    /// Begins the container at the hub. Its keys are kept before the hub hears of it: by these it is begun once.
    func found(_ begun: BegunJoining, _ client: HubClient) throws -> ContainerKeys {
        let former = begun.keys
        let keys = if let former { former } else { try newKeys(by: begun.identity) }
        if former == nil { try begun.keep(keys) }
        try client.makeContainer(keys.container)
        let container = HubContainer(keys.container, at: client)
        let isBegun =
            former == nil
            ? try Founding.found(keys, by: begun.identity, named: deviceName, at: container)
            : try Founding.foundAgain(keys, by: begun.identity, named: deviceName, at: container)
        guard isBegun else { throw SyncFailure.begunByOther(keys.container) }
        return keys
    }

    private func newKeys(by identity: DeviceIdentity) throws -> ContainerKeys {
        let container = ContainerName(unchecked: try RandomBytes.make(ContainerName.byteCount))
        return try Founding.newKeys(of: container, by: identity, named: deviceName)
    }

    /// Joins with what another device has given.
    ///
    /// - Parameter cancel: Tells that one that nothing comes of it.
    func receive(
        _ begun: BegunJoining,
        _ keys: ContainerKeys,
        _ folder: FilePath,
        _ client: HubClient,
        cancel: () throws -> Void
    ) throws -> ContainerSettings {
        try goOn(with: begun) {
            let credentials = try register(begun, client)
            do { return try keep(keys, begun.identity, folder, credentials, begun.list) } catch {
                // The other device need not wait for that.
                try cancel()
                if takeOut(begun.identity, keys, credentials) { begun.end() }
                throw error
            }
        }
    }

    /// Has a device that has been let in just now, and that comes to nothing here, leave again.
    ///
    /// - Returns: Whether it has. Else it stays among those that share it until somebody shuts it out, which they see, or it is gone on
    ///   with. Why nothing came of joining is said.
    private func takeOut(
        _ identity: DeviceIdentity,
        _ keys: ContainerKeys,
        _ credentials: DeviceCredentials
    ) -> Bool {
        do {
            let client = try HubClient(hub, token: credentials.token)
            defer { client.close() }
            let place = home.folder.appending("leaving-\(UUID().uuidString)")
            try ItemMoves.createFolder(place, permissions: 0o700)
            // Nothing of what is in it is needed any more.
            defer { try? ReadOnlyTree.remove(place) }
            let container = HubContainer(keys.container, at: client)
            try Sharing(in: place, KeyRing(keys) { _ in }, by: identity, at: container).leave()
            return true
        } catch { return false }
    }
}

extension SyncFailure {
    static func begunByOther(_ container: ContainerName) -> SyncFailure {
        .hubChanged("The container \(container) has been begun by somebody else.")
    }
}
