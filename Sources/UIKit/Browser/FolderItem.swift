internal import DocumentFoundation
internal import FileSystem
internal import Foundation

/// One item in a folder of a location, as the browser shows it.
///
/// A value: what was true when it was looked at. Two items are equal when a person sees no difference.
package struct FolderItem: Hashable, Sendable, Identifiable {
    /// What a person takes an item for.
    package enum Kind: String, Hashable, Sendable {
        /// A file or a package that the app opens.
        case document
        /// A folder that one goes into.
        case folder
        /// Anything else.
        case file
    }

    /// The path below the location, as text.
    package var id: String
    /// The whole name, with its extension.
    package var name: String
    package var kind: Kind
    /// Whether it is a directory that people see as one thing.
    ///
    /// A package is never a `folder`.
    package var isPackage: Bool
    /// Whether there is something there to open: false for a link that leads out of the location or to
    /// nothing, and for a device, pipe or socket.
    package var isReachable: Bool
    /// In bytes; of a package all its members together.
    ///
    /// Nil for a folder, and for a package that has not been counted yet or has too many members to count.
    package var byteCount: Int64?
    /// When the contents changed last.
    package var modificationDate: Date
    /// The identifier of its type.
    package var typeIdentifier: String
    /// What people call the type, in their language.
    package var typeTitle: String

    /// Whether its contents are not on this device: a placeholder stands for it.
    package var isEvicted = false
    /// Whether somebody keeps it from sync, or the folder that it is in.
    package var isExcluded = false

    /// The folder that holds it, without links on the way.
    let folder: FilePath

    /// Where it is.
    package var url: URL {
        folder.appending(name).url(isDirectory: isPackage || kind == .folder)
    }

    /// What stands for it in its folder: itself, or its placeholder.
    var place: FilePath {
        let path = folder.appending(name)
        return isEvicted ? Placeholder.place(for: path) ?? path : path
    }

    /// Whether what follows the last dot of its name says its type.
    package var hasExtension: Bool { kind != .folder }
}
