internal import FileSystem
package import Foundation

/// What the trash takes from its surroundings: who, when, and where home is.
package struct TrashSettings: Sendable {
    /// The home trash, `$XDG_DATA_HOME/Trash`.
    package var homeTrash: URL
    /// The number of the user whose trash it is.
    package var userID: UInt32
    /// What the clock says.
    package var now: @Sendable () -> Date
    /// The time zone that dates of deletion are written in.
    package var timeZone: TimeZone

    /// - Parameters:
    ///   - environment: Where `XDG_DATA_HOME` and `HOME` are looked up.
    ///   - userID: The number of the user.
    ///   - now: What the clock says.
    ///   - timeZone: The time zone that dates of deletion are written in.
    package init(
        environment: [String: String],
        userID: UInt32,
        now: @escaping @Sendable () -> Date = { Date() },
        timeZone: TimeZone = .current
    ) {
        homeTrash = BaseDirectories(environment: environment).data.appending("Trash").url(isDirectory: true)
        self.userID = userID
        self.now = now
        self.timeZone = timeZone
    }

    /// What this process's environment says.
    package static var current: TrashSettings {
        TrashSettings(environment: ProcessInfo.processInfo.environment, userID: getuid())
    }

    /// Those for an item: of one on a make-believe device that device's.
    package static func forItem(at url: URL) -> TrashSettings {
        var settings = current
        if let trash = MakeBelieveDevices.trash(of: url) { settings.homeTrash = trash }
        return settings
    }
}
