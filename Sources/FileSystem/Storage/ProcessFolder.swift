internal import Foundation
internal import Glibc

/// A folder of one process, for the user alone, among those of others in a folder that all share. A lock on it says that its
/// process lives.
///
/// Whoever makes one removes those of processes that have died. Any thread; blocks on the disk.
package final class ProcessFolder: Sendable {
    private let shared: Folder
    private let folder: Folder
    private let name: String

    package var path: FilePath { shared.path.appending(name) }

    /// - Parameters:
    ///   - prefix: What the names of all such folders begin with, and no others.
    ///   - path: Where they are.
    package init(_ prefix: String, in path: FilePath) throws(SystemError) {
        shared = try Folder.open(path)
        try Self.removeLeft(prefix, in: shared)
        while true {
            let name = prefix + String(UInt64.random(in: 0 ... .max), radix: 36)
            guard let folder = try Self.make(name, in: shared) else { continue }
            (self.name, self.folder) = (name, folder)
            return
        }
    }

    /// Closing alone would leave the lock to a process that is just being started.
    deinit { SystemCalls.unlock(folder.descriptor) }

    /// Removes the folder and all that is in it.
    package func remove() throws(SystemError) { try TreeRemoval.remove(name, in: shared) }

    /// Removes the folders of processes that have died.
    package static func removeLeft(_ prefix: String, in path: FilePath) throws(SystemError) {
        try removeLeft(prefix, in: try Folder.open(path))
    }

    private static func removeLeft(_ prefix: String, in shared: Folder) throws(SystemError) {
        for entry in try SystemCalls.readdir(shared) where entry.name.hasPrefix(prefix) {
            // What cannot be removed is in nobody's way; the next process tries again.
            try? removeIfLeft(entry.name, in: shared)
        }
    }

    /// Makes and locks a folder; nil when the name is taken, or somebody took it for one of the dead before it was locked.
    private static func make(_ name: String, in shared: Folder) throws(SystemError) -> Folder? {
        do {
            try SystemCalls.mkdirat(shared, name, permissions: 0o700)
            let folder = try shared.folder(name)
            _ = try SystemCalls.flock(folder.descriptor, waits: true)
            let own = try SystemCalls.fstat(folder.descriptor)
            return try SystemCalls.fstatat(shared, name).isSameItem(as: own) ? folder : nil
        } catch {
            guard error.isAbsent || error.errno == EEXIST else { throw error }
            return nil
        }
    }

    private static func removeIfLeft(_ name: String, in shared: Folder) throws(SystemError) {
        let folder = try shared.folder(name)
        guard try SystemCalls.fstat(folder.descriptor).owner == geteuid(),
            try SystemCalls.flock(folder.descriptor, waits: false)
        else { return }
        defer { SystemCalls.unlock(folder.descriptor) }
        try TreeRemoval.remove(name, in: shared)
    }
}
