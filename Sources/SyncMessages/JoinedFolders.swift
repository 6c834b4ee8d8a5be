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

    /// The folder that containers are in which have none of their own: the first that is any app's, else the first.
    package var account: JoinedFolder? { all.first { $0.identifier == nil } ?? all.first }

    /// Where a container is; nil when nothing is joined.
    ///
    /// - Parameter identifier: Such as `iCloud.com.example.notes`.
    package func place(of identifier: String) -> FilePath? {
        if let own = all.first(where: { $0.identifier == identifier }) { return FilePath(own.folder) }
        return account.map { FilePath($0.folder).appending(Self.folderName(of: identifier)) }
    }

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
