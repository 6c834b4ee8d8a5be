package import FileSystem
internal import SyncMessages

// A folder that is gone for good: the device goes on as what it is to the others, in another one.
extension DeviceHome {
    /// Has another folder take the place of one that is not there any more. What that had comes from the hub, as into a folder that
    /// was put back from a backup: nothing that is missing counts as deleted. What was not sent yet has gone with the former.
    ///
    /// - Parameters:
    ///   - joined: The container. Nobody may keep it in step meanwhile.
    ///   - folder: An empty one, or one that is made.
    /// - Returns: What is kept of the container now.
    /// - Throws: `DeviceHomeError` with `isThere` while the former is in its place, `notEmpty`, `folderTaken`; `SyncFailure` with code
    ///   `inUse` while it is kept in step. The former is the container's then.
    package func replaceFolder(of joined: JoinedContainer, by folder: FilePath) throws -> ContainerSettings {
        let former = FilePath(joined.settings.folder)
        let memory = try DeviceMemory(in: try StorageFolder(at: self.folder(of: joined.settings.container)))
        defer { memory.release() }
        if let found = try RootFolder(at: former, isMarked: false),
            try memory.value(SyncRun.rootKey).map(found.names.contains) ?? true
        {
            throw DeviceHomeError.isThere(former)
        }
        try check(folder)
        try ItemMoves.createFolders(folder, permissions: 0o777)
        guard try FolderScan.names(in: folder).isEmpty else { throw DeviceHomeError.notEmpty(folder) }
        // It is known by another mark from its first start on; that it is another directory is remembered, so that what is not in it
        // was removed by nobody.
        let note = self.folder(of: joined.settings.container).appending(JoinedFolders.rootNoteName)
        if try FileStamp.ifPresent(at: note) != nil { try ItemMoves.removeFile(note) }
        try memory.forget(SyncRun.rootKey)
        // As they are by now: others may be asked about large changes since.
        var settings = try self.joined(joined.settings.container)?.settings ?? joined.settings
        settings.folder = folder.string
        try write(settings)
        return settings
    }
}
