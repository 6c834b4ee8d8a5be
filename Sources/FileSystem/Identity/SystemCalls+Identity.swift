internal import CLinux
internal import Foundation
internal import Glibc

extension SystemCalls {
    /// openat(2) with `O_PATH`: the item itself, a symbolic link too, without reading it.
    static func openPath(_ path: FilePath) throws(SystemError) -> FileDescriptor {
        try openat(.working, path.string, CInt(CDOC_O_PATH) | O_NOFOLLOW)
    }

    /// fstatfs(2): the volume's own number.
    static func volume(of file: borrowing FileDescriptor) throws(SystemError) -> UInt64 {
        let status = try volumeStatus(of: file)
        return withUnsafeBytes(of: status.f_fsid) { $0.loadUnaligned(as: UInt64.self) }
    }

    /// fstatfs(2): the number of the kind of volume.
    static func volumeKind(of file: borrowing FileDescriptor) throws(SystemError) -> UInt32 {
        let status = try volumeStatus(of: file)
        return UInt32(truncatingIfNeeded: status.f_type)
    }

    /// fstatfs(2): how many bytes a block of the volume has.
    static func blockByteCount(of file: borrowing FileDescriptor) throws(SystemError) -> Int64 {
        let status = try volumeStatus(of: file)
        return Int64(status.f_bsize)
    }

    /// fstatfs(2): how many bytes there is room for, for users without privileges; all that there are where the volume does
    /// not say.
    static func freeByteCount(of file: borrowing FileDescriptor) throws(SystemError) -> Int {
        let status = try volumeStatus(of: file)
        guard status.f_blocks > 0 else { return .max }
        let blockByteCount = Int(status.f_frsize > 0 ? status.f_frsize : status.f_bsize)
        let blockCount = Int(clamping: status.f_bavail)
        let (byteCount, isBeyond) = blockCount.multipliedReportingOverflow(by: blockByteCount)
        return isBeyond ? .max : byteCount
    }

    private static func volumeStatus(of file: borrowing FileDescriptor) throws(SystemError) -> statfs {
        var status = statfs()
        let raw = file.raw
        _ = try perform("fstatfs", at: file.path) { CLinux.fstatfs(raw, &status) }
        return status
    }

    /// statx(2): when the inode came to be; nil where the volume or the kernel does not tell.
    static func birth(of file: borrowing FileDescriptor) throws(SystemError) -> FileIdentity.Birth? {
        var birth = cdoc_birth_time()
        let raw = file.raw
        do {
            _ = try perform("statx", at: file.path) { cdoc_birth(raw, &birth) }
        } catch {
            guard error.errno == ENOSYS else { throw error }
            return nil
        }
        guard birth.is_known != 0 else { return nil }
        return FileIdentity.Birth(seconds: birth.seconds, nanoseconds: birth.nanoseconds)
    }

    /// name_to_handle_at(2); nil where the volume has no handles.
    static func handle(of file: borrowing FileDescriptor) throws(SystemError) -> InodeHandle? {
        var type: Int32 = 0
        var byteCount: UInt32 = 0
        var bytes = [UInt8](repeating: 0, count: InodeHandle.byteCountMax)
        let raw = file.raw
        do {
            _ = try perform("name_to_handle_at", at: file.path) {
                cdoc_name_to_handle(raw, &type, &bytes, &byteCount)
            }
        } catch {
            guard [EOPNOTSUPP, ENOSYS, EOVERFLOW, EPERM].contains(error.errno) else { throw error }
            return nil
        }
        return InodeHandle(type: type, bytes: Data(bytes.prefix(Int(byteCount))))
    }

    /// open_by_handle_at(2) on the volume of a folder.
    ///
    /// - Throws: `EPERM` without the privilege, `ESTALE` when the inode is no more.
    static func openByHandle(
        _ handle: InodeHandle,
        onVolumeOf folder: Folder
    ) throws(SystemError) -> FileDescriptor {
        let bytes = [UInt8](handle.bytes)
        let raw = try perform("open_by_handle_at", at: folder.path) {
            cdoc_open_by_handle(folder.raw, handle.type, bytes, UInt32(bytes.count))
        }
        return FileDescriptor(owning: raw, path: folder.path)
    }

    /// Where an open item is now; nil when it has no name any more.
    static func place(of file: borrowing FileDescriptor) throws(SystemError) -> FilePath? {
        guard let text = try readProcessLink("/proc/self/fd/\(file.raw)"), text.hasPrefix("/"),
            !text.hasSuffix(" (deleted)")
        else { return nil }
        return FilePath(text)
    }

    /// getxattr(2) of an item open with `O_PATH`; nil when it has no such attribute or can have none.
    static func attribute(
        _ name: String,
        of file: borrowing FileDescriptor,
        byteCountMax: Int
    ) throws(SystemError) -> ArraySlice<UInt8>? {
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let link = "/proc/self/fd/\(file.raw)"
        do {
            let byteCount = try perform("getxattr", at: file.path) {
                CLinux.getxattr(link, name, &bytes, byteCountMax)
            }
            return bytes.prefix(byteCount)
        } catch {
            // Larger than any value that we write: somebody else's.
            guard [ENODATA, EOPNOTSUPP, ERANGE, EACCES, EPERM].contains(error.errno) else { throw error }
            return nil
        }
    }

    /// setxattr(2) of an item open with `O_PATH`.
    ///
    /// - Parameter isNew: Whether the item must not have it yet; then fails with `EEXIST`.
    static func setAttribute(
        _ name: String,
        _ value: [UInt8],
        isNew: Bool,
        of file: borrowing FileDescriptor
    ) throws(SystemError) {
        let raw = file.raw
        let link = "/proc/self/fd/\(raw)"
        let flags = isNew ? CInt(XATTR_CREATE) : 0
        _ = try perform("setxattr", at: file.path, effect: .setAttributes(file: raw)) {
            CLinux.setxattr(link, name, value, value.count, flags)
        }
    }

    /// openat2(2) with `O_PATH`: something beneath a folder, which no "..", link or name can lead out of.
    ///
    /// - Throws: `EXDEV` when the way leads out, `ENOSYS` on a kernel before 5.6.
    static func openBeneath(_ folder: Folder, _ path: String) throws(SystemError) -> FileDescriptor {
        let raw = try perform("openat2", at: folder.place(of: path)) {
            cdoc_openat2(
                folder.raw,
                path,
                UInt64(CDOC_O_PATH),
                UInt64(CDOC_RESOLVE_BENEATH | CDOC_RESOLVE_NO_MAGICLINKS)
            )
        }
        return FileDescriptor(owning: raw, path: folder.place(of: path))
    }
}
