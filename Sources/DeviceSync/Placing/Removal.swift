internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Sync

/// Takes documents away, each out of sight in one step: a package is never half there, and what is not as expected comes
/// back.
///
///     letter.txt ──▶ .sheaf-removed-1a2b3c4d-letter.txt ──▶ nothing
///                 ◀── (it is another, or the process died)
///     plan.rtfd ──▶ .sheaf-removed-1a2b3c4d-plan.rtfd ──▶ .sheaf-gone-1a2b3c4d ──▶ nothing
///                ◀── (as above)
///
/// All that an arrow leads to lasts before the next one. So what is remembered as gone does not come back with a power cut, and of
/// a package that is being taken apart nobody gets a half.
enum Removal {
    private static let prefix = ".sheaf-removed-"
    private static let gonePrefix = ".sheaf-gone-"
    /// What every volume has room for, in bytes: eCryptfs has the least.
    private static let nameByteCountMax = 143
    /// A tag and the sign behind it.
    private static let tagByteCountMax = 9

    /// Removes a document if it is as expected when it is out of everybody's reach.
    ///
    /// - Parameter isExpected: Gets how it looks, and where it is then.
    /// - Returns: False when it is another; it is where it was then, or beside it.
    static func remove(_ path: FilePath, if isExpected: (MemberStatus, FilePath) -> Bool) throws -> Bool {
        let tag = String(UInt32.random(in: 0...UInt32.max), radix: 16)
        let aside = path.parent.appending("\(prefix)\(tag)-\(cut(path.name))")
        try ItemMoves.move(path, toFree: aside)
        guard let status = try FolderScan.status(at: aside), isExpected(status, aside) else {
            try putBack(aside, to: path)
            return false
        }
        guard status.stamp.kind == .directory else {
            try ItemMoves.removeFile(aside)
            return true
        }
        let gone = path.parent.appending(gonePrefix + tag)
        try ItemMoves.move(aside, toFree: gone)
        clear(gone)
        return true
    }

    /// A document's name as far as there is room for it beside ours.
    private static func cut(_ name: String) -> String {
        let byteCountMax = nameByteCountMax - prefix.utf8.count - tagByteCountMax
        guard name.utf8.count > byteCountMax else { return name }
        var rest = Substring(name)
        while rest.utf8.count > byteCountMax { rest.unicodeScalars.removeLast() }
        return String(rest)
    }

    /// Takes a package apart that is gone, whoever may write to folders in it.
    private static func clear(_ gone: FilePath) {
        // What stays is in nobody's way, and goes when the folder is looked at next.
        try? ReadOnlyTree.remove(gone)
    }

    /// What is in a folder, with what a process that died was about to remove: whether that is to go is decided anew.
    ///
    /// - Parameters:
    ///   - listing: What was found in it just now; nil for: it is to be listed.
    ///   - names: What the items were called that a member may be: more than beside our names there is room for.
    ///   - seen: The item that a member is which is as it was seen last; nil for any other.
    static func listingAfterPuttingBack(
        in folder: FilePath,
        _ listing: FolderListing?,
        names: (FolderMember) -> [String],
        seen: @Sendable (FolderMember) -> ItemID?
    ) throws(SystemError) -> FolderListing {
        let listing = listing ?? FolderListing(of: folder, seen: seen)
        let members = try listing.members.get()
        let left = members.compactMap { member in formerName(of: member.name).map { (member, $0) } }
        let gone = members.filter { $0.name.hasPrefix(gonePrefix) }
        guard !left.isEmpty || !gone.isEmpty else { return listing }
        for member in gone { clear(folder.appending(member.name)) }
        for (member, former) in left {
            let whole = names(member).first { cut($0).isSameInBytes(former) } ?? former
            try putBack(folder.appending(member.name), to: folder.appending(whole))
        }
        return FolderListing(of: folder, seen: seen)
    }

    /// The name that a document had which a process took aside and died, as far as there was room for it; nil for any other.
    private static func formerName(of name: String) -> String? {
        // By bytes: the document's name may begin with a sign that belongs to the one before it.
        guard let rest = name.following(prefix), let end = rest.utf8.firstIndex(of: UInt8(ascii: "-")) else {
            return nil
        }
        let former = String(rest[rest.utf8.index(after: end)...])
        return former.isEmpty ? nil : former
    }

    /// Puts a document back: under its name, or the next one that is free.
    private static func putBack(_ aside: FilePath, to path: FilePath) throws(SystemError) {
        var (target, number) = (path, 1)
        while true {
            do { return try ItemMoves.move(aside, toFree: target) } catch {
                guard error.errno == EEXIST else { throw error }
                number += 1
                target = path.parent.appending(ContainerTree.numbered(path.name, number))
            }
        }
    }
}
