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
        // A path that is not absolute is to be ignored, says the base directory specification.
        func folder(_ name: String) -> FilePath? {
            environment[name].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
        }
        let home = folder("HOME") ?? FilePath(NSHomeDirectory())
        let state = folder("XDG_STATE_HOME") ?? home.appending(".local/state")
        stateFolder = state.appending("sheaf")
        documentFolders = [folder("SHEAF_DOCUMENTS"), home.appending("Documents")].compactMap { $0 }
        self.userID = userID
    }

    /// What this process's environment says.
    package static var current: BookmarkSettings {
        BookmarkSettings(environment: ProcessInfo.processInfo.environment, userID: geteuid())
    }
}
