internal import Cryptography
package import FileSystem
package import Foundation
package import HubProtocol
package import Sealing
package import SyncMessages

/// Where a device keeps what it needs for its containers: in the user's data folder, closed to all others.
///
///     containers/NAME/settings    folder, hub, token
///     containers/NAME/device      who this device is to the others that share it: keys that never leave it
///     containers/NAME/keys        the container's keys
///     containers/NAME/revocation  another device that is being shut out, and the key that follows
///     containers/NAME/shut-out    there when this device was shut out: it may join anew, as another
///     containers/NAME/root        for apps: what the container's folder is known by
///     containers/NAME/key-values  what apps store in small values while that folder is not there
///     joining/ID                  a joining that is under way (`BegunJoining`)
///     places/THING                which container a thing of an app's is in that has none of its own
///     former/NAME-N               what it had of one that it has left, or as the one that was shut out
///     containers/NAME/vault       contents; containers/NAME/memory.sqlite: what was seen and read
///
/// Files are written whole, to stable storage, and are the user's alone.
package struct DeviceHome: Sendable {
    package let folder: FilePath

    /// - Parameter folder: The folder itself; made when it is not there.
    package init(at folder: FilePath) throws {
        self.folder = folder
        try ItemMoves.createFolders(folder.parent, permissions: 0o755)
        try ItemMoves.createFolders(folder, permissions: 0o700)
        guard try StorageFolder(at: folder).isPrivate() else { throw DeviceHomeError.notPrivate(folder) }
    }

    /// The user's.
    ///
    /// - Parameter environment: `SHEAF_HOME` names the folder itself, else it is in `XDG_DATA_HOME`.
    package init(environment: [String: String]) throws {
        try self.init(at: JoinedFolders.home(environment: environment))
    }

    // MARK: Containers

    private var containersFolder: FilePath { folder.appending("containers") }

    /// What is this device's of a container.
    package func folder(of container: ContainerName) -> FilePath {
        containersFolder.appending("\(container)")
    }

    /// The containers that this device shares, by their folders' paths.
    ///
    /// - Throws: `DeviceHomeError` where a file of one says nothing.
    package func containers() throws -> [JoinedContainer] {
        let (joined, unreadable) = try readContainers()
        if let first = unreadable.first { throw first }
        return joined
    }

    /// The containers that this device shares, as far as their files say anything, and what is wrong with the others'.
    package func readContainers() throws -> (joined: [JoinedContainer], unreadable: [DeviceHomeError]) {
        guard try FileStamp.ifPresent(at: containersFolder) != nil else { return ([], []) }
        var (all, unreadable) = ([JoinedContainer](), [DeviceHomeError]())
        for name in try FolderScan.names(in: containersFolder).sorted() {
            guard let container = ContainerName(hexadecimal: name) else { continue }
            do { if let joined = try joined(container) { all.append(joined) } } catch let error
                as DeviceHomeError
            {
                unreadable.append(error)
            }
        }
        return (all.sorted { $0.settings.folder < $1.settings.folder }, unreadable)
    }

    /// Nil for a container that this device has not joined, or not to the end.
    ///
    /// - Throws: `DeviceHomeError`.
    package func joined(_ container: ContainerName) throws -> JoinedContainer? {
        let own = folder(of: container)
        // A device that joined before each container had a device of its own is the same in all of these.
        let former = folder.appending("device")
        guard let settings = try read(own.appending("settings")) else { return nil }
        let (keys, identity) = (
            try read(own.appending("keys")), try read(own.appending("device")) ?? read(former)
        )
        guard let keys, let identity else {
            // What is written last is there; unless all of it has just gone.
            guard try FileStamp.ifPresent(at: own.appending("settings")) != nil else { return nil }
            throw DeviceHomeError.missing(own.appending(keys == nil ? "keys" : "device"))
        }
        return JoinedContainer(
            settings: try understood(own.appending("settings")) {
                try JSONDecoder().decode(ContainerSettings.self, from: Data(settings))
            },
            keys: try understood(own.appending("keys")) { try ContainerKeys(encoded: keys) },
            identity: try understood(own.appending("device")) { try DeviceIdentity(encoded: identity) }
        )
    }

    /// What a file comes to.
    ///
    /// - Throws: `DeviceHomeError.damaged` where it is nothing that this program has written.
    private func understood<Value>(_ place: FilePath, _ read: () throws -> Value) throws -> Value {
        do { return try read() } catch is DecodingError {
            throw DeviceHomeError.damaged(place)
        } catch let error as SealingError where [.malformed, .damagedOrExchanged].contains(error.code) {
            throw DeviceHomeError.damaged(place)
        } catch let error as SealingError where error.code == .versionUnknown {
            throw DeviceHomeError.unknown(place)
        }
    }

    /// Keeps what this device has of a container.
    ///
    /// - Throws: `DeviceHomeError.joinedAlready` for one that it shares in another folder.
    package func keep(_ joined: JoinedContainer) throws {
        let own = folder(of: joined.settings.container)
        try putFormerAside(joined.settings)
        try ItemMoves.createFolders(containersFolder, permissions: 0o700)
        try ItemMoves.createFolders(own, permissions: 0o700)
        try write(joined.identity.encoded, to: own.appending("device"))
        try write(joined.keys.encoded, to: own.appending("keys"))
        try write(joined.settings)
    }

    func write(_ settings: ContainerSettings) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let place = folder(of: settings.container).appending("settings")
        try write([UInt8](try encoder.encode(settings)), to: place)
    }

    /// Keeps from when on a person is asked about a large change. Who keeps the folder in step now is to be told, too.
    package func limit(_ container: ContainerName, _ limits: BrakeLimits) throws {
        guard var settings = try joined(container)?.settings else { return }
        settings.brake = limits
        try write(settings)
    }

    /// The container that a folder is of; nil for none, and for one that this device was shut out of.
    package func joined(in place: FilePath) throws -> JoinedContainer? {
        try containers().first {
            try FilePath($0.settings.folder) == place && !isShutOut($0.settings.container)
        }
    }

    /// Keeps, durably, where the hub is from now on.
    ///
    /// - Parameter credentials: What it knows the device by from now on; nil for the same as before. Nobody may keep the folder in
    ///   step meanwhile where that is another.
    func keep(
        _ hub: URL,
        _ credentials: DeviceCredentials? = nil,
        of joined: JoinedContainer
    ) throws -> ContainerSettings {
        // As they are by now: others may be asked about large changes since.
        var settings = try self.joined(joined.settings.container)?.settings ?? joined.settings
        settings.hub = hub
        if let credentials { settings.credentials = credentials }
        try write(settings)
        return settings
    }

    static let shutOutName = "shut-out"

    private func isShutOut(_ container: ContainerName) throws -> Bool {
        try FileStamp.ifPresent(at: folder(of: container).appending(Self.shutOutName)) != nil
    }

    /// What this device has as one that was shut out stays, out of the way of what it joins now.
    private func putFormerAside(_ settings: ContainerSettings) throws {
        for known in try containers() {
            let (container, place) = (known.settings.container, FilePath(known.settings.folder))
            guard try isShutOut(container) else {
                guard container != settings.container else { throw DeviceHomeError.joinedAlready(place) }
                continue
            }
            let joining = FilePath(settings.folder)
            guard container == settings.container || Self.overlap(place, joining) else { continue }
            try putAside(container)
        }
    }

    /// What this device has of a container stays, closed to all others, where nothing tells of it any more: what its folder held
    /// before, what others have not got of it, and the keys.
    private func putAside(_ container: ContainerName) throws {
        let former = folder.appending("former")
        try ItemMoves.createFolders(former, permissions: 0o700)
        let names = Set(try FolderScan.names(in: former))
        let free = (1...).lazy.map { "\(container)-\($0)" }.first { !names.contains($0) }
        try StorageFolder(at: folder).move("containers/\(container)", toFree: "former/\(free ?? "")")
        try StorageFolder(at: former).sync()
        try StorageFolder(at: containersFolder).sync()
    }

    // MARK: Leaving

    /// Has this device leave a container: the others go on without it, and nothing here tells of the folder any more, which stays
    /// as it is. Called again it goes on where it was cut off.
    ///
    /// - Parameter client: The container's hub; one that refuses this device already is no reason to stay.
    /// - Throws: As `Sharing.leave()`.
    package func leave(_ joined: JoinedContainer, at client: HubClient) throws {
        do { try sharing(of: joined, at: client).leave() } catch let failure as SyncFailure
            where failure.code == .shutOut
        {
            // Nothing is left to be said to others.
        }
        try forget(joined.settings.container)
    }

    /// Has nothing here tell of a container's folder any more, which stays as it is. Nobody else hears of it.
    ///
    /// - Throws: `SyncFailure` with code `inUse` while the folder is kept in step.
    package func forget(_ container: ContainerName) throws {
        let own = try StorageFolder(at: folder(of: container))
        let lock = try Sharing.lockFile(DeviceMemory.lockName, in: own)
        guard try lock.lock(waits: false) else { throw SyncFailure.inUseLeaving }
        defer { lock.unlock() }
        try putAside(container)
    }

    private static func overlap(_ one: FilePath, _ other: FilePath) -> Bool {
        one == other || one.isInside(other) || other.isInside(one)
    }

    /// Keeps keys that have come, together with those that are there: several processes take them.
    package func add(_ keys: ContainerKeys) throws {
        let own = folder(of: keys.container)
        let lock = try Sharing.lockFile("keys.lock", in: try StorageFolder(at: own))
        _ = try lock.lock(waits: true)
        defer { lock.unlock() }
        guard let kept = try read(own.appending("keys")) else { return }
        var merged = try ContainerKeys(encoded: kept)
        try merged.merge(keys)
        try write(merged.encoded, to: own.appending("keys"))
    }

    /// The keys of a container as this process holds them.
    package func ring(of joined: JoinedContainer) -> KeyRing {
        let place = folder(of: joined.settings.container).appending("keys")
        return KeyRing(
            joined.keys,
            expecting: joined.settings.list,
            forget: { try forgetList(of: joined.settings.container) },
            keep: { try add($0) },
            read: { try read(place).map { try ContainerKeys(encoded: $0) } }
        )
    }

    private func forgetList(of container: ContainerName) throws {
        guard var settings = try joined(container)?.settings else { return }
        settings.list = nil
        try write(settings)
    }

    /// Who shares a container that this device shares.
    ///
    /// - Parameter client: Its hub.
    package func sharing(of joined: JoinedContainer, at client: HubClient) -> Sharing {
        Sharing(
            in: folder(of: joined.settings.container),
            ring(of: joined),
            by: joined.identity,
            at: HubContainer(joined.settings.container, at: client)
        )
    }

    /// That a folder may become a container's.
    package func check(_ place: FilePath, identifier: String? = nil) throws {
        for joined in try containers() where try !isShutOut(joined.settings.container) {
            let other = FilePath(joined.settings.folder)
            if let identifier, joined.settings.identifier == identifier {
                throw DeviceHomeError.identifierTaken(identifier, other)
            }
            if Self.overlap(place, other) {
                throw DeviceHomeError.folderTaken(place, other)
            }
        }
        if Self.overlap(folder, place) {
            throw DeviceHomeError.folderTaken(place, folder)
        }
    }

    // MARK: Files

    /// What one container more takes, amply.
    private static let roomByteCount = 64 * 1024

    /// Makes sure that what there is of a container can be kept: an invitation cannot be used again where it turns out later that the
    /// disk is full.
    func checkRoom() throws {
        let place = folder.appending("room")
        try write(try RandomBytes.make(Self.roomByteCount), to: place)
        do { try ItemMoves.removeFile(place) } catch {
            // Another folder is being joined, too.
            guard error.isAbsent else { throw error }
        }
    }

    func read(_ place: FilePath) throws -> [UInt8]? {
        guard try FileStamp.ifPresent(at: place) != nil else { return nil }
        guard try StorageFolder(containing: place).isPrivate(place.name) else {
            throw DeviceHomeError.notPrivate(place)
        }
        return [UInt8](try FileReading.contents(of: place))
    }

    func write(_ bytes: [UInt8], to place: FilePath) throws {
        let save = try StagedSave(item: place, followsSymbolicLink: false)
        try save.write(Data(bytes))
        try save.commit(MemberAttributes(permissions: 0o600))
    }
}

/// A container that this device shares.
package struct JoinedContainer: Sendable {
    package var settings: ContainerSettings
    package var keys: ContainerKeys
    /// This device, as those know it that share the container: one that was shut out joins anew as another.
    package var identity: DeviceIdentity

    package init(settings: ContainerSettings, keys: ContainerKeys, identity: DeviceIdentity) {
        (self.settings, self.keys, self.identity) = (settings, keys, identity)
    }
}

/// Where a container is on this device, and where its hub is. `JoinedFolder` reads a part of it.
package struct ContainerSettings: Codable, Hashable, Sendable {
    package var container: ContainerName
    /// The folder that people see, from the root.
    package var folder: String
    package var hub: URL
    /// What its owner calls this device.
    package var deviceName: String
    /// What the hub calls this device, and knows it by.
    package var credentials: DeviceCredentials
    /// What apps call the container; nil for a folder that is any app's.
    package var identifier: String?
    /// When it was joined, in seconds since 1970.
    package var joinedSeconds: Double?
    /// How large a change has to be for a person to be asked; nil for as large as by default.
    package var brake: BrakeLimits?
    /// What the list of devices has to come by, as the device had read it that let this one in; nil for the first one, and for one
    /// that a key on paper has let in.
    package var list: DeviceListMark?

    package init(
        container: ContainerName,
        folder: String,
        hub: URL,
        deviceName: String,
        credentials: DeviceCredentials,
        identifier: String? = nil,
        joinedSeconds: Double? = nil
    ) {
        (self.container, self.folder, self.hub) = (container, folder, hub)
        (self.deviceName, self.credentials) = (deviceName, credentials)
        (self.identifier, self.joinedSeconds) = (identifier, joinedSeconds)
    }
}
