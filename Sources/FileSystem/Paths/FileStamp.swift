package import Foundation

/// What tells one state of one file from any other, without reading it.
///
/// The change time is left out on purpose: making a hard link moves it, and the file is still the same.
package struct FileStamp: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case regular, directory, symbolicLink, other
    }

    package var kind: Kind
    package var device: UInt64
    package var inode: UInt64
    package var byteCount: Int64
    /// Permission bits.
    package var permissions: UInt32
    package var modificationSeconds: Int64
    package var modificationNanoseconds: Int64

    package init(
        kind: Kind,
        device: UInt64,
        inode: UInt64,
        byteCount: Int64,
        permissions: UInt32,
        modificationSeconds: Int64,
        modificationNanoseconds: Int64
    ) {
        self.kind = kind
        self.device = device
        self.inode = inode
        self.byteCount = byteCount
        self.permissions = permissions
        self.modificationSeconds = modificationSeconds
        self.modificationNanoseconds = modificationNanoseconds
    }

    /// When the contents changed last.
    package var modificationDate: Date {
        Date(timeIntervalSince1970: Double(modificationSeconds) + Double(modificationNanoseconds) / 1e9)
    }
}
