internal import Foundation

/// A user's folders by the XDG Base Directory Specification, as an environment says.
package struct BaseDirectories: Sendable {
    package let home: FilePath
    /// `$XDG_DATA_HOME`: what the user would miss.
    package let data: FilePath
    /// `$XDG_STATE_HOME`: what programs remember.
    package let state: FilePath
    /// `$XDG_CACHE_HOME`: what can be made anew.
    package let cache: FilePath

    /// - Parameter environment: A path in it that is not absolute is ignored, as the specification has it.
    package init(environment: [String: String]) {
        func folder(_ name: String) -> FilePath? {
            environment[name].flatMap { $0.hasPrefix("/") ? FilePath($0) : nil }
        }
        home = folder("HOME") ?? FilePath(NSHomeDirectory())
        data = folder("XDG_DATA_HOME") ?? home.appending(".local/share")
        state = folder("XDG_STATE_HOME") ?? home.appending(".local/state")
        cache = folder("XDG_CACHE_HOME") ?? home.appending(".cache")
    }
}
