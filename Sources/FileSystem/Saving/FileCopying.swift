internal import Foundation

/// Brings files that exist into a new tree: as links where that can be done, else as clones or copies.
enum FileCopying {
    /// What tells that this file, or this volume, has no hard links to give.
    static let unlinkable: Set<CInt> = [EPERM, EMLINK, EXDEV, EOPNOTSUPP, ENOSYS]
    /// What tells that the kernel cannot copy between these two files by itself.
    private static let uncopyable: Set<CInt> = [EXDEV, EOPNOTSUPP, ENOSYS, EINVAL, ENOTTY, EPERM, EBADF]

    private static let bufferByteCount = 1 << 20

    /// Puts a file where a tree wants it.
    ///
    /// It is linked, unless attributes are wanted that the source does not have: a link shares them.
    static func place(
        _ source: FilePath,
        bearing stamp: FileStamp?,
        with attributes: MemberAttributes,
        as name: String,
        in folder: Folder,
        mayLink: Bool = true
    ) throws(SystemError) {
        let now = try FileStamp(of: source)
        try check(now, bears: stamp, at: source)
        guard now.kind == .regular else { throw SystemError(call: "linkat", errno: EINVAL, path: source) }
        let isAlike = attributes.permissions ?? now.permissions == now.permissions
        if mayLink, isAlike, attributes.time == nil {
            try linkOrCopy(source.string, in: .working, as: name, in: folder)
        } else {
            try copy(source.string, in: .working, as: name, in: folder, with: attributes)
        }
        try check(try FileStamp(of: source), bears: stamp ?? now, at: source)
    }

    /// How an item came to where it is to be.
    enum Coming {
        case linked
        case copiedLink
        /// With how the file looked before the first byte was copied.
        case copied(FileStamp)
    }

    /// Links an item other than a folder, or copies it with all it bears.
    ///
    /// A copy is synced.
    @discardableResult
    static func linkOrCopy(
        _ source: String,
        in sourceFolder: Folder,
        as target: String,
        in targetFolder: Folder
    ) throws(SystemError) -> Coming {
        do {
            try SystemCalls.linkat(sourceFolder, source, targetFolder, target)
            return .linked
        } catch {
            guard unlinkable.contains(error.errno) else { throw error }
        }
        if try SystemCalls.copyLink(source, in: sourceFolder, as: target, in: targetFolder) {
            return .copiedLink
        }
        let attributes = MemberAttributes()
        return .copied(try copy(source, in: sourceFolder, as: target, in: targetFolder, with: attributes))
    }

    /// - Returns: How the file looked before.
    @discardableResult
    private static func copy(
        _ source: String,
        in sourceFolder: Folder,
        as target: String,
        in targetFolder: Folder,
        with attributes: MemberAttributes
    ) throws(SystemError) -> FileStamp {
        let carried = try CarriedAttributes(of: source, in: sourceFolder)
        let original = try SystemCalls.openat(sourceFolder, source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        let stamp = try SystemCalls.fstat(original).stamp
        guard stamp.kind == .regular else {
            throw SystemError(
                call: "copy_file_range",
                errno: EOPNOTSUPP,
                path: sourceFolder.place(of: source)
            )
        }
        let flags = O_RDWR | O_CREAT | O_NOFOLLOW
        let copy = try SystemCalls.openat(targetFolder, target, flags, permissions: 0o600)
        try copyBytes(from: original, to: copy)
        try CarriedAttributes.dress(copy, as: carried, with: attributes)
        if attributes.time == nil {
            try SystemCalls.futimens(
                copy,
                seconds: stamp.modificationSeconds,
                nanoseconds: stamp.modificationNanoseconds
            )
        }
        try SystemCalls.fsync(copy)
        return stamp
    }

    /// Copies all bytes from one file, read to its end, to another, empty one.
    static func copyBytes(
        from source: borrowing FileDescriptor,
        to target: borrowing FileDescriptor
    ) throws(SystemError) {
        do { return try SystemCalls.ficlone(from: source, to: target) } catch {
            guard uncopyable.contains(error.errno) else { throw error }
        }
        do {
            while try SystemCalls.copy_file_range(from: source, to: target, byteCount: 1 << 30) > 0 {}
        } catch {
            guard uncopyable.contains(error.errno) else { throw error }
        }
        // Whatever the kernel did not copy follows from where it stopped; nothing, as a rule.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferByteCount, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let byteCount = try SystemCalls.read(source, into: buffer)
            guard byteCount > 0 else { return }
            try SystemCalls.write(Data(buffer[..<byteCount]), to: target)
        }
    }

    static func check(
        _ found: FileStamp,
        bears expected: FileStamp?,
        at path: FilePath
    ) throws(SystemError) {
        guard let expected, expected != found else { return }
        throw SystemError(call: "fstatat", errno: ESTALE, path: path)
    }
}
