internal import Foundation
internal import Glibc

/// A file or a folder with all in it that nobody is to write to.
///
/// Follows no symbolic link. Any thread; blocks on the disk.
package enum ReadOnlyTree {
    /// How deep a tree may be: each level costs a descriptor.
    private static let depthMax = 256

    /// Takes from everybody the permission to write to the item or anything in it; others get none at all.
    ///
    /// - Throws: `ENOENT` when nothing is there, `ELOOP` when it is too deep.
    package static func protect(_ path: FilePath) throws(SystemError) {
        try protect(path.name, in: try Folder.open(path.parent), depth: 0)
    }

    /// Removes the item with all in it, whoever may write to it; one that is gone already is no error.
    package static func remove(_ path: FilePath) throws(SystemError) {
        do { try TreeRemoval.remove(path.name, in: try Folder.open(path.parent)) } catch {
            guard error.isAbsent else { throw error }
        }
    }

    private static func protect(_ name: String, in folder: Folder, depth: Int) throws(SystemError) {
        switch try SystemCalls.fstatat(folder, name).stamp.kind {
        case .regular:
            do {
                let file = try SystemCalls.openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
                try SystemCalls.fchmod(file, 0o400)
            } catch {
                // What its owner may not even read, nobody will write to.
                guard error.errno == EACCES else { throw error }
            }
        case .directory:
            guard depth < depthMax else {
                throw SystemError(call: "openat", errno: ELOOP, path: folder.place(of: name))
            }
            let own = try folder.folder(name)
            for entry in try SystemCalls.readdir(own) { try protect(entry.name, in: own, depth: depth + 1) }
            try SystemCalls.fchmod(own.descriptor, 0o500)
        case .symbolicLink, .other: break
        }
    }
}
