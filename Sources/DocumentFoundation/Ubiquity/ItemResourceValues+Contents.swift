internal import Cryptography
internal import FileSystem
public import Foundation

extension URLResourceKey {
    /// A number that files have in common only if their contents are the same: `Int64`.
    public static let fileContentIdentifierKey = URLResourceKey(rawValue: "NSURLFileContentIdentifierKey")
    /// Whether a file may share bytes of the volume with another one: `Bool`.
    public static let mayShareFileContentKey = URLResourceKey(rawValue: "NSURLMayShareFileContentKey")
    /// How a file is protected while the device is locked: `URLFileProtection`. None on Linux is.
    public static let fileProtectionKey = URLResourceKey(rawValue: "NSURLFileProtectionKey")
}

/// How a file is protected while the device is locked. No volume on Linux protects files one by one, so none is.
///
/// - Source: Apple's URLFileProtection.
public struct URLFileProtection: RawRepresentable, Hashable, Sendable {
    /// Apple's text for it.
    public let rawValue: String
    /// Takes Apple's text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not at all.
    public static let none = Self(rawValue: "NSURLFileProtectionNone")
    /// It can neither be read nor written while the device is locked.
    public static let complete = Self(rawValue: "NSURLFileProtectionComplete")
    /// It can be read and written while the device is locked by who has it open since before.
    public static let completeUnlessOpen = Self(rawValue: "NSURLFileProtectionCompleteUnlessOpen")
    /// It can neither be read nor written before the device is unlocked for the first time.
    public static let completeUntilFirstUserAuthentication = Self(
        rawValue: "NSURLFileProtectionCompleteUntilFirstUserAuthentication"
    )
    /// It can neither be read nor written some time after the device was locked.
    public static let completeWhenUserInactive = Self(
        rawValue: "NSURLFileProtectionCompleteWhenUserInactive"
    )
}

extension ItemResourceValues.Described {
    /// What is told of a file's places, in eight bytes; nil where they are not told.
    static func contentIdentifier(of path: FilePath) -> Int64? {
        guard let places = FileExtents.places(of: path),
            // Refused for want of memory alone, which leaves no answer.
            let digest = try? SHA256Digest.hash(of: [places.withUnsafeBytes { [UInt8]($0) }])
        else { return nil }
        return digest.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }
}

extension ItemResourceValues {
    /// Whether bytes of it on its volume may be those of another file, too: of a clone, as `cp --reflink` makes it, or in a
    /// snapshot. Nil for what is no file, on a volume that does not tell (tmpfs, FUSE, other machines'), and for an item whose
    /// contents are not here.
    ///
    /// What was written a moment ago and is not on the volume yet counts as what it was.
    ///
    /// - Source: Apple's mayShareFileContent.
    /// - System calls: `ioctl(2)` with FS_IOC_FIEMAP.
    /// - Differs from Darwin: a clone of which all has been written anew shares nothing any more, and says so.
    public var mayShareFileContent: Bool? { described.value(.mayShareFileContentKey) }

    /// Files of which it is the same now have the same contents: a clone and its original, until one of them is written to.
    /// Files of which it is not may have the same contents all the same.
    ///
    /// Made of the volume's number, the file's size, and where on the volume its bytes are, by SHA-256, of which it is the first
    /// 64 bits. To be asked for it has what was written to the file go to the disk first. Nil for what is no file or has no bytes,
    /// for a file that is pressed, encrypted or so small that the volume keeps it beside the inode, for one that somebody writes
    /// to just now, on all volumes but ext4, XFS, Btrfs, F2FS and OCFS2, and for an item whose contents are not here.
    ///
    /// - Source: Apple's fileContentIdentifier.
    /// - System calls: `ioctl(2)` with FS_IOC_FIEMAP and FIEMAP_FLAG_SYNC, `fstatfs(2)`, `fstat(2)`.
    /// - Differs from Darwin: Linux gives contents no number, so it tells where they are. Compare it with those of other files
    ///   that were asked at the same time, and do not keep it: it stays when a file that shares nothing is written to in place,
    ///   another file may get it once this one is gone, and it becomes another where the volume moves bytes, to be in one
    ///   piece say. Files have it in common, too, that a program has found to be the same and made share. Clones in two
    ///   subvolumes of Btrfs have not.
    public var fileContentIdentifier: Int64? { described.value(.fileContentIdentifierKey) }

    /// Whether programs that make backups are told to leave it out, with all that is in it. Settable. Nil where its volume has
    /// no such mark, for what is neither a file nor a folder, and for an item whose contents are not here.
    ///
    /// The mark is the flag "no dump" of chattr(1), which `borg create --exclude-nodump` and dump(8) heed. It is the item's own: a
    /// save that puts a new file in its place, as those of documents do, takes it away, as on Apple's systems. It is
    /// for caches and what can be made anew, best for the folder that they are in.
    ///
    /// - Source: Apple's isExcludedFromBackup.
    /// - System calls: `ioctl_iflags(2)`.
    /// - Differs from Darwin: a program that makes backups heeds it only if it is told to. To set it where the volume has no such
    ///   mark is an error, `fileWriteUnknown`, as the item would be in backups all the same.
    public var isExcludedFromBackup: Bool? {
        get { described.value(.isExcludedFromBackupKey) ?? foundation.isExcludedFromBackup }
        set { set(.isExcludedFromBackupKey, \.isExcludedFromBackup, newValue) }
    }

    /// How it is protected while the device is locked: nil, as no volume on Linux protects files one by one.
    public var fileProtection: URLFileProtection? { nil }
}
