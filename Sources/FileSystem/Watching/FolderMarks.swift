/// What a folder's members looked like at one time, in as little memory as will do to see what changed since.
package struct FolderMarks: Sendable {
    /// Tells one state of a member from any other.
    package struct Mark: Hashable, Sendable {
        package let inode: UInt64
        package let byteCount: Int64
        package let modifiedAt: Int64
        package let isFolder: Bool

        package init(_ stamp: FileStamp) {
            isFolder = stamp.kind == .directory
            inode = stamp.inode
            // What is in a folder is told of each member; its own date says it once more.
            byteCount = isFolder ? 0 : stamp.byteCount
            let (seconds, _) = stamp.modificationSeconds.multipliedReportingOverflow(by: 1_000_000_000)
            modifiedAt = isFolder ? 0 : seconds &+ stamp.modificationNanoseconds
        }
    }

    /// By name.
    package var members: [String: Mark] = [:]

    package init() {}

    /// Looks at all members: one readdir(3) and one fstatat(2) each.
    ///
    /// A member that goes meanwhile, or whose name is not UTF-8, is left out.
    package init(of path: FilePath) throws(SystemError) {
        let folder = try Folder.open(path)
        var found: [String: Mark] = [:]
        try SystemCalls.forEachMember(of: folder) { (name, _, _) throws(SystemError) in
            if let status = try SystemCalls.statusIfPresent(folder, name) { found[name] = Mark(status.stamp) }
            return true
        }
        members = found
    }
}
