package import FileSystem
internal import Foundation

/// The files at the top of a package by which one state of it differs from another, when nothing else does: those that are
/// new, and those that are others.
///
/// What is deeper in a package is not told here: a change there makes the folder that it is in younger, which no single step
/// can undo.
package struct PackageDifference: Sendable {
    struct Member: Sendable {
        /// What it was; nil for nothing.
        var former: ManifestEntry?
        var next: ManifestEntry
    }

    let members: [Member]
}

extension Vault {
    /// By what files a package comes from one state to another.
    ///
    /// - Parameter countMax: How many files may differ.
    /// - Returns: Nil when more do, or when it takes more than that.
    /// - Throws: `VaultError` with code `damaged`.
    package func difference(
        from former: DocumentContents,
        to next: DocumentContents,
        countMax: Int
    ) throws -> PackageDifference? {
        guard former.kind == .directory, next.kind == .directory, former.entry.dress == next.entry.dress,
            let before = former.entry.content, let after = next.entry.content
        else { return nil }
        let restorer = try Restorer(store: store)
        let (leavesBefore, leavesAfter) = (
            try restorer.leaves(of: before), try restorer.leaves(of: after)
        )
        // What both share is not gone through.
        let shared = Set(leavesBefore).intersection(leavesAfter)
        func members(_ leaves: [ObjectName]) throws -> [[UInt8]: ManifestEntry] {
            var members: [[UInt8]: ManifestEntry] = [:]
            for leaf in leaves where !shared.contains(leaf) {
                // By the bytes of their names: what looks alike may be two.
                try restorer.forEachMember(of: ContentReference(name: leaf, level: 0)) {
                    members[Array($0.name.utf8)] = $0
                }
            }
            return members
        }
        let (was, now) = (try members(leavesBefore), try members(leavesAfter))
        guard was.keys.allSatisfy({ now[$0] != nil }) else { return nil }
        var found: [PackageDifference.Member] = []
        for (name, entry) in now where was[name] != entry {
            guard entry.kind == .file, was[name]?.kind ?? .file == .file, found.count < countMax else {
                return nil
            }
            found.append(PackageDifference.Member(former: was[name], next: entry))
        }
        return PackageDifference(members: found)
    }
}

extension ContentRestorer {
    /// Makes the files that are new or others in a folder.
    ///
    /// - Returns: What the volume does not let them bear.
    package func restore(_ difference: PackageDifference, into folder: FilePath) throws -> DressNotes {
        let folder = try StorageFolder(at: folder)
        var losses = DressNotes()
        for member in difference.members {
            let name = member.next.name
            let path = DressNotes.path(of: name, in: DressNotes.top)
            try restorer.restore(member.next, as: name, in: folder, at: path, losses: &losses)
        }
        return losses
    }

    /// How the files are that are to be replaced; nil when one of them is not what it was, to the last byte and attribute, or
    /// when something is where a new one is to be.
    package func replaced(
        by difference: PackageDifference,
        in package: FilePath
    ) throws -> [MemberPath: MemberStatus]? {
        let folder = try SourceFolder(at: package)
        var found: [MemberPath: MemberStatus] = [:]
        for member in difference.members {
            let (name, place) = (member.next.name, package.appending(member.next.name))
            guard let path = MemberPath([name]) else { return nil }
            guard let former = member.former else {
                guard try FolderScan.status(at: place) == nil else { return nil }
                continue
            }
            let status = try folder.status(of: name)
            guard status.stamp.kind == .regular,
                // As they are kept: without set-user-ID and set-group-ID.
                status.stamp.permissions & 0o1777 == former.dress.permissions,
                try folder.file(name).userAttributes() == former.dress.attributes,
                try restorer.holdsBytes(of: place, former)
            else { return nil }
            found[path] = status
        }
        // One after another takes its time.
        for (path, status) in found {
            guard let name = path.components.last, try folder.status(of: name) == status else { return nil }
        }
        return found
    }
}
