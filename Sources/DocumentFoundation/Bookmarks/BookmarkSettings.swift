package import FileSystem
internal import Foundation

/// Where bookmarks keep their key and their hints, and where items are looked for.
package struct BookmarkSettings: Sendable {
    /// The user's folder for what Sheaf remembers: `$XDG_STATE_HOME/sheaf`.
    package var stateFolder: FilePath
    /// Where a person's documents are; searched for an item that is nowhere else.
    package var documentFolders: [FilePath]
    /// What a search may cost.
    package var bounds = IdentitySearch.Bounds.usual
    /// The number of the user.
    package var userID: UInt32

    /// - Parameters:
    ///   - environment: Where `XDG_STATE_HOME`, `HOME` and `SHEAF_DOCUMENTS` are looked up.
    ///   - userID: The number of the user.
    package init(environment: [String: String], userID: UInt32) {
        let directories = BaseDirectories(environment: environment)
        stateFolder = directories.state.appending("sheaf")
        let given = environment["SHEAF_DOCUMENTS"].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
        documentFolders = [given, directories.home.appending("Documents")].compactMap { $0 }
        self.userID = userID
    }

    /// What this process's environment says.
    package static var current: BookmarkSettings {
        BookmarkSettings(environment: ProcessInfo.processInfo.environment, userID: geteuid())
    }
}
