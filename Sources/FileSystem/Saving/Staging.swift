internal import Foundation

/// The temporary file of a save: it takes the item's place by one rename.
///
/// Its descriptor holds the lock that tells a live save from a dead one.
final class StagedFile: Sendable {
    let site: SaveSite
    let descriptor: FileDescriptor

    private init(site: SaveSite, descriptor: consuming FileDescriptor) {
        self.site = site
        self.descriptor = descriptor
    }

    deinit { SystemCalls.unlock(descriptor) }

    /// Makes the file, waiting for another save of the item and clearing what a dead one left.
    static func make(at site: SaveSite, permissions: UInt32) throws(SystemError) -> StagedFile {
        while true {
            do {
                let file = try SystemCalls.openat(
                    site.folder,
                    site.stagingName,
                    O_RDWR | O_CREAT | O_NOFOLLOW,
                    permissions: permissions
                )
                if try isLockedInPlace(file, at: site) { return StagedFile(site: site, descriptor: file) }
            } catch {
                guard error.errno == EEXIST else { throw error }
                try SaveRecovery.clear(site, waits: .always)
            }
        }
    }

    /// Locks the file just made.
    ///
    /// - Returns: False when somebody took it for a leftover before that: then it does not bear the name any more. How many names
    ///   it has tells nothing: NFS gives a file that is open another one when it is removed.
    private static func isLockedInPlace(
        _ file: borrowing FileDescriptor,
        at site: SaveSite
    ) throws(SystemError) -> Bool {
        do {
            _ = try SystemCalls.flock(file, waits: true)
            let own = try SystemCalls.fstat(file)
            let named = try SystemCalls.statusIfPresent(site.folder, site.stagingName)
            return named?.isSameItem(as: own) ?? false
        } catch {
            // Removed by another machine: what bears the name now is somebody else's.
            if error.errno == ESTALE { return false }
            // The first error is the one to tell; recovery removes what stays.
            try? SystemCalls.unlinkat(site.folder, site.stagingName)
            throw error
        }
    }

    /// Removes the file.
    func remove() throws(SystemError) {
        try SystemCalls.unlinkat(site.folder, site.stagingName)
    }
}

/// The staging folder of a save: holds what is to come, what was there, and the journal between the two.
///
/// Its descriptor holds the lock that tells a live save from a dead one.
final class StagingFolder: Sendable {
    /// A new version of the item, or of a folder in it, ready to be put in place.
    static let nextName = ".sheaf-next"
    /// What was in place before.
    static let oldName = ".sheaf-old"

    let site: SaveSite
    let folder: Folder

    private init(site: SaveSite, folder: Folder) {
        self.site = site
        self.folder = folder
    }

    var stagedName: String { site.stagedName }

    deinit { SystemCalls.unlock(folder.descriptor) }

    /// Makes the folder, waiting for another save of the item and clearing what a dead one left.
    static func make(at site: SaveSite) throws(SystemError) -> StagingFolder {
        while true {
            do {
                try SystemCalls.mkdirat(site.folder, site.stagingName, permissions: 0o700)
            } catch {
                guard error.errno == EEXIST else { throw error }
                try SaveRecovery.clear(site, waits: .always)
                continue
            }
            if let staging = try adopt(at: site) { return staging }
        }
    }

    /// Opens and locks the folder just made; nil when somebody took it for a leftover before that.
    private static func adopt(at site: SaveSite) throws(SystemError) -> StagingFolder? {
        do {
            let folder = try site.folder.folder(site.stagingName)
            _ = try SystemCalls.flock(folder.descriptor, waits: true)
            let own = try SystemCalls.fstat(folder.descriptor)
            guard try SystemCalls.fstatat(site.folder, site.stagingName).isSameItem(as: own) else {
                return nil
            }
            return StagingFolder(site: site, folder: folder)
        } catch {
            guard error.isAbsent || error.errno == ESTALE else {
                // The first error is the one to tell; recovery removes what stays.
                try? SystemCalls.unlinkat(site.folder, site.stagingName, isFolder: true)
                throw error
            }
            return nil
        }
    }

    /// Removes the folder and all that is in it, unless a swap inside it was cut short: that is for recovery.
    func remove() throws(SystemError) {
        guard try SystemCalls.statusIfPresent(folder, SwapJournal.name) == nil else { return }
        try TreeRemoval.empty(folder)
        try SystemCalls.unlinkat(site.folder, site.stagingName, isFolder: true)
    }
}

/// What a committed save still has to throw away.
///
/// May be handed to another thread.
package final class SaveRemains: Sendable {
    private let staging: StagingFolder

    init(_ staging: StagingFolder) {
        self.staging = staging
    }

    /// Removes the staging, and with it the old version; tens of milliseconds for ten thousand members.
    ///
    /// Another save of the item waits until this has been called or the remains have been dropped. When it
    /// fails or is never called, the next opening or saving of the item removes them.
    package func remove() throws(SystemError) {
        try staging.remove()
    }
}
