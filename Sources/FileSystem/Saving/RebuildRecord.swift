internal import Foundation

/// What a rebuild found in the folders that it linked from.
///
/// Others may go on working in them until the exchange. What they do there then is in the old tree alone, and by this it
/// is told from what the save did.
struct RebuildRecord: Equatable, Sendable {
    /// A member that stays.
    struct Member: Equatable, Sendable {
        /// Its inode, as the listing of the old folder gave it.
        var old: UInt64
        /// The inode that bears its name in the new folder; nil for a folder, which has a record of its own.
        var new: UInt64?
        /// How it looked before it was copied, where it could not be linked: what others write into it from then on is in the
        /// old tree alone. Known to no other process.
        var copied: FileStamp?
    }

    /// A folder as it was before it was listed.
    struct Listed: Equatable, Sendable {
        var device: UInt64
        var inode: UInt64
        var modified: FileTime
        var changed: FileTime
        /// The inode of the folder that takes its place.
        var newInode: UInt64
        /// Whether the save changes something in it, at any depth.
        var isChanging: Bool
        var members: [String: Member] = [:]
        /// What the save places or removes: the inode there, as it was looked at last; 0 for nothing.
        var leaving: [String: UInt64] = [:]
    }

    /// Which folder of the item is rebuilt.
    var target: MemberPath
    /// By their places in that folder.
    var folders: [MemberPath: Listed] = [:]

    /// Which inode a member has in the new folder, if it was put there.
    func newInode(of name: String, in path: MemberPath) -> UInt64? {
        guard let member = folders[path]?.members[name] else { return nil }
        return member.new ?? path.appending(name).flatMap { folders[$0]?.newInode }
    }
}

extension RebuildRecord.Listed {
    /// Longer than any kernel's: those before 6.13 note times by a clock of at most a hundredth of a second.
    private static let tickSecondsMax = 0.05

    init(_ status: FileStatus, newInode: UInt64, isChanging: Bool) {
        device = status.stamp.device
        inode = status.stamp.inode
        // What changes within one tick of the volume's clock bears one time: such a folder is looked into in any case.
        let age = abs(Date().timeIntervalSince1970 - status.change.secondsSince1970)
        let isTold = age > Self.tickSecondsMax
        modified = isTold ? status.modified : FileTime(seconds: .min, nanoseconds: 0)
        changed = isTold ? status.change : FileTime(seconds: .min, nanoseconds: 0)
        self.newInode = newInode
        self.isChanging = isChanging
    }

    /// Whether nobody has put a member there or taken one away since, as far as its times tell.
    ///
    /// - Parameter isMoved: Whether it has itself been moved, which changes one of them.
    func isUntouched(_ now: FileStatus, isMoved: Bool) -> Bool {
        now.stamp.device == device && now.stamp.inode == inode && now.modified == modified
            && (isMoved || now.change == changed)
    }
}

extension FileStatus {
    fileprivate var modified: FileTime {
        FileTime(seconds: stamp.modificationSeconds, nanoseconds: stamp.modificationNanoseconds)
    }
}

/// A member of a folder with the inode that the listing tells, which costs no call of its own.
struct InodeEntry: Sendable {
    var name: String
    var inode: UInt64
    var kind: FileStamp.Kind?

    /// All members of a folder; fails as `readdir` does where a name is not UTF-8.
    static func all(in folder: Folder) throws(SystemError) -> [InodeEntry] {
        var entries: [InodeEntry] = []
        var unnamed: String?
        try SystemCalls.forEachMember(of: folder, unnamed: { unnamed = $0 }) {
            (name, inode, kind) throws(SystemError) in
            entries.append(InodeEntry(name: name, inode: inode, kind: kind))
            return true
        }
        guard let unnamed else { return entries }
        throw SystemError(call: "getdents", errno: EILSEQ, path: folder.place(of: unnamed))
    }

    static func inodes(in folder: Folder) throws(SystemError) -> [String: UInt64] {
        Dictionary(try all(in: folder).map { ($0.name, $0.inode) }) { first, _ in first }
    }
}
