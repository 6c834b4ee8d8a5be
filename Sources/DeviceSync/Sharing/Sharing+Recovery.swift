internal import Cryptography
package import FileSystem
internal import HubProtocol
package import Sealing
package import Sync

extension Sharing {
    /// Makes a recovery key for the container, which is a device of it from then on: later keys are sealed for it, too.
    ///
    /// - Parameters:
    ///   - replacesFormer: Whether those that were made before are shut out, once the new one has been shown.
    ///   - show: Shows what a person is to write down, group by group. Nothing of it is kept anywhere. Called once, when the new
    ///     one is right and before any former one is wrong; what it throws leaves the former ones as they are.
    /// - Throws: `SyncFailure` with code `refused` when there is one and it is not to be replaced, or there is no key left to
    ///   shut it out with; what `check(_:)` throws, when the new one would not bring the container back, and is not shown;
    ///   `FormerPaperFailure` once the new one has been shown; `UngivenKeys` where all is done but that.
    package func makeRecoveryKey(
        replacesFormer: Bool,
        show: (_ groups: [String]) throws -> Void
    ) throws {
        let visit = try visitLog()
        try visit.catchUp()
        let former = visit.devices.present.filter(\.isPaper)
        guard former.isEmpty || replacesFormer else { throw SyncFailure.paperIsThere }
        let plannedCount = try plan() == nil ? 0 : 1
        guard
            former.isEmpty
                || keys.keys.keys.count + plannedCount + former.count <= ContainerKeys.generationCountMax
        else {
            throw SyncFailure.paperStays
        }
        let key = try RecoveryKey(random: RandomBytes.make)
        let groups = try key.groups()
        let paper = try key.identity().publicIdentity(named: RecoveryKey.deviceName)
        // The kit first: a key in the list without one would open nothing.
        let kept = keys.keys
        let kit = try RecoveryKit(kept, under: key, random: RandomBytes.make)
        try hub.leave(kit.encoded, for: paper.id)
        try Founding.add(paper, to: keys, by: identity, at: hub, remembered: folder)
        if keys.keys != kept {
            // Who has announced a key in between knew nothing of the paper, and has sealed it for all others.
            let box = try Sealing.WrappedKeys(keys.keys, for: paper, by: identity, random: RandomBytes.make)
            try hub.leave(box.encoded, for: paper.id)
        }
        // Nobody is to write down, in the place of a former one that is right, what opens nothing.
        try check(key)
        // Shown first: cut off while the former one is shut out, that is gone on with by whoever comes next.
        try show(groups)
        var last = Outcome.revoked
        for (index, device) in former.enumerated() {
            do { last = try revoke(device.id) } catch {
                throw FormerPaperFailure(staying: former[index...].map(\.id), cause: error)
            }
        }
        // With the last key came all before it.
        try UngivenKeys.check(last)
    }

    /// Looks whether what stands on a paper would bring the container back.
    ///
    /// - Throws: `SyncFailure` with code `refused` when it would not, and why.
    package func check(_ key: RecoveryKey) throws {
        let name = DeviceName(of: try key.identity().id)
        guard let found = try Self.kit(key, among: try hub.keys(for: name)) else {
            throw SyncFailure.paperUnknown
        }
        guard found.container == keys.keys.container else { throw SyncFailure.paperUnknown }
        let visit = try LogVisit(KeyRing(found) { _ in }, by: try key.identity(), at: hub)
        try visit.catchUp()
        if visit.desk.shutOut != nil { throw SyncFailure.paperRevoked }
        guard visit.desk.isMember else { throw SyncFailure.paperUnknown }
    }

    /// What a recovery key opens among all that lies at the hub under its name.
    static func kit(_ key: RecoveryKey, among kept: [HubProtocol.WrappedKeys]) throws -> ContainerKeys? {
        for sealed in kept {
            do { return try RecoveryKit(encoded: [UInt8](sealed.keys)).open(with: key) } catch {
                // Keys that were sealed for it later lie beside the kit.
                guard error.code != .outOfMemory else { throw error }
            }
        }
        return nil
    }
}

extension Joining {
    /// Makes a folder one of a container of which all devices may be lost, by the key on paper.
    ///
    /// - Parameters:
    ///   - folder: Made when it is not there; what is in it goes to the container, too.
    ///   - invitation: The hub's: it has to know this device.
    ///   - askForKey: Gives what stands on the paper. Called once the invitation is used up: whoever types takes minutes, for which
    ///     others may see it, and could use it.
    /// - Throws: `SyncFailure` with code `refused` when the paper opens nothing here, or was replaced; what `askForKey` throws. The
    ///   hub refuses this device then, as far as it can be told.
    package func recover(
        _ folder: FilePath,
        invitation: String,
        by askForKey: () throws -> RecoveryKey
    ) throws -> ContainerSettings {
        try preparing(folder) {
            let client = try HubClient(hub, losses: .borneOnceReached)
            defer { client.close() }
            let begun = try begun(.paper, invitation: invitation)
            return try goOn(with: begun) {
                let credentials = try register(begun, client)
                do {
                    let keys = try letIn(begun.identity, by: try askForKey(), client)
                    return try keep(keys, begun.identity, folder, credentials)
                } catch {
                    // Where the log has this device already it stays listed there: nobody has its keys. Where it stays registered
                    // all the same, nobody has its token, and it may be gone on with.
                    if (try? client.revoke(credentials.device)) != nil { begun.end() }
                    throw error
                }
            }
        }
    }

    /// Finds the container that a paper opens, and has this device let in by it.
    ///
    /// - Returns: The container's keys.
    private func letIn(
        _ identity: DeviceIdentity,
        by key: RecoveryKey,
        _ client: HubClient
    ) throws -> ContainerKeys {
        let paper = try key.identity()
        for listing in try client.containers() {
            let container = HubContainer(listing.container, at: client)
            let kept = try container.keys(for: DeviceName(of: paper.id))
            guard let found = try Sharing.kit(key, among: kept) else { continue }
            guard found.container == listing.container else { continue }
            let keys = KeyRing(found) { _ in }
            let visit = try LogVisit(keys, by: paper, at: container)
            _ = try visit.say { id in
                if visit.desk.shutOut != nil { throw SyncFailure.paperRevoked }
                return try visit.desk.sealAddition(of: identity.publicIdentity(named: deviceName), as: id)
            }
            try visit.catchUp()
            guard visit.devices.present.contains(where: { $0.id == identity.id }) else {
                throw SyncFailure.paperUnknown
            }
            return keys.keys
        }
        throw SyncFailure.paperUnknown
    }
}

/// A new recovery key was shown and is right, but one that was made before it may open the container yet.
package struct FormerPaperFailure: Error, CustomStringConvertible {
    /// Those that were not shut out, or not to the end.
    package let staying: [DeviceID]
    package let cause: any Error

    package var description: String {
        let commands = staying.map { "sheaf revoke FOLDER \(HexadecimalText.text(of: $0.bytes))" }
        return """
            The new recovery key is right: keep it. But the former one may still open the folder. sheaf up goes on with \
            shutting it out where that was begun; to be certain: \(commands.joined(separator: "; ")). What was wrong: \(cause)
            """
    }
}

extension SyncFailure {
    /// Only who is shut out has a key announced, and there are so many for a container.
    fileprivate static let paperStays = SyncFailure(
        .refused,
        nil,
        """
        The container has had nearly all of its \(ContainerKeys.generationCountMax) keys: no paper can be shut out any more, and \
        nothing was changed. Begin a new container with the folder's documents.
        """
    )
}
