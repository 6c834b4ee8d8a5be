internal import Foundation

/// Finishes or clears away what a save left that died: a process killed, a machine without power.
package enum SaveRecovery {
    /// Brings an item into the state of its last whole save.
    ///
    /// To be called before an item is opened; saving does it by itself. Two system calls when nothing was
    /// left. Nothing but leftovers of this very item is touched. A live save is not disturbed, and waited for
    /// only while the item has no version in place. What cannot be removed on a volume that cannot be
    /// written to stays, and so does what cannot be locked: it does no harm. What this user may not remove gets a
    /// numbered name, to be in no save's way.
    ///
    /// - Parameter item: Which item; a symbolic link is followed.
    /// - Throws: What the kernel refused while a swap cut short was being finished.
    package static func recover(item: FilePath) throws(SystemError) {
        let item = try SaveSite.resolvingLinks(item)
        let staging = item.parent.appending(SaveSite.stagingName(for: item.name))
        guard try FileStamp.ifPresent(at: staging) != nil else { return }
        do { try clear(try SaveSite(item: item), waits: .betweenVersions) } catch {
            guard mayStay(after: error) else { throw error }
            if try FileStamp.ifPresent(at: item) == nil { throw error }
        }
    }

    /// Brings an item into the state of its last whole save, and waits for nobody.
    ///
    /// - Parameter item: Which item; a symbolic link is none that is saved.
    /// - Returns: Whether a live save of it goes on: an item that is not in its place may be in the staging then.
    /// - Throws: What the kernel refused; the staging is there still.
    package static func recoverWithoutWaiting(item: FilePath) throws(SystemError) -> Bool {
        let staging = item.parent.appending(SaveSite.stagingName(for: item.name))
        guard try FileStamp.ifPresent(at: staging) != nil else { return false }
        return try clear(try SaveSite(item: item), waits: .never)
    }

    /// Which live saves are waited for.
    enum Waiting {
        case always, betweenVersions, never
    }

    /// Clears an item's staging away unless a live save holds it that is not waited for.
    ///
    /// - Returns: Whether one holds it.
    @discardableResult
    static func clear(_ site: SaveSite, waits: Waiting) throws(SystemError) -> Bool {
        var mode = O_RDONLY
        while true {
            guard let found = try SystemCalls.statusIfPresent(site.folder, site.stagingName) else {
                return false
            }
            try checkIsOurs(found, at: site)
            // A folder can be opened in no other way; it may have taken a file's place.
            if found.stamp.kind != .regular { mode = O_RDONLY }
            guard let leftover = try openLeftover(found, at: site, mode) else { continue }
            guard let isLocked = try lockAtOnce(leftover, opened: mode) else {
                mode = O_RDWR
                continue
            }
            if !isLocked {
                switch waits {
                case .always: break
                case .betweenVersions:
                    guard try isBetweenVersions(leftover, kind: found.stamp.kind) else { return true }
                case .never: return true
                }
                _ = try SystemCalls.flock(leftover.descriptor, waits: true)
            }
            // Closing alone would leave the lock to a process that is just being started, and what is left here
            // would be taken for a live save.
            defer { SystemCalls.unlock(leftover.descriptor) }
            // Whoever held the lock may have removed the staging, or made it the item itself.
            guard let locked = try statusUnlessGone(leftover),
                let now = try SystemCalls.statusIfPresent(site.folder, site.stagingName),
                now.isSameItem(as: locked)
            else { continue }
            try remove(leftover, kind: now.stamp.kind, at: site)
            return false
        }
    }

    /// Whether the item can be opened all the same, if it is in its place.
    private static func mayStay(after error: SystemError) -> Bool {
        if [EROFS, EACCES, EPERM, EEXIST].contains(error.errno) || error.call == "syncfs" { return true }
        // A server that keeps no locks, or too few, keeps nobody from reading.
        return error.call == "flock" && [EBADF, ENOLCK, EOPNOTSUPP].contains(error.errno)
    }

    /// In a folder where everyone may create and nobody may rename, /tmp for one, a staging of somebody else
    /// could be bait: its journal would move things in our name.
    private static func checkIsOurs(_ found: FileStatus, at site: SaveSite) throws(SystemError) {
        let place = site.folder.place(of: site.stagingName)
        var refusal = SystemError(call: "openat", errno: EEXIST, path: place)
        refusal.stagingInTheWay = inTheWay(found, at: site)
        guard found.stamp.kind == .regular || found.stamp.kind == .directory else { throw refusal }
        let folder = try SystemCalls.fstat(site.folder.descriptor)
        if folder.stamp.permissions & 0o1000 != 0, found.owner != geteuid() { throw refusal }
    }

    private static func inTheWay(_ found: FileStatus, at site: SaveSite) -> StagingInTheWay {
        StagingInTheWay(
            path: site.folder.place(of: site.stagingName),
            item: site.item,
            owner: found.owner,
            isOfSave: found.stamp.kind == .regular || found.stamp.kind == .directory
        )
    }

    /// Opens what a save left, or one that lives has.
    ///
    /// - Returns: Nil when it is not there any more, or what is there cannot be opened in this way.
    private static func openLeftover(
        _ found: FileStatus,
        at site: SaveSite,
        _ mode: CInt
    ) throws(SystemError) -> Folder? {
        do {
            let flags = mode | O_NOFOLLOW | O_NONBLOCK
            return Folder(try SystemCalls.openat(site.folder, site.stagingName, flags))
        } catch {
            if error.errno == ENOENT || error.errno == EISDIR { return nil }
            var refusal = error
            // Another user's is open to nobody else: a save does not show what was not to be seen before.
            if error.isForbidden, found.owner != geteuid() {
                refusal.stagingInTheWay = inTheWay(found, at: site)
            }
            throw refusal
        }
    }

    /// Locks it, if nobody else has.
    ///
    /// Opened for writing is only what cannot be locked otherwise: who asks whether somebody writes a file would be told so of
    /// that of a live save.
    ///
    /// - Returns: Whether it is locked; nil where NFS wants it opened for writing, flock(2).
    private static func lockAtOnce(_ leftover: Folder, opened mode: CInt) throws(SystemError) -> Bool? {
        do { return try SystemCalls.flock(leftover.descriptor, waits: false) } catch {
            guard error.errno == EBADF, mode == O_RDONLY,
                try SystemCalls.fstat(leftover.descriptor).stamp.kind == .regular
            else { throw error }
            return nil
        }
    }

    /// Nil for what another machine has removed, which a server knows nothing of any more.
    private static func statusUnlessGone(_ leftover: Folder) throws(SystemError) -> FileStatus? {
        do { return try SystemCalls.fstat(leftover.descriptor) } catch {
            guard error.errno == ESTALE else { throw error }
            return nil
        }
    }

    private static func isBetweenVersions(
        _ staging: Folder,
        kind: FileStamp.Kind
    ) throws(SystemError) -> Bool {
        guard kind == .directory else { return false }
        return try SystemCalls.statusIfPresent(staging, SwapJournal.name) != nil
    }

    private static func remove(
        _ leftover: Folder,
        kind: FileStamp.Kind,
        at site: SaveSite
    ) throws(SystemError) {
        if kind == .directory {
            try SwapJournal.read(in: leftover)?.finish(at: site, staging: leftover)
            try LateChanges.recover(at: site, staging: leftover)
            // The save may have died before what it put in place lasts: the old version is not to be taken apart before that.
            try SystemCalls.syncfs(leftover)
            do { try TreeRemoval.empty(leftover) } catch {
                guard error.isForbidden else { throw error }
                return try setAside(at: site)
            }
        }
        do { try SystemCalls.unlinkat(site.folder, site.stagingName, isFolder: kind == .directory) } catch {
            // A save removes what it has taken the place of itself.
            guard error.errno == ENOENT else { throw error }
        }
    }

    /// Lets a staging have another name that holds what this user may not remove: a folder of somebody else's that was in the old
    /// version, or a file that nobody may change.
    ///
    /// Nothing in it is needed any more, and it would be in the way of every save.
    private static func setAside(at site: SaveSite) throws(SystemError) {
        try FreeName.moveNumbered(
            site.stagingName,
            from: site.folder,
            to: site.folder,
            as: site.stagingName
        )
    }
}
