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
    /// Where what is written waits while the container's folder is not there; nil for a folder that is in none.
    var waitingFolder: FilePath?
    /// Whether the container's folder is not there: what is written is in the one where it waits.
    var isAway = false
    /// The folder of the store that this device had of its own before something was joined; nil for one that is in no container.
    var ownFolder: FilePath?
    /// Whether it can be told where it is.
    private var isKnown = true

    package init(folder: FilePath?, appName: String, container: String? = nil) {
        (self.folder, self.container) = (folder, container)
        fileName = Self.name(of: appName) + Self.fileSuffix
    }

    /// Names of apps may be so long; what is longer is cut off, with a digest of all of it behind.
    private static let (nameCountMax, cutNameCount) = (60, 40)

    private static func name(of app: String) -> String {
        let name = app.map { $0 == "/" || $0 == "\0" ? "-" : $0 }
        // Hidden names are not ours to give.
        let start = name.first == "." ? "-" : ""
        guard name.count > nameCountMax else { return start + String(name) }
        let digest = String(digest(of: app), radix: 16)
        let digits = String(repeating: "0", count: 16 - digest.count) + digest
        return start + String(name.prefix(cutNameCount)) + "-" + digits
    }

    /// FNV-1a, of 64 bits.
    private static func digest(of text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
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

    /// Where the store is while an account is there: in its folder, and so on all of the user's devices. While that folder is
    /// not there, what is written waits for it with what the device keeps of the container. Nil without an account, and where
    /// `SHEAF_KEY_VALUES` names another place.
    ///
    /// - Throws: When it cannot be told whether an account is there, or in which folder the store is.
    package init?(of account: UbiquityAccount, environment: [String: String], appName: String) throws {
        let place = Self.folderName + "/" + Self.name(of: appName) + Self.fileSuffix
        guard (environment["SHEAF_KEY_VALUES"] ?? "").isEmpty,
            case let joined = try account.readJoined(), let own = try joined.knownFolder(holding: place)
        else { return nil }
        // Where that cannot be noted it is found by what is there.
        try? joined.note(place, isIn: own)
        let waiting = joined.ownFolder(of: own).appending("key-values")
        let isThere = joined.isThere(own)
        self.init(
            folder: isThere ? FilePath(own.folder).appending(Self.folderName) : waiting,
            appName: appName,
            container: own.container
        )
        (waitingFolder, isAway) = (waiting, !isThere)
    }

    /// What this process's environment says; the app is the one that its Info.plist names, or else the program.
    ///
    /// - Throws: When it cannot be told whether an account is there.
    static func current(of account: UbiquityAccount) throws -> KeyValueSettings {
        let process = ProcessInfo.processInfo
        let name = Bundle.main.bundleIdentifier ?? process.processName
        let own = KeyValueSettings(environment: process.environment, appName: name)
        guard
            var settings = try KeyValueSettings(of: account, environment: process.environment, appName: name)
        else { return own }
        settings.ownFolder = own.folder
        return settings
    }

    /// Where an app on a make-believe device has them, whatever this process's environment says: in the device's folder.
    static func onDevice(_ account: UbiquityAccount) throws -> KeyValueSettings {
        let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return try KeyValueSettings(of: account, environment: [:], appName: name) ?? .inMemory
    }

    /// Nowhere: what is written lasts as long as the process, or less.
    static let inMemory = KeyValueSettings(folder: nil, appName: "")

    /// Nowhere, until it can be told where.
    static let unknown: KeyValueSettings = {
        var settings = inMemory
        settings.isKnown = false
        return settings
    }()

    /// Where what is written waits for the container's folder, as a store of its own; nil for a store that is there now, and for
    /// one that is in no container.
    var waiting: KeyValueSettings? {
        guard !isAway, let waitingFolder else { return nil }
        var settings = self
        (settings.folder, settings.isAway) = (waitingFolder, true)
        return settings
    }

    /// This device's own store of before something was joined; nil for a store that is in no container.
    var own: KeyValueSettings? {
        guard container != nil, let ownFolder else { return nil }
        var settings = KeyValueSettings.inMemory
        (settings.folder, settings.fileName) = (ownFolder, fileName)
        return settings
    }
}
