internal import FileSystem
public import Foundation

extension FileManager {
    /// A folder that all apps share which know a group's name: `$XDG_DATA_HOME/sheaf/groups/IDENTIFIER`.
    ///
    /// Made when it is not there, with the folders in it that apps expect: `Library/Application Support`,
    /// `Library/Caches`, `Library/Preferences`. Only the user may look into it. It is on this device only.
    ///
    /// - Parameter groupIdentifier: Such as `group.org.example.notes`.
    /// - Returns: Nil when the name cannot be a folder's, or the folder cannot be made.
    /// - Source: Apple's containerURL(forSecurityApplicationGroupIdentifier:).
    /// - Differs from Darwin: needs no entitlement, so that nil never says that an app is not of the group; and nothing
    ///   but the user's own permissions keeps other programs out.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        let groups =
            if let home = UbiquityAccount.shared.madeUpHome { home.groups } else {
                GroupContainers(environment: ProcessInfo.processInfo.environment)
            }
        return groups?.container(groupIdentifier)
    }
}

/// The folders that groups of apps share.
package struct GroupContainers: Sendable {
    /// Holds them all.
    private let folder: FilePath

    /// - Parameter environment: Where `XDG_DATA_HOME` and `HOME` are looked up.
    package init(environment: [String: String]) {
        folder = BaseDirectories(environment: environment).data.appending("sheaf").appending("groups")
    }

    /// One of them, made when it is not there; nil when it cannot be.
    package func container(_ identifier: String) -> URL? {
        guard Self.isName(identifier) else { return nil }
        let container = folder.appending(identifier)
        do {
            for name in ["Application Support", "Caches", "Preferences"] {
                let inside = container.appending("Library").appending(name)
                try ItemMoves.createFolders(inside, permissions: 0o700)
            }
        } catch { return nil }  // Nil is the only answer that there is for a folder that cannot be made.
        return container.url(isDirectory: true)
    }

    /// Whether it is one name, of a folder that is not hidden, on every volume.
    private static func isName(_ identifier: String) -> Bool {
        !identifier.isEmpty && !identifier.hasPrefix(".")
            && identifier.utf8.count <= ItemNames.nameByteCountMax
            && !identifier.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }
}
