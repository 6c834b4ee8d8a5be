internal import FileSystem
internal import Sync

// What the hub says it has is on this device's disk for good. Programs sync little of what they write: were the power cut
// after a commit, the disk could show what was before it, and the next start would take that for somebody's edit.
extension SyncRun {
    /// What has to last before a commit is sent, by its places now.
    func places(of commit: Commit, in engine: SyncEngine) -> FolderPlaces {
        var places = FolderPlaces(root: place.folder)
        let agreed = engine.lastAgreed(commit.item)
        func add(folder: ItemID) {
            // It may have gone, too: then its own folder's names tell, wherever that is.
            if let path = table.path(of: folder, in: place.folder) {
                places.folders.insert(path)
            } else {
                places.isWholeVolume = true
            }
        }
        if let former = agreed?.place.parent { add(folder: former) }
        guard let state = commit.state else { return places }
        guard let seen = table[commit.item], let path = table.path(of: commit.item, in: place.folder) else {
            places.isWholeVolume = true
            return places
        }
        add(folder: seen.state.place.parent)
        if state.kind == .folder {
            places.folders.insert(path)
        } else if !seen.isDataless, state.content != agreed?.content {
            if seen.trace.kind == .regular {
                places.files.insert(path)
            } else {
                places.documents.insert(path)
            }
        }
        return places
    }
}

/// Places in a container's folder that are to be made durable.
struct FolderPlaces: Sendable {
    let root: FilePath
    /// Documents that are files; their folders are among the folders.
    var files: Set<FilePath> = []
    /// All other documents.
    var documents: Set<FilePath> = []
    var folders: Set<FilePath> = []
    var isWholeVolume = false

    mutating func formUnion(_ other: FolderPlaces) {
        files.formUnion(other.files)
        documents.formUnion(other.documents)
        folders.formUnion(other.folders)
        isWholeVolume = isWholeVolume || other.isWholeVolume
    }

    /// - Throws: `SystemError`.
    func sync() throws(SystemError) {
        if isWholeVolume { return try ItemSync.syncVolumes(of: documents.union(folders), and: root) }
        try ItemSync.sync(documents, files: files, folders: folders, onVolumeOf: root)
    }
}
