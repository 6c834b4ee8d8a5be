package import FileSystem
internal import Foundation

/// A folder of this device that is a container, as any process of the user may know.
package struct JoinedFolder: Codable, Hashable, Sendable {
    /// The container's name, the same on all devices.
    package var container: String
    /// From the root.
    package var folder: String
    /// What apps call the container; nil for a folder that is any app's.
    package var identifier: String?
    /// When it was joined, in seconds since 1970; nil for before this was noted.
    package var joinedSeconds: Double?

    package init(container: String, folder: String, identifier: String?, joinedSeconds: Double?) {
        (self.container, self.folder) = (container, folder)
        (self.identifier, self.joinedSeconds) = (identifier, joinedSeconds)
    }

    private enum CodingKeys: String, CodingKey { case container, folder, identifier, joinedSeconds }
}

/// The folders of this device that are containers, read from the device's home; needs no other process.
package struct JoinedFolders: Hashable, Sendable {
    /// In the order in which they were joined.
    package let all: [JoinedFolder]
    /// Where the device keeps what is its own.
    package let home: FilePath

    /// Where the user's device keeps its own.
    ///
    /// - Parameter environment: `SHEAF_HOME` names the folder itself, else it is in `XDG_DATA_HOME`.
    package static func home(environment: [String: String]) -> FilePath {
        if let own = environment["SHEAF_HOME"], own.hasPrefix("/") { return FilePath(own) }
        return BaseDirectories(environment: environment).data.appending("sheaf").appending("sync")
    }

    /// Reads them. One that is being joined just now is not among them yet.
    ///
    /// - Throws: `SystemError`; a decoding error for settings that are damaged.
    package init(home: FilePath) throws {
        self.home = home
        let folder = home.appending("containers")
        guard try FileStamp.ifPresent(at: folder) != nil else {
            all = []
            return
        }
        var found: [JoinedFolder] = []
        for name in try FolderScan.names(in: folder).sorted() {
            let settings = folder.appending(name).appending("settings")
            guard try FileStamp.ifPresent(at: settings) != nil else { continue }
            let bytes = try FileReading.contents(of: settings)
            found.append(try JSONDecoder().decode(JoinedFolder.self, from: bytes))
        }
        all = found.sorted { ($0.joinedSeconds ?? 0, $0.folder) < ($1.joinedSeconds ?? 0, $1.folder) }
    }

    package init(_ all: [JoinedFolder], home: FilePath) { (self.all, self.home) = (all, home) }

    /// The folder that new things of apps are in which have no folder of their own: the first that was joined for all apps, else the
    /// first.
    package var account: JoinedFolder? { all.first { $0.identifier == nil } ?? all.first }

    /// Where a container is; nil when nothing is joined.
    ///
    /// - Parameter identifier: Such as `iCloud.com.example.notes`.
    package func place(of identifier: String) -> FilePath? {
        if let own = all.first(where: { $0.identifier == identifier }) { return FilePath(own.folder) }
        let name = Self.folderName(of: identifier)
        return folder(holding: name).map { FilePath($0.folder).appending(name) }
    }

    /// The folder that something of an app's is in. It stays where it is, whatever other folders are joined: in the one that was
    /// noted, else in the one that has it, else it is new.
    ///
    /// - Parameter place: Of what it is, in the folder.
    package func folder(holding place: String) -> JoinedFolder? {
        // What cannot be read notes nothing.
        folder(holding: place, noted: try? noted(place))
    }

    /// The same for whoever must not take another folder for that meanwhile.
    ///
    /// - Throws: When it cannot be read which was noted.
    package func knownFolder(holding place: String) throws -> JoinedFolder? {
        folder(holding: place, noted: try noted(place))
    }

    private func noted(_ place: String) throws -> Data? {
        let path = note(of: place)
        return try FileStamp.ifPresent(at: path) == nil ? nil : try FileReading.contents(of: path)
    }

    private func folder(holding place: String, noted: Data?) -> JoinedFolder? {
        // It may name a folder that was left.
        if let noted, let folder = all.first(where: { Data($0.container.utf8) == noted }) { return folder }
        let present = all.first { folder in
            let path = FilePath(folder.folder).appending(place)
            // Nor is there what cannot be looked at.
            return isThere(folder) && (try? FileStamp.ifPresent(at: path)) ?? nil != nil
        }
        return present ?? account
    }

    /// Notes which folder something of an app's is in: it is looked for there from now on, and nowhere else, also while that is not
    /// there.
    package func note(_ place: String, isIn folder: JoinedFolder) throws {
        let path = note(of: place)
        let bytes = Data(folder.container.utf8)
        // What cannot be read is written anew.
        guard (try? FileReading.contents(of: path)) != bytes else { return }
        try ItemMoves.createFolders(path.parent, permissions: 0o700)
        let save = try StagedSave(item: path, followsSymbolicLink: false)
        try save.write(bytes)
        _ = try save.commit(MemberAttributes(permissions: 0o600))
    }

    private func note(of place: String) -> FilePath {
        home.appending("places").appending(place.pathNames.last ?? place)
    }

    /// Where the device keeps what is its own of a container.
    package func ownFolder(of joined: JoinedFolder) -> FilePath {
        home.appending("containers").appending(joined.container)
    }

    /// Whether a folder is there, and not only the empty one that its volume is mounted at.
    package func isThere(_ joined: JoinedFolder) -> Bool {
        // What cannot be looked at is not there.
        guard let identity = (try? FileIdentity.ifPresent(at: FilePath(joined.folder))) ?? nil,
            identity.kind == .directory
        else { return false }
        // Before it was kept in step for the first time nothing is noted.
        guard let noted = try? FileReading.contents(of: rootNote(of: joined)) else { return true }
        return identity.names.contains { Data($0) == noted }
    }

    private func rootNote(of joined: JoinedFolder) -> FilePath {
        ownFolder(of: joined).appending(Self.rootNoteName)
    }

    /// The file, in what the device keeps of a container, that says what the container's folder is known by.
    package static let rootNoteName = "root"

    /// What a container's folder is called in the account's: dots become tildes, as Apple spells it.
    package static func folderName(of identifier: String) -> String {
        let name = identifier.map { $0 == "." ? "~" : $0 == "/" || $0 == "\0" ? "-" : $0 }
        return String(name)
    }

    /// The folder that a path is in, at any depth.
    package func folder(of path: FilePath) -> JoinedFolder? {
        all.first { path.isInside(FilePath($0.folder)) }
    }
}
