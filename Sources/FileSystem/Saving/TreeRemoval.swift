internal import Foundation

/// Removes trees.
///
/// Follows no symbolic link; what is gone already is no error.
enum TreeRemoval {
    /// Removes all members of a folder.
    static func empty(_ folder: Folder) throws(SystemError) {
        for entry in try members(of: folder) { try remove(entry.name, in: folder, kind: entry.kind) }
    }

    /// All members. One whose name is not UTF-8 gets another first: it cannot be told by name, and has to go like the rest.
    private static func members(of folder: Folder) throws(SystemError) -> [FolderEntry] {
        do { return try SystemCalls.readdir(folder) } catch {
            guard error.errno == EILSEQ else { throw error }
        }
        do { try SystemCalls.renameUnnamed(in: folder, to: unnamedPrefix) } catch {
            guard error.errno == EACCES else { throw error }
            try SystemCalls.fchmod(folder.descriptor, 0o700)
            try SystemCalls.renameUnnamed(in: folder, to: unnamedPrefix)
        }
        return try SystemCalls.readdir(folder)
    }

    private static let unnamedPrefix = SaveSite.ownPrefix + "unnamed-"

    /// Removes one item, whatever it is.
    static func remove(
        _ name: String,
        in folder: Folder,
        kind: FileStamp.Kind? = nil
    ) throws(SystemError) {
        do {
            let kind = try folder.kind(of: FolderEntry(name: name, kind: kind))
            if kind == .directory { try empty(try folder.folder(name)) }
            try unlink(name, in: folder, isFolder: kind == .directory)
        } catch {
            guard error.errno == ENOENT else { throw error }
        }
    }

    /// Unlinks, making the folder writable when it is not: a package may hold folders nobody may write to.
    private static func unlink(_ name: String, in folder: Folder, isFolder: Bool) throws(SystemError) {
        do { try SystemCalls.unlinkat(folder, name, isFolder: isFolder) } catch {
            guard error.errno == EACCES else { throw error }
            try SystemCalls.fchmod(folder.descriptor, 0o700)
            try SystemCalls.unlinkat(folder, name, isFolder: isFolder)
        }
    }
}
