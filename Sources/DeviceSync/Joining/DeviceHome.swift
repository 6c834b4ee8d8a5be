internal import Cryptography
package import FileSystem
package import Foundation
package import HubProtocol
package import Sealing
internal import SyncMessages

/// Where a device keeps what it needs for its containers: in the user's data folder, closed to all others.
///
///     device                      who this device is: keys that never leave it
///     containers/NAME/settings    folder, hub, token
///     containers/NAME/keys        the container's keys
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

    // MARK: The device

    /// Who this device is, made at the first use.
    package func identity() throws -> DeviceIdentity {
        let place = folder.appending("device")
        if let bytes = try read(place) { return try DeviceIdentity(encoded: bytes) }
        let made = try DeviceIdentity(random: RandomBytes.make)
        try write(made.encoded, to: place)
        return made
    }

    // MARK: Containers

    private var containersFolder: FilePath { folder.appending("containers") }

    /// What is this device's of a container.
    package func folder(of container: ContainerName) -> FilePath {
        containersFolder.appending("\(container)")
    }

    /// The containers that this device shares, by their folders' paths.
    package func containers() throws -> [JoinedContainer] {
        guard try FileStamp.ifPresent(at: containersFolder) != nil else { return [] }
        return try FolderScan.names(in: containersFolder).compactMap { name -> JoinedContainer? in
            guard let container = ContainerName(hexadecimal: name) else { return nil }
            return try joined(container)
        }.sorted { $0.settings.folder < $1.settings.folder }
    }

    /// Nil for a container that this device has not joined, or not to the end.
    package func joined(_ container: ContainerName) throws -> JoinedContainer? {
        let own = folder(of: container)
        guard let settings = try read(own.appending("settings")), let keys = try read(own.appending("keys"))
        else {
            return nil
        }
        return JoinedContainer(
            settings: try JSONDecoder().decode(ContainerSettings.self, from: Data(settings)),
            keys: try ContainerKeys(encoded: keys)
        )
    }

    /// Keeps what this device has of a container.
    package func keep(_ joined: JoinedContainer) throws {
        let own = folder(of: joined.settings.container)
        try ItemMoves.createFolders(containersFolder, permissions: 0o700)
        try ItemMoves.createFolders(own, permissions: 0o700)
        try write(joined.keys.encoded, to: own.appending("keys"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try write([UInt8](try encoder.encode(joined.settings)), to: own.appending("settings"))
    }

    /// That a folder may become a container's.
    package func check(_ place: FilePath, identifier: String? = nil) throws {
        for joined in try containers() {
            let other = FilePath(joined.settings.folder)
            if let identifier, joined.settings.identifier == identifier {
                throw DeviceHomeError.identifierTaken(identifier, other)
            }
            if other == place || place.isInside(other) || other.isInside(place) {
                throw DeviceHomeError.folderTaken(place, other)
            }
        }
        if folder == place || folder.isInside(place) || place.isInside(folder) {
            throw DeviceHomeError.folderTaken(place, folder)
        }
    }

    // MARK: Files

    private func read(_ place: FilePath) throws -> [UInt8]? {
        guard try FileStamp.ifPresent(at: place) != nil else { return nil }
        guard try StorageFolder(containing: place).isPrivate(place.name) else {
            throw DeviceHomeError.notPrivate(place)
        }
        return [UInt8](try FileReading.contents(of: place))
    }

    private func write(_ bytes: [UInt8], to place: FilePath) throws {
        let save = try StagedSave(item: place, followsSymbolicLink: false)
        try save.write(Data(bytes))
        try save.commit(MemberAttributes(permissions: 0o600))
    }
}

/// A container that this device shares.
package struct JoinedContainer: Sendable {
    package var settings: ContainerSettings
    package var keys: ContainerKeys

    package init(settings: ContainerSettings, keys: ContainerKeys) {
        (self.settings, self.keys) = (settings, keys)
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

/// What is wrong with a device's own files.
package enum DeviceHomeError: Error, Hashable, Sendable, CustomStringConvertible {
    case notPrivate(FilePath)
    case folderTaken(FilePath, FilePath)
    case identifierTaken(String, FilePath)

    package var description: String {
        switch self {
        case .notPrivate(let path):
            "Others can read “\(path)”, which has keys in it. Check who did, then chmod go= it."
        case .folderTaken(let folder, let other):
            "“\(folder)” cannot be a container's: “\(other)” is kept there already. Choose another folder."
        case .identifierTaken(let identifier, let other):
            "The container “\(identifier)” is in “\(other)” already. Choose another identifier, or give none."
        }
    }
}
