package import FileSystem
internal import Foundation

/// Where versions are kept, and what goes with them.
package struct VersionSettings: Sendable {
    /// The user's vault: `$XDG_DATA_HOME/sheaf/vault`, or what `SHEAF_VAULT` names; nil when it says `off`.
    package var vaultFolder: FilePath?
    /// The user's folder for what Sheaf remembers: `$XDG_STATE_HOME/sheaf`.
    package var stateFolder: FilePath
    /// Where copies of versions are made for reading: `$XDG_CACHE_HOME/sheaf/versions`.
    package var copiesFolder: FilePath
    /// What a new device is called.
    package var hostName: String

    /// - Parameters:
    ///   - environment: Where `SHEAF_VAULT`, `XDG_DATA_HOME`, `XDG_STATE_HOME`, `XDG_CACHE_HOME` and `HOME` are
    ///     looked up.
    ///   - hostName: What this device is called, as long as nobody has given it another name.
    package init(environment: [String: String], hostName: String) {
        let directories = BaseDirectories(environment: environment)
        vaultFolder =
            switch environment["SHEAF_VAULT"] ?? "" {
            case "": directories.data.appending("sheaf/vault")
            case "off": nil
            // Not ignored when it is relative: who moves the vault does not want it at home.
            case let place where place.hasPrefix("/"): FilePath(place)
            case let place: FilePath(FileManager.default.currentDirectoryPath).appending(place)
            }
        stateFolder = directories.state.appending("sheaf")
        copiesFolder = directories.cache.appending("sheaf/versions")
        self.hostName = hostName
    }

    /// What this process's environment says.
    package static var current: VersionSettings {
        VersionSettings(environment: ProcessInfo.processInfo.environment, hostName: ownHostName)
    }

    /// What gethostname(2) says: `ProcessInfo.hostName` asks name servers, and waits for them.
    private static var ownHostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
