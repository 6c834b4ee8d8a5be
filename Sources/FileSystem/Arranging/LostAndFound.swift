/// The folder into which the check of a file system puts what it finds there without a name: root's alone, at the top of a volume.
package enum LostAndFound {
    package static let name = "lost+found"

    /// Whether it is in a folder.
    package static func isPresent(in folder: FilePath) throws(SystemError) -> Bool {
        guard let status = try SystemCalls.statusIfPresent(try Folder.open(folder), name),
            status.stamp.kind == .directory, status.owner == 0, status.stamp.permissions & 0o077 == 0
        else { return false }
        // Where the kernel does not tell, whose it is tells enough.
        return try FolderPlace(at: folder)?.isMountPoint ?? true
    }
}
