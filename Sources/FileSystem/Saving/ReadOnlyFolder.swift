internal import Foundation

/// A folder that its owner may not write to, while it goes from one folder to another.
///
/// What leads out of a folder is written in it. So Linux lets nobody but root give it another parent who may not write to it, and
/// its owner may do so for as long as that takes. A crash meanwhile leaves it like that.
struct ReadOnlyFolder: Sendable {
    private let folder: Folder
    private let permissions: UInt32

    private static let ownerMayWrite: UInt32 = 0o200

    /// Nil for anything else, and for a folder whose permissions are another user's to give.
    init?(_ name: String, in parent: Folder) throws(SystemError) {
        guard let found = try SystemCalls.statusIfPresent(parent, name), Self.isReadOnly(found),
            // What its owner may not even read cannot be opened: whoever moves it is told.
            let folder = try? parent.folder(name),
            case let own = try SystemCalls.fstat(folder.descriptor), Self.isReadOnly(own)
        else { return nil }
        (self.folder, permissions) = (folder, own.stamp.permissions)
    }

    private static func isReadOnly(_ status: FileStatus) -> Bool {
        status.stamp.kind == .directory && status.stamp.permissions & ownerMayWrite == 0
            && status.owner == geteuid()
    }

    /// Lets it be moved.
    func unlock() throws(SystemError) {
        try SystemCalls.fchmod(folder.descriptor, permissions | Self.ownerMayWrite)
    }

    /// Gives it the permissions that it had, durably, wherever it is by now.
    func lock() throws(SystemError) {
        // Somebody else may have given it others meanwhile.
        let now = try SystemCalls.fstat(folder.descriptor).stamp.permissions
        guard now == permissions | Self.ownerMayWrite else { return }
        try SystemCalls.fchmod(folder.descriptor, permissions)
        try SystemCalls.fsync(folder.descriptor)
    }

    /// Moves an item from one folder to another, if need be one that its owner may not write to.
    static func moving(
        _ name: String,
        from source: Folder,
        to target: Folder,
        _ move: () throws(SystemError) -> Void
    ) throws(SystemError) {
        guard source.path != target.path, let folder = try ReadOnlyFolder(name, in: source) else {
            return try move()
        }
        try folder.unlock()
        do { try move() } catch {
            // The first error is what the caller must know.
            try? folder.lock()
            throw error
        }
        try folder.lock()
    }
}
