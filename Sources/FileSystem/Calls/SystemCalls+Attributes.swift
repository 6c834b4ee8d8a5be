internal import CLinux
internal import Foundation
internal import Glibc

/// What the kernel says about one item.
struct FileStatus: Sendable {
    var stamp: FileStamp
    var owner: UInt32
    var group: UInt32
    var linkCount: UInt64
    /// How much of the volume it takes: blocks are of 512 bytes, stat(3type).
    var allocatedByteCount: Int64
    var changeSeconds: Int64
    var changeNanoseconds: Int64

    init(_ status: stat) {
        let kind: FileStamp.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        stamp = FileStamp(
            kind: kind,
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            byteCount: Int64(status.st_size),
            permissions: UInt32(status.st_mode & 0o7777),
            modificationSeconds: Int64(status.st_mtim.tv_sec),
            modificationNanoseconds: Int64(status.st_mtim.tv_nsec)
        )
        owner = status.st_uid
        group = status.st_gid
        linkCount = UInt64(status.st_nlink)
        allocatedByteCount = Int64(status.st_blocks) * 512
        changeSeconds = Int64(status.st_ctim.tv_sec)
        changeNanoseconds = Int64(status.st_ctim.tv_nsec)
    }

    /// When anything about the item changed last: its bytes, its attributes or its names.
    var change: FileTime { FileTime(seconds: changeSeconds, nanoseconds: changeNanoseconds) }

    /// Whether both are states of one inode.
    func isSameItem(as other: FileStatus) -> Bool {
        stamp.device == other.stamp.device && stamp.inode == other.stamp.inode
    }
}

extension SystemCalls {
    /// fstat(2).
    static func fstat(_ file: borrowing FileDescriptor) throws(SystemError) -> FileStatus {
        var status = stat()
        let raw = file.raw
        _ = try perform("fstat", at: file.path) { Glibc.fstat(raw, &status) }
        return FileStatus(status)
    }

    /// fstatat(2).
    static func fstatat(
        _ folder: Folder,
        _ name: String,
        followsSymbolicLink: Bool = false
    ) throws(SystemError) -> FileStatus {
        var status = stat()
        let flags = followsSymbolicLink ? 0 : AT_SYMLINK_NOFOLLOW
        _ = try perform("fstatat", at: folder.place(of: name)) {
            Glibc.fstatat(folder.raw, name, &status, flags)
        }
        return FileStatus(status)
    }

    /// fstatat(2); nil when nothing bears the name.
    static func statusIfPresent(_ folder: Folder, _ name: String) throws(SystemError) -> FileStatus? {
        do { return try fstatat(folder, name) } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
    }

    /// fchmod(2).
    static func fchmod(_ file: borrowing FileDescriptor, _ permissions: UInt32) throws(SystemError) {
        let raw = file.raw
        _ = try perform("fchmod", at: file.path, effect: .setAttributes(file: raw)) {
            Glibc.fchmod(raw, permissions)
        }
    }

    /// lchown(2) to whom it belongs: that moves the time of its last change, and nothing else.
    static func lchownToItself(_ path: FilePath) throws(SystemError) {
        _ = try perform("lchown", at: path, effect: .setAttributes(file: nil)) {
            Glibc.lchown(path.string, uid_t.max, gid_t.max)
        }
    }

    /// fchown(2).
    static func fchown(
        _ file: borrowing FileDescriptor,
        owner: UInt32,
        group: UInt32
    ) throws(SystemError) {
        let raw = file.raw
        _ = try perform("fchown", at: file.path, effect: .setAttributes(file: raw)) {
            Glibc.fchown(raw, owner, group)
        }
    }

    /// futimens(3) for the modification time alone.
    static func futimens(
        _ file: borrowing FileDescriptor,
        seconds: Int64,
        nanoseconds: Int64
    ) throws(SystemError) {
        let raw = file.raw
        let times = [
            timespec(tv_sec: 0, tv_nsec: Int(CDOC_UTIME_OMIT)),
            timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)),
        ]
        _ = try perform("utimensat", at: file.path, effect: .setAttributes(file: raw)) {
            Glibc.futimens(raw, times)
        }
    }

    /// utimensat(2) for the modification time alone, of a symbolic link itself.
    static func utimensat(
        _ folder: Folder,
        _ name: String,
        seconds: Int64,
        nanoseconds: Int64
    ) throws(SystemError) {
        let times = [
            timespec(tv_sec: 0, tv_nsec: Int(CDOC_UTIME_OMIT)),
            timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds)),
        ]
        _ = try perform("utimensat", at: folder.place(of: name), effect: .setAttributes(file: nil)) {
            Glibc.utimensat(folder.raw, name, times, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// llistxattr(2): the names of the extended attributes, none where the volume has none.
    static func llistxattr(_ path: FilePath) throws(SystemError) -> [String] {
        try names { (list: UnsafeMutablePointer<CChar>?, byteCount) throws(SystemError) in
            try perform("llistxattr", at: path) { CLinux.llistxattr(path.string, list, byteCount) }
        }
    }

    /// llistxattr(2): how long the names of the extended attributes are.
    static func llistxattrByteCount(_ path: FilePath) throws(SystemError) -> Int {
        try perform("llistxattr", at: path) { CLinux.llistxattr(path.string, nil, 0) }
    }

    /// flistxattr(2), as `llistxattr`.
    static func flistxattr(_ file: borrowing FileDescriptor) throws(SystemError) -> [String] {
        let (raw, path) = (file.raw, file.path)
        return try names { (list: UnsafeMutablePointer<CChar>?, byteCount) throws(SystemError) in
            try perform("flistxattr", at: path) { CLinux.flistxattr(raw, list, byteCount) }
        }
    }

    /// lgetxattr(2); nil when the item has no such attribute any more.
    static func lgetxattr(_ path: FilePath, _ name: String) throws(SystemError) -> Data? {
        do {
            let value = try sized { (buffer: UnsafeMutableRawPointer?, byteCount) throws(SystemError) in
                try perform("lgetxattr", at: path) { CLinux.lgetxattr(path.string, name, buffer, byteCount) }
            }
            return Data(value)
        } catch {
            guard error.errno == ENODATA || error.errno == EOPNOTSUPP else { throw error }
            return nil
        }
    }

    /// lgetxattr(2) of a value that is as long as this; nil when the item has none such.
    static func lgetxattr(
        _ path: FilePath,
        _ name: String,
        byteCount: Int
    ) throws(SystemError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        do {
            let found = try perform("lgetxattr", at: path) {
                CLinux.lgetxattr(path.string, name, &bytes, byteCount)
            }
            return found == byteCount ? bytes : nil
        } catch {
            guard [ENODATA, EOPNOTSUPP, ERANGE, EACCES, EPERM].contains(error.errno) else { throw error }
            return nil
        }
    }

    /// lsetxattr(2).
    ///
    /// - Parameter isNew: Whether the item must not have it yet; then fails with `EEXIST`.
    static func lsetxattr(
        _ path: FilePath,
        _ name: String,
        _ value: [UInt8],
        isNew: Bool,
        isReplacing: Bool = false
    ) throws(SystemError) {
        let flags = (isNew ? CInt(XATTR_CREATE) : 0) | (isReplacing ? CInt(XATTR_REPLACE) : 0)
        _ = try perform("lsetxattr", at: path, effect: .setAttributes(file: nil)) {
            CLinux.lsetxattr(path.string, name, value, value.count, flags)
        }
    }

    /// fsetxattr(2).
    static func fsetxattr(
        _ file: borrowing FileDescriptor,
        _ name: String,
        _ value: Data
    ) throws(SystemError) {
        let (raw, bytes) = (file.raw, [UInt8](value))
        _ = try perform("fsetxattr", at: file.path, effect: .setAttributes(file: raw)) {
            CLinux.fsetxattr(raw, name, bytes, bytes.count, 0)
        }
    }

    /// fremovexattr(2).
    static func fremovexattr(_ file: borrowing FileDescriptor, _ name: String) throws(SystemError) {
        let raw = file.raw
        _ = try perform("fremovexattr", at: file.path, effect: .setAttributes(file: raw)) {
            CLinux.fremovexattr(raw, name)
        }
    }

    private static func names(
        _ list: (UnsafeMutablePointer<CChar>?, Int) throws(SystemError) -> Int
    ) throws(SystemError) -> [String] {
        do {
            let bytes = try sized { (buffer: UnsafeMutableRawPointer?, byteCount) throws(SystemError) in
                try list(buffer?.assumingMemoryBound(to: CChar.self), byteCount)
            }
            return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        } catch {
            guard error.errno == EOPNOTSUPP else { throw error }
            return []
        }
    }

    /// So many bytes nearly every value and every list of names fits into.
    private static let usualByteCount = 256

    /// Asks for a value; for the size of one that is larger than usual, and again while it grows meanwhile.
    private static func sized(
        _ get: (UnsafeMutableRawPointer?, Int) throws(SystemError) -> Int
    ) throws(SystemError) -> [UInt8] {
        var byteCount = usualByteCount
        while true {
            let buffer = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 1)
            defer { buffer.deallocate() }
            do {
                return [UInt8](UnsafeRawBufferPointer(start: buffer, count: try get(buffer, byteCount)))
            } catch {
                guard error.errno == ERANGE else { throw error }
            }
            byteCount = try get(nil, 0)
            guard byteCount > 0 else { return [] }
        }
    }
}
