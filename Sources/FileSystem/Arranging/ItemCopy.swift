internal import Foundation
internal import Glibc

/// Copies an item with all that is in it.
///
/// Any thread; blocks on the disk.
package enum ItemCopy {
    /// How deep a tree may be: each level costs a descriptor while it is copied.
    private static let depthMax = 200

    /// Puts a copy of a file, folder or symbolic link where nothing is yet.
    ///
    /// Bytes are shared with the original where the volume can do that, else copied by the kernel.
    /// Permissions without set-user-ID and set-group-ID, modification times and the user's extended
    /// attributes are kept; the copy belongs to whoever makes it. Links inside are copied as they are.
    /// Nothing is synced: copies are made into a `StagedSave`, whose commit does that.
    ///
    /// - Throws: The refusal with the member that it concerns; `EOPNOTSUPP` for a device, pipe or socket; `EILSEQ` for a name
    ///   that is not UTF-8.
    ///   What has been copied until then is left for the caller to remove.
    package static func copy(_ source: FilePath, toFree target: FilePath) throws(SystemError) {
        try copy(
            source.name,
            in: try Folder.open(source.parent),
            to: target.name,
            in: try Folder.open(target.parent),
            depth: 0
        )
    }

    /// Puts a whole copy where nothing is, in one step and durably.
    ///
    /// - Throws: As `copy`, and `EEXIST`; nothing is at the place then.
    package static func copyWhole(_ source: FilePath, toFree target: FilePath) throws(SystemError) {
        let save = try StagedSave(item: target, mustNotExist: true, followsSymbolicLink: false)
        try copy(source, toFree: try save.stagedPath())
        try save.commit()
    }

    private static func copy(
        _ source: String,
        in sourceFolder: Folder,
        to target: String,
        in targetFolder: Folder,
        depth: Int
    ) throws(SystemError) {
        let status = try SystemCalls.fstatat(sourceFolder, source)
        switch status.stamp.kind {
        case .regular:
            try copyFile(source, in: sourceFolder, to: target, in: targetFolder)
        case .directory:
            guard depth < depthMax else {
                throw SystemError(call: "openat", errno: EMFILE, path: sourceFolder.place(of: source))
            }
            try copyFolder(source, in: sourceFolder, to: target, in: targetFolder, depth: depth)
        case .symbolicLink:
            guard try SystemCalls.copyLink(source, in: sourceFolder, as: target, in: targetFolder) else {
                throw SystemError(call: "readlinkat", errno: ESTALE, path: sourceFolder.place(of: source))
            }
        case .other:
            throw SystemError(call: "openat", errno: EOPNOTSUPP, path: sourceFolder.place(of: source))
        }
    }

    private static func copyFolder(
        _ source: String,
        in sourceFolder: Folder,
        to target: String,
        in targetFolder: Folder,
        depth: Int
    ) throws(SystemError) {
        let from = try sourceFolder.folder(source)
        let status = try SystemCalls.fstat(from.descriptor)
        // All names first: a folder that is copied into itself would otherwise never end. What cannot be named is not left
        // out: whoever copies may remove the original.
        let names = try SystemCalls.readdir(from).map(\.name)
        try SystemCalls.mkdirat(targetFolder, target, permissions: 0o700)
        let into = try targetFolder.folder(target)
        for name in names { try copy(name, in: from, to: name, in: into, depth: depth + 1) }
        try copyAttributes(status, from: from.descriptor, to: into.descriptor)
    }

    private static func copyFile(
        _ source: String,
        in sourceFolder: Folder,
        to target: String,
        in targetFolder: Folder
    ) throws(SystemError) {
        let from = try SystemCalls.openat(sourceFolder, source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let status = try SystemCalls.fstat(from)
        let into = try SystemCalls.openat(targetFolder, target, O_CREAT | O_WRONLY, permissions: 0o600)
        try FileCopying.copyBytes(from: from, to: into)
        try copyAttributes(status, from: from, to: into)
    }

    private static func copyAttributes(
        _ status: FileStatus,
        from source: borrowing FileDescriptor,
        to target: borrowing FileDescriptor
    ) throws(SystemError) {
        for name in try SystemCalls.flistxattr(source) where name.hasPrefix("user.") {
            guard let value = try SystemCalls.lgetxattr(source.path, name) else { continue }
            do { try SystemCalls.fsetxattr(target, name, value) } catch {
                // A volume without extended attributes, or with room for fewer, still gets the item.
                guard [EOPNOTSUPP, ENOSPC, E2BIG, ERANGE, EPERM].contains(error.errno) else { throw error }
            }
        }
        do { try SystemCalls.fchmod(target, status.stamp.permissions & 0o1777) } catch {
            // FAT has no permissions to set.
            guard error.errno == EPERM else { throw error }
        }
        try SystemCalls.futimens(
            target,
            seconds: status.stamp.modificationSeconds,
            nanoseconds: status.stamp.modificationNanoseconds
        )
    }
}
