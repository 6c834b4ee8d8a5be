package import Foundation

/// Reads files, folders and links.
///
/// Any thread; every call may block on the disk.
package enum FileReading {
    /// Files of fewer bytes are read even where mapping is allowed: a page fault costs more than the copy.
    package static let mappedByteCountMin = 256 * 1024

    /// All bytes of a file.
    ///
    /// - Parameters:
    ///   - path: Which file; a symbolic link is followed.
    ///   - mapped: Whether large files may be mapped instead of read. A mapped file that somebody cuts short
    ///     kills the process that touches the missing part with SIGBUS; files replaced by renaming, as ours
    ///     are, stay whole. Without it the bytes are in memory when this returns.
    ///   - stamp: What the file must still bear before and after reading.
    /// - Throws: `ESTALE` when the file is not the one with the stamp, `EISDIR` for a folder, `EINVAL` for
    ///   a device, pipe or socket.
    package static func contents(
        of path: FilePath,
        mapped: Bool = false,
        expecting stamp: FileStamp? = nil
    ) throws(SystemError) -> Data {
        try stampedContents(of: path, mapped: mapped, expecting: stamp).contents
    }

    /// As `contents(of:mapped:expecting:)`, with the stamp that belongs to these bytes.
    ///
    /// - Throws: `ESTALE` also when the file changed while it was read.
    package static func stampedContents(
        of path: FilePath,
        mapped: Bool = false,
        expecting stamp: FileStamp? = nil
    ) throws(SystemError) -> (contents: Data, stamp: FileStamp) {
        // O_NONBLOCK so that a pipe nobody writes to does not hold us for ever.
        let file = try SystemCalls.openat(.working, path.string, O_RDONLY | O_NONBLOCK)
        let before = try SystemCalls.fstat(file).stamp
        guard before.kind == .regular else {
            let code = before.kind == .directory ? EISDIR : EINVAL
            throw SystemError(call: "read", errno: code, path: path)
        }
        try check(before, is: stamp, at: path)
        let byteCount = Int(before.byteCount)
        if mapped, byteCount >= mappedByteCountMin {
            return (try mapping(file, byteCount: byteCount), before)
        }
        let contents = try bytes(of: file, expectedByteCount: byteCount)
        try check(try SystemCalls.fstat(file).stamp, is: before, at: path)
        return (contents, before)
    }

    /// The members of a folder, in no order, without "." and "..".
    ///
    /// - Throws: `ENOTDIR` when it is no folder, `EILSEQ` when a name is not UTF-8.
    package static func entries(in path: FilePath) throws(SystemError) -> [FolderEntry] {
        try SystemCalls.readdir(try Folder.open(path))
    }

    /// The text of a symbolic link.
    ///
    /// - Throws: `EINVAL` when it is none, `EILSEQ` when its text is not UTF-8.
    package static func symbolicLinkText(at path: FilePath) throws(SystemError) -> String {
        if let text = try SystemCalls.readlinkat(.working, path.string) { return text }
        throw SystemError(call: "readlinkat", errno: EINVAL, path: path)
    }

    /// One extended attribute of an item itself; nil where there is none.
    package static func extendedAttribute(_ name: String, of path: FilePath) throws(SystemError) -> Data? {
        try SystemCalls.lgetxattr(path, name)
    }

    /// Whether an item itself has any extended attribute.
    ///
    /// - Throws: `EOPNOTSUPP` on a volume that names none, which may tell of one that is asked for.
    package static func hasExtendedAttributes(_ path: FilePath) throws(SystemError) -> Bool {
        try SystemCalls.llistxattrByteCount(path) > 0
    }

    /// The extended attributes of an item itself, by name; none where the volume has none.
    package static func extendedAttributes(of path: FilePath) throws(SystemError) -> [String: Data] {
        var attributes: [String: Data] = [:]
        for name in try SystemCalls.llistxattr(path) {
            attributes[name] = try SystemCalls.lgetxattr(path, name)
        }
        return attributes
    }

    /// The user's extended attributes of an item itself, but for the mark that it bears; none where the volume has none.
    package static func userAttributes(of path: FilePath) throws(SystemError) -> [String: Data] {
        var attributes: [String: Data] = [:]
        for name in try SystemCalls.llistxattr(path) where FileMark.isUsersOwn(name) {
            attributes[name] = try SystemCalls.lgetxattr(path, name)
        }
        return attributes
    }

    private static func check(
        _ found: FileStamp,
        is expected: FileStamp?,
        at path: FilePath
    ) throws(SystemError) {
        guard let expected, expected != found else { return }
        throw SystemError(call: "fstat", errno: ESTALE, path: path)
    }

    private static func mapping(
        _ file: borrowing FileDescriptor,
        byteCount: Int
    ) throws(SystemError) -> Data {
        let address = try SystemCalls.mmap(file, byteCount: byteCount)
        return Data(
            bytesNoCopy: address,
            count: byteCount,
            deallocator: .custom { address, byteCount in munmap(address, byteCount) }
        )
    }

    private static let unknownByteCount = 4096

    /// Reads to the end, which may be further than expected.
    static func bytes(
        of file: borrowing FileDescriptor,
        expectedByteCount: Int
    ) throws(SystemError) -> Data {
        // One byte more than expected, so that the read that finds the end needs no larger buffer. Of a file that the kernel makes
        // up as it is read no length is known, and some give all that they have to the first read, or none of it.
        let byteCount = expectedByteCount == 0 ? unknownByteCount : expectedByteCount + 1
        var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 1)
        var filledByteCount = 0
        do {
            while true {
                if filledByteCount == buffer.count { buffer = grown(buffer) }
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filledByteCount...])
                let byteCount = try SystemCalls.read(file, into: rest)
                if byteCount == 0 { break }
                filledByteCount += byteCount
            }
        } catch {
            buffer.deallocate()
            throw error
        }
        guard filledByteCount > 0, let address = buffer.baseAddress else {
            buffer.deallocate()
            return Data()
        }
        return Data(
            bytesNoCopy: address,
            count: filledByteCount,
            deallocator: .custom { address, _ in address.deallocate() }
        )
    }

    private static func grown(_ buffer: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
        buffer.deallocate()
        return larger
    }
}
