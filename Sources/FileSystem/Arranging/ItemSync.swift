internal import Foundation

/// Makes durable what others have done, who may have synced nothing of it.
package enum ItemSync {
    /// From how many items on one syncfs(2) is cheaper than an fsync(2) each.
    private static let itemCountMax = 16

    /// Makes items and names durable. Where one is not there any more, all of the volume is.
    ///
    /// - Parameters:
    ///   - documents: Files, and folders with all that is in them.
    ///   - folders: Folders with the names in them, and what they bear themselves.
    ///   - root: A folder of their volume.
    /// - Throws: `SystemError`: then nothing of it is known to last.
    package static func sync(
        _ documents: Set<FilePath>,
        folders: Set<FilePath>,
        onVolumeOf root: FilePath
    ) throws(SystemError) {
        guard documents.count + folders.count <= itemCountMax else { return try syncVolume(of: root) }
        do {
            for path in documents {
                let kind = try FileStamp(of: path).kind
                try TreeSync.sync(path.name, in: try Folder.open(path.parent), kind: kind)
            }
            for path in folders { try SystemCalls.fsync(try Folder.open(path).descriptor) }
        } catch {
            // Moved since, or another kind by now: where it is does not matter to all of the volume.
            guard error.isAbsent || error.isForbidden || error.errno == ELOOP else { throw error }
            try syncVolume(of: root)
        }
    }

    /// syncfs(2) of a folder's volume.
    package static func syncVolume(of folder: FilePath) throws(SystemError) {
        try SystemCalls.syncfs(try Folder.open(folder))
    }
}
