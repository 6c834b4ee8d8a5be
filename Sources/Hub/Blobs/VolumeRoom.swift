internal import FileSystem
internal import Foundation

/// How much room the volume of blobs has, less what stays free for records.
///
/// A volume that blobs have filled to the end takes no record either, not even one of what is removed, and SQLite none of what it
/// writes to delete anything.
struct VolumeRoom: Sendable {
    /// So much stays free, in bytes.
    let reserveByteCount: Int
    private let freeByteCount: @Sendable () throws -> Int

    /// - Parameter freeByteCount: How much is free, in bytes.
    init(reserveByteCount: Int, freeByteCount: @escaping @Sendable () throws -> Int) {
        (self.reserveByteCount, self.freeByteCount) = (reserveByteCount, freeByteCount)
    }

    /// How much there is for blobs now; less than nothing where records have begun to use what is theirs.
    func byteCount() throws -> Int { reserveByteCount == 0 ? .max : try freeByteCount() - reserveByteCount }
}
