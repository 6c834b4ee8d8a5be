internal import FileSystem
internal import Foundation

/// One trash on one volume: a folder with `files` and `info` in it.
struct TrashFolder: Hashable, Sendable {
    let path: FilePath
    /// The top folder of the volume whose trash it is; nil for the home trash.
    let top: FilePath?

    var files: FilePath { path.appending("files") }
    var info: FilePath { path.appending("info") }

    /// Where an item was, as this trash notes it.
    func notedPath(of item: FilePath) -> String {
        guard let top else { return item.string }
        return item.string.following(top.string == "/" ? "/" : top.string + "/") ?? item.string
    }

    /// Makes what is missing of it, closed to others.
    ///
    /// - Throws: `EPERM` when what is there belongs to another user, `ENOTDIR` when it is no folder.
    func make(for userID: UInt32) throws(SystemError) {
        if top == nil {
            try ItemMoves.createFolders(path, permissions: 0o700)
        } else {
            try makeFolder(path)
            // Everyone may write to the top folder of a stick: a trash another user has laid out is not ours.
            guard try FileStamp(of: path).kind == .directory else {
                throw SystemError(call: "openat", errno: ENOTDIR, path: path)
            }
            guard try ItemMoves.owner(of: path) == userID else {
                throw SystemError(call: "openat", errno: EPERM, path: path)
            }
        }
        try makeFolder(files)
        try makeFolder(info)
    }

    private func makeFolder(_ path: FilePath) throws(SystemError) {
        do { try ItemMoves.createFolder(path, permissions: 0o700) } catch {
            guard error.errno == EEXIST else { throw error }
        }
    }
}
