internal import Foundation
internal import Glibc

/// An open folder in which a store keeps its files, or into which a document is restored.
///
/// Members are reached through the open folder and never through a link, so that no name leads out of it.
/// Any thread; every call may block on the disk.
package final class StorageFolder: Sendable {
    let folder: Folder

    init(_ folder: Folder) {
        self.folder = folder
    }

    /// Opens a folder; its last name must not be a symbolic link.
    package convenience init(at path: FilePath) throws(SystemError) {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        self.init(Folder(try SystemCalls.openat(.working, path.string, flags)))
    }

    /// Opens the folder that an item is in, or is to be in, links on the way followed.
    package convenience init(containing path: FilePath) throws(SystemError) {
        self.init(try Folder.open(path.parent))
    }

    /// Where it was when it was opened.
    package var path: FilePath { folder.path }

    /// Opens a folder inside, made when there is none.
    ///
    /// - Parameter permissions: Of one that is made.
    package func subfolder(
        _ name: String,
        permissions: UInt32 = 0o700
    ) throws(SystemError) -> StorageFolder {
        do { try SystemCalls.mkdirat(folder, name, permissions: permissions) } catch {
            guard error.errno == EEXIST else { throw error }
        }
        return StorageFolder(try folder.folder(name))
    }

    /// Makes a folder inside, for the user alone.
    ///
    /// - Throws: `EEXIST` when the name is taken.
    package func makeFolder(_ name: String) throws(SystemError) -> StorageFolder {
        try SystemCalls.mkdirat(folder, name, permissions: 0o700)
        return StorageFolder(try folder.folder(name))
    }

    /// Makes an empty file, for the user alone, and opens it.
    ///
    /// - Parameter appends: Whether every write goes to the end.
    /// - Throws: `EEXIST` when the name is taken.
    package func create(_ name: String, appends: Bool = false) throws(SystemError) -> StorageFile {
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW | (appends ? O_APPEND : 0)
        return StorageFile(try SystemCalls.openat(folder, name, flags, permissions: 0o600))
    }

    /// Opens a file, by its own name only.
    ///
    /// - Parameters:
    ///   - appends: Whether it may be written to, every write at the end.
    ///   - writes: Whether it may be written to, at any place.
    /// - Throws: `ENOENT` when there is none, `EINVAL` when it is no file.
    package func open(
        _ name: String,
        appends: Bool = false,
        writes: Bool = false
    ) throws(SystemError) -> StorageFile {
        let access = appends ? O_RDWR | O_APPEND : writes ? O_RDWR : O_RDONLY
        let flags = access | O_NOFOLLOW | O_NONBLOCK
        let file = try SystemCalls.openat(folder, name, flags)
        guard try SystemCalls.fstat(file).stamp.kind == .regular else {
            throw SystemError(call: "openat", errno: EINVAL, path: folder.place(of: name))
        }
        return StorageFile(file)
    }

    /// Opens a file only to read it, by its own name only.
    ///
    /// - Throws: `ENOENT` when there is none, `EINVAL` when it is no file.
    package func source(_ name: String) throws(SystemError) -> SourceFile {
        try SourceFolder(folder).file(name)
    }

    /// Makes a symbolic link.
    package func makeLink(_ name: String, text: String) throws(SystemError) {
        try SystemCalls.symlinkat(text, folder, name)
    }

    /// Gives a symbolic link what a restored one bears, of which a volume lets it have the date alone; as `StorageFile.dress`.
    package func dressLink(_ name: String, _ dress: MemberDress) throws(SystemError) -> MemberDress? {
        try dress.apply(toLink: name, in: folder)
    }

    /// The members, in no order.
    package func entries() throws(SystemError) -> [FolderEntry] {
        try SystemCalls.readdir(folder)
    }

    /// What a name leads to; nil for nothing. A link is told as itself.
    package func status(of name: String) throws(SystemError) -> MemberStatus? {
        try SystemCalls.statusIfPresent(folder, name).map(MemberStatus.init)
    }

    /// How many bytes there is room for on the folder's volume; all that there are where it does not say.
    package func freeByteCount() throws(SystemError) -> Int {
        try SystemCalls.freeByteCount(of: folder.descriptor)
    }

    /// Whether the folder, or a file in it, is this user's and closed to all others.
    package func isPrivate(_ name: String = ".") throws(SystemError) -> Bool {
        let status = try SystemCalls.fstatat(folder, name)
        return status.owner == geteuid() && status.stamp.permissions & 0o077 == 0
    }

    /// Gives a file or a folder another name, which must be free; as `ItemMoves.move`, also on volumes whose rename knows no such
    /// condition.
    ///
    /// - Throws: `EEXIST` when it is taken.
    package func move(_ name: String, toFree target: String) throws(SystemError) {
        try ItemMoves.moveUnsynced(name, in: folder, toFree: target, in: folder)
    }

    /// Removes a file; one that is gone already is no error.
    package func remove(_ name: String) throws(SystemError) {
        do { try SystemCalls.unlinkat(folder, name) } catch {
            guard error.isAbsent else { throw error }
        }
    }

    /// Makes all changes of names in this folder durable.
    package func sync() throws(SystemError) {
        try SystemCalls.fsync(folder.descriptor)
    }

    /// Gives the folder what a restored member bears; as `StorageFile.dress`.
    @discardableResult
    package func dress(_ dress: MemberDress, isDated: Bool = true) throws(SystemError) -> MemberDress? {
        try dress.apply(to: folder.descriptor, isDated: isDated)
    }
}
