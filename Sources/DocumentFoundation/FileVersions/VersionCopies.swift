internal import FileSystem
internal import Foundation
internal import Locks
internal import Vault

/// Copies of versions that somebody wants to read as files.
///
/// Each process has a folder of its own, with a file in it that is locked as long as the process lives, and makes
/// its copies in there: read-only, whole under their name or not at all. They stay until their version is removed
/// or the process has ended; the next process that makes a copy clears up after those that have. Any thread; the
/// lock is held while a copy is made.
final class VersionCopies: Sendable {
    private let folder: FilePath
    private let state = Locked<Own?>(nil)

    /// This process's folder.
    private struct Own {
        let path: FilePath
        /// Held open for its lock.
        let lock: StorageFile
    }

    private static let lockName = "lock"
    /// A folder without its lock file that is younger may be one that is being made, in seconds.
    private static let unlockedAgeMax: TimeInterval = 3600

    init(folder: FilePath) {
        self.folder = folder
    }

    /// Where a version's copy is or would be; makes nothing.
    func place(of id: VersionID, named name: String) -> FilePath {
        let own = state.withLock { $0?.path } ?? folder.appending("none")
        return own.appending(id.description).appending(name)
    }

    /// A read-only copy of a version, made when there is none yet.
    ///
    /// - Parameter name: What the copy is called.
    func copy(_ id: VersionID, named name: String, from vault: Vault) throws -> FilePath {
        try state.withLock { state in
            let own = try state ?? begin()
            state = own
            let copyFolder = own.path.appending(id.description)
            let copy = copyFolder.appending(name)
            if try FileStamp.ifPresent(at: copy) != nil { return copy }
            // What a failure left, or the copy under a former name.
            try ReadOnlyTree.remove(copyFolder)
            let unfinished = own.path.appending(".\(id)")
            try ReadOnlyTree.remove(unfinished)
            try ItemMoves.createFolder(unfinished, permissions: 0o700)
            try vault.restore(id, to: unfinished.appending(name))
            try ReadOnlyTree.protect(unfinished.appending(name))
            try ItemMoves.move(unfinished, toFree: copyFolder)
            return copy
        }
    }

    /// Removes the copy of a version that is no more.
    func remove(_ id: VersionID) throws {
        try state.withLock { own in
            if let own { try ReadOnlyTree.remove(own.path.appending(id.description)) }
        }
    }

    private func begin() throws -> Own {
        try ItemMoves.createFolders(folder, permissions: 0o700)
        let all = try StorageFolder(at: folder)
        try clearUp(all)
        while true {
            let name = UUID().uuidString
            let own = try all.makeFolder(name)
            let lock = try own.create(Self.lockName)
            // Another process that clears up may have taken it for a leftover in this very moment.
            guard try lock.lock(waits: false), try lock.isStill(Self.lockName, in: own) else { continue }
            return Own(path: folder.appending(name), lock: lock)
        }
    }

    /// Removes the folders of processes that have ended.
    private func clearUp(_ all: StorageFolder) throws {
        for entry in try all.entries() {
            let path = folder.appending(entry.name)
            do {
                let lock = try StorageFolder(at: path).open(Self.lockName)
                if try lock.lock(waits: false) { try ReadOnlyTree.remove(path) }
            } catch {
                // Another clears up too, or the folder is just being made.
                guard error.isAbsent else { throw error }
                if let stamp = try FileStamp.ifPresent(at: path),
                    stamp.modificationDate.timeIntervalSinceNow < -Self.unlockedAgeMax
                {
                    try ReadOnlyTree.remove(path)
                }
            }
        }
    }
}
