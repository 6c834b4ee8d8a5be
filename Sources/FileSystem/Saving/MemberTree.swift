package import Foundation

/// What an item, or a member of a package, is to be when it has been written.
package indirect enum MemberTree: Sendable {
    /// A regular file.
    case file(FileSource, MemberAttributes = MemberAttributes())
    /// A directory and all that is in it, by name.
    case directory([String: MemberTree], MemberAttributes = MemberAttributes())
    /// A symbolic link and its text.
    case symbolicLink(String)
}

/// Where a file's bytes come from.
package enum FileSource: Sendable {
    /// These bytes.
    case data(Data)
    /// The bytes of a file that exists: hard-linked where that can be done, else cloned or copied.
    ///
    /// With a stamp, writing fails with `ESTALE` when the file no longer bears it.
    case existing(FilePath, FileStamp?)
}

/// What is set on a written item beside its bytes.
///
/// A nil leaves what the item it replaces had, or the default.
package struct MemberAttributes: Sendable, Equatable {
    /// The permission bits, 0o7777 at most.
    package var permissions: UInt32?
    /// When the contents changed last.
    package var modificationDate: Date?
    /// The same to the nanosecond, which no `Date` tells; goes before.
    package var modified: FileTime?

    package init(permissions: UInt32? = nil, modificationDate: Date? = nil, modified: FileTime? = nil) {
        self.permissions = permissions
        self.modificationDate = modificationDate
        self.modified = modified
    }

    /// What is to be noted of the file.
    var time: FileTime? { modified ?? modificationDate.map(FileTime.init) }
}

/// How a package that is on disk differs from the one to be saved.
///
/// What is not named here stays as it is.
package struct PackageChanges: Sendable {
    /// Members that are new or replaced.
    ///
    /// None lies inside another.
    package var placed: [MemberPath: MemberTree]
    /// Members that go.
    package var removed: Set<MemberPath>

    package init(placed: [MemberPath: MemberTree] = [:], removed: Set<MemberPath> = []) {
        self.placed = placed
        self.removed = removed
    }

    /// Whether nothing differs.
    package var isEmpty: Bool { placed.isEmpty && removed.isEmpty }
}
