internal import Foundation

/// Makes durable what others have done, who may have synced nothing of it.
package enum ItemSync {
    /// From how many items on one syncfs(2) is cheaper than an fsync(2) each.
    private static let itemCountMax = 16

    /// Makes items and names durable. Where one is not there any more, all of the volume is. Other volumes may begin below the
    /// root: those that items are on are, too.
    ///
    /// - Parameters:
    ///   - documents: Files, and folders with all that is in them.
    ///   - files: Documents that were found to be files: of a volume their folders tell.
    ///   - folders: Folders with the names in them, and what they bear themselves.
    ///   - root: A folder that they are in.
    /// - Throws: `SystemError`: then nothing of it is known to last.
    package static func sync(
        _ documents: Set<FilePath>,
        files: Set<FilePath> = [],
        folders: Set<FilePath>,
        onVolumeOf root: FilePath
    ) throws(SystemError) {
        let onVolumes = { documents.union(folders).union(files.map(\.parent)) }
        guard documents.count + files.count + folders.count <= itemCountMax else {
            return try syncVolumes(of: onVolumes(), and: root)
        }
        do {
            for path in documents.union(files) {
                let kind = try FileStamp(of: path).kind
                try TreeSync.sync(path.name, in: try Folder.open(path.parent), kind: kind)
            }
            for path in folders { try SystemCalls.fsync(try Folder.open(path).descriptor) }
        } catch {
            // Moved since, another kind by now, or in it a name that is no text: that does not matter to all of the volume.
            guard error.isAbsent || error.isForbidden || [ELOOP, EILSEQ].contains(error.errno) else {
                throw error
            }
            try syncVolumes(of: onVolumes(), and: root)
        }
    }

    /// syncfs(2) of a folder's volume, and of all others that items are on.
    package static func syncVolumes(of items: Set<FilePath>, and root: FilePath) throws(SystemError) {
        let folder = try Folder.open(root)
        try SystemCalls.syncfs(folder)
        var devices: Set<UInt64> = [try SystemCalls.fstat(folder.descriptor).stamp.device]
        for path in items {
            do {
                let own = try FileStamp.ifPresent(at: path)
                // Of what is gone, and of a file, its folder tells.
                let place = own?.kind == .directory ? path : path.parent
                let stamp = try place == path ? own : FileStamp.ifPresent(at: place)
                guard let device = stamp?.device, !devices.contains(device) else { continue }
                try SystemCalls.syncfs(try Folder.open(place))
                devices.insert(device)
            } catch {
                // Gone meanwhile, or nobody's to look at.
                guard error.isAbsent || error.isForbidden || error.errno == ELOOP else { throw error }
            }
        }
    }
}
