package import FileSystem
internal import Foundation
internal import SyncMessages

/// Where an app's key-value store is kept on this device.
package struct KeyValueSettings: Hashable, Sendable {
    /// The folder: `$XDG_DATA_HOME/sheaf/key-values`, or what `SHEAF_KEY_VALUES` names; nil when that says `off`: what
    /// is written then lasts as long as the process.
    package var folder: FilePath?
    /// The file in it: the app's own, whatever process of it asks.
    package var fileName: String
    /// The container that the folder is in and is synced with; nil for a folder that is this device's own.
    package var container: String?

    package init(folder: FilePath?, appName: String, container: String? = nil) {
        (self.folder, self.container) = (folder, container)
        let name = appName.map { $0 == "/" || $0 == "\0" ? "-" : $0 }
        // Hidden names are not ours to give.
        fileName = (name.first == "." ? "-" : "") + String(name.prefix(60)) + Self.fileSuffix
    }

    /// - Parameters:
    ///   - environment: Where `SHEAF_KEY_VALUES`, `XDG_DATA_HOME` and `HOME` are looked up.
    ///   - appName: What tells the app from others of the user.
    package init(environment: [String: String], appName: String) {
        let folder: FilePath? =
            switch environment["SHEAF_KEY_VALUES"] ?? "" {
            case "": BaseDirectories(environment: environment).data.appending("sheaf/key-values")
            case "off": nil
            case let place where place.hasPrefix("/"): FilePath(place)
            case let place: FilePath(FileManager.default.currentDirectoryPath).appending(place)
            }
        self.init(folder: folder, appName: appName)
    }

    package static let fileSuffix = ".keyvalues"
    /// The folder of key-value stores in a container's.
    package static let folderName = ".keyvalues"

    /// Where the store is while an account is there: in its folder, and so on all of the user's devices. Nil without one,
    /// and where `SHEAF_KEY_VALUES` names another place.
    package init?(of account: UbiquityAccount, environment: [String: String], appName: String) {
        guard (environment["SHEAF_KEY_VALUES"] ?? "").isEmpty, let joined = account.joined.account,
            let root = try? FileStamp.ifPresent(at: FilePath(joined.folder)), root.kind == .directory
        else { return nil }
        let folder = FilePath(joined.folder).appending(Self.folderName)
        self.init(folder: folder, appName: appName, container: joined.container)
    }

    /// What this process's environment says; the app is the one that its Info.plist names, or else the program.
    package static var current: KeyValueSettings {
        let process = ProcessInfo.processInfo
        let name = Bundle.main.bundleIdentifier ?? process.processName
        return KeyValueSettings(of: .shared, environment: process.environment, appName: name)
            ?? KeyValueSettings(environment: process.environment, appName: name)
    }
}
