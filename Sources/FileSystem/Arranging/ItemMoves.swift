package import Foundation
internal import Glibc

/// Gives items places without ever taking one from another.
///
/// Any thread; every call may block on the disk.
///
/// What has been done when a call returns outlasts a power cut: the folders it changed are synced.
package enum ItemMoves {
    /// Gives an item another place on its volume, if that place is free.
    ///
    /// A symbolic link is moved itself, and so is a folder that this user owns and may not write to. On volumes without renameat2(2)'s `RENAME_NOREPLACE` a folder moves
    /// over an empty one made for it, and a file gets a second name before it loses its first: no moment in
    /// which something else could be replaced. Where there are no hard links either (FAT), another program
    /// that makes an item of that very name between our look and our rename loses it.
    ///
    /// - Parameters:
    ///   - source: Where it is.
    ///   - target: Where it is to be.
    ///   - isExpected: Whether the folder that is there is the one that it is to be in: where a volume is mounted no more there is
    ///     another one. It is not exchanged any more when this is asked.
    /// - Throws: `EEXIST` when the place is taken, `EXDEV` when it is on another volume, `EINVAL` when it is
    ///   inside the item, `ESTALE` when its folder is not as expected. Nothing has moved then.
    package static func move(
        _ source: FilePath,
        toFree target: FilePath,
        ifFolder isExpected: (MemberStatus) -> Bool = { _ in true }
    ) throws(SystemError) {
        let sourceFolder = try Folder.open(source.parent)
        let targetFolder = try Folder.open(target.parent)
        guard isExpected(MemberStatus(try SystemCalls.fstat(targetFolder.descriptor))) else {
            throw SystemError(call: "openat", errno: ESTALE, path: target.parent)
        }
        try moveUnsynced(source.name, in: sourceFolder, toFree: target.name, in: targetFolder)
        try SystemCalls.fsync(targetFolder.descriptor)
        if source.parent != target.parent { try SystemCalls.fsync(sourceFolder.descriptor) }
    }

    /// As `move`, but whoever calls this makes it durable.
    static func moveUnsynced(
        _ source: String,
        in sourceFolder: Folder,
        toFree target: String,
        in targetFolder: Folder
    ) throws(SystemError) {
        do {
            try ReadOnlyFolder.moving(source, from: sourceFolder, to: targetFolder) {
                () throws(SystemError) in
                try put(source, in: sourceFolder, atFree: target, in: targetFolder)
            }
        } catch {
            guard error.errno == EEXIST, try isOneItem(sourceFolder, source, targetFolder, target) else {
                throw error
            }
            try respell(source, in: sourceFolder, as: target, in: targetFolder)
        }
    }

    private static func put(
        _ source: String,
        in sourceFolder: Folder,
        atFree target: String,
        in targetFolder: Folder
    ) throws(SystemError) {
        do {
            try SystemCalls.renameat2(sourceFolder, source, targetFolder, target, .mustNotExist)
        } catch {
            guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(error.errno) else { throw error }
            try moveByHand(sourceFolder, source, targetFolder, target)
        }
    }

    /// Gives an item another spelling of its name on a volume to which both are one. To rename(2) there is nothing to do: the item
    /// goes by a name in between, under which it is found where that is the last thing that happens.
    private static func respell(
        _ source: String,
        in sourceFolder: Folder,
        as target: String,
        in targetFolder: Folder
    ) throws(SystemError) {
        let between = nameBetween(target)
        try put(source, in: sourceFolder, atFree: between, in: targetFolder)
        do { try put(between, in: targetFolder, atFree: target, in: targetFolder) } catch {
            // Somebody has made an item of that name meanwhile, and that is what the caller must know. What cannot go back either
            // has the name in between.
            try? put(between, in: targetFolder, atFree: source, in: sourceFolder)
            throw error
        }
    }

    /// A name that nothing has, of the same kind and as visible.
    private static func nameBetween(_ name: String) -> String {
        let (dot, rest) = name.hasPrefix(".") ? (".", String(name.dropFirst())) : ("", name)
        let whole = "\(dot)renaming \(UInt32.random(in: 0 ... .max)) \(rest)"
        guard whole.utf8.count > nameByteCountMax else { return whole }
        let ending = (name as NSString).pathExtension
        return "\(dot)renaming \(UInt32.random(in: 0 ... .max))" + (ending.isEmpty ? "" : ".\(ending)")
    }

    private static let nameByteCountMax = 255

    /// Makes an empty folder, if the place is free.
    ///
    /// - Parameter permissions: The permission bits, less the process's mask.
    package static func createFolder(
        _ path: FilePath,
        permissions: UInt32 = 0o777
    ) throws(SystemError) {
        let folder = try Folder.open(path.parent)
        try SystemCalls.mkdirat(folder, path.name, permissions: permissions)
        try SystemCalls.fsync(folder.descriptor)
    }

    /// Makes a folder and the folders above it, as far as they are missing.
    ///
    /// - Returns: Those that were made, the outermost first.
    @discardableResult
    package static func createFolders(
        _ path: FilePath,
        permissions: UInt32
    ) throws(SystemError) -> [FilePath] {
        do { return try createFolderIfMissing(path, permissions: permissions) ? [path] : [] } catch {
            guard error.errno == ENOENT, path.parent != path else { throw error }
        }
        let above = try createFolders(path.parent, permissions: permissions)
        // The folder above is there now. Where it still is "no such file" nothing can be made in it, as in /proc.
        return try createFolderIfMissing(path, permissions: permissions) ? above + [path] : above
    }

    /// - Returns: Whether it was made; false when a folder is there.
    private static func createFolderIfMissing(
        _ path: FilePath,
        permissions: UInt32
    ) throws(SystemError) -> Bool {
        do { try createFolder(path, permissions: permissions) } catch {
            guard error.errno == EEXIST, try isFolder(path) else { throw error }
            return false
        }
        return true
    }

    /// Makes a file with these bytes, if the place is free.
    ///
    /// Nobody but the owner may read it.
    ///
    /// When writing fails, what was written is removed again.
    package static func createFile(_ path: FilePath, contents: Data) throws(SystemError) {
        let folder = try Folder.open(path.parent)
        let file = try SystemCalls.openat(folder, path.name, O_CREAT | O_WRONLY, permissions: 0o600)
        do {
            try SystemCalls.write(contents, to: file)
            try SystemCalls.fsync(file)
            try SystemCalls.fsync(folder.descriptor)
        } catch {
            // The first error is what the caller must know; a file that cannot be removed stays behind.
            try? SystemCalls.unlinkat(folder, path.name)
            throw error
        }
    }

    /// Removes a file or a symbolic link.
    package static func removeFile(_ path: FilePath) throws(SystemError) {
        let folder = try Folder.open(path.parent)
        try SystemCalls.unlinkat(folder, path.name)
        try SystemCalls.fsync(folder.descriptor)
    }

    /// Removes a folder in which nothing is.
    ///
    /// - Throws: `ENOTEMPTY` when something is.
    package static func removeEmptyFolder(_ path: FilePath) throws(SystemError) {
        let folder = try Folder.open(path.parent)
        try SystemCalls.unlinkat(folder, path.name, isFolder: true)
        try SystemCalls.fsync(folder.descriptor)
    }

    /// The user that owns an item itself.
    package static func owner(of path: FilePath) throws(SystemError) -> UInt32 {
        try SystemCalls.fstatat(.working, path.string).owner
    }

    private static func isFolder(_ path: FilePath) throws(SystemError) -> Bool {
        try FileStamp(of: path, followsSymbolicLink: true).kind == .directory
    }

    /// Whether both names are of one item that bears one name: "A" and "a" on a volume that ignores case.
    private static func isOneItem(
        _ sourceFolder: Folder,
        _ source: String,
        _ targetFolder: Folder,
        _ target: String
    ) throws(SystemError) -> Bool {
        let (from, to) = (sourceFolder.place(of: source).string, targetFolder.place(of: target).string)
        guard !from.utf8.elementsEqual(to.utf8),
            let found = try SystemCalls.statusIfPresent(targetFolder, target)
        else {
            return false
        }
        let moved = try SystemCalls.fstatat(sourceFolder, source)
        return moved.isSameItem(as: found) && (moved.linkCount == 1 || moved.stamp.kind == .directory)
    }

    private static func moveByHand(
        _ sourceFolder: Folder,
        _ source: String,
        _ targetFolder: Folder,
        _ target: String
    ) throws(SystemError) {
        if try SystemCalls.fstatat(sourceFolder, source).stamp.kind == .directory {
            try SystemCalls.mkdirat(targetFolder, target, permissions: 0o700)
            do {
                // rename(2): a folder may take the place of an empty one, and of nothing else.
                try SystemCalls.renameat2(sourceFolder, source, targetFolder, target)
            } catch {
                // Somebody who filled it meanwhile keeps it; the first error is what the caller must know.
                try? SystemCalls.unlinkat(targetFolder, target, isFolder: true)
                throw error
            }
            return
        }
        do {
            try SystemCalls.linkat(sourceFolder, source, targetFolder, target)
        } catch {
            guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.errno) else { throw error }
            guard try SystemCalls.statusIfPresent(targetFolder, target) == nil else {
                throw SystemError(call: "renameat2", errno: EEXIST, path: targetFolder.place(of: target))
            }
            return try SystemCalls.renameat2(sourceFolder, source, targetFolder, target)
        }
        try SystemCalls.unlinkat(sourceFolder, source)
    }
}
