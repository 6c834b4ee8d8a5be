internal import FileSystem
internal import Foundation
internal import Locks
internal import SQLite

/// The disk of a make-believe device: some folders of this machine's, in which there is room, or none.
///
/// State: one flag under one lock. The kernel's calls and SQLite's writes are seen for the whole process, while the disk is
/// full, and told by their paths.
final class WorldDisk: SystemCallObserver, SQLiteWriteJudge {
    private let folders: [String]
    private let isFull = Locked(false)

    /// - Parameter folders: What is on it, by paths without a link on their way.
    init(_ folders: [URL]) { self.folders = folders.map { $0.path + "/" } }

    /// - Throws: Where SQLite's writes cannot be refused.
    func fill() throws {
        guard !change(to: true) else { return }
        do { try SQLiteVolumes.add(self) } catch {
            _ = change(to: false)
            throw error
        }
        SystemCallObservation.add(self)
    }

    func free() {
        guard change(to: false) else { return }
        SystemCallObservation.remove(self)
        SQLiteVolumes.remove(self)
    }

    /// - Returns: Whether it was full.
    private func change(to new: Bool) -> Bool {
        isFull.withLock { isFull in
            defer { isFull = new }
            return isFull
        }
    }

    private func has(_ path: String) -> Bool {
        folders.contains { path.hasPrefix($0) || path + "/" == $0 }
    }

    // MARK: What is refused

    func judge(writeTo path: String) -> CInt { has(path) ? ENOSPC : 0 }

    func willMake(_ call: SystemCall) -> CInt { takesRoom(call) && has(call.path.string) ? ENOSPC : 0 }

    func didMake(_ call: SystemCall) {}

    private func takesRoom(_ call: SystemCall) -> Bool {
        switch call.effect {
        case .createFile(let folder, let name), .createFolder(let folder, let name),
            .createSymbolicLink(let folder, let name, _), .link(_, _, let folder, let name):
            // The kernel looks whether the name is free before it looks for room.
            !Self.isTaken(name, in: folder)
        case .write, .copy: true
        // Cutting bytes off gives room back.
        case .change: call.name != "ftruncate"
        // Bytes that others wrote by other ways, such as Data's own: a volume that puts off finding room for them says so
        // when they are to last.
        case .sync(let file): Self.isRegularFile(file)
        case .syncVolume: true
        // A rename takes the other's room; permissions, times and marks have theirs in the inode.
        case .none, .remove, .rename, .setAttributes: false
        }
    }

    private static func isTaken(_ name: String, in folder: CInt) -> Bool {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    private static func isRegularFile(_ file: CInt) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
