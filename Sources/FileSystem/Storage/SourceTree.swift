internal import CLinux
package import Foundation
internal import Glibc

/// What the kernel says about one member of a document, with the time of its last change of any kind.
package struct MemberStatus: Hashable, Sendable {
    package var stamp: FileStamp
    package var changeSeconds: Int64
    package var changeNanoseconds: Int64
    /// Whether it is a file or a link that has other names, anywhere on its volume.
    package var hasOtherNames: Bool

    init(_ status: FileStatus) {
        stamp = status.stamp
        hasOtherNames = status.stamp.kind != .directory && status.linkCount > 1
        changeSeconds = status.changeSeconds
        changeNanoseconds = status.changeNanoseconds
    }
}

/// An open folder of a document that is read: by descriptors, never through a link.
///
/// Any thread; every call may block on the disk.
package final class SourceFolder: Sendable {
    let folder: Folder

    init(_ folder: Folder) {
        self.folder = folder
    }

    /// Opens the folder that a path leads to, links on the way followed.
    package convenience init(at path: FilePath) throws(SystemError) {
        self.init(try Folder.open(path))
    }

    /// Where it was when it was opened.
    package var path: FilePath { folder.path }

    /// The names of the members, in no order.
    ///
    /// - Throws: `EILSEQ` when one is not UTF-8.
    package func memberNames() throws(SystemError) -> [String] {
        try SystemCalls.readdir(folder).map(\.name)
    }

    /// What a member is; a link as itself.
    ///
    /// - Throws: `ENOENT` when it is gone.
    package func status(of name: String) throws(SystemError) -> MemberStatus {
        MemberStatus(try SystemCalls.fstatat(folder, name))
    }

    /// Opens a folder inside.
    ///
    /// - Throws: `ELOOP` or `ENOTDIR` when it is none.
    package func folder(_ name: String) throws(SystemError) -> SourceFolder {
        SourceFolder(try folder.folder(name))
    }

    /// Opens a file inside.
    ///
    /// - Throws: `ELOOP` for a link, `EINVAL` for what is no file.
    package func file(_ name: String) throws(SystemError) -> SourceFile {
        let file = try open(name)
        let status = MemberStatus(try SystemCalls.fstat(file))
        guard status.stamp.kind == .regular else {
            throw SystemError(call: "openat", errno: EINVAL, path: folder.place(of: name))
        }
        return SourceFile(file, status)
    }

    /// To be kept is not to be read by somebody: the file's time of access stays, where it is ours to say so, and the disk is
    /// spared a change of each file.
    private func open(_ name: String) throws(SystemError) -> FileDescriptor {
        // O_NONBLOCK so that a pipe nobody writes to does not hold us for ever.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
        do { return try SystemCalls.openat(folder, name, flags | CInt(CDOC_O_NOATIME)) } catch {
            // Another user's file.
            guard error.errno == EPERM else { throw error }
            return try SystemCalls.openat(folder, name, flags)
        }
    }

    /// The text of a symbolic link.
    ///
    /// - Throws: `EILSEQ` when it is not UTF-8, `ESTALE` when it is a link no more.
    package func linkText(_ name: String) throws(SystemError) -> String {
        if let text = try SystemCalls.readlinkat(folder, name) { return text }
        throw SystemError(call: "readlinkat", errno: ESTALE, path: folder.place(of: name))
    }

    /// The user's extended attributes of the folder, but for the mark that it bears.
    package func userAttributes() throws(SystemError) -> [String: Data] {
        try SystemCalls.userAttributes(of: folder.descriptor)
    }
}

/// An open file of a document that is read.
package final class SourceFile: Sendable {
    private let descriptor: FileDescriptor
    /// What the kernel said about it when it was opened.
    package let openedStatus: MemberStatus

    init(_ descriptor: consuming FileDescriptor, _ openedStatus: MemberStatus) {
        self.descriptor = descriptor
        self.openedStatus = openedStatus
    }

    /// Where it was when it was opened.
    package var path: FilePath { descriptor.path }

    /// What the kernel says about it now.
    package func status() throws(SystemError) -> MemberStatus {
        MemberStatus(try SystemCalls.fstat(descriptor))
    }

    /// Whether anybody has it open for writing, or mapped to memory that is written; nil where the kernel does not tell.
    package var isOpenForWriting: Bool? { try? SystemCalls.isWritten(descriptor) }

    /// How many bytes its volume has set aside for it: of one with holes fewer than it is long.
    package func allocatedByteCount() throws(SystemError) -> Int64 {
        try SystemCalls.fstat(descriptor).allocatedByteCount
    }

    /// Whether nothing is in it but one hole. On a volume that does not tell there are no holes.
    package func isHole() throws(SystemError) -> Bool { try !SystemCalls.hasData(descriptor) }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes read.
    package func read(
        at offset: Int,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int {
        try SystemCalls.pread(descriptor, into: buffer, at: offset)
    }

    /// The user's extended attributes, but for the mark that it bears.
    package func userAttributes() throws(SystemError) -> [String: Data] {
        try SystemCalls.userAttributes(of: descriptor)
    }

    /// Makes all that was written to it durable, by whomever.
    package func sync() throws(SystemError) {
        try SystemCalls.fsync(descriptor)
    }

    /// Gives it a name in a folder.
    func link(in folder: Folder, as name: String) throws(SystemError) {
        try SystemCalls.linkat(descriptor, folder, name)
    }
}

extension SystemCalls {
    /// fgetxattr(2) of all attributes that are the user's and not the mark; none where the volume has none.
    fileprivate static func userAttributes(
        of file: borrowing FileDescriptor
    ) throws(SystemError) -> [String: Data] {
        var attributes: [String: Data] = [:]
        for name in try flistxattr(file) where FileMark.isUsersOwn(name) {
            // No value is larger than XATTR_SIZE_MAX of xattr(7).
            var value = [UInt8](repeating: 0, count: 65536)
            let raw = file.raw
            do {
                let byteCount = try perform("fgetxattr", at: file.path) {
                    CLinux.fgetxattr(raw, name, &value, value.count)
                }
                attributes[name] = Data(value.prefix(byteCount))
            } catch {
                // Removed since it was listed.
                guard error.errno == ENODATA else { throw error }
            }
        }
        return attributes
    }
}
