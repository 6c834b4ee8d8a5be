internal import Foundation

/// What others do in a folder between its being linked and the exchange: it is in the old tree alone, and is carried
/// over to the new one before the old one is removed.
///
/// 1. What they have made or put in a file's place, and a file that was copied and then written into, comes under the same
///    name, where the new tree has what was linked or copied there, or nothing.
/// 2. Where the save has changed that name, or somebody has put something there since, it comes beside that under a
///    numbered name.
/// 3. What they have taken away goes, if nothing but what was linked bears the name.
/// 4. What leaves the new tree goes into the old one: whatever it turns out to be, it is not lost. So all this can be
///    cut short at any time and be begun anew.
struct LateChanges: Sendable {
    private(set) var record: RebuildRecord
    /// The folder that was rebuilt, wherever it is by now.
    let old: Folder
    /// The one that takes its place.
    let new: Folder
    /// Whether the old tree may have been taken apart already: then what is not there tells nothing.
    private var mayLack = false

    init(record: RebuildRecord, old: Folder, new: Folder) {
        (self.record, self.old, self.new) = (record, old, new)
    }

    /// Looks again at what the save replaces or removes: what others have put there until now is for the caller to see.
    mutating func noteLeaving() {
        for (path, folder) in record.folders where !folder.leaving.isEmpty {
            for name in folder.leaving.keys {
                guard let member = path.appending(name) else { continue }
                do {
                    let status = try SystemCalls.statusIfPresent(old, member.relativePath)
                    record.folders[path]?.leaving[name] = status?.stamp.inode ?? 0
                } catch {
                    // As it was found when the folder was listed.
                }
            }
        }
    }

    /// Carries all over, durably. One call a folder where nothing has happened.
    ///
    /// - Throws: What the kernel refused; what is not carried over is still in the old tree.
    func carryOver() throws(SystemError) {
        var touched: [MemberPath] = []
        for (path, folder) in record.folders where try isWorkedIn(folder, at: path) { touched.append(path) }
        // From the top down: what comes as a whole folder is done with.
        touched.sort { $0.components.count < $1.components.count }
        for path in touched { try carryOver(path) }
    }

    private func isTouched(_ folder: RebuildRecord.Listed, at path: MemberPath) throws(SystemError) -> Bool {
        do {
            let now = try SystemCalls.fstatat(old, path.relativePath)
            return !folder.isUntouched(now, isMoved: path == .top)
        } catch {
            guard error.isAbsent || error.errno == ELOOP else { throw error }
            return true
        }
    }

    private func isWorkedIn(_ folder: RebuildRecord.Listed, at path: MemberPath) throws(SystemError) -> Bool {
        if try isTouched(folder, at: path) { return true }
        return try hasWrittenCopies(folder, at: path)
    }

    /// Whether a file was written into after it was copied, which no time of the folder tells.
    private func hasWrittenCopies(
        _ folder: RebuildRecord.Listed,
        at path: MemberPath
    ) throws(SystemError) -> Bool {
        for (name, member) in folder.members where member.copied != nil {
            if try isWritten(member, name, in: path) { return true }
        }
        return false
    }

    private func isWritten(
        _ member: RebuildRecord.Member,
        _ name: String,
        in path: MemberPath
    ) throws(SystemError) -> Bool {
        guard let copied = member.copied, let place = path.appending(name) else { return false }
        do { return try SystemCalls.fstatat(old, place.relativePath).stamp != copied } catch {
            // What is gone, or cannot be reached any more, changes the folder that it is in.
            guard error.isAbsent || error.errno == ELOOP else { throw error }
            return false
        }
    }

    private func carryOver(_ path: MemberPath) throws(SystemError) {
        // A folder that is another one now, on either side, was seen to in the folder that it is in.
        guard let listed = record.folders[path],
            let source = try Self.folder(path, in: old, inode: listed.inode),
            let target = try Self.folder(path, in: new, inode: listed.newInode)
        else { return }
        let move = LateMove(source: source, target: target)
        let (found, present) = (try InodeEntry.inodes(in: source), try InodeEntry.inodes(in: target))
        var isChanged = false
        for (name, inode) in found where inode != present[name] {
            guard try isLate(name, inode, listed, in: path, source),
                // Of two names that look alike a listing tells one.
                try SystemCalls.statusIfPresent(target, name)?.stamp.inode != inode
            else { continue }
            if let linked = record.newInode(of: name, in: path), listed.leaving[name] == nil,
                present[name] == linked, !isChanging(name, in: path)
            {
                try move.replace(name, bearing: linked)
            } else {
                try move.keep(name)
            }
            isChanged = true
        }
        for name in listed.members.keys where !mayLack && found[name] == nil {
            guard let linked = record.newInode(of: name, in: path), present[name] == linked,
                try retire(name, in: path, bearing: linked, move)
            else { continue }
            isChanged = true
        }
        // Of what a save that died has moved nobody knows whether it lasts.
        if isChanged || mayLack { try SystemCalls.fsync(target.descriptor) }
    }

    /// Whether what bears a name in the old folder came there, or was written, after the new one was made.
    private func isLate(
        _ name: String,
        _ inode: UInt64,
        _ listed: RebuildRecord.Listed,
        in path: MemberPath,
        _ source: Folder
    ) throws(SystemError) -> Bool {
        if let replaced = listed.leaving[name] {
            guard inode != replaced else { return false }
            // The listing and the look at one name tell different numbers on some volumes.
            return try SystemCalls.statusIfPresent(source, name)?.stamp.inode != replaced
        }
        guard let member = listed.members[name] else { return true }
        // Also what this has put there, when it was cut short.
        if inode == record.newInode(of: name, in: path) { return false }
        guard inode == member.old else { return true }
        return try isWritten(member, name, in: path)
    }

    private func isChanging(_ name: String, in path: MemberPath) -> Bool {
        path.appending(name).flatMap { record.folders[$0]?.isChanging } ?? false
    }

    /// Takes out of the new tree what others have taken out of the old one.
    private func retire(
        _ name: String,
        in path: MemberPath,
        bearing inode: UInt64,
        _ move: LateMove
    ) throws(SystemError) -> Bool {
        guard let inner = path.appending(name), record.folders[inner] != nil else {
            return try move.retire(name, bearing: inode)
        }
        // Anything else in it is somebody's, or the save's.
        guard try isAsLinked(inner, in: move.target),
            try move.retire(name, bearing: inode)
        else { return false }
        if try isAsLinked(inner, in: move.source) { return true }
        try move.keep(name)
        return true
    }

    /// Whether a folder of the new tree holds nothing but what was linked.
    private func isAsLinked(_ path: MemberPath, in parent: Folder) throws(SystemError) -> Bool {
        guard let listed = record.folders[path], !listed.isChanging, let name = path.name,
            let folder = try Self.folder(MemberPath([name]) ?? .top, in: parent, inode: listed.newInode)
        else { return false }
        for (name, inode) in try InodeEntry.inodes(in: folder) {
            guard inode == record.newInode(of: name, in: path) else { return false }
            guard let inner = path.appending(name), record.folders[inner] != nil else { continue }
            if try !isAsLinked(inner, in: folder) { return false }
        }
        return true
    }

    /// Opens a folder if it is the one that is meant.
    private static func folder(
        _ path: MemberPath,
        in top: Folder,
        inode: UInt64
    ) throws(SystemError) -> Folder? {
        do {
            let folder = try top.folder(path)
            return try SystemCalls.fstat(folder.descriptor).stamp.inode == inode ? folder : nil
        } catch {
            guard error.isAbsent || error.errno == ELOOP else { throw error }
            return nil
        }
    }
}

extension LateChanges {
    /// Carries over what a save that died has not, from its staging.
    ///
    /// Nothing is taken away: the old tree may have been removed in part. Where others' files must not be moved, or have
    /// names that cannot be told, the old tree goes beside the item as a whole.
    static func recover(at site: SaveSite, staging: Folder) throws(SystemError) {
        guard let record = try RebuildNote.read(in: staging), let top = record.folders[.top],
            let new = try ifThere({ () throws(SystemError) in
                try site.folder.folder(site.itemName).folder(record.target)
            }),
            // Else there was no exchange, or somebody has put another item there since.
            try SystemCalls.fstat(new.descriptor).stamp.inode == top.newInode
        else { return }
        let parent = MemberPath([site.stagedName] + record.target.components)?.parent ?? .top
        let places: [(MemberPath, String)] = [
            (parent, record.target.name ?? site.stagedName), (.top, StagingFolder.oldName),
        ]
        for (path, name) in places {
            guard let folder = try ifThere({ () throws(SystemError) in try staging.folder(path) }),
                let old = try ifThere({ () throws(SystemError) in try folder.folder(name) }),
                try SystemCalls.fstat(old.descriptor).stamp.inode == top.inode
            else { continue }
            var late = LateChanges(record: record, old: old, new: new)
            late.mayLack = true
            do { try late.carryOver() } catch {
                guard error.isForbidden || error.errno == EILSEQ else { throw error }
                try FreeName.moveNumbered(name, from: folder, to: site.folder, as: site.itemName)
                try SystemCalls.fsync(site.folder.descriptor)
            }
        }
    }

    private static func ifThere(
        _ open: () throws(SystemError) -> Folder
    ) throws(SystemError) -> Folder? {
        do { return try open() } catch {
            guard error.isAbsent || error.errno == ELOOP else { throw error }
            return nil
        }
    }
}
