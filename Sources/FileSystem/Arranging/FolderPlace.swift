internal import CLinux
internal import Glibc

/// What is at a folder's place: which directory, and whether a volume begins there.
package struct FolderPlace: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let isDirectory: Bool
    /// Whether something is mounted there; nil where the kernel does not tell (before Linux 5.8).
    package let isMountPoint: Bool?

    /// One statx(2) of what is at a path; a symbolic link is not followed.
    ///
    /// - Returns: Nil when nothing is there.
    package init?(at path: FilePath) throws(SystemError) {
        var status = cdoc_status()
        do {
            _ = try SystemCalls.perform("statx", at: path) {
                cdoc_status_at(Folder.working.raw, path.string, &status)
            }
        } catch {
            guard error.isAbsent else { throw error }
            return nil
        }
        (device, inode) = (status.device, status.inode)
        isDirectory = status.mode & S_IFMT == S_IFDIR
        isMountPoint = status.is_mount_root < 0 ? nil : status.is_mount_root == 1
    }
}
