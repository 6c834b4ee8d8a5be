internal import Foundation

/// An open folder that bears a number in an extended attribute, by which it is known whether it is as old as somebody remembers.
///
/// What else tells a folder from others stays as it is when its volume is put back to an earlier state; the number goes back, too.
///
/// Any thread; every call may block on the disk.
package struct CountedFolder: Sendable {
    /// The extended attribute that holds the number: eight bytes, the most significant first.
    package static let attributeName = "user.sheaf.count"
    private static let byteCount = 8

    private let folder: Folder

    /// Opens the folder that is at a path.
    package init(_ path: FilePath) throws(SystemError) { folder = try Folder.open(path) }

    /// What the folder is, wherever it is by now.
    package func status() throws(SystemError) -> MemberStatus {
        MemberStatus(try SystemCalls.fstat(folder.descriptor))
    }

    /// The number that it bears; 0 where it bears none.
    package func count() throws(SystemError) -> UInt64 {
        let name = Self.attributeName
        let bytes = try SystemCalls.attribute(name, of: folder.descriptor, byteCountMax: Self.byteCount)
        return Self.number(in: bytes.map { Array($0) })
    }

    /// The number that the folder at a path bears; 0 where it bears none.
    ///
    /// - Throws: `ENOENT` when nothing is there.
    package static func count(at path: FilePath) throws(SystemError) -> UInt64 {
        number(in: try SystemCalls.lgetxattr(path, attributeName, byteCount: byteCount))
    }

    private static func number(in bytes: [UInt8]?) -> UInt64 {
        guard let bytes, bytes.count == byteCount else { return 0 }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Has it bear another number, for good.
    ///
    /// - Throws: `EOPNOTSUPP` where the volume has no attributes, and what else keeps a folder from being changed.
    package func set(_ count: UInt64) throws(SystemError) {
        let bytes = withUnsafeBytes(of: count.bigEndian) { Data($0) }
        try SystemCalls.fsetxattr(folder.descriptor, Self.attributeName, bytes)
        try SystemCalls.fsync(folder.descriptor)
    }
}
