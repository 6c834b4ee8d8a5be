internal import CLinux
package import Foundation

/// What the kernel tells of an item: its size and its times.
package struct ItemStatus: Hashable, Sendable {
    package let inode: UInt64
    package let byteCount: Int64
    /// How much of the volume it takes.
    package let allocatedByteCount: Int64
    package let modificationDate: Date
    /// When its contents, or what is known of it, changed last, by the kernel's clock.
    package let changeDate: Date
    /// Nil where the volume does not keep it.
    package let creationDate: Date?

    /// One statx(2) of what is at a path; a symbolic link is not followed.
    ///
    /// - Throws: `ENOENT` when nothing is there.
    package init(of path: FilePath) throws(SystemError) {
        var status = cdoc_status()
        _ = try SystemCalls.perform("statx", at: path) {
            cdoc_status_at(Folder.working.raw, path.string, &status)
        }
        inode = status.inode
        byteCount = status.byte_count
        allocatedByteCount = status.allocated_byte_count
        modificationDate = Self.date(status.modified_at)
        changeDate = Self.date(status.changed_at)
        creationDate = status.born_at == 0 ? nil : Self.date(status.born_at)
    }

    private static func date(_ nanoseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(nanoseconds) / 1e9)
    }
}
