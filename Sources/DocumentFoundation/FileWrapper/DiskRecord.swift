internal import FileSystem
internal import Foundation

/// Where and when a tree of wrappers was read.
///
/// Used under `TreeLock` only.
final class DiskOrigin {
    /// The item at the top of the tree.
    var itemPath: FilePath
    /// When the tree was read, written whole or copied to its volume, in nanoseconds since 1970 by the system's
    /// clock.
    var readAt: Int64
    /// When a part of it was written last; equal to `readAt` until then.
    var writtenAt: Int64
    /// Whether a save may have moved unchanged members into new directories, or copied them.
    var isRebuilt = false
    /// Whether large files may be mapped into memory.
    let mapsFiles: Bool

    init(itemPath: FilePath, readAt: Int64, mapsFiles: Bool) {
        self.itemPath = itemPath
        self.readAt = readAt
        self.writtenAt = readAt
        self.mapsFiles = mapsFiles
    }
}

/// A directory on disk that wrappers were read from.
///
/// Used under `TreeLock` only.
///
/// Its children hold it instead of their paths: when it is renamed or the document moves, all of them follow.
final class DiskDirectory {
    let origin: DiskOrigin
    /// Nil for the top of the tree.
    let parent: DiskDirectory?
    let name: String
    /// How the directory was when its entries were listed; nil when it was written rather than read.
    var listedAs: FileStamp?

    init(origin: DiskOrigin, parent: DiskDirectory?, name: String) {
        self.origin = origin
        self.parent = parent
        self.name = name
    }

    /// The names from the top of the tree down to this directory.
    var components: [String] {
        var components: [String] = []
        var folder = self
        while let parent = folder.parent {
            components.append(folder.name)
            folder = parent
        }
        return components.reversed()
    }
}

/// Which item on disk a wrapper stands for, and how it was when that was noted.
///
/// Used under `TreeLock` only.
struct DiskRecord {
    let origin: DiskOrigin
    /// The directory the item is in; nil for the top of the tree.
    var folder: DiskDirectory?
    var name: String
    var mark: MemberMark

    var kind: FileStamp.Kind {
        switch mark {
        case .listed(let kind): kind
        case .stamped(let stamp): stamp.kind
        }
    }

    var location: DiskLocation {
        DiskLocation(
            top: origin.itemPath,
            components: folder.map { $0.components + [name] } ?? [],
            readAt: origin.readAt,
            writtenAt: origin.writtenAt,
            isRebuilt: origin.isRebuilt,
            mapsFiles: origin.mapsFiles,
            folderListedAs: folder?.listedAs,
            mark: mark
        )
    }

    /// The folder that children of this item have, should it be a directory.
    var asFolder: DiskDirectory { DiskDirectory(origin: origin, parent: folder, name: name) }

    /// Whether this is the record of exactly that member.
    func isMember(_ member: String, of directory: DiskDirectory) -> Bool {
        folder === directory && name.utf8.elementsEqual(member.utf8)
    }
}

/// A copy of all that a record says, to be used while files are touched and no lock is held.
struct DiskLocation {
    let top: FilePath
    let components: [String]
    let readAt: Int64
    let writtenAt: Int64
    let isRebuilt: Bool
    let mapsFiles: Bool
    /// How the directory that the item is in was when its entries were listed, if they were.
    let folderListedAs: FileStamp?
    let mark: MemberMark

    var path: FilePath { path(below: top) }

    /// The place of the same member in another copy of the tree.
    func path(below top: FilePath) -> FilePath {
        components.reduce(top) { $0.appending($1) }
    }
}

/// How the item that a wrapper stands for is told from a later one in its place.
///
/// Listing a directory gives each member's kind for nothing; its stamp would cost a call for each. So the
/// stamp is taken when a member is first touched, and until then a member counts as unchanged when it has
/// the listed kind, was not modified after the tree was read, and no entry of its directory was added,
/// removed or replaced since, which the date of the directory tells. Not seen by this are a write within the
/// clock tick (up to 10 ms) of the reading, and one into the same file whose author set the modification
/// date back.
enum MemberMark: Equatable {
    /// Taken with the names.
    case listed(FileStamp.Kind)
    /// Taken from the item itself.
    case stamped(FileStamp)

    enum Verdict: Equatable {
        case unchanged
        case changed
        case unchangedIfDirectoryIs
    }

    /// What `stamp`, found now, says about the item since it was marked.
    func judge(_ stamp: FileStamp, from location: DiskLocation, now: Int64) -> Verdict {
        switch self {
        case .stamped(let known):
            guard stamp.kind == known.kind, stamp.hasContents(of: known) else { return .changed }
            let isSameItem = stamp.device == known.device && stamp.inode == known.inode
            return isSameItem || location.isRebuilt ? .unchanged : .changed
        case .listed(let kind):
            guard stamp.kind == kind else { return .changed }
            let limit = kind == .directory ? location.writtenAt : location.readAt
            let modifiedAt = stamp.modifiedAt
            // A date that is still to come was set, not stamped by a write.
            guard modifiedAt <= limit || modifiedAt > now else { return .changed }
            return location.isRebuilt ? .unchanged : .unchangedIfDirectoryIs
        }
    }
}

extension FileStamp {
    /// When the contents changed last, in nanoseconds since 1970.
    var modifiedAt: Int64 {
        let (seconds, isTooLarge) = modificationSeconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLarge ? (modificationSeconds < 0 ? .min : .max) : seconds &+ modificationNanoseconds
    }

    /// Whether size and date say that the contents are those of `other`.
    ///
    /// A directory's are its entries.
    func hasContents(of other: FileStamp) -> Bool {
        (kind == .directory || byteCount == other.byteCount) && modifiedAt == other.modifiedAt
    }
}
